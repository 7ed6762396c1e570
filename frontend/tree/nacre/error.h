// The base of all errors that a user of Nacre can cause. Every message names the operation or file first, prints the
// values that disagree, and says how to fix it. Internal errors do not derive from `Error`.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace nacre {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two trees that should have had one structure, or a list of leaves that does not fit its tree.
class TreeError : public Error {
 public:
  using Error::Error;
};

// A file that cannot be read or written, or whose contents are not what they claim. `offset` is the byte of the file
// at which the trouble is (0 when the file could not be opened).
class FileError : public Error {
 public:
  FileError(std::string path, uint64_t offset, const std::string& reason)
      : Error(path + ": at byte " + std::to_string(offset) + ": " + reason), path_(std::move(path)), offset_(offset) {}

  const std::string& path() const { return path_; }
  uint64_t offset() const { return offset_; }

 private:
  std::string path_;
  uint64_t offset_;
};

}  // namespace nacre
