#include "frontend/io/npz.h"

#include <catch2/catch.hpp>
#include <span>

#include "frontend/io/crc32.h"
#include "frontend/io/temporary_folder.h"
#include "frontend/io/test_tensors.h"
#include "nacre/error.h"

namespace nacre::io {
namespace {

using Catch::Contains;

const std::string kTestdata = "frontend/io/testdata/";

std::string complaint(const std::string& bytes) {
  TemporaryFolder folder;
  put(folder / "x.npz", bytes);
  try {
    read_npz(folder / "x.npz");
  } catch (const FileError& e) {
    return std::to_string(e.offset()) + ": " + e.what();
  }
  return "nothing";
}

// Two small entries, "a" and "b", as a file.
std::string two_entries() {
  TemporaryFolder folder;
  write_npz(folder / "x.npz",
            {{"a", tensor<int32_t>(DType::s32, {2}, {1, 2})}, {"b", tensor<uint8_t>(DType::u8, {}, {7})}});
  return contents_of(folder / "x.npz");
}

// The number of bytes from the start of the n-th record with this signature ("\1\2": directory, "\3\4": local, "\5\6":
// end).
std::size_t record(const std::string& file, std::string_view kind, int n = 0) {
  std::size_t at = 0;
  for (int i = 0; i <= n; ++i) at = file.find("PK" + std::string(kind), i ? at + 1 : 0);
  return at;
}

std::string with(std::string file, std::size_t at, std::string_view bytes) {
  return file.replace(at, bytes.size(), bytes);
}

TEST_CASE("crc32 of the standard check string, in any cut") {
  const std::string text = "123456789 and some more text to fill eight bytes at a time";
  auto bytes = std::as_bytes(std::span(text));
  CHECK(crc32(0, bytes.first(9)) == 0xcbf43926u);
  for (std::size_t n = 0; n <= text.size(); ++n)
    CHECK(crc32(crc32(0, bytes.first(n)), bytes.subspan(n)) == crc32(0, bytes));
}

TEST_CASE(".npz: every dtype and shape comes back") {
  TemporaryFolder folder;
  write_npz(folder / "x.npz", every_kind());
  CHECK(read_npz(folder / "x.npz") == every_kind());
  write_npz(folder / "none.npz", {});
  CHECK(read_npz(folder / "none.npz").empty());
}

TEST_CASE(".npz: an archive of NumPy") {
  NamedTensors t = read_npz(kTestdata + "several.npz");
  CHECK(t.size() == 6);
  CHECK(t["matrix"] == tensor<float>(DType::f32, {2, 3}, {0, 0.25, 0.5, 0.75, 1, 1.25}));
  CHECK(t["scalar"] == tensor<double>(DType::f64, {}, {2.5}));
  CHECK(t["flags"] == tensor<char>(DType::pred, {2}, {1, 0}));
  CHECK(t["half"] == tensor<uint16_t>(DType::bf16, {2}, {0x3fc0, 0xc000}));
  CHECK(t["empty"] == tensor<uint32_t>(DType::u32, {0, 3}, {}));
  CHECK(t["bytes"] == tensor<uint8_t>(DType::u8, {2}, {1, 255}));
  CHECK_THROWS_WITH(read_npz(kTestdata + "compressed.npz"),
                    Contains("entry 'matrix.npy' is compressed: save with numpy.savez, not savez_compressed"));
}

TEST_CASE(".npz: cut short at every byte") {
  const std::string whole = two_entries();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    INFO(n);
    CHECK_THAT(complaint(whole.substr(0, n)), Contains("there is no end record of a zip archive"));
  }
}

TEST_CASE(".npz: any changed byte is refused or harmless, never a crash") {
  TemporaryFolder folder;
  const std::string whole = two_entries();
  put(folder / "whole.npz", whole);
  const NamedTensors expected = read_npz(folder / "whole.npz");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (char c : {'\0', '\xff', '\x01', 'P'}) {
      put(folder / "x.npz", with(whole, at, std::string_view(&c, 1)));
      try {
        NamedTensors t = read_npz(folder / "x.npz");
        for (const auto& [name, value] : expected) CHECK((t.size() == 2 && (!t.count(name) || t[name] == value)));
      } catch (const FileError& e) {
        CHECK(e.offset() <= whole.size());
      }
    }
  }
}

TEST_CASE(".npz: a comment, even one that looks like an end record") {
  std::string whole = two_entries();
  std::string comment = "a comment with PK\x05\x06 and 22 more bytes after it";
  whole[whole.size() - 2] = static_cast<char>(comment.size());
  TemporaryFolder folder;
  put(folder / "x.npz", whole + comment);
  CHECK(read_npz(folder / "x.npz").size() == 2);
}

