// What went wrong in a launch: one record for each distinct place, however many threads it met.
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
  invalid_pc,  ///< a call through a pointer that is no function's
  handle,      ///< a texture or surface that is none
  surface,     ///< an access outside a surface that must not be
  descriptor,  ///< a tensor map that is none, or does not suit the instruction
  assertion,
  waiting,  ///< where threads were when a limit ended the launch
  heap,     ///< a free of what is not allocated
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
  std::uint32_t bytes = 0;    ///< of one thread's access
  std::uint64_t address = 0;  ///< of the first thread; an offset for shared and local
  Nearest::Side side = Nearest::Side::after;
  std::uint64_t distance = 0;
  /// The nearest one as it was then, or the one that the pointer was made for; bytes 0 if there is
  /// none. Of shared, local and parameter memory it has only a size.
  Allocation allocation;
  std::string lands_in;  ///< another allocation, which the address lies in
  bool meant = false;    ///< the pointer was made for `allocation`, however far that is
  /// A variable in shared memory, the one that the pointer was made for or that holds the address.
  struct Variable {
    std::string name;
    std::uint64_t address = 0;  ///< offset into the block's shared memory
  } variable;
  /// Of shared memory of another block of the cluster: which block, and whether it was gone.
  struct Home {
    bool known = false, gone = false;
    std::array<std::uint32_t, 3> block{};
  } home;
  std::array<std::uint32_t, 3> thread{}, block{};  ///< the first that met it
  /// Statements of the calls through which that one came there, innermost first: of functions that
  /// were not inlined.
  std::vector<std::uint32_t> calls;
  std::uint64_t count = 0;   ///< accesses of threads that met it
  std::string message;       ///< of a limit or barrier
  std::string detail;        ///< … behind it; that of the first who met it
  const char* hazard = "";   ///< of a race: which comes after which; of an
                             ///< undefined value, what was done with it
  bool both_orders = false;  ///< of a race: the other order was met, too
  std::uint32_t pairs = 0;   ///< of a race: further pairs of accesses to the array, counted here
  /// Of a race in shared memory: others that a barrier between the same statements would prevent.
  struct Beside {
    std::uint32_t statement = 0, other = 0;
    std::string variable;
  };
  std::vector<Beside> beside;
  /// Of a race: its thread had read a release that comes after the other access, without acquiring it.
  struct Relaxed {
    bool known = false;
    bool warning = false;         ///< only the order is missing, and not what makes it visible
    std::uint32_t statement = 0;  ///< what has read it
  } relaxed;
  bool goes_on = false;          ///< of an access: a GPU makes it, and the launch goes on
  bool decides = false;          ///< of a race: of strong accesses whose order decides a value
  bool in_step = false;          ///< of a race: only lanes of a warp in step put it in order
  bool warning = false;          ///< it may be meant so: the launch's results do not depend on it
  Space origin = Space::global;  ///< of an undefined value; param stands for a register
  std::string source;            ///< the array that it was read from, if it has a name
  /// Where else values that were read at one place, and undefined there, are used: one cause.
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
    std::vector<std::uint32_t> calls;  ///< as Fault::calls; empty if that is not kept
  } other;
};

/// As a person has it: constant memory is one of its own.
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

/// Makes one of faults that differ only in the PTX instruction, all of one place in the source: an
/// unrolled loop repeats its instructions. The first stays, with the counts of all. So it does of a
/// race that was met in both orders, and of uses of what one place read without a value.
void merge_places(std::vector<Fault>& faults, const Program& program);

/// Collects faults in the order of their first occurrence.
class FaultLog {
 public:
  static constexpr std::uint32_t kMost = 100;  ///< places of each kind

  static constexpr std::size_t kNowhere = ~std::size_t{0};

  /// Counts `fault`, and keeps it if it is the first of its place. Returns where it is kept, until
  /// another one is put before it, or kNowhere.
  std::size_t add(const Fault& fault);
  /// Counts one more of a race that is kept there, of these statements. False if it is not.
  bool again(std::size_t place, std::uint32_t statement, std::uint32_t other) {
    if (place >= faults_.size()) return false;
    Fault& fault = faults_[place];
    if (fault.kind != FaultKind::race || fault.statement != statement ||
        fault.other.statement != other)
      return false;
    ++fault.count;
    return true;
  }
  /// All of another one, which came later.
  void add(const FaultLog& later);
  /// Puts it before the first of a kind.
  void add_before(FaultKind kind, const Fault& fault);
  /// So many places are known where the launch failed that further ones would help nobody.
  [[nodiscard]] bool full() const { return full_; }
  /// Something ends the launch with an error.
  [[nodiscard]] bool fatal() const { return fatal_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  /// All of them; for each kind of which there were too many one that says so stands at the end.
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
