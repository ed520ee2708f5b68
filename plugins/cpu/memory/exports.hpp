// Memory that a process shares with others: numbered places of a file, and how another process
// finds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace warpmark::cpu {

/// A process of this machine, as long as it lives.
struct Process {
  std::int32_t id = 0;
  std::uint64_t start = 0;  ///< when it began, in the system's ticks
  bool operator==(const Process& other) const { return id == other.id && start == other.start; }
};
Process own_process();

/// Names a place of another process's file: 48 bytes that any other may guess in vain.
struct Export {
  std::uint64_t magic = kMagic;
  std::int32_t process = 0, file = -1;
  std::uint64_t start = 0;
  std::array<std::uint64_t, 2> secret{};
  std::uint32_t index = 0;
  std::int32_t device = 0;
  static constexpr std::uint64_t kMagic = 0x31637069'6b6d7077;  // "wpmkipc1"
};

/// A place in a file, and the file; the finder closes it.
struct ExportedRange {
  int file = -1;
  std::uint64_t offset = 0, bytes = 0;
  bool own = false;  ///< of this process
};
/// The place that `name` stands for while it is exported; file -1 if there is none, or no process.
ExportedRange find_export(const Export& name);

/// The table of a file's exported places, at the file's beginning.
class ExportTable {
 public:
  /// Bytes of the table in its file.
  static constexpr std::size_t kBytes = std::size_t{1} << 18;
  /// A new table at `memory`, which is mapped from `file` and zero.
  void begin(std::byte* memory, int file);
  [[nodiscard]] bool begun() const { return memory_ != nullptr; }
  /// A name for the range, which must be of whole pages; the same again while it is exported.
  /// False if the table is full.
  bool add(std::uint64_t offset, std::uint64_t bytes, int device, Export& name);
  /// The names of the range that begins there stand for nothing any more.
  void remove(std::uint64_t offset);

 private:
  std::byte* memory_ = nullptr;
  int file_ = -1;
  std::map<std::uint64_t, Export> exported_;
};

}  // namespace warpmark::cpu
