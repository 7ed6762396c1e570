#include "frontend/io/npy.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

#include "frontend/io/atomic_file.h"
#include "nacre/error.h"

namespace nacre::io {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr uint64_t kMaxHeader = 1 << 16;  // the largest that NumPy itself reads without being told to trust the file

constexpr std::string_view descr_of(DType t) {
  switch (t) {
    case DType::pred: return "|b1";
    case DType::s32: return "<i4";
    case DType::s64: return "<i8";
    case DType::u8: return "|u1";
    case DType::u32: return "<u4";
    case DType::bf16: return "<V2";
    case DType::f32: return "<f4";
    case DType::f64: return "<f8";
  }
  return "";
}

// The header is a Python dict of three entries: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, uint64_t offset, const Section& section)
      : text_(text), offset_(offset), section_(section) {}

  // Returns whether the elements are in Fortran order.
  bool parse(HostTensor& t) {
    bool fortran = false;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::size_t key_at = skip_space();
      std::string key = string();
      if (!seen.insert(key).second) fail(key_at, "the header names '" + key + "' twice");
      expect(':');
      if (key == "descr") {
        t.dtype = dtype();
      } else if (key == "fortran_order") {
        fortran = boolean();
      } else if (key == "shape") {
        t.shape = shape();
      } else {
        fail(key_at, "the header has an unknown key '" + key + "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (skip_space() != text_.size()) fail(at_, "the header goes on after its dict");
    for (const char* key : {"descr", "fortran_order", "shape"})
      if (!seen.count(key)) fail(0, std::string("the header has no '") + key + "'");
    return fortran;
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& reason) { section_.fail_at(offset_ + at, reason); }

  std::size_t skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_;
  }
  bool accept(char c) {
    if (skip_space() == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(at_, std::string("expected '") + c + "' in the header");
  }
  std::string string() {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail(at_, "expected a string in the header");
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) fail(at_, "a string in the header does not end");
    std::string s(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return s;
  }
  bool boolean() {
    skip_space();
    for (std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail(at_, "expected True or False in the header");
  }
  DType dtype() {
    const std::size_t begin = skip_space();
    if (begin < text_.size() && text_[begin] == '[') fail(begin, "structured element types are not supported");
    std::string descr = string();
    for (DType t : kAllDTypes)
      if (descr == descr_of(t)) return t;
    if (descr == "|V2") return DType::bf16;
    if (descr.starts_with('>'))
      fail(begin, "the elements '" + descr + "' are big endian: save them with .astype('<" + descr.substr(1) + "')");
    fail(begin,
         "the element type '" + descr +
             "' is not supported: use bool, int32, int64, uint8, uint32, float32, float64, or '<V2' for bfloat16");
  }
  std::vector<int64_t> shape() {
    std::vector<int64_t> dims;
    expect('(');
    while (!accept(')')) {
      if (dims.size() == kMaxRank) fail(at_, "the shape has more than " + std::to_string(kMaxRank) + " dimensions");
      const std::size_t begin = skip_space();
      int64_t d = 0;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        if (__builtin_mul_overflow(d, int64_t{10}, &d) || __builtin_add_overflow(d, text_[at_] - '0', &d))
          fail(begin, "a dimension does not fit 64 bits");
        ++at_;
      }
      if (at_ == begin) fail(begin, "expected a dimension that is not negative");
      dims.push_back(d);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }

  std::string_view text_;
  uint64_t offset_;
  const Section& section_;
  std::size_t at_ = 0;
};

// Elements whose first index varies fastest, moved to where the last one does.
void to_c_order(HostTensor& t) {
  const std::size_t rank = t.shape.size(), size = size_of(t.dtype);
  if (rank < 2 || t.data.empty()) return;
  std::vector<std::byte> out(t.data.size());
  std::vector<std::size_t> stride(rank);  // in Fortran order
  std::vector<int64_t> index(rank, 0);
  std::size_t step = size;
  for (std::size_t k = 0; k < rank; ++k) stride[k] = step, step *= static_cast<std::size_t>(t.shape[k]);
  std::size_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += size) {
    std::memcpy(&out[to], &t.data[from], size);
    for (std::size_t k = rank; k--;) {
      from += stride[k];
      if (++index[k] < t.shape[k]) break;
      from -= stride[k] * static_cast<std::size_t>(t.shape[k]);
      index[k] = 0;
    }
  }
  t.data = std::move(out);
}

}  // namespace

HostTensor read_npy(const std::string& path) {
  InputFile file(path);
  return read_npy(Section(file));
}

HostTensor read_npy(Section section) {
  const uint64_t begin = section.offset();
  if (section.text(kMagic.size(), "the magic string of .npy") != kMagic)
    section.fail_at(begin, "not a .npy file: it does not start with \\x93NUMPY");
  const uint8_t major = section.number<uint8_t>("the version"), minor = section.number<uint8_t>("the version");
  if (major < 1 || major > 3 || minor != 0)
    section.fail_at(begin + kMagic.size(), ".npy version " + std::to_string(major) + "." + std::to_string(minor) +
                                               " is not supported (1.0 to 3.0 are)");
  const uint64_t length_at = section.offset();
  const uint64_t length =
      major == 1 ? section.number<uint16_t>("the header's length") : section.number<uint32_t>("the header's length");
  if (length > kMaxHeader) section.fail_at(length_at, "a header of " + std::to_string(length) + " bytes is too long");
  const uint64_t header_at = section.offset();
  const std::string header = section.text(length, "the header");

  HostTensor t;
  const bool fortran = HeaderParser(header, header_at, section).parse(t);
  if (!byte_size(t.dtype, t.shape)) section.fail_at(header_at, describe(t) + " is larger than any memory");
  read_elements(section, t, "the elements of " + describe(t));
  if (section.remaining())
    section.fail(std::to_string(section.remaining()) + " bytes follow the elements of " + describe(t));
  if (fortran) to_c_order(t);
  return t;
}

std::string npy_header(const HostTensor& t) {
  std::string dict = "{'descr': '" + std::string(descr_of(t.dtype)) + "', 'fortran_order': False, 'shape': (";
  for (int64_t d : t.shape) dict += std::to_string(d) + (t.shape.size() == 1 ? "," : ", ");
  if (t.shape.size() > 1) dict.resize(dict.size() - 2);
  dict += "), }";
  // 64 dimensions of 20 digits stay far below the 65,535 bytes of version 1.
  constexpr std::size_t kPrefix = 10;
  dict.append(63 - (kPrefix + dict.size()) % 64, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

void write_npy(const std::string& path, const HostTensor& t) {
  check_size(t, "write_npy: " + path);
  AtomicFile file(path);
  file.write(npy_header(t));
  file.write(t.data);
  file.commit();
}

}  // namespace nacre::io
