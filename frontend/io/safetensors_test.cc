#include "frontend/io/safetensors.h"

#include <catch2/catch.hpp>

#include "frontend/io/temporary_folder.h"
#include "frontend/io/test_tensors.h"
#include "nacre/error.h"

namespace nacre::io {
namespace {

using Catch::Contains;

std::string file_of(const std::string& header, const std::string& elements = "") {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + elements;
}

std::string complaint(const std::string& bytes) {
  TemporaryFolder folder;
  put(folder / "x.safetensors", bytes);
  try {
    read_safetensors(folder / "x.safetensors");
  } catch (const FileError& e) {
    return std::to_string(e.offset()) + ": " + e.what();
  }
  return "nothing";
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST_CASE("safetensors: every dtype and shape comes back, with metadata and odd names") {
  TemporaryFolder folder;
  NamedTensors all = every_kind();
  all["params[\"a\\b\"].\xc3\xa9"] = tensor<double>(DType::f64, {1}, {0.1});
  Metadata metadata{{"step", "12"}, {"quote\"", "line\n"}};
  write_safetensors(folder / "x", all, metadata);
  SafeTensors back = read_safetensors(folder / "x");
  CHECK(back.tensors == all);
  CHECK(back.metadata == metadata);
  write_safetensors(folder / "none", {});
  CHECK(read_safetensors(folder / "none").tensors.empty());
}

TEST_CASE("safetensors: the bytes, widest elements first and all of them aligned") {
  TemporaryFolder folder;
  write_safetensors(
      folder / "x",
      {{"a", tensor<uint8_t>(DType::u8, {1}, {'x'})}, {"b", tensor<uint16_t>(DType::bf16, {1, 2}, {0x6162, 0x6364})}},
      {{"k", "v"}});
  std::string header = R"({"__metadata__":{"k":"v"},)" + entry("b", "BF16", "[1,2]", "[0,4]") + "," +
                       entry("a", "U8", "[1]", "[4,5]") + "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  CHECK(contents_of(folder / "x") == file_of(header, "badcx"));
}

TEST_CASE("safetensors: cut short at every byte") {
  TemporaryFolder folder;
  write_safetensors(folder / "x", {{"a", tensor<float>(DType::f32, {3}, {1, 2, 3})}}, {{"k", "v"}});
  const std::string whole = contents_of(folder / "x");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    INFO(n);
    CHECK_THAT(complaint(whole.substr(0, n)), Contains("the file ends inside") || Contains("the file has"));
  }
  CHECK_THAT(complaint(whole + "!"), Contains("describes 12 bytes of elements, the file has 13"));
}

TEST_CASE("safetensors: any changed byte is refused or harmless, never a crash") {
  TemporaryFolder folder;
  write_safetensors(folder / "x",
                    {{"a", tensor<float>(DType::f32, {3}, {1, 2, 3})}, {"b", tensor<char>(DType::pred, {2}, {1, 0})}});
  const std::string whole = contents_of(folder / "x");
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (char c : {'\0', '\xff', '9', '"', '[', '}'}) {
      std::string bytes = whole;
      bytes[at] = c;
      put(folder / "y", bytes);
      try {
        for (const auto& [name, t] : read_safetensors(folder / "y").tensors)
          CHECK(t.data.size() == byte_size(t.dtype, t.shape));
      } catch (const FileError& e) {
        ++refused;
        CHECK(e.offset() <= whole.size());
      }
    }
  }
  CHECK(refused > 300);
}

TEST_CASE("safetensors: each refusal") {
  CHECK_THAT(complaint("\xff\xff\xff\xff\xff\xff\xff\xff{}"), Contains("0: ") && Contains("longer than 100 MB"));
  CHECK_THAT(complaint(file_of("[]")), Contains("8: ") && Contains("does not start with '{'"));
  CHECK_THAT(complaint(file_of("")), Contains("does not start with '{'"));
  CHECK_THAT(complaint(file_of("{\"a\" 1}")), Contains("13: ") && Contains("the header is not JSON"));
  CHECK_THAT(complaint(file_of("{\"\xff\": 1}")), Contains("the header is not JSON"));
  CHECK_THAT(complaint(file_of("{\"a\":" + std::string(50000, '['))), Contains("nested deeper than 3"));
  CHECK_THAT(complaint(file_of("{\"a\":{\"b\":[[1]]}}")), Contains("nested deeper than 3"));
  const std::string good = entry("a", "U8", "[2]", "[0,2]");
  CHECK_THAT(complaint(file_of("{" + good + "," + good + "}", "ab")), Contains("'a': given twice"));
  CHECK_THAT(complaint(file_of("{\"a\":7}")), Contains("9: ") && Contains("'a': expected an object"));
  CHECK_THAT(complaint(file_of("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}")), Contains("'dtype': given twice"));
  CHECK_THAT(complaint(file_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[]}}")), Contains("'a': no data_offsets"));
  CHECK_THAT(complaint(file_of("{\"a\":{\"color\":1}}")), Contains("unknown key 'color'"));
  CHECK_THAT(complaint(file_of("{\"a\":{\"dtype\":1,\"shape\":[],\"data_offsets\":[0,1]}}")),
             Contains("dtype is not a string"));
  auto one = [&](const std::string& dtype, const std::string& shape, const std::string& offsets,
                 const std::string& bytes = "ab") {
    return complaint(file_of("{" + entry("a", dtype, shape, offsets) + "}", bytes));
  };
  CHECK_THAT(one("F16", "[1]", "[0,2]"), Contains("dtype F16 is not supported"));
  CHECK_THAT(one("U8", "2", "[0,2]"), Contains("shape is not a list"));
  CHECK_THAT(one("U8", "[-2]", "[0,2]"), Contains("dimension -2 is not a size"));
  CHECK_THAT(one("U8", "[2.0]", "[0,2]"), Contains("dimension 2.0 is not a size"));
  CHECK_THAT(one("U8", "[9223372036854775808]", "[0,2]"), Contains("is not a size"));
  CHECK_THAT(one("F64", "[4294967296,4294967296]", "[0,2]"), Contains("larger than any memory"));
  std::string ones = "[1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  CHECK_THAT(one("U8", ones + "]", "[0,1]"), Contains("at most 64 dimensions"));
  CHECK_THAT(one("U8", "[2]", "[0]"), Contains("not a pair of offsets"));
  CHECK_THAT(one("U8", "[2]", "[-1,1]"), Contains("not a pair of offsets"));
  CHECK_THAT(one("U8", "[2]", "[2,0]"), Contains("[2, 0] end before they begin"));
  CHECK_THAT(one("U8", "[2]", "[0,1]"), Contains("span 1 bytes, but uint8[2] takes 2"));
  CHECK_THAT(one("U8", "[2]", "[0,2]", "a"), Contains("describes 2 bytes of elements, the file has 1"));
  CHECK_THAT(one("U8", "[2]", "[1,3]", "abc"), Contains("'a': starts at 1 where 0 was expected"));
  CHECK_THAT(one("BOOL", "[2]", "[0,2]", std::string("\1\5", 2)), Contains("a bool must be 0 or 1, not 5"));
  CHECK_THAT(complaint(file_of("{" + good + "," + entry("b", "U8", "[2]", "[1,3]") + "}", "abc")),
             Contains("'b': starts at 1 where 2 was expected: tensors must neither overlap nor leave gaps"));
  CHECK_THAT(complaint(file_of("{" + good + "," + entry("b", "U8", "[1]", "[3,4]") + "}", "abcd")),
             Contains("'b': starts at 3 where 2 was expected"));
  CHECK_THAT(complaint(file_of("{\"__metadata__\":[]}")), Contains("expected an object of strings"));
  CHECK_THAT(complaint(file_of("{\"__metadata__\":{\"k\":1}}")), Contains("the value of 'k' is not a string"));
}

TEST_CASE("safetensors: what cannot be written") {
  TemporaryFolder folder;
  HostTensor good = tensor<int32_t>(DType::s32, {2}, {1, 2}), bad = good;
  bad.shape = {3};
  CHECK_THROWS_WITH(write_safetensors(folder / "x", {{"w", bad}}), Contains("w: int32[3] takes 12 bytes, but holds 8"));
  CHECK_THROWS_WITH(write_safetensors(folder / "x", {{"__metadata__", good}}), Contains("reserved"));
  CHECK_THROWS_WITH(write_safetensors(folder / "x", {{"\xff", good}}), Contains("is not UTF-8"));
  CHECK_FALSE(std::filesystem::exists(folder / "x"));
}

}  // namespace
}  // namespace nacre::io
