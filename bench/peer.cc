#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/system.h"

extern char** environ;

namespace bench {
namespace {

constexpr char kScript[] = "bench/peers/serve.py";
constexpr char kInstall[] = "run bench/peers/setup.sh, or set NACRE_PEERS_PYTHON to a Python that has it";

std::string python() {
  if (const char* chosen = std::getenv("NACRE_PEERS_PYTHON")) return chosen;
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  std::string made = std::string(workspace ? workspace : ".") + "/.cache/peers/bin/python";
  return std::filesystem::exists(made) ? made : "";
}

// Ours, but for what would slow a peer down: settings of OpenBLAS for other machines.
std::vector<std::string> environment() {
  std::vector<std::string> out;
  for (char** e = environ; *e; ++e) {
    if (std::strncmp(*e, "OPENBLAS_", 9) == 0) continue;
    out.emplace_back(*e);
  }
  for (const char* threads : {"OMP_NUM_THREADS=2", "MKL_NUM_THREADS=2", "OPENBLAS_NUM_THREADS=2"})
    out.emplace_back(threads);
  out.emplace_back("JAX_PLATFORMS=cpu");
  out.emplace_back("PYTHONDONTWRITEBYTECODE=1");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

class Peer : public System {
 public:
  explicit Peer(std::string name) : name_(std::move(name)) {
    const std::string interpreter = python();
    if (interpreter.empty()) throw Missing(std::string("there is no Python for peers; ") + kInstall);
    if (!std::filesystem::exists(kScript))
      throw Missing(std::string("cannot find ") + kScript + "; run by ./bazelw run, or from the repository's root");
    start(interpreter);
    nlohmann::json hello = receive();
    version_ = hello.at("version");
  }

  ~Peer() override {
    if (to_) std::fclose(to_);
    if (from_) std::fclose(from_);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }

  std::string name() const override { return name_; }
  std::string version() const override { return version_; }

  std::vector<double> time(const Row& row, int samples, int calls) override {
    send({{"row", row.name}, {"settings", row.settings}, {"samples", samples}, {"calls", calls}});
    return receive().at("seconds");
  }

  void forget(const Row& row) override {
    send({{"forget", row.name}});
    receive();
  }

 private:
  void start(const std::string& interpreter) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw Missing("cannot make a pipe");
    std::vector<std::string> command = {interpreter, kScript, name_}, variables = environment();
    std::vector<char*> argv = pointers(command), env = pointers(variables);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    const int error = posix_spawnp(&pid_, interpreter.c_str(), &actions, nullptr, argv.data(), env.data());
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
    if (error == 0) return;
    pid_ = -1;
    throw Missing("cannot start " + interpreter + ": " + std::strerror(error) + "; " + kInstall);
  }

  void send(const nlohmann::json& request) {
    std::fputs((request.dump() + "\n").c_str(), to_);
    std::fflush(to_);
  }

  nlohmann::json receive() {
    char* line = nullptr;
    size_t capacity = 0;
    const ssize_t length = getline(&line, &capacity, from_);
    const std::string text(line ? line : "", length > 0 ? static_cast<size_t>(length) : 0);
    std::free(line);
    if (text.empty()) throw Missing("its process ended");
    nlohmann::json reply = nlohmann::json::parse(text, nullptr, false);
    if (!reply.is_object()) throw Missing("its process answered " + text);
    if (reply.contains("missing")) throw Missing(reply["missing"].get<std::string>());
    return reply;
  }

  std::string name_, version_;
  pid_t pid_ = -1;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

}  // namespace

std::unique_ptr<System> peer_system(const std::string& name) {
  std::signal(SIGPIPE, SIG_IGN);  // a peer that died shows when its answer is read
  return std::make_unique<Peer>(name);
}

}  // namespace bench
