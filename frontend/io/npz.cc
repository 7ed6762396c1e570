#include "frontend/io/npz.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "frontend/io/atomic_file.h"
#include "frontend/io/crc32.h"
#include "frontend/io/input_file.h"
#include "frontend/io/npy.h"
#include "nacre/error.h"

namespace nacre::io {
namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr uint64_t kEndSize = 22, kLimit32 = 0xffffffff;
constexpr std::string_view kSuffix = ".npy";

struct Entry {
  std::string name;
  uint32_t crc = 0;
  uint64_t size = 0;
  uint64_t header_at = 0;  // of the local header
  uint64_t data_at = 0;
};

struct Directory {
  uint64_t at = 0, size = 0, entries = 0;
};

// The record at the very end, before a comment of at most 65,535 bytes.
Directory find_directory(const InputFile& file) {
  const uint64_t tail_size = std::min<uint64_t>(file.size(), kEndSize + 0xffff);
  const uint64_t tail_at = file.size() - tail_size;
  Section whole(file);
  std::string tail = Section(file, tail_at, tail_size).text(tail_size, "the archive");
  constexpr std::string_view kEndMagic("PK\x05\x06", 4);
  for (std::size_t at = tail.rfind(kEndMagic); at != tail.npos; at = at ? tail.rfind(kEndMagic, at - 1) : tail.npos) {
    if (tail.size() - at < kEndSize) continue;
    const uint64_t end_at = tail_at + at;
    Section end(file, end_at + 4, file.size() - end_at - 4);
    const std::string what = "the end record";
    const uint16_t disk = end.number<uint16_t>(what), first_disk = end.number<uint16_t>(what);
    const uint16_t here = end.number<uint16_t>(what), all = end.number<uint16_t>(what);
    const uint32_t size = end.number<uint32_t>(what), offset = end.number<uint32_t>(what);
    if (end.number<uint16_t>(what) != end.remaining()) continue;  // those four bytes are part of a comment
    if (all == 0xffff || size == kLimit32 || offset == kLimit32)
      whole.fail_at(end_at, "zip64 archives are not supported: use safetensors for more than 4 GiB");
    if (disk || first_disk || here != all) whole.fail_at(end_at, "archives in several parts are not supported");
    if (uint64_t{offset} + size > end_at) whole.fail_at(end_at, "the directory reaches into the end record");
    return {offset, size, all};
  }
  whole.fail_at(file.size(), "not a .npz file, or cut short: there is no end record of a zip archive");
}

Entry read_central(Section& directory) {
  const std::string what = "the directory";
  const uint64_t at = directory.offset();
  auto u16 = [&] { return directory.number<uint16_t>(what); };
  auto u32 = [&] { return directory.number<uint32_t>(what); };
  if (u32() != kCentral) directory.fail_at(at, "expected an entry of the directory");
  u32();  // versions
  const uint16_t flags = u16(), method = u16();
  u32();  // time and date
  Entry e;
  e.crc = u32();
  const uint64_t stored = u32();
  e.size = u32();
  const uint16_t name_size = u16(), extra_size = u16(), comment_size = u16(), disk = u16();
  u16(), u32();  // attributes
  e.header_at = u32();
  e.name = directory.text(name_size, "an entry's name");
  directory.text(uint64_t{extra_size} + comment_size, what);

  const std::string entry = "entry '" + e.name + "' ";
  if (flags & 1) directory.fail_at(at, entry + "is encrypted");
  if (method == 8) directory.fail_at(at, entry + "is compressed: save with numpy.savez, not savez_compressed");
  if (method != 0)
    directory.fail_at(at, entry + "is stored by method " + std::to_string(method) + "; only 0 is supported");
  if (stored == kLimit32 || e.size == kLimit32 || e.header_at == kLimit32)
    directory.fail_at(at, entry + "needs zip64, which is not supported: use safetensors for more than 4 GiB");
  if (stored != e.size) directory.fail_at(at, entry + "is stored uncompressed, but its two sizes differ");
  if (disk != 0) directory.fail_at(at, entry + "is in another part of the archive");
  if (!e.name.ends_with(kSuffix)) directory.fail_at(at, entry + "is not a .npy file");
  return e;
}

// Finds the data behind the local header, all of it before the directory.
void locate(Entry& e, const InputFile& file, const Directory& directory) {
  Section whole(file);
  if (e.header_at > directory.at) whole.fail_at(directory.at, "entry '" + e.name + "' starts after the directory");
  Section local(file, e.header_at, directory.at - e.header_at);
  const std::string what = "the header of entry '" + e.name + "'";
  if (local.number<uint32_t>(what) != kLocal) local.fail_at(e.header_at, what + " is not where the directory says");
  local.text(2, what);  // version
  local.number<uint16_t>(what);
  const uint16_t method = local.number<uint16_t>(what);
  local.text(16, what);  // time, date, checksum and sizes: those of the directory count
  const uint16_t name_size = local.number<uint16_t>(what), extra_size = local.number<uint16_t>(what);
  if (method != 0 || local.text(name_size, what) != e.name)
    local.fail_at(e.header_at, what + " disagrees with the directory");
  local.text(extra_size, what);
  e.data_at = local.offset();
  if (e.size > local.remaining()) local.fail("entry '" + e.name + "' reaches into the directory");
}

void refuse_overlaps(std::vector<Entry>& entries, const InputFile& file) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.header_at < b.header_at; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry &a = entries[i - 1], &b = entries[i];
    if (a.data_at + a.size > b.header_at)
      Section(file).fail_at(b.header_at, "entries '" + a.name + "' and '" + b.name + "' overlap");
  }
}

