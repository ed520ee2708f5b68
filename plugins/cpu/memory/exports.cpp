// Tables of exported places, and reading those of other processes.
#include "memory/exports.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace warpmark::cpu {
namespace {

struct TableHeader {
  char magic[24] = "warpmark exported table";
  std::uint64_t entries = 0;
};
struct TableEntry {
  std::array<std::uint64_t, 2> secret{};  // 0: unused
  std::uint64_t offset = 0, bytes = 0;
};
constexpr std::uint64_t kEntries = (ExportTable::kBytes - sizeof(TableHeader)) / sizeof(TableEntry);

// The 22nd word of /proc/ID/stat; the second is in parentheses and may hold anything.
std::uint64_t start_of(std::int32_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::size_t at = text.rfind(')');
  for (int word = 2; word < 22 && at != std::string::npos; ++word) at = text.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 10);
}

template <typename T>
bool read_at(int file, std::uint64_t offset, T& value) {
  return pread(file, &value, sizeof value, static_cast<off_t>(offset)) == sizeof value;
}

}  // namespace

Process own_process() {
  const auto id = static_cast<std::int32_t>(getpid());
  return {id, start_of(id)};
}

ExportedRange find_export(const Export& name) {
  ExportedRange range;
  if (name.magic != Export::kMagic || name.process <= 0 || name.file < 0 ||
      name.secret == std::array<std::uint64_t, 2>{} || name.index >= kEntries)
    return range;
  const Process own = own_process();
  range.own = own == Process{name.process, name.start};
  if (!range.own && start_of(name.process) != name.start) return range;
  const std::string path =
      "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return range;
  TableHeader header, known;
  TableEntry entry;
  struct stat status {};
  // Only memory files have seals; nobody shrinks those of a table.
  const int seals = fcntl(file, F_GET_SEALS);
  const bool good =
      seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(file, &status) == 0 &&
      read_at(file, 0, header) && std::memcmp(header.magic, known.magic, sizeof known.magic) == 0 &&
      name.index < header.entries &&
      read_at(file, sizeof header + name.index * sizeof entry, entry) &&
      entry.secret == name.secret && entry.offset <= static_cast<std::uint64_t>(status.st_size) &&
      entry.bytes <= static_cast<std::uint64_t>(status.st_size) - entry.offset;
  if (!good) {
    close(file);
    return range;
  }
  range.file = file;
  range.offset = entry.offset;
  range.bytes = entry.bytes;
  return range;
}

void ExportTable::begin(std::byte* memory, int file) {
  memory_ = memory;
  file_ = file;
  const TableHeader header{.entries = kEntries};
  std::memcpy(memory_, &header, sizeof header);
}

bool ExportTable::add(std::uint64_t offset, std::uint64_t bytes, int device, Export& name) {
  if (const auto known = exported_.find(offset); known != exported_.end()) {
    name = known->second;
    return true;
  }
  std::byte* entries = memory_ + sizeof(TableHeader);
  for (std::uint32_t index = 0; index < kEntries; ++index) {
    TableEntry entry;
    std::memcpy(&entry, entries + index * sizeof entry, sizeof entry);
    if (entry.secret != std::array<std::uint64_t, 2>{}) continue;
    entry.offset = offset;
    entry.bytes = bytes;
    if (getrandom(&entry.secret, sizeof entry.secret, 0) != sizeof entry.secret) return false;
    entry.secret[0] |= 1;  // never 0
    std::memcpy(entries + index * sizeof entry, &entry, sizeof entry);
    const Process own = own_process();
    name = {Export::kMagic, own.id, file_, own.start, entry.secret, index, device};
    exported_.emplace(offset, name);
    return true;
  }
  return false;
}

void ExportTable::remove(std::uint64_t offset) {
  const auto found = exported_.find(offset);
  if (found == exported_.end()) return;
  std::memset(memory_ + sizeof(TableHeader) + found->second.index * sizeof(TableEntry), 0,
              sizeof(TableEntry));
  exported_.erase(found);
}

}  // namespace warpmark::cpu
