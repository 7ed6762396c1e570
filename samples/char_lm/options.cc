#include "samples/char_lm/options.h"

#include <charconv>
#include <string_view>

#include "nacre/error.h"

namespace char_lm {

const char kUsage[] =
    R"(char_lm: trains a small transformer on text, byte by byte, and prints what it has learned.

  --text FILE          learn from FILE (the first nine tenths train) instead of this machine's licence texts
  --steps N            training steps in all, 1 to 10,000,000 (default 3000)
  --seed N             of initial values and batches (default 0)
  --batch N            windows per step, 1 to 4096 (default 8)
  --out FILE           checkpoint, written as training goes; a run with the same FILE resumes (default char_lm.safetensors)
  --checkpoint-every N steps between checkpoints (default 200)
  --fresh              start anew even if FILE exists
)";

namespace {

[[noreturn]] void fail(const std::string& reason) { throw nacre::Error(reason + "\n\n" + kUsage); }

template <class T>
T number(std::string_view flag, std::string_view text, T low, T high) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    fail(std::string(flag) + " wants a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
         ", not \"" + std::string(text) + "\"");
  return value;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    auto value = [&]() -> std::string_view {
      if (i + 1 >= argc) fail(std::string(flag) + " wants a value");
      return argv[++i];
    };
    if (flag == "--help" || flag == "-h")
      o.help = true;
    else if (flag == "--fresh")
      o.fresh = true;
    else if (flag == "--text")
      o.text = value();
    else if (flag == "--out")
      o.out = value();
    else if (flag == "--steps")
      o.steps = number<int64_t>(flag, value(), 1, 10'000'000);
    else if (flag == "--seed")
      o.seed = number<uint64_t>(flag, value(), 0, UINT64_MAX);
    else if (flag == "--batch")
      o.batch = number<int64_t>(flag, value(), 1, 4096);
    else if (flag == "--checkpoint-every")
      o.checkpoint_every = number<int64_t>(flag, value(), 1, 10'000'000);
    else
      fail("unknown flag \"" + std::string(flag) + "\"");
  }
  return o;
}

}  // namespace char_lm
