// Reading an untrusted file: no access outside of it, and every refusal tells file, byte offset and reason.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "frontend/io/host_tensor.h"

namespace nacre::io {

// A regular file, open for reading. Throws FileError when it is missing, unreadable or of another kind.
class InputFile {
 public:
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  // Fills `out` from `offset`; throws FileError when that reaches past the end.
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

// The bytes [begin, begin + size) of a file, read from their start; `fail` and the reads report the file's offsets.
class Section {
 public:
  explicit Section(const InputFile& file) : Section(file, 0, file.size()) {}
  Section(const InputFile& file, uint64_t begin, uint64_t size) : file_(&file), at_(begin), end_(begin + size) {}

  uint64_t offset() const { return at_; }
  uint64_t remaining() const { return end_ - at_; }

  // `what` completes "the file ends inside …".
  void read(std::span<std::byte> out, const std::string& what);
  std::string text(uint64_t size, const std::string& what);
  std::vector<std::byte> bytes(uint64_t size, const std::string& what);
  // A little-endian number.
  template <class T>
  requires std::is_unsigned_v<T> T number(const std::string& what) {
    std::byte raw[sizeof(T)];
    read(raw, what);
    T v = 0;
    for (std::size_t i = sizeof(T); i--;) v = static_cast<T>(v << 8 | std::to_integer<T>(raw[i]));
    return v;
  }
  [[noreturn]] void fail(const std::string& reason) const { fail_at(at_, reason); }
  [[noreturn]] void fail_at(uint64_t offset, const std::string& reason) const;

 private:
  const InputFile* file_;
  uint64_t at_, end_;
};

// Reads the elements of a tensor whose dtype and shape are set. Refuses bools other than 0 and 1.
void read_elements(Section& from, HostTensor& into, const std::string& what);

}  // namespace nacre::io
