// Writing a file so that its name always leads to a whole file: the old one until `commit`, the new one after it, also
// after a crash. The bytes go to a hidden temporary file in the same folder, which is flushed and then renamed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nacre::io {

class AtomicFile {
 public:
  // Throws FileError with the system's reason when the folder cannot be written. A symbolic link is followed.
  explicit AtomicFile(std::string path);
  // Without a commit the temporary file is removed and the old file stays as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  uint64_t size() const { return size_; }
  // Appends. Throws FileError, for a full disk say.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Flushes to the device and gives the file its name.
  void commit();

 private:
  [[noreturn]] void fail(const std::string& action);

  std::string path_, target_, temporary_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

// All of it in one go.
void write_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace nacre::io
