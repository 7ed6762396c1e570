// Device memory: reference-counted buffers from a pool that keeps its pages.
#pragma once
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

// Largest live_bytes that allocations may reach; the default is the machine's physical memory, because the system would
// promise more than it has. Returns the limit before; a negative value restores the default.
int64_t set_memory_limit(int64_t bytes);

// A handle to bytes on the host device; copies share the bytes. Thread-safe reference count.
class Buffer {
 public:
  Buffer() = default;
  // 64-byte aligned, uninitialised. A size of 0 is fine. Throws OutOfMemory (runtime/errors.h), which states what was
  // asked for. Blocks under 1 MiB come from the thread's own magazines without a lock.
  static Buffer allocate(int64_t bytes);
  Buffer(const Buffer& other) : block_(other.block_) { retain(); }
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Buffer() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  // nullptr and 0 for an empty handle.
  std::byte* data() const;
  int64_t bytes() const;
  // Number of handles that share the bytes; 0 for an empty handle.
  int32_t use_count() const;
  // Two handles of the same bytes?
  bool operator==(const Buffer& other) const { return block_ == other.block_; }

 private:
  friend class BufferPool;
  struct Block;
  explicit Buffer(Block* block) : block_(block) {}
  void retain();
  void release();
  Block* block_ = nullptr;
};

}  // namespace nacre
