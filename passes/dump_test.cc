#include "passes/dump.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
namespace fs = std::filesystem;

namespace nacre::passes {

namespace {

fs::path freshFolder(const std::string& name) {
  const char* base = std::getenv("TEST_TMPDIR");
  fs::path folder = fs::path(base ? base : fs::temp_directory_path().string()) / name;
  fs::remove_all(folder);
  return folder;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in.good());
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

std::vector<std::string> filesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("one numbered file for each phase and pass") {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  fs::path folder = freshFolder("numbered");
  Dump dump(folder.string());
  dump.transform("grad @f", *module, *module, 1);
  dump.transform("vmap @f", *module, *module);
  dump.after(Phase::optimize, "inline", *module, 0.25);
  REQUIRE(succeeded(dump.run(Phase::optimize, "simplify", *module, [&] { return success(); })));
  (*module)->setAttr("changed", UnitAttr::get(&context));
  dump.after(Phase::fuse, "fuse", *module);
  dump.text(Phase::kernels, "llvm", "ll", "define void @k()\n");
  REQUIRE(failed(dump.run(Phase::plan, "broken", *module, [] { return failure(); })));

  CHECK(filesIn(folder) == std::vector<std::string>{"01-trace/01-grad--f-after.mlir", "01-trace/01-grad--f-before.mlir",
                                                    "01-trace/02-vmap--f-after.mlir", "01-trace/02-vmap--f-before.mlir",
                                                    "02-optimize/01-inline.mlir", "02-optimize/02-simplify.mlir",
                                                    "04-fuse/01-fuse.mlir", "06-kernels/01-llvm.ll"});
  std::string first = contents(folder / "02-optimize/01-inline.mlir");
  CHECK(first.rfind("// inline, 0.250 ms\n", 0) == 0);
  CHECK(parseSourceString<ModuleOp>(first, &context));
  std::string second = contents(folder / "02-optimize/02-simplify.mlir");
  CHECK(second.find("ms (unchanged)\n") != std::string::npos);
  CHECK(std::count(second.begin(), second.end(), '\n') == 1);
  CHECK(contents(folder / "04-fuse/01-fuse.mlir").find("changed") != std::string::npos);
  CHECK(contents(folder / "06-kernels/01-llvm.ll") == "; llvm\ndefine void @k()\n");
}

TEST_CASE("without a folder nothing is written") {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  Dump dump;
  CHECK(!dump.on());
  dump.after(Phase::optimize, "inline", *module);
  int runs = 0;
  CHECK(succeeded(dump.run(Phase::optimize, "simplify", *module, [&] { return success(++runs == 1); })));
}

TEST_CASE("a folder that cannot be made turns the dump off") {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  fs::path file = freshFolder("file");
  std::ofstream(file) << "in the way";
  Dump dump((file / "below").string());
  dump.after(Phase::optimize, "inline", *module);
  CHECK(!dump.on());
}

TEST_CASE("programs after the first have folders of their own") {
  unsetenv("NACRE_DUMP");
  CHECK(Dump::nextDirectory().empty());
  setenv("NACRE_DUMP", "/d", 1);
  CHECK(Dump::nextDirectory() == "/d");
  CHECK(Dump::nextDirectory() == "/d/program-2");
  unsetenv("NACRE_DUMP");
}

TEST_CASE("phases are found by name") {
  CHECK(phaseNamed("fuse") == Phase::fuse);
  CHECK(!phaseNamed("fusion"));
  for (size_t i = 0; i < kPhases.size(); ++i) CHECK(static_cast<size_t>(kPhases[i].phase) == i);
}

}  // namespace nacre::passes
