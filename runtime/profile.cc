#include "runtime/profile.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>

namespace nacre {
namespace {

struct Profile {
  std::atomic<bool> on{false};
  std::mutex mutex;
  std::map<std::string, ProfileEntry, std::less<>> entries;

  Profile() {
    const char* text = std::getenv("NACRE_PROFILE");
    if (!text || std::string_view(text) != "1") return;
    on = true;
    std::atexit([] { std::fputs(profile_table().c_str(), stderr); });
  }
  // Never destroyed, so that the table can be printed at exit.
  static Profile& get() {
    static Profile* profile = new Profile;
    return *profile;
  }
};

}  // namespace

bool profiling() { return Profile::get().on.load(std::memory_order_relaxed); }
void set_profiling(bool on) { Profile::get().on = on; }

void record_profile(std::string_view name, int64_t nanoseconds) {
  Profile& profile = Profile::get();
  std::lock_guard lock(profile.mutex);
  auto found = profile.entries.find(name);
  if (found == profile.entries.end())
    found = profile.entries.emplace(std::string(name), ProfileEntry{std::string(name), 0, 0}).first;
  ++found->second.count;
  found->second.nanoseconds += nanoseconds;
}

std::vector<ProfileEntry> profile_entries() {
  Profile& profile = Profile::get();
  std::vector<ProfileEntry> entries;
  {
    std::lock_guard lock(profile.mutex);
    for (const auto& [name, entry] : profile.entries) entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.nanoseconds > b.nanoseconds; });
  return entries;
}

std::string profile_table() {
  std::vector<ProfileEntry> entries = profile_entries();
  double total = 0;
  for (const ProfileEntry& entry : entries) total += static_cast<double>(entry.nanoseconds);
  std::string table = "    total ms   share      count     mean us  kernel\n";
  for (const ProfileEntry& entry : entries) {
    double ns = static_cast<double>(entry.nanoseconds);
    char line[96];
    std::snprintf(line, sizeof line, "%12.3f  %5.1f%%  %9lld  %10.3f  ", ns * 1e-6, total > 0 ? 100 * ns / total : 0.0,
                  static_cast<long long>(entry.count), ns * 1e-3 / static_cast<double>(entry.count));
    table += line + entry.name + "\n";
  }
  return table;
}

void clear_profile() {
  Profile& profile = Profile::get();
  std::lock_guard lock(profile.mutex);
  profile.entries.clear();
}

}  // namespace nacre
