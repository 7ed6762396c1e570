#include "frontend/io/npy.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "frontend/io/temporary_folder.h"
#include "frontend/io/test_tensors.h"
#include "nacre/error.h"

namespace nacre::io {
namespace {

using Catch::Contains;

const std::string kTestdata = "frontend/io/testdata/";
const HostTensor kMatrix = tensor<float>(DType::f32, {2, 3}, {0, 0.25, 0.5, 0.75, 1, 1.25});

// What reading a file of these bytes complains of.
std::string complaint(const std::string& bytes) {
  TemporaryFolder folder;
  put(folder / "x.npy", bytes);
  try {
    read_npy(folder / "x.npy");
  } catch (const FileError& e) {
    return std::to_string(e.offset()) + ": " + e.what();
  }
  return "nothing";
}

std::string file_of(const std::string& dict, const std::string& elements, char version = 1) {
  std::string out("\x93NUMPY", 6);
  out += version, out += '\0';
  out += static_cast<char>(dict.size() & 0xff), out += static_cast<char>(dict.size() >> 8);
  if (version > 1) out += std::string(2, '\0');
  return out + dict + elements;
}

std::string dict(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

TEST_CASE(".npy: every dtype and shape comes back") {
  TemporaryFolder folder;
  for (const auto& [name, t] : every_kind()) {
    INFO(name);
    write_npy(folder / "x.npy", t);
    CHECK(read_npy(folder / "x.npy") == t);
    CHECK(npy_header(t).size() % 64 == 0);
  }
}

TEST_CASE(".npy: files of NumPy, which ours equal byte by byte") {
  CHECK(read_npy(kTestdata + "c_order.npy") == kMatrix);
  std::vector<int64_t> counted(24);
  for (int64_t i = 0; i < 24; ++i) counted[static_cast<std::size_t>(i)] = i;
  CHECK(read_npy(kTestdata + "fortran_order.npy") == tensor<int64_t>(DType::s64, {2, 3, 4}, counted));
  CHECK_THROWS_WITH(read_npy(kTestdata + "big_endian.npy"),
                    Contains("'>f4' are big endian: save them with .astype('<f4')"));
  TemporaryFolder folder;
  write_npy(folder / "x.npy", kMatrix);
  CHECK(contents_of(folder / "x.npy") == contents_of(kTestdata + "c_order.npy"));
}

TEST_CASE(".npy: versions 2 and 3, either quote, other order of keys, '|V2' for bfloat16") {
  TemporaryFolder folder;
  const std::string text = "{\"shape\":(2,),\"fortran_order\":True,'descr':'|V2'}";
  for (char version : {1, 2, 3}) {
    put(folder / "x.npy", file_of(text, "abcd", version));
    CHECK(read_npy(folder / "x.npy") == tensor<char>(DType::bf16, {2}, {'a', 'b', 'c', 'd'}));
  }
}

TEST_CASE(".npy: cut short at every byte") {
  const std::string whole = contents_of(kTestdata + "c_order.npy");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    INFO(n);
    CHECK_THAT(complaint(whole.substr(0, n)), Contains("the file ends inside"));
  }
  CHECK_THAT(complaint(whole + "!"), Contains("152: ") && Contains("1 bytes follow the elements of float32[2, 3]"));
}

TEST_CASE(".npy: any changed byte of the header is refused or harmless, never a crash") {
  TemporaryFolder folder;
  const std::string whole = contents_of(kTestdata + "c_order.npy");
  int refused = 0;
  for (std::size_t at = 0; at < 128; ++at) {
    for (char c : {'\0', '\xff', '9', '\'', ')', '{'}) {
      std::string bytes = whole;
      bytes[at] = c;
      put(folder / "x.npy", bytes);
      try {
        HostTensor t = read_npy(folder / "x.npy");
        CHECK(t.data.size() == byte_size(t.dtype, t.shape));
      } catch (const FileError& e) {
        ++refused;
        CHECK(e.offset() <= whole.size());
      }
    }
  }
  CHECK(refused > 500);
}

TEST_CASE(".npy: each refusal") {
  const std::string f4(24, '\0');
  CHECK_THAT(complaint("PK\x03\x04 and more"), Contains("0: ") && Contains("not a .npy file"));
  CHECK_THAT(complaint(std::string("\x93NUMPY\x04\0....", 12)),
             Contains("6: ") && Contains("version 4.0 is not supported"));
  CHECK_THAT(complaint(std::string("\x93NUMPY\x02\0\0\0\2\0", 12)),
             Contains("8: ") && Contains("131072 bytes is too long"));
  auto header = [&](const std::string& text) { return complaint(file_of(text, f4)); };
  CHECK_THAT(header(dict("'<f2'", "False", "(2,)")), Contains("20: ") && Contains("'<f2' is not supported"));
  CHECK_THAT(header(dict("'|O'", "False", "(2,)")), Contains("'|O' is not supported"));
  CHECK_THAT(header(dict("[('a', '<f4')]", "False", "(2,)")), Contains("structured element types"));
  CHECK_THAT(header(dict("'<f4", "False", "(2,)")), Contains("is not supported"));
  CHECK_THAT(header("{'descr"), Contains("does not end"));
  CHECK_THAT(header("{descr: 1}"), Contains("expected a string"));
  CHECK_THAT(header(dict("'<f4'", "0", "(2,)")), Contains("expected True or False"));
  CHECK_THAT(header(dict("'<f4'", "False", "(-2,)")), Contains("expected a dimension that is not negative"));
  CHECK_THAT(header(dict("'<f4'", "False", "(2 3)")), Contains("expected ')'"));
  CHECK_THAT(header(dict("'<f4'", "False", "2")), Contains("expected '('"));
  CHECK_THAT(header(dict("'<f4'", "False", "(99999999999999999999,)")), Contains("does not fit 64 bits"));
  CHECK_THAT(header(dict("'<f4'", "False", "(4294967296, 4294967296)")), Contains("larger than any memory"));
  CHECK_THAT(header(dict("'<f4'", "False", "(0, 4294967296, 4294967296)")), Contains("larger than any memory"));
  CHECK_THAT(header(dict("'<f4'", "False", "(1099511627776,)")),
             Contains("the file ends inside the elements of float32"));
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  CHECK_THAT(header(dict("'<f4'", "False", "(" + ones + ")")), Contains("more than 64 dimensions"));
  CHECK_THAT(header("{'descr': '<f4', 'descr': '<f4'}"), Contains("names 'descr' twice"));
  CHECK_THAT(header("{'descr': '<f4', 'shape': (6,)}"), Contains("has no 'fortran_order'"));
  CHECK_THAT(header("{'kind': 1}"), Contains("unknown key 'kind'"));
  CHECK_THAT(header(dict("'<f4'", "False", "(6,)") + "x"), Contains("goes on after its dict"));
  CHECK_THAT(complaint(file_of(dict("'|b1'", "False", "(3,)"), std::string("\1\0\2", 3))),
             Contains("a bool must be 0 or 1, not 2") &&
                 Contains("at byte " + std::to_string(10 + dict("'|b1'", "False", "(3,)").size() + 2)));
}

TEST_CASE("reading: missing files, folders, pipes") {
  TemporaryFolder folder;
  CHECK_THROWS_WITH(read_npy(folder / "none.npy"), Contains("none.npy: at byte 0: cannot open: No such file"));
  CHECK_THROWS_WITH(read_npy(folder.path()), Contains("not a regular file"));
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_npy(folder / "pipe"), Contains("not a regular file"));
}

TEST_CASE("writing a tensor whose data and shape disagree") {
  TemporaryFolder folder;
  HostTensor t = kMatrix;
  t.shape = {2, 4};
  CHECK_THROWS_WITH(write_npy(folder / "x.npy", t), Contains("float32[2, 4] takes 32 bytes, but holds 24"));
  t.shape = {-1};
  CHECK_THROWS_WITH(write_npy(folder / "x.npy", t), Contains("float32[-1] takes more bytes than there can be"));
  CHECK_FALSE(std::filesystem::exists(folder / "x.npy"));
}

}  // namespace
}  // namespace nacre::io
