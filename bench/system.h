// What can be timed: Nacre in this process, and peers in processes of their own.
#pragma once
#include <sys/types.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/row.h"

namespace bench {

// The system cannot do the row, or is not there at all.
class Missing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class System {
 public:
  virtual ~System() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  // Seconds a call, once per sample; a sample is the mean of `calls` calls. The first request for a row prepares it.
  // Throws Missing.
  virtual std::vector<double> time(const Row& row, int samples, int calls) = 0;
  // Frees what the row needed.
  virtual void forget(const Row& row) = 0;
};

std::unique_ptr<System> nacre_system();

// A Python process that runs bench/peers/serve.py for one system. One JSON object a line: requests
//   {"row": NAME, "settings": {...}, "samples": N, "calls": N}   ->   {"seconds": [...]}, {"missing": WHY}
//   {"forget": NAME}                                             ->   {}
// after a first line {"version": V} or {"missing": WHY} from the peer. It ends when its input does.
// Throws Missing with the reason, and how to install peers, when it cannot start.
std::unique_ptr<System> peer_system(const std::string& name);

}  // namespace bench
