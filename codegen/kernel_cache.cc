#include "codegen/kernel_cache.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace nacre::codegen {

namespace {

constexpr size_t kMostKernels = 4096;

struct Cache {
  std::mutex mutex;
  std::unordered_map<std::string, CachedKernel> kernels;
  std::deque<std::string> order;  // keys, oldest first
};

// Never destroyed: executables in static storage may run until the process ends.
Cache& cache() {
  static Cache* instance = new Cache;
  return *instance;
}

}  // namespace

std::optional<CachedKernel> findKernel(const std::string& key) {
  std::lock_guard lock(cache().mutex);
  auto it = cache().kernels.find(key);
  if (it == cache().kernels.end()) return std::nullopt;
  return it->second;
}

void rememberKernel(const std::string& key, CachedKernel kernel) {
  std::lock_guard lock(cache().mutex);
  if (!cache().kernels.try_emplace(key, std::move(kernel)).second) return;
  cache().order.push_back(key);
  if (cache().order.size() > kMostKernels) {
    cache().kernels.erase(cache().order.front());
    cache().order.pop_front();
  }
}

void clearKernelCache() {
  std::lock_guard lock(cache().mutex);
  cache().kernels.clear();
  cache().order.clear();
}

}  // namespace nacre::codegen
