#include "frontend/io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "nacre/error.h"

namespace nacre::io {

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) throw FileError(path_, 0, std::string("cannot open: ") + std::strerror(errno));
  struct stat info {};
  const int status = ::fstat(fd_, &info);
  if (status == 0 && S_ISREG(info.st_mode)) {
    size_ = static_cast<uint64_t>(info.st_size);
    return;
  }
  const std::string reason = status ? std::string("cannot look at it: ") + std::strerror(errno) : "not a regular file";
  ::close(fd_);
  throw FileError(path_, 0, reason);
}

InputFile::~InputFile() { ::close(fd_); }

void InputFile::read(uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) throw FileError(path_, size_, "the file ends too early");
  while (!out.empty()) {
    // Linux moves at most 2 GiB at once.
    ssize_t n = ::pread(fd_, out.data(), std::min<std::size_t>(out.size(), 1u << 30), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FileError(path_, offset, std::string("cannot read: ") + std::strerror(errno));
    if (n == 0) throw FileError(path_, offset, "the file became shorter while it was read");
    out = out.subspan(static_cast<std::size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
}

void Section::read(std::span<std::byte> out, const std::string& what) {
  if (out.size() > remaining())
    fail("the file ends inside " + what + ": " + std::to_string(out.size()) + " bytes needed, " +
         std::to_string(remaining()) + " left");
  file_->read(at_, out);
  at_ += out.size();
}

std::string Section::text(uint64_t size, const std::string& what) {
  std::vector<std::byte> raw = bytes(size, what);
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

std::vector<std::byte> Section::bytes(uint64_t size, const std::string& what) {
  std::vector<std::byte> out;
  // Checked before the memory is asked for, so that a lying length costs nothing.
  if (size > remaining())
    fail("the file ends inside " + what + ": " + std::to_string(size) + " bytes needed, " +
         std::to_string(remaining()) + " left");
  try {
    out.resize(size);
  } catch (const std::bad_alloc&) {
    fail("out of memory: " + what + " takes " + std::to_string(size) + " bytes");
  }
  read(out, what);
  return out;
}

void Section::fail_at(uint64_t offset, const std::string& reason) const {
  throw FileError(file_->path(), offset, reason);
}

void read_elements(Section& from, HostTensor& into, const std::string& what) {
  auto size = byte_size(into.dtype, into.shape);
  if (!size) from.fail(what + ": " + describe(into) + " is larger than any memory");
  const uint64_t begin = from.offset();
  into.data = from.bytes(*size, what);
  if (into.dtype != DType::pred) return;
  auto bad = std::find_if(into.data.begin(), into.data.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == into.data.end()) return;
  from.fail_at(begin + static_cast<uint64_t>(bad - into.data.begin()),
               what + ": a bool must be 0 or 1, not " + std::to_string(std::to_integer<int>(*bad)));
}

}  // namespace nacre::io