TEST_CASE(".npz: each refusal") {
  const std::string whole = two_entries();
  const std::size_t entry = record(whole, "\1\2"), second = record(whole, "\1\2", 1), local = record(whole, "\3\4", 1),
                    end = record(whole, "\5\6");
  auto u32 = [](std::size_t v) {
    return std::string{static_cast<char>(v), static_cast<char>(v >> 8), static_cast<char>(v >> 16),
                       static_cast<char>(v >> 24)};
  };
  CHECK_THAT(complaint(with(whole, end + 4, "\1")), Contains("several parts"));
  CHECK_THAT(complaint(with(whole, end + 8, "\3")), Contains("several parts"));
  CHECK_THAT(complaint(with(whole, end + 16, "\xff\xff\xff\xff")), Contains("zip64 archives are not supported"));
  CHECK_THAT(complaint(with(whole, end + 16, u32(end))), Contains("the directory reaches into the end record"));
  CHECK_THAT(complaint(with(with(whole, end + 8, "\3"), end + 10, "\3")),
             Contains("the file ends inside the directory"));
  CHECK_THAT(complaint(with(with(whole, end + 8, "\1"), end + 10, "\1")), Contains("bytes after its last entry"));
  CHECK_THAT(complaint(with(whole, entry, "X")), Contains("expected an entry of the directory"));
  CHECK_THAT(complaint(with(whole, entry + 8, "\1")), Contains("entry 'a.npy' is encrypted"));
  CHECK_THAT(complaint(with(whole, entry + 10, "\x08")), Contains("entry 'a.npy' is compressed"));
  CHECK_THAT(complaint(with(whole, entry + 10, "\x0c")), Contains("stored by method 12"));
  CHECK_THAT(complaint(with(whole, entry + 20, "\1")), Contains("its two sizes differ"));
  CHECK_THAT(complaint(with(whole, entry + 20, "\xff\xff\xff\xff")), Contains("needs zip64"));
  CHECK_THAT(complaint(with(whole, entry + 34, "\1")), Contains("another part"));
  CHECK_THAT(complaint(with(whole, entry + 46, "a.txt")), Contains("'a.txt' is not a .npy file"));
  CHECK_THAT(complaint(with(whole, entry + 42, u32(end))), Contains("starts after the directory"));
  CHECK_THAT(complaint(with(whole, entry + 42, u32(8))),
             Contains("8: ") && Contains("is not where the directory says"));
  CHECK_THAT(complaint(with(whole, entry + 46, "x.npy")), Contains("disagrees with the directory"));
  CHECK_THAT(complaint(with(with(whole, second + 20, u32(9999)), second + 24, u32(9999))),
             Contains("reaches into the directory"));
  CHECK_THAT(complaint(with(whole, local - 1, "\x55")), Contains("entry 'a.npy' is damaged: its checksum differs"));
  // The first entry grown over the second, and the second entry pointing at the first.
  const std::string grown = with(with(whole, entry + 20, u32(200)), entry + 24, u32(200));
  CHECK_THAT(complaint(grown),
             Contains(std::to_string(local) + ": ") && Contains("entries 'a.npy' and 'b.npy' overlap"));
  const std::string twice = with(whole, second, whole.substr(entry, second - entry));
  CHECK_THAT(complaint(twice), Contains("entries 'a.npy' and 'a.npy' overlap"));
  const std::string same_name = with(with(whole, second + 46, "a"), local + 30, "a");
  CHECK_THAT(complaint(same_name), Contains("two entries are named 'a.npy'"));
}

TEST_CASE(".npz: what cannot be written") {
  TemporaryFolder folder;
  HostTensor bad = tensor<int32_t>(DType::s32, {3}, {1, 2});
  CHECK_THROWS_WITH(write_npz(folder / "x.npz", {{"w", bad}}), Contains("w: int32[3] takes 12 bytes, but holds 8"));
  CHECK_THROWS_WITH(write_npz(folder / "x.npz", {{std::string(70000, 'n'), every_kind().begin()->second}}),
                    Contains("a name of 70000 bytes is too long"));
  NamedTensors many;
  for (int i = 0; i < 65535; ++i) many[std::to_string(i)] = tensor<char>(DType::u8, {0}, {});
  CHECK_THROWS_WITH(write_npz(folder / "x.npz", many), Contains("more than 65,534 tensors need zip64"));
  CHECK_FALSE(std::filesystem::exists(folder / "x.npz"));
}

}  // namespace
}  // namespace nacre::io
