#include "bench/system.h"

#include <chrono>

namespace bench {
namespace {

class Nacre : public System {
 public:
  std::string name() const override { return "nacre"; }
  std::string version() const override { return "this tree"; }

  std::vector<double> time(const Row& row, int samples, int calls) override {
    std::function<void()>& work = prepared_[row.name];
    if (!work) work = row.prepare();
    std::vector<double> seconds;
    for (int sample = 0; sample < samples; ++sample) {
      const auto start = std::chrono::steady_clock::now();
      for (int call = 0; call < calls; ++call) work();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      seconds.push_back(taken.count() / calls);
    }
    return seconds;
  }

  void forget(const Row& row) override { prepared_.erase(row.name); }

 private:
  std::map<std::string, std::function<void()>> prepared_;
};

}  // namespace

std::unique_ptr<System> nacre_system() { return std::make_unique<Nacre>(); }

}  // namespace bench
