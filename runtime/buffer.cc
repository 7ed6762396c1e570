#include "runtime/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "runtime/errors.h"

namespace nacre {

// A block keeps its pages and its header for the next buffer of its class. Headers lie apart from the bytes, so that
// power-of-two sizes waste nothing.
struct Buffer::Block {
  std::atomic<int32_t> references{0};
  int32_t size_class = 0;
  int64_t bytes = 0;     // asked for
  int64_t reserved = 0;  // mapped for this block alone; 0 when carved from a slab
  std::byte* data = nullptr;
  Block* next = nullptr;  // in a free list
};

namespace {

constexpr int64_t kUnit = 64;
constexpr int64_t kPage = 4096;
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kLargest = int64_t{1} << 46;
constexpr int kSmallClasses = 52;  // up to 1 MiB: carved from slabs and kept in magazines
constexpr int kClasses = 160;

// Four classes for each doubling: at most a quarter is wasted.
int class_of(int64_t bytes) {
  int64_t units = std::max<int64_t>(1, (bytes + kUnit - 1) / kUnit);
  if (units <= 4) return static_cast<int>(units - 1);
  uint64_t last = static_cast<uint64_t>(units - 1);
  int top = 63 - std::countl_zero(last);
  return (top - 1) * 4 + static_cast<int>((last >> (top - 2)) & 3);
}

int64_t capacity_of(int size_class) {
  if (size_class < 4) return (size_class + 1) * kUnit;
  int top = size_class / 4 + 1;
  return (int64_t{size_class % 4 + 5} << (top - 2)) * kUnit;
}

int64_t physical_memory() {
  static const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return bytes;
}

// Fresh pages, aligned to 2 MiB when there are enough of them; nullptr if the system refuses.
std::byte* map_pages(int64_t bytes) {
  bool huge = bytes >= kHugePage;
  int64_t extra = huge ? kHugePage : 0;
  void* raw =
      mmap(nullptr, static_cast<size_t>(bytes + extra), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(raw);
  if (!huge) return begin;
  int64_t head = (kHugePage - static_cast<int64_t>(reinterpret_cast<uintptr_t>(begin) % kHugePage)) % kHugePage;
  if (head) munmap(begin, static_cast<size_t>(head));
  if (extra - head) munmap(begin + head + bytes, static_cast<size_t>(extra - head));
  madvise(begin + head, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  return begin + head;
}

}  // namespace

// Never destroyed: buffers in static storage may outlive every other object.
class BufferPool {
 public:
  using Block = Buffer::Block;
  struct FreeList {
    Block* head = nullptr;
    int32_t count = 0;
    void push(Block* block) {
      block->next = head;
      head = block;
      ++count;
    }
    Block* pop() {
      Block* block = head;
      if (block) head = block->next, --count;
      return block;
    }
  };

  static BufferPool& get() {
    static BufferPool* pool = new BufferPool;
    return *pool;
  }

  Block* take(int64_t bytes);
  void give(Block* block);

  MemoryStats stats() const { return {live_.load(), peak_.load(), reserved_.load()}; }
  void reset_peak() { peak_.store(live_.load()); }
  int64_t set_limit(int64_t bytes) { return limit_.exchange(bytes < 0 ? physical_memory() : bytes); }

 private:
  // Free blocks of one thread.
  struct Magazines {
    FreeList lists[kSmallClasses];
    ~Magazines();
  };
  static thread_local Magazines* magazines_;
  static thread_local bool thread_ended_;
  static Magazines* magazines() {
    if (!magazines_ && !thread_ended_) {
      static thread_local Magazines mine;
      magazines_ = &mine;
    }
    return magazines_;
  }
  // What a magazine may hold of a class; above it half goes back to the pool.
  static int32_t magazine_limit(int size_class) {
    return static_cast<int32_t>(std::clamp<int64_t>((int64_t{512} << 10) / capacity_of(size_class), 2, 64));
  }

  [[noreturn]] static void fail(int64_t bytes, int64_t live, const std::string& why);
  int64_t charge(int64_t bytes);
  Block* take_small(int size_class);
  Block* take_large(int size_class);
  Block* carve(int size_class);
  void release_free_large();

  std::atomic<int64_t> live_{0}, peak_{0}, reserved_{0}, limit_{physical_memory()};
  std::mutex mutex_;  // guards what follows
  FreeList free_[kClasses];
  std::byte* slab_ = nullptr;
  int64_t slab_left_ = 0;
};

thread_local BufferPool::Magazines* BufferPool::magazines_ = nullptr;
thread_local bool BufferPool::thread_ended_ = false;

BufferPool::Magazines::~Magazines() {
  BufferPool& pool = get();
  std::lock_guard lock(pool.mutex_);
  for (int c = 0; c < kSmallClasses; ++c)
    while (Block* block = lists[c].pop()) pool.free_[c].push(block);
  magazines_ = nullptr;
  thread_ended_ = true;
}

void BufferPool::fail(int64_t bytes, int64_t live, const std::string& why) {
  throw OutOfMemory("out of memory: asked for " + std::to_string(bytes) + " bytes with " + std::to_string(live) +
                        " bytes live; " + why,
                    bytes, live);
}

// Adds to live_ what the limit allows, as one step, so that a request that fails disturbs no other thread.
int64_t BufferPool::charge(int64_t bytes) {
  int64_t live = live_.load(std::memory_order_relaxed);
  if (bytes < 0) fail(bytes, live, "the size is negative, check the shape for overflow");
  int64_t limit = limit_.load(std::memory_order_relaxed);
  do {
    if (bytes > kLargest || bytes > limit - live)
      fail(bytes, live, "the limit is " + std::to_string(limit) + " bytes, free buffers or use smaller arrays");
  } while (!live_.compare_exchange_weak(live, live + bytes, std::memory_order_relaxed));
  return live + bytes;
}

Buffer::Block* BufferPool::take(int64_t bytes) {
  int64_t live = charge(bytes);
  int size_class = class_of(bytes);
  Block* block = nullptr;
  try {
    block = size_class < kSmallClasses ? take_small(size_class) : take_large(size_class);
  } catch (const std::bad_alloc&) {
  }
  if (!block) {
    live_.fetch_sub(bytes, std::memory_order_relaxed);
    fail(bytes, live - bytes, "the system gives no more pages");
  }
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < live && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  block->bytes = bytes;
  block->references.store(1, std::memory_order_relaxed);
  return block;
}

Buffer::Block* BufferPool::take_small(int size_class) {
  Magazines* mine = magazines();
  if (mine)
    if (Block* block = mine->lists[size_class].pop()) return block;
  std::lock_guard lock(mutex_);
  FreeList& shared = free_[size_class];
  if (mine)
    for (int i = magazine_limit(size_class) / 2; i > 1 && shared.head; --i) mine->lists[size_class].push(shared.pop());
  if (mine)
    if (Block* block = mine->lists[size_class].pop()) return block;
  if (Block* block = shared.pop()) return block;
  return carve(size_class);
}

Buffer::Block* BufferPool::carve(int size_class) {
  int64_t capacity = capacity_of(size_class);
  auto block = std::make_unique<Block>();
  if (slab_left_ < capacity) {
    // The rest of the old slab is given up: at most half of it, and its untouched pages cost nothing.
    std::byte* slab = map_pages(kHugePage);
    if (!slab) return nullptr;
    reserved_.fetch_add(kHugePage, std::memory_order_relaxed);
    slab_ = slab;
    slab_left_ = kHugePage;
  }
  block->size_class = size_class;
  block->data = slab_;
  slab_ += capacity;
  slab_left_ -= capacity;
  return block.release();
}

Buffer::Block* BufferPool::take_large(int size_class) {
  std::lock_guard lock(mutex_);
  for (int c = size_class; c < std::min(size_class + 2, kClasses); ++c)
    if (Block* block = free_[c].pop()) return block;
  int64_t bytes = capacity_of(size_class);
  bytes = (bytes + kPage - 1) / kPage * kPage;
  // Blocks of sizes no longer in use must not crowd out new ones.
  if (reserved_.load(std::memory_order_relaxed) + bytes > physical_memory() / 2) release_free_large();
  auto block = std::make_unique<Block>();
  block->data = map_pages(bytes);
  if (!block->data) {
    release_free_large();
    block->data = map_pages(bytes);
  }
  if (!block->data) return nullptr;
  reserved_.fetch_add(bytes, std::memory_order_relaxed);
  block->size_class = size_class;
  block->reserved = bytes;
  return block.release();
}

void BufferPool::release_free_large() {
  for (int c = kSmallClasses; c < kClasses; ++c)
    while (Block* block = free_[c].pop()) {
      munmap(block->data, static_cast<size_t>(block->reserved));
      reserved_.fetch_sub(block->reserved, std::memory_order_relaxed);
      delete block;
    }
}

void BufferPool::give(Block* block) {
  live_.fetch_sub(block->bytes, std::memory_order_relaxed);
  int c = block->size_class;
  Magazines* mine = c < kSmallClasses ? magazines() : nullptr;
  if (mine && mine->lists[c].count < magazine_limit(c)) return mine->lists[c].push(block);
  std::lock_guard lock(mutex_);
  if (mine)
    for (int i = magazine_limit(c) / 2; i > 0; --i) free_[c].push(mine->lists[c].pop());
  free_[c].push(block);
}

MemoryStats memory_stats() { return BufferPool::get().stats(); }
void reset_peak_memory() { BufferPool::get().reset_peak(); }
int64_t set_memory_limit(int64_t bytes) { return BufferPool::get().set_limit(bytes); }

Buffer Buffer::allocate(int64_t bytes) { return Buffer(BufferPool::get().take(bytes)); }
std::byte* Buffer::data() const { return block_ ? block_->data : nullptr; }
int64_t Buffer::bytes() const { return block_ ? block_->bytes : 0; }
int32_t Buffer::use_count() const { return block_ ? block_->references.load(std::memory_order_acquire) : 0; }

void Buffer::retain() {
  if (block_) block_->references.fetch_add(1, std::memory_order_relaxed);
}

void Buffer::release() {
  if (block_ && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) BufferPool::get().give(block_);
}

}  // namespace nacre
