#include "frontend/io/atomic_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "frontend/io/npy.h"
#include "frontend/io/npz.h"
#include "frontend/io/safetensors.h"
#include "frontend/io/temporary_folder.h"
#include "frontend/io/test_tensors.h"
#include "nacre/error.h"

namespace nacre::io {
namespace {

using Catch::Contains;

// Files of this process cannot grow beyond `bytes`: what a full disk looks like.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

std::size_t files_in(const TemporaryFolder& folder) {
  auto all = std::filesystem::directory_iterator(folder.path());
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_CASE("the old file stays until the commit") {
  TemporaryFolder folder;
  put(folder / "x", "old");
  {
    AtomicFile file(folder / "x");
    file.write("new");
    CHECK(file.size() == 3);
    CHECK(contents_of(folder / "x") == "old");
  }
  CHECK(contents_of(folder / "x") == "old");
  CHECK(files_in(folder) == 1);
  AtomicFile file(folder / "x");
  file.write("new");
  file.write("er");
  file.commit();
  CHECK(contents_of(folder / "x") == "newer");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("two writers of one name do not mix; the last commit wins") {
  TemporaryFolder folder;
  AtomicFile a(folder / "x"), b(folder / "x");
  a.write("aaaa");
  b.write("b");
  b.commit();
  CHECK(contents_of(folder / "x") == "b");
  a.commit();
  CHECK(contents_of(folder / "x") == "aaaa");
}

TEST_CASE("a full disk leaves the old file untouched and says why") {
  TemporaryFolder folder;
  const HostTensor small = tensor<int32_t>(DType::s32, {1}, {7});
  const HostTensor large = tensor<char>(DType::u8, {100000}, std::vector<char>(100000));
  write_npy(folder / "x.npy", small);
  write_npz(folder / "x.npz", {{"w", small}});
  write_safetensors(folder / "x.safetensors", {{"w", small}});
  const std::string npz = contents_of(folder / "x.npz");
  {
    SizeLimit limit(4096);
    CHECK_THROWS_WITH(write_npy(folder / "x.npy", large),
                      Contains("x.npy: at byte 4096: cannot write: File too large"));
    CHECK_THROWS_AS(write_npz(folder / "x.npz", {{"w", large}}), FileError);
    CHECK_THROWS_AS(write_safetensors(folder / "x.safetensors", {{"w", large}}), FileError);
    CHECK_THROWS_AS(write_file(folder / "other", large.data), FileError);
  }
  CHECK(read_npy(folder / "x.npy") == small);
  CHECK(contents_of(folder / "x.npz") == npz);
  CHECK(read_safetensors(folder / "x.safetensors").tensors["w"] == small);
  CHECK(files_in(folder) == 3);
}

TEST_CASE("folders that cannot be written, and names that are no files") {
  TemporaryFolder folder;
  CHECK_THROWS_WITH(write_file(folder / "none/x", {}),
                    Contains("none/x: at byte 0: cannot create a file in its folder: No such file"));
  CHECK_THROWS_WITH(write_file("/proc/nacre.npy", {}), Contains("cannot create a file in its folder: "));
  CHECK_THROWS_WITH(write_file(folder.path(), {}), Contains("not a regular file"));
  CHECK_THROWS_WITH(write_file("/dev/full", {}), Contains("not a regular file"));
  put(folder / "file", "");
  CHECK_THROWS_WITH(write_file(folder / "file/x", {}), Contains("Not a directory"));
}

TEST_CASE("permissions are kept, symbolic links followed") {
  TemporaryFolder folder;
  put(folder / "real", "old");
  REQUIRE(chmod((folder / "real").c_str(), 0600) == 0);
  std::filesystem::create_symlink("real", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(contents_of(folder / "real") == "new");
  struct stat info {};
  REQUIRE(stat((folder / "real").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("a name without a folder is in the current one") {
  TemporaryFolder folder;
  const auto old = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("plain", {});
  std::filesystem::current_path(old);
  CHECK(std::filesystem::exists(folder / "plain"));
}

}  // namespace
}  // namespace nacre::io
