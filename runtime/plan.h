// The plan: a compiled program as data. A flat list of commands over one arena, which the executor runs in order.
// The compiler writes it (codegen/plan), the runtime reads it; it holds no pointer but the kernels' entry points.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/dtype.h"

extern "C" {
// A kernel runs the programs [begin, end) of its grid. Programs are independent and may run in any order on any thread,
// so results do not depend on the number of threads. `buffers` holds one pointer per operand, inputs first, then
// outputs, each 64-byte aligned unless its slice has an offset. `scratch` is private to the calling thread
// (KernelSpec::scratch_bytes, 64-byte aligned).
typedef void (*nacre_kernel_fn)(void* const* buffers, int64_t begin, int64_t end, void* scratch);
}

namespace nacre {

// Where the bytes of an operand live while the plan runs.
enum class Space : uint8_t { argument, result, arena, constant };

struct Slice {
  Space space = Space::arena;
  int32_t index = 0;   // which argument, result or constant; 0 for the arena
  int64_t offset = 0;  // bytes from its start
  bool operator==(const Slice&) const = default;
};

struct KernelSpec {
  std::string name;
  nacre_kernel_fn entry = nullptr;
  int64_t grid = 1;           // number of programs
  int64_t scratch_bytes = 0;  // per thread
  int64_t work = 0;           // estimated nanoseconds on one thread: small kernels stay on the calling thread
};

struct Command {
  enum class Kind : uint8_t { launch, copy };
  Kind kind = Kind::launch;
  int32_t kernel = -1;          // launch: index into Plan::kernels
  std::vector<Slice> operands;  // launch: inputs, then outputs; copy: {source, destination}
  int64_t bytes = 0;            // copy: how many
  std::string where;            // provenance: C++ file:line of the ops in it, for errors and profiles
};

struct TensorSpec {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  int64_t bytes() const {
    int64_t n = static_cast<int64_t>(size_of(dtype));
    for (int64_t d : shape) n *= d;
    return n;
  }
};

struct ArgumentSpec : TensorSpec {
  std::string name;      // key path: "params.layers[3].w"
  bool donated = false;  // the caller gives the buffer up; a result may reuse it
};

struct ResultSpec : TensorSpec {
  // >= 0: the result is written into (or simply is) that donated argument's buffer.
  int32_t reuses_argument = -1;
  // >= 0: the result is that argument itself, undonated and unchanged (shared, not copied).
  int32_t is_argument = -1;
};

struct Plan {
  std::vector<ArgumentSpec> arguments;
  std::vector<ResultSpec> results;
  std::vector<std::vector<uint8_t>> constants;  // read-only data, copied to 64-byte aligned memory when loaded
  std::vector<KernelSpec> kernels;
  std::vector<Command> commands;
  int64_t arena_bytes = 0;  // temporaries
  // Peak bytes while running: arguments + arena + results that reuse nothing.
  int64_t peak_bytes() const;
};

}  // namespace nacre
