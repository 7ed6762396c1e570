// The command line of nacre-run.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace nacre::tools {

enum class RunMode { interpret, compile, compare };

struct RunOptions {
  std::string file;
  std::vector<std::string> inputs;
  RunMode mode = RunMode::compare;
  std::optional<std::string> output;  // prefix of the files that results are written to
  bool help = false;
};

extern const char kRunUsage[];

// Throws Error with a sentence that names the argument at fault.
RunOptions parseRunOptions(const std::vector<std::string>& arguments);

}  // namespace nacre::tools
