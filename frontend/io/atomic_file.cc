#include "frontend/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "nacre/error.h"

namespace nacre::io {
namespace fs = std::filesystem;

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  std::error_code error;
  if (fs::is_symlink(path_, error)) {
    fs::path real = fs::weakly_canonical(path_, error);
    if (!error) target_ = real.string();
  }
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) throw FileError(path_, 0, "cannot write: not a regular file");

  static std::atomic<unsigned> counter{0};
  const fs::path where(target_);
  temporary_ = (where.parent_path() / ("." + where.filename().string() + ".tmp-" + std::to_string(::getpid()) + "-" +
                                       std::to_string(counter++)))
                   .string();
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    std::string reason = std::strerror(errno);
    temporary_.clear();
    throw FileError(path_, 0, "cannot create a file in its folder: " + reason);
  }
  if (exists) (void)::fchmod(fd_, old.st_mode & 07777);  // a nicety: not every file system has modes
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const std::string& action) {
  throw FileError(path_, size_, action + ": " + std::strerror(errno) + "; what was there before is untouched");
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    size_ += static_cast<uint64_t>(n);
  }
}

void AtomicFile::commit() {
  if (::fsync(fd_) != 0) fail("cannot flush to the device");
  // Some network file systems report a failed write only here.
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail("cannot close");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot rename the new file");
  temporary_.clear();
  // The name itself is safe only after the folder is flushed; a file system that cannot do this still has the file.
  const std::string folder = fs::path(target_).parent_path().string();
  const int dir = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir >= 0) {
    (void)::fsync(dir);
    ::close(dir);
  }
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace nacre::io
