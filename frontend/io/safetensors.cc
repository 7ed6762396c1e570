#include "frontend/io/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>

#include "frontend/io/atomic_file.h"
#include "frontend/io/input_file.h"
#include "nacre/error.h"

namespace nacre::io {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;
constexpr int kMaxDepth = 3;  // {"name": {"shape": [2]}}
constexpr const char* kMetadata = "__metadata__";

constexpr std::string_view safetensors_name(DType t) {
  switch (t) {
    case DType::pred: return "BOOL";
    case DType::s32: return "I32";
    case DType::s64: return "I64";
    case DType::u8: return "U8";
    case DType::u32: return "U32";
    case DType::bf16: return "BF16";
    case DType::f32: return "F32";
    case DType::f64: return "F64";
  }
  return "";
}

class Header {
 public:
  Header(std::string text, uint64_t offset, const Section& section)
      : text_(std::move(text)), offset_(offset), section_(section) {
    if (!text_.starts_with('{')) fail(0, "the header does not start with '{'");
    std::vector<std::set<std::string>> keys(kMaxDepth + 1);
    auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
      const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
      if (opens && depth >= kMaxDepth) fail(0, "the header is nested deeper than " + std::to_string(kMaxDepth));
      if (event == Json::parse_event_t::object_start) keys[static_cast<std::size_t>(depth)].clear();
      if (event == Json::parse_event_t::key) {
        auto name = value.get<std::string>();
        if (!keys[static_cast<std::size_t>(depth) - 1].insert(name).second) fail(name, "given twice");
      }
      return true;
    };
    try {
      json_ = Json::parse(text_, watch);
    } catch (const Json::parse_error& e) {
      fail(e.byte ? e.byte - 1 : 0, std::string("the header is not JSON: ") + e.what());
    }
  }

  const Json& json() const { return json_; }
  [[noreturn]] void fail(std::size_t at, const std::string& reason) const { section_.fail_at(offset_ + at, reason); }
  // At the place where the header speaks of `name`.
  [[noreturn]] void fail(const std::string& name, const std::string& reason) const {
    const std::size_t at = text_.find(Json(name).dump());
    fail(at == text_.npos ? 0 : at, "'" + name + "': " + reason);
  }

 private:
  std::string text_;
  uint64_t offset_;
  const Section& section_;
  Json json_;
};

struct Entry {
  std::string name;
  uint64_t begin, end;
  HostTensor tensor;
};

