// A folder for the files of one test, removed afterwards.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nacre::io {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = std::getenv("TEST_TMPDIR");
    path_ = std::string(base ? base : "/tmp") + "/nacre-test-XXXXXX";
    if (!::mkdtemp(path_.data())) throw std::runtime_error("no temporary folder");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

// `text` with the first `from` replaced by `to`, which has the same length.
inline std::string patched(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == text.npos || from.size() != to.size()) throw std::logic_error("nothing to patch");
  return text.replace(at, from.size(), to);
}

}  // namespace nacre::io
