// Times Nacre and other array systems on the same work, in turns, on two threads.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/row.h"
#include "bench/system.h"

namespace bench {
namespace {

constexpr char kUsage[] =
    "usage: compare [--only TEXT] [--peers NAME,...] [--json FILE] [--rounds N]\n"
    "  --only TEXT   rows whose name contains TEXT\n"
    "  --peers LIST  of jax, torch, numpy; none: \"\" (default: jax)\n"
    "  --json FILE   the rows as a JSON array: work, system, median_ms, min_ms\n"
    "  --rounds N    turns of each system, 1 to 1000 (default 7)\n";

struct Options {
  std::string only, json;
  std::vector<std::string> peers = {"jax"};
  int rounds = 7;
};

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag != "--only" && flag != "--peers" && flag != "--json" && flag != "--rounds")
      throw Usage("unknown argument " + flag);
    if (++i == argc) throw Usage(flag + " needs a value");
    const std::string value = argv[i];
    if (flag == "--only") o.only = value;
    if (flag == "--json") o.json = value;
    if (flag == "--peers") o.peers = split_list(value);
    if (flag == "--rounds") o.rounds = std::atoi(value.c_str());
  }
  if (o.rounds < 1 || o.rounds > 1000) throw Usage("--rounds must be from 1 to 1000");
  for (const std::string& peer : o.peers)
    if (peer != "jax" && peer != "torch" && peer != "numpy") throw Usage("there is no peer " + peer);
  // `bazel run` starts programs in a folder of its own.
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder && !o.json.empty() && o.json[0] != '/') o.json = std::string(folder) + "/" + o.json;
  return o;
}

std::vector<Row> rows_of(const std::string& only) {
  std::vector<Row> rows;
  for (auto family : {char_lm_rows, dispatch_rows, elementwise_rows, matmul_rows})
    for (Row& row : family()) rows.push_back(std::move(row));
  std::vector<Row> chosen;
  for (const Row& row : rows)
    if (row.name.find(only) != std::string::npos) chosen.push_back(row);
  if (!chosen.empty()) return chosen;
  std::string names;
  for (const Row& row : rows) names += "\n  " + row.name;
  throw Usage("no row's name contains \"" + only + "\"; there are:" + names);
}

// Two threads, also where there are more: peers size their pools by the processors that they may use.
void use_two_threads() {
  setenv("NACRE_THREADS", "2", 0);  // one that is set stays: for profiles
  cpu_set_t all, two;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  CPU_ZERO(&two);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &two);
  sched_setaffinity(0, sizeof two, &two);
}

struct Timing {
  System* system;
  int samples = 1, calls = 1;  // a turn
  std::vector<double> seconds;
  std::string missing;

  double minimum() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const size_t n = sorted.size();
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  }
};

// Warms up, then sets how much a turn is: a sample takes 10 ms or more, a turn about a quarter of a second.
void calibrate(Timing& t, const Row& row) {
  if (row.cold) return;
  t.system->time(row, 1, 1);
  double one = t.system->time(row, 2, 1)[1];
  if (one < 1e-3) one = t.system->time(row, 1, static_cast<int>(std::clamp(1e-3 / one, 1.0, 1e4)))[0];
  t.calls = static_cast<int>(std::clamp(0.01 / one, 1.0, 1e6));
  t.samples = static_cast<int>(std::clamp(0.25 / (one * t.calls), 1.0, 25.0));
}

// A system that fails at a row is said to lack it; Nacre's failures are errors.
template <class F>
void attempt(Timing& t, F f) {
  if (!t.missing.empty()) return;
  try {
    f();
  } catch (const Missing& e) {
    t.missing = e.what();
  }
}

std::vector<Timing> measure(const Row& row, const std::vector<std::unique_ptr<System>>& systems, int rounds) {
  std::vector<Timing> timings;
  for (const auto& system : systems) timings.push_back({system.get()});
  for (Timing& t : timings) attempt(t, [&] { calibrate(t, row); });
  if (row.cold) rounds = std::min(rounds, 5);
  for (int round = 0; round < rounds; ++round)
    for (Timing& t : timings)
      attempt(t, [&] {
        for (double s : t.system->time(row, t.samples, t.calls)) t.seconds.push_back(s);
      });
  for (Timing& t : timings) attempt(t, [&] { t.system->forget(row); });
  return timings;
}

void print(const Row& row, const std::vector<Timing>& timings) {
  const double ours = timings[0].median();
  for (const Timing& t : timings) {
    if (!t.missing.empty()) {
      fmt::print("{:32} {:8} {}\n", row.name, t.system->name(), t.missing);
      continue;
    }
    fmt::print("{:32} {:8} {:12.4f} {:12.4f} {:8} {:8.2f}", row.name, t.system->name(), t.median() * 1e3,
               t.minimum() * 1e3, t.seconds.size(), ours / t.median());
    if (row.goal && row.goal->peer == t.system->name())
      fmt::print("  goal {:.2f}: {}", row.goal->factor, ours <= row.goal->factor * t.median() ? "met" : "missed");
    fmt::print("\n");
  }
  std::fflush(stdout);
}

int run(const Options& options) {
  const std::vector<Row> rows = rows_of(options.only);
  use_two_threads();
  std::vector<std::unique_ptr<System>> systems;
  systems.push_back(nacre_system());
  for (const std::string& peer : options.peers) {
    try {
      systems.push_back(peer_system(peer));
      fmt::print("peer {} {}\n", peer, systems.back()->version());
    } catch (const Missing& e) {
      fmt::print("peer {} is missing: {}\n", peer, e.what());
    }
  }
  fmt::print("{:32} {:8} {:>12} {:>12} {:>8} {:>8}\n", "work", "system", "median ms", "min ms", "samples", "nacre/it");
  nlohmann::json out = nlohmann::json::array();
  for (const Row& row : rows) {
    const std::vector<Timing> timings = measure(row, systems, options.rounds);
    print(row, timings);
    for (const Timing& t : timings)
      if (t.missing.empty())
        out.push_back({{"work", row.name},
                       {"system", t.system->name()},
                       {"median_ms", t.median() * 1e3},
                       {"min_ms", t.minimum() * 1e3}});
  }
  if (options.json.empty()) return 0;
  std::ofstream file(options.json);
  file << out.dump(1) << "\n";
  file.close();
  if (file) return 0;
  fmt::print(stderr, "compare: cannot write {}\n", options.json);
  return 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(bench::parse(argc, argv));
  } catch (const bench::Usage& e) {
    fmt::print(stderr, "compare: {}\n{}", e.what(), bench::kUsage);
  } catch (const std::exception& e) {
    fmt::print(stderr, "compare: {}\n", e.what());
  }
  return 2;
}
