// The faults of a launch: one record for each distinct place, however many threads met it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "memory/arena.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

enum class FaultKind : std::uint8_t {
  illegal_address,
  misaligned_address,
  limit,
  barrier,
  trap,
  stack,       ///< a thread's calls need more stack than it has
  invalid_pc,  ///< a call through a pointer that does not point to a function
  handle,      ///< an invalid texture or surface handle
  surface,     ///< an access outside a surface that must not be
  descriptor,  ///< an invalid tensor map, or one that does not suit the instruction
  assertion,
  waiting,  ///< where threads were when a limit ended the launch
  heap,     ///< a free of memory that is not allocated
#define CHECK(name, found, word, places) found,
#include "warpmark/checks.def"
  incomplete,  ///< a check looked no further
  count
};

/// A place (instruction, space, allocation) where a launch did what it must not do.
struct Fault {
  FaultKind kind = FaultKind::illegal_address;
  std::uint32_t statement = 0;  ///< as Program::statement counts
  bool has_access = false;      ///< the next seven members apply
  Space space = Space::global;
  bool constant = false;  ///< global memory that the instruction takes for constant
  bool write = false;
  std::uint32_t bytes = 0;    ///< size of one thread's access
  std::uint64_t address = 0;  ///< of the first thread's access; an offset for shared and local
  Nearest::Side side = Nearest::Side::after;
  std::uint64_t distance = 0;
  /// The allocation nearest at that time, or the one that the pointer was made for; its size is 0
  /// if there is none. For shared, local and parameter memory only the size is set.
  Allocation allocation;
  std::string lands_in;  ///< another allocation, which the address lies in
  bool meant = false;    ///< the pointer was made for `allocation`, however far away that is
  /// A variable in shared memory, the one that the pointer was made for or that holds the address.
  struct Variable {
    std::string name;
    std::uint64_t address = 0;  ///< offset into the block's shared memory
  } variable;
  /// The block of the cluster whose shared memory was accessed, if it is another one, and whether
  /// that block had exited.
  struct Home {
    bool known = false, gone = false;
    std::array<std::uint32_t, 3> block{};
  } home;
  std::array<std::uint32_t, 3> thread{}, block{};  ///< the first thread and its block that met it
  /// Statements of the calls through which that thread got there, innermost first, of functions
  /// that were not inlined.
  std::vector<std::uint32_t> calls;
  std::uint64_t count = 0;   ///< accesses by all threads that met it
  std::string message;       ///< of a limit or barrier
  std::string detail;        ///< appended to the message; of the first thread that met it
  const char* hazard = "";   ///< for a race: which access follows which; for an
                             ///< undefined value: how it was used
  bool both_orders = false;  ///< for a race: the opposite order was also met
  std::uint32_t pairs = 0;   ///< for a race: further pairs of accesses to the array
  /// For a race in shared memory: other races that a barrier between the same statements would
  /// prevent.
  struct Beside {
    std::uint32_t statement = 0, other = 0;
    std::string variable;
  };
  std::vector<Beside> beside;
  /// For a race: set if its thread had read a release that comes after the other access, without
  /// acquiring it.
  struct Relaxed {
    bool known = false;
    bool warning = false;         ///< only the order is missing; the data is visible
    std::uint32_t statement = 0;  ///< statement that has read the release
  } relaxed;
  bool goes_on = false;   ///< for an access: a GPU performs it, and the launch continues
  bool decides = false;   ///< for a race: the order of two strong accesses decides a value
  bool in_step = false;   ///< for a race: ordered only if the lanes of a warp run in step
  bool unfenced = false;  ///< for a race: in order, but of two proxies without a fence
  /// For a race: the statement by which one lane released what its warp had read in step.
  std::uint32_t released = Instruction::kNone;
  [[nodiscard]] bool by_lane() const { return released != Instruction::kNone; }
  bool warning = false;          ///< it may be intended: the launch's results do not depend on it
  Space origin = Space::global;  ///< for an undefined value; param means a register
  std::string source;            ///< the array that it was read from, if it has a name
  /// Further uses of values that one place read undefined: they have one cause.
  struct Use {
    std::uint32_t statement = 0;
    const char* what = "";
    std::uint64_t count = 0;
    std::vector<std::uint32_t> calls;  ///< as Fault::calls
  };
  std::vector<Use> uses;
  /// The other side of a race, or where an undefined value was read.
  struct Other {
    bool known = false;
    std::uint32_t statement = 0;
    std::array<std::uint32_t, 3> thread{}, block{};
    std::vector<std::uint32_t> calls;  ///< as Fault::calls; empty if not kept
  } other;
};

/// The space as reports name it, with constant memory as a separate space.
constexpr Space space_of(const Fault& fault) {
  return fault.constant ? Space::constant : fault.space;
}

/// Findings leave the launch's results as they are; everything else ends it with an error.
constexpr bool is_finding(FaultKind kind) {
#define CHECK(name, found, word, places) \
  if (kind == FaultKind::found) return true;
#include "warpmark/checks.def"
  return kind == FaultKind::incomplete;
}

/// Merges faults of one place in the source that differ only in the PTX instruction, as an unrolled
/// loop repeats its instructions. The first fault stays, with the counts of all. Also merges a race
/// that was met in both orders, and the uses of an undefined value that one place read.
void merge_places(std::vector<Fault>& faults, const Program& program);

/// Collects faults in the order of their first occurrence.
class FaultLog {
 public:
  static constexpr std::uint32_t kMost = 100;  ///< places of each kind

  static constexpr std::size_t kNowhere = ~std::size_t{0};

  /// Counts `fault`, and keeps it if it is the first of its place. Returns where it is kept, until
  /// another one is put before it, or kNowhere.
  std::size_t add(const Fault& fault);
  /// Counts another occurrence of the race between these statements that is kept at `place`.
  /// Returns false if that race is not kept there.
  bool again(std::size_t place, std::uint32_t statement, std::uint32_t other) {
    if (place >= faults_.size()) return false;
    Fault& fault = faults_[place];
    if (fault.kind != FaultKind::race || fault.statement != statement ||
        fault.other.statement != other)
      return false;
    ++fault.count;
    return true;
  }
  /// Adds all faults of a later log.
  void add(const FaultLog& later);
  /// Puts a fault before the first one of a kind.
  void add_before(FaultKind kind, const Fault& fault);
  /// True if so many places of failure are known that further ones would not help.
  [[nodiscard]] bool full() const { return full_; }
  /// True if some fault ends the launch with an error.
  [[nodiscard]] bool fatal() const { return fatal_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  /// Takes all faults. For each kind with too many faults, one at the end says so.
  std::vector<Fault> take();

 private:
  struct Kind {
    std::uint32_t kept = 0;
    std::uint64_t left_out = 0;  ///< accesses
  };
  bool fatal_ = false, full_ = false;
  std::array<Kind, static_cast<std::size_t>(FaultKind::count)> kinds_{};
  std::vector<Fault> faults_;
};

}  // namespace warpmark::cpu
