// Threads that share the programs of one grid.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace nacre {

// Idle threads spin for some tens of microseconds, then yield, then sleep. The calling thread takes part.
class ThreadPool {
 public:
  // `threads` counts the caller; fewer if the system refuses to start them.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the process, of NACRE_THREADS threads (1..256; default: the hardware's).
  static ThreadPool& global();

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls fn(begin, end, thread) for ranges that cover [0, grid) exactly once; returns when all are done. The ranges
  // depend on `grid` alone. `thread` < threads() is unique among the calls that run at one time in this parallel_for.
  // From inside another parallel_for of this pool, or while another thread uses the pool, all runs on the caller.
  // `fn` must not throw.
  template <class F>
  void parallel_for(int64_t grid, F&& fn) {
    using Fn = std::remove_reference_t<F>;
    run(
        grid,
        [](void* context, int64_t begin, int64_t end, int thread) { (*static_cast<Fn*>(context))(begin, end, thread); },
        const_cast<void*>(static_cast<const void*>(&fn)));
  }

  // Programs in one range, the last range excepted.
  static int64_t chunk_size(int64_t grid) { return grid <= kMaxChunks ? 1 : (grid + kMaxChunks - 1) / kMaxChunks; }

 private:
  static constexpr int64_t kMaxChunks = 64;
  using RangeFn = void (*)(void* context, int64_t begin, int64_t end, int thread);

  void run(int64_t grid, RangeFn fn, void* context);
  void work(int thread);
  // Takes and runs ranges until none is left.
  void drain(int thread);

  // The job: written while no range is open, read only by a thread that holds one of its ranges.
  RangeFn fn_ = nullptr;
  void* context_ = nullptr;
  int64_t grid_ = 0;
  int64_t chunk_ = 0;
  uint32_t chunks_ = 0;

  alignas(64) std::atomic<uint64_t> ticket_{0};  // job number << 32 | ranges not yet taken
  alignas(64) std::atomic<uint32_t> done_{0};    // ranges finished
  alignas(64) std::atomic<bool> busy_{false};    // a job runs
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<int> wakeups_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

// ThreadPool::global().parallel_for.
template <class F>
void parallel_for(int64_t grid, F&& fn) {
  ThreadPool::global().parallel_for(grid, fn);
}

}  // namespace nacre