void check_crc(const Entry& e, const InputFile& file) {
  std::vector<std::byte> block(std::min<uint64_t>(e.size, 1 << 20));
  uint32_t crc = 0;
  for (uint64_t done = 0; done < e.size; done += block.size()) {
    block.resize(std::min<uint64_t>(block.size(), e.size - done));
    file.read(e.data_at + done, block);
    crc = crc32(crc, block);
  }
  if (crc != e.crc) Section(file).fail_at(e.data_at, "entry '" + e.name + "' is damaged: its checksum differs");
}

// Little-endian records for the writer.
class Record {
 public:
  Record& u16(uint64_t v) { return put(v, 2); }
  Record& u32(uint64_t v) { return put(v, 4); }
  std::string bytes;

 private:
  Record& put(uint64_t v, int n) {
    for (int i = 0; i < n; ++i) bytes += static_cast<char>(v >> (8 * i) & 0xff);
    return *this;
  }
};

constexpr uint64_t kNoTime =
    0x00210000;  // 1980-01-01 00:00, the earliest there is, so that bytes do not depend on the clock

// What the local header and the directory have in common.
void put_common(Record& r, const Entry& e) {
  r.u16(20).u16(0x800).u16(0).u32(kNoTime).u32(e.crc).u32(e.size).u32(e.size).u16(e.name.size()).u16(0);
}

}  // namespace

NamedTensors read_npz(const std::string& path) {
  InputFile file(path);
  const Directory directory = find_directory(file);
  Section central(file, directory.at, directory.size);
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    entries.push_back(read_central(central));
    locate(entries.back(), file, directory);
  }
  if (central.remaining()) central.fail("the directory has bytes after its last entry");
  refuse_overlaps(entries, file);

  NamedTensors tensors;
  for (const Entry& e : entries) {
    check_crc(e, file);
    std::string name = e.name.substr(0, e.name.size() - kSuffix.size());
    if (tensors.count(name)) Section(file).fail_at(e.header_at, "two entries are named '" + e.name + "'");
    tensors.emplace(std::move(name), read_npy(Section(file, e.data_at, e.size)));
  }
  return tensors;
}

void write_npz(const std::string& path, const NamedTensors& tensors) {
  const std::string what = "write_npz: " + path + ": ";
  if (tensors.size() >= 0xffff) throw Error(what + "more than 65,534 tensors need zip64: use safetensors");
  uint64_t total = kEndSize;
  for (const auto& [name, t] : tensors) {
    check_size(t, what + name);
    if (name.size() > 0xff00) throw Error(what + "a name of " + std::to_string(name.size()) + " bytes is too long");
    total += 30 + 46 + 2 * (name.size() + kSuffix.size()) + npy_header(t).size() + t.data.size();
  }
  if (total >= kLimit32) throw Error(what + std::to_string(total) + " bytes need zip64: use safetensors");

  AtomicFile file(path);
  Record directory;
  for (const auto& [name, t] : tensors) {
    const std::string header = npy_header(t);
    Entry e{name + std::string(kSuffix), crc32(crc32(0, std::as_bytes(std::span(header))), t.data),
            header.size() + t.data.size(), file.size()};
    Record local;
    put_common(local.u32(kLocal), e);
    file.write(local.bytes + e.name + header);
    file.write(t.data);
    put_common(directory.u32(kCentral).u16(20), e);
    directory.u16(0).u16(0).u16(0).u32(0).u32(e.header_at).bytes += e.name;
  }
  Record end;
  end.u32(kEnd)
      .u16(0)
      .u16(0)
      .u16(tensors.size())
      .u16(tensors.size())
      .u32(directory.bytes.size())
      .u32(file.size())
      .u16(0);
  file.write(directory.bytes + end.bytes);
  file.commit();
}

}  // namespace nacre::io
