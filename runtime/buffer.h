// Device memory: reference-counted buffers from a pool that keeps its pages.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace nacre {

// Bytes handed out and not yet returned, over the whole process.
struct MemoryStats {
  int64_t live_bytes = 0;      // in buffers now
  int64_t peak_bytes = 0;      // high-water mark of live_bytes since start or reset_peak()
  int64_t reserved_bytes = 0;  // held from the system, free or not
};
MemoryStats memory_stats();
void reset_peak_memory();

// A handle to bytes on the host device; copies share the bytes. Thread-safe reference count.
class Buffer {
 public:
  Buffer() = default;
  // 64-byte aligned, uninitialised. A size of 0 is fine. Throws OutOfMemory, which states what was asked for.
  static Buffer allocate(int64_t bytes);
  Buffer(const Buffer& other) : block_(other.block_) { retain(); }
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Buffer() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  std::byte* data() const;
  int64_t bytes() const;
  // Number of handles that share the bytes.
  int32_t use_count() const;
  // Two handles of the same bytes?
  bool operator==(const Buffer& other) const { return block_ == other.block_; }

 private:
  struct Block;
  explicit Buffer(Block* block) : block_(block) {}
  void retain();
  void release();
  Block* block_ = nullptr;
};

}  // namespace nacre
