// Prints nanoseconds per launch: plans of 1, 10 and 100 commands with empty kernels, on the caller and on the pool.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "runtime/executable.h"
#include "runtime/thread_pool.h"

extern "C" void nothing(void* const*, int64_t, int64_t, void*) {}

int main() {
  using nacre::Buffer;
  std::printf("%-10s %9s %14s %12s   (%d threads)\n", "where", "commands", "ns per launch", "ns per run",
              nacre::ThreadPool::global().threads());
  for (bool on_pool : {false, true}) {
    for (int commands : {1, 10, 100}) {
      nacre::Plan plan;
      plan.arguments.resize(1);
      plan.results.resize(1);
      plan.arguments[0].shape = plan.results[0].shape = {1024};
      plan.arena_bytes = 4096;
      plan.kernels.push_back({"nothing", nothing, 8, 0, on_pool ? 1'000'000 : 0});
      for (int c = 0; c < commands; ++c) {
        nacre::Command command;
        command.kernel = 0;
        command.operands = {{nacre::Space::argument, 0, 0}, {nacre::Space::arena, 0, 0}, {nacre::Space::result, 0, 0}};
        plan.commands.push_back(command);
      }
      nacre::Executable executable(plan, nullptr);
      Buffer argument = Buffer::allocate(4096), result;
      const int runs = (on_pool ? 20'000 : 1'000'000) / commands;
      double best = 1e30;
      for (int repeat = 0; repeat < 5; ++repeat) {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < runs; ++i)
          if (!executable.run({&argument, 1}, {&result, 1}).ok()) return 1;
        std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        best = std::min(best, time.count() / runs);
      }
      std::printf("%-10s %9d %14.1f %12.1f\n", on_pool ? "pool" : "caller", commands, best / commands, best);
    }
  }
}
