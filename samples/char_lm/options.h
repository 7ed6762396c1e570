// Command line of the sample.
#pragma once
#include <cstdint>
#include <string>

namespace char_lm {

struct Options {
  std::string text;  // empty: the licence texts
  std::string out = "char_lm.safetensors";
  int64_t steps = 3000;
  uint64_t seed = 0;
  int64_t batch = 8;
  int64_t checkpoint_every = 200;
  bool fresh = false;  // ignore a checkpoint that is there
  bool help = false;
};

// What --help prints.
extern const char kUsage[];

// Throws nacre::Error, with the usage, for unknown flags and values out of range.
Options parse_options(int argc, char** argv);

}  // namespace char_lm
