#include "passes/dump.h"

#include <atomic>
#include <chrono>
#include <cstdlib>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace nacre::passes {

namespace {

std::string twoDigits(int n) { return (n < 10 ? "0" : "") + std::to_string(n); }

// Names of passes come from callers and may name functions: only letters that every file system takes.
std::string fileStem(StringRef name) {
  std::string stem;
  for (char c : name) stem += llvm::isAlnum(c) || c == '-' || c == '_' || c == '.' ? c : '-';
  return stem.empty() ? "pass" : stem;
}

std::error_code writeWhole(const Twine& path, StringRef header, StringRef text) {
  SmallString<256> temporary((path + ".%%%%%%.tmp").str());
  int descriptor = -1;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(temporary, descriptor, temporary)) return error;
  std::error_code error;
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << header << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (!error) error = llvm::sys::fs::rename(temporary, path);
  if (error) llvm::sys::fs::remove(temporary);
  return error;
}

std::string printed(Operation* op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().enableDebugInfo(true).useLocalScope());
  os << '\n';
  return text;
}

std::string headerLine(StringRef comment, StringRef pass, double milliseconds, StringRef note) {
  std::string line;
  llvm::raw_string_ostream os(line);
  os << comment << ' ' << pass;
  if (milliseconds >= 0) os << ", " << llvm::format("%.3f", milliseconds) << " ms";
  if (!note.empty()) os << ' ' << note;
  os << '\n';
  return line;
}

}  // namespace

std::string Dump::nextDirectory() {
  const char* directory = std::getenv("NACRE_DUMP");
  if (!directory || !*directory) return "";
  static std::atomic<int> programs = 0;
  int n = ++programs;
  return n == 1 ? directory : std::string(directory) + "/program-" + std::to_string(n);
}

void Dump::write(Phase phase, StringRef stem, StringRef header, StringRef text) {
  int number = static_cast<int>(phase) + 1;
  SmallString<256> path(directory_);
  llvm::sys::path::append(path, twoDigits(number) + "-" + std::string(info(phase).name));
  std::error_code error = llvm::sys::fs::create_directories(path);
  if (!error) {
    llvm::sys::path::append(path, twoDigits(++count_[number - 1]) + "-" + stem);
    error = writeWhole(path, header, text);
  }
  if (!error) return;
  llvm::errs() << "nacre: cannot write the dump " << path << ": " << error.message() << "; dumping stops\n";
  directory_.clear();
}

void Dump::text(Phase phase, StringRef pass, StringRef extension, StringRef text, double milliseconds) {
  if (!on()) return;
  StringRef comment = extension == "s" || extension == "txt" ? "#" : extension == "ll" ? ";" : "//";
  write(phase, fileStem(pass) + "." + extension.str(), headerLine(comment, pass, milliseconds, ""), text);
}

void Dump::after(Phase phase, StringRef pass, Operation* op, double milliseconds) {
  if (!on()) return;
  std::string now = printed(op);
  bool same = now == previous_;
  write(phase, fileStem(pass) + ".mlir", headerLine("//", pass, milliseconds, same ? "(unchanged)" : ""),
        same ? StringRef() : StringRef(now));
  previous_ = std::move(now);
}

void Dump::transform(StringRef what, Operation* before, Operation* after, double milliseconds) {
  if (!on()) return;
  write(Phase::trace, fileStem(what) + "-before.mlir", headerLine("//", what, -1, "(before)"), printed(before));
  // Both files of a pair have one number.
  --count_[static_cast<int>(Phase::trace)];
  if (!on()) return;
  write(Phase::trace, fileStem(what) + "-after.mlir", headerLine("//", what, milliseconds, "(after)"), printed(after));
}

LogicalResult Dump::run(Phase phase, StringRef pass, Operation* op, llvm::function_ref<LogicalResult()> body) {
  auto start = std::chrono::steady_clock::now();
  LogicalResult result = body();
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  if (succeeded(result)) after(phase, pass, op, spent.count());
  return result;
}

}  // namespace nacre::passes
