#include "runtime/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace nacre {
namespace {

constexpr int kSpins = 1000;
constexpr int kYields = 50;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int threads_from_environment() {
  int fallback = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 256);
  const char* text = std::getenv("NACRE_THREADS");
  if (!text || !*text) return fallback;
  char* end = nullptr;
  long count = std::strtol(text, &end, 10);
  return *end || count < 1 ? fallback : static_cast<int>(std::min(count, 256L));
}

}  // namespace

ThreadPool& ThreadPool::global() {
  // Never destroyed: other static objects may still run programs while the process ends.
  static ThreadPool* pool = new ThreadPool(threads_from_environment());
  return *pool;
}

ThreadPool::ThreadPool(int threads) {
  workers_.reserve(static_cast<size_t>(std::max(threads - 1, 0)));
  try {
    for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
  } catch (const std::system_error&) {
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  wakeups_.fetch_add(1);
  wakeups_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::drain(int thread) {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (static_cast<uint32_t>(ticket) != 0) {
    // The job number in the ticket makes the exchange fail if the job has ended and another has begun.
    if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    // The range held keeps the job, hence its fields, in place until done_ counts it.
    uint32_t chunks = chunks_;
    int64_t begin = static_cast<int64_t>(chunks - static_cast<uint32_t>(ticket)) * chunk_;
    fn_(context_, begin, std::min(begin + chunk_, grid_), thread);
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks) done_.notify_one();
    ticket = ticket_.load(std::memory_order_acquire);
  }
}

void ThreadPool::run(int64_t grid, RangeFn fn, void* context) {
  if (grid <= 0) return;
  int64_t chunk = chunk_size(grid);
  if (workers_.empty() || grid == 1 || busy_.exchange(true, std::memory_order_acquire)) {
    for (int64_t begin = 0; begin < grid; begin += chunk) fn(context, begin, std::min(begin + chunk, grid), 0);
    return;
  }
  uint32_t chunks = static_cast<uint32_t>((grid + chunk - 1) / chunk);
  fn_ = fn;
  context_ = context;
  grid_ = grid;
  chunk_ = chunk;
  chunks_ = chunks;
  done_.store(0, std::memory_order_relaxed);
  uint64_t job = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
  // Sequentially consistent with the sleepers' count: either a worker sees the job before it sleeps, or it is woken.
  ticket_.store(job << 32 | chunks);
  if (sleepers_.load() > 0) {
    wakeups_.fetch_add(1);
    wakeups_.notify_all();
  }
  drain(0);
  for (int i = 0; done_.load(std::memory_order_acquire) != chunks; ++i) {
    if (i < kSpins) {
      pause_cpu();
    } else if (i < kSpins + kYields) {
      sched_yield();
    } else {
      uint32_t done = done_.load(std::memory_order_acquire);
      // Only the last range notifies, which is enough: any other value means to wait on.
      if (done != chunks) done_.wait(done, std::memory_order_acquire);
    }
  }
  busy_.store(false, std::memory_order_release);
}

void ThreadPool::work(int thread) {
  int idle = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (static_cast<uint32_t>(ticket_.load(std::memory_order_acquire)) != 0) {
      drain(thread);
      idle = 0;
    } else if (idle < kSpins) {
      pause_cpu();
      ++idle;
    } else if (idle < kSpins + kYields) {
      sched_yield();
      ++idle;
    } else {
      int before = wakeups_.load();
      sleepers_.fetch_add(1);
      if (static_cast<uint32_t>(ticket_.load()) == 0 && !stop_.load()) wakeups_.wait(before);
      sleepers_.fetch_sub(1);
      idle = 0;
    }
  }
}

}  // namespace nacre
