// Time per kernel name, collected while profiling is on. NACRE_PROFILE=1 turns it on at start and prints the table to
// stderr at exit.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nacre {

struct ProfileEntry {
  std::string name;  // kernel, or "copy"
  int64_t count = 0;
  int64_t nanoseconds = 0;
};

bool profiling();
void set_profiling(bool on);
// Adds one run of a command; thread-safe.
void record_profile(std::string_view name, int64_t nanoseconds);
// Longest total first.
std::vector<ProfileEntry> profile_entries();
// The entries as text: total milliseconds, share, count, mean microseconds, name.
std::string profile_table();
void clear_profile();

}  // namespace nacre
