#include "tools/run/run_options.h"

#include "nacre/error.h"

namespace nacre::tools {

const char kRunUsage[] =
    "usage: nacre-run FILE.mlir [--input X.npy]... [--compare | --compile | --interpret] [--output PREFIX]\n"
    "\n"
    "Runs @main of a file of nacre ops and prints the results.\n"
    "  --input X.npy    the next argument of @main; as many as it has. Arguments marked nacre.hidden are not counted:\n"
    "                   their values are the entries arg0, arg1, ... (by position) of FILE.mlir.npz\n"
    "  --compare        compile and interpret, fail if the results differ (the default)\n"
    "  --compile        compile only\n"
    "  --interpret      run the reference interpreter only: slow, exact\n"
    "  --output PREFIX  also write result I to PREFIX + I + .npy\n"
    "NACRE_DUMP=DIR writes the IR after each pass to DIR.\n";

RunOptions parseRunOptions(const std::vector<std::string>& arguments) {
  RunOptions options;
  std::optional<std::string> mode;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    auto value = [&]() -> const std::string& {
      if (i + 1 == arguments.size()) throw Error(argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--input") {
      options.inputs.push_back(value());
    } else if (argument == "--output") {
      options.output = value();
    } else if (argument == "--interpret" || argument == "--compile" || argument == "--compare") {
      if (mode && *mode != argument) throw Error(*mode + " and " + argument + " exclude each other");
      mode = argument;
      options.mode = argument == "--interpret" ? RunMode::interpret
                     : argument == "--compile" ? RunMode::compile
                                               : RunMode::compare;
    } else if (argument.size() > 1 && argument[0] == '-') {
      throw Error("unknown option " + argument);
    } else if (!options.file.empty()) {
      throw Error("two files given, " + options.file + " and " + argument);
    } else {
      options.file = argument;
    }
  }
  if (options.file.empty() && !options.help) throw Error("no FILE.mlir given");
  return options;
}

}  // namespace nacre::tools
