#include "runtime/profile.h"

#include <catch2/catch.hpp>

namespace nacre {
namespace {

TEST_CASE("Entries add up by name, longest first, and the table names them") {
  clear_profile();
  record_profile("short", 10);
  record_profile("long", 3'000'000);
  record_profile("short", 20);
  const std::vector<ProfileEntry> entries = profile_entries();
  REQUIRE(entries.size() == 2);
  CHECK((entries[0].name == "long" && entries[0].count == 1 && entries[0].nanoseconds == 3'000'000));
  CHECK((entries[1].name == "short" && entries[1].count == 2 && entries[1].nanoseconds == 30));
  CHECK_THAT(profile_table(), Catch::Contains("3.000") && Catch::Contains("long") && Catch::Contains("short"));
  clear_profile();
  CHECK(profile_entries().empty());
}

TEST_CASE("Profiling is off until it is asked for") {
  CHECK(!profiling());
  set_profiling(true);
  CHECK(profiling());
  set_profiling(false);
}

}  // namespace
}  // namespace nacre