Entry parse_entry(const Header& header, const std::string& name, const Json& json) {
  auto fail = [&](const std::string& reason) { header.fail(name, reason); };
  if (!json.is_object()) fail("expected an object with dtype, shape and data_offsets");
  for (const auto& [key, value] : json.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets") fail("unknown key '" + key + "'");
  for (const char* key : {"dtype", "shape", "data_offsets"})
    if (!json.contains(key)) fail(std::string("no ") + key);

  Entry e{name, 0, 0, {}};
  const Json& dtype = json["dtype"];
  if (!dtype.is_string()) fail("dtype is not a string");
  auto known = std::find_if(std::begin(kAllDTypes), std::end(kAllDTypes),
                            [&](DType t) { return safetensors_name(t) == dtype.get_ref<const std::string&>(); });
  if (known == std::end(kAllDTypes))
    fail("dtype " + dtype.get<std::string>() + " is not supported (BOOL U8 U32 I32 I64 BF16 F32 F64 are)");
  e.tensor.dtype = *known;

  const Json& shape = json["shape"];
  if (!shape.is_array() || shape.size() > kMaxRank) fail("shape is not a list of at most 64 dimensions");
  for (const Json& d : shape) {
    if (!d.is_number_unsigned() || d.get<uint64_t>() > INT64_MAX) fail("dimension " + d.dump() + " is not a size");
    e.tensor.shape.push_back(d.get<int64_t>());
  }
  const Json& offsets = json["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned())
    fail("data_offsets is not a pair of offsets");
  e.begin = offsets[0].get<uint64_t>();
  e.end = offsets[1].get<uint64_t>();
  const std::string range = "data_offsets [" + std::to_string(e.begin) + ", " + std::to_string(e.end) + "]";
  if (e.end < e.begin) fail(range + " end before they begin");
  auto size = byte_size(e.tensor.dtype, e.tensor.shape);
  if (!size) fail(describe(e.tensor) + " is larger than any memory");
  if (*size != e.end - e.begin)
    fail(range + " span " + std::to_string(e.end - e.begin) + " bytes, but " + describe(e.tensor) + " takes " +
         std::to_string(*size));
  return e;
}

Metadata parse_metadata(const Header& header, const Json& json) {
  Metadata metadata;
  if (!json.is_object()) header.fail(kMetadata, "expected an object of strings");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) header.fail(kMetadata, "the value of '" + key + "' is not a string");
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// Throws when the text cannot stand in JSON.
std::string quoted(const std::string& s, const std::string& path) {
  try {
    return Json(s).dump();
  } catch (const Json::exception&) {
    throw Error("write_safetensors: " + path + ": the name or text '" + s + "' is not UTF-8");
  }
}

std::string make_header(const std::string& path, const std::vector<const NamedTensors::value_type*>& order,
                        const Metadata& metadata) {
  std::string text = "{";
  if (!metadata.empty()) {
    text += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata)
      text += (text.back() == '{' ? "" : ",") + quoted(key, path) + ":" + quoted(value, path);
    text += '}';
  }
  uint64_t at = 0;
  for (const auto* entry : order) {
    const HostTensor& t = entry->second;
    text += (text.size() == 1 ? "" : ",") + quoted(entry->first, path) + ":{\"dtype\":\"";
    (text += safetensors_name(t.dtype)) += "\",\"shape\":" + Json(t.shape).dump();
    text += ",\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(at + t.data.size()) + "]}";
    at += t.data.size();
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace

SafeTensors read_safetensors(const std::string& path) {
  InputFile file(path);
  Section section(file);
  const uint64_t length = section.number<uint64_t>("the header's length");
  if (length > kMaxHeader)
    section.fail_at(0,
                    "a header of " + std::to_string(length) + " bytes is longer than 100 MB: not a safetensors file?");
  const uint64_t header_at = section.offset();
  Header header(section.text(length, "the header"), header_at, section);

  SafeTensors result;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.json().items()) {
    if (name == kMetadata)
      result.metadata = parse_metadata(header, value);
    else
      entries.push_back(parse_entry(header, name, value));
  }
  // Empty tensors come before the one that starts where they are.
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t at = 0;
  for (const Entry& e : entries) {
    if (e.begin != at)
      header.fail(e.name, "starts at " + std::to_string(e.begin) + " where " + std::to_string(at) +
                              " was expected: tensors must neither overlap nor leave gaps");
    at = e.end;
  }
  if (at != section.remaining())
    section.fail("the header describes " + std::to_string(at) + " bytes of elements, the file has " +
                 std::to_string(section.remaining()));
  for (Entry& e : entries) {
    read_elements(section, e.tensor, "the elements of '" + e.name + "'");
    result.tensors.emplace(std::move(e.name), std::move(e.tensor));
  }
  return result;
}

void write_safetensors(const std::string& path, const NamedTensors& tensors, const Metadata& metadata) {
  std::vector<const NamedTensors::value_type*> order;
  for (const auto& entry : tensors) {
    check_size(entry.second, "write_safetensors: " + path + ": " + entry.first);
    if (entry.first == kMetadata)
      throw Error("write_safetensors: " + path + ": the name __metadata__ is reserved: choose another for the tensor");
    order.push_back(&entry);
  }
  // Wide elements first keeps all of them aligned.
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) {
    const std::size_t wide_a = size_of(a->second.dtype), wide_b = size_of(b->second.dtype);
    return wide_a != wide_b ? wide_a > wide_b : a->first < b->first;
  });
  const std::string header = make_header(path, order, metadata);
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xff);
  AtomicFile file(path);
  file.write(length + header);
  for (const auto* entry : order) file.write(entry->second.data);
  file.commit();
}

}  // namespace nacre::io
