// For tests: a tile.func as text becomes a function over vectors of host values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/cpu/kernel_compiler.h"

namespace nacre::cpu::test {

// Bytes of one buffer, 64-byte aligned, with a guard pattern behind that `intact` checks.
class Bytes {
 public:
  explicit Bytes(size_t size);
  template <class T>
  explicit Bytes(const std::vector<T>& values) : Bytes(values.size() * sizeof(T)) {
    if (size_) std::memcpy(data(), values.data(), size_);
  }
  std::byte* data() { return aligned_; }
  size_t size() const { return size_; }
  bool intact() const;
  template <class T>
  std::vector<T> as() const {
    std::vector<T> values(size_ / sizeof(T));
    if (size_) std::memcpy(values.data(), aligned_, size_);
    return values;
  }

 private:
  size_t size_;
  std::vector<std::byte> storage_;
  std::byte* aligned_;
};

class Kernel {
 public:
  // `text`: a module with one or more tile.func. Throws std::runtime_error with the diagnostic. The module is verified.
  explicit Kernel(const std::string& text, const codegen::Target& target = codegen::Target::host());
  // Runs all programs of kernel `index`, the grid in two pieces, the later one first.
  void run(const std::vector<Bytes*>& buffers, size_t index = 0) const;
  const KernelSpec& spec(size_t index = 0) const { return kernels_.specs[index]; }
  const CompileTimes& times() const { return kernels_.times; }
  const std::string& ir() const { return ir_; }

 private:
  CompiledKernels kernels_;
  std::string ir_;
};

// One pointwise kernel over n elements: `body` uses %x0, %x1, ... (inputs) and defines %r, with `L` lanes per tile and
// a tail; "T" in the body stands for the shape prefix of a tile ("16x"). Types are MLIR's ("f32", "ui8").
// Scalar tiles if lanes is 0.
std::string pointwiseText(const std::vector<std::string>& inputs, const std::string& output, int64_t n, int64_t lanes,
                          const std::string& body);

}  // namespace nacre::cpu::test
