// One kernel, decoded: instructions over register slots, in blocks of a control-flow graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/counter.hpp"
#include "program/deciding_accesses.hpp"
#include "program/opcode.hpp"
#include "ptx/module.hpp"
#include "ptx/special_registers.hpp"

namespace warpmark::cpu {

struct Lanes;
struct Instruction;
/// Executes one instruction for the active lanes of a warp.
using Handler = void (*)(Lanes&, const Instruction&);

/// A decoded instruction. Operands are byte offsets into the register file of a warp, where a
/// 32-bit register takes 32 × 4 bytes, a 64-bit one 32 × 8, and a predicate 4 (one bit a lane).
/// Constants and special registers are registers, too, so that no handler needs to know the
/// difference.
struct Instruction {
  static constexpr std::uint32_t kNone = 0xffffffff;
  Handler run[2] = {nullptr, nullptr};    ///< for some lanes; for all 32. Set by the machine
  Handler inner[2] = {nullptr, nullptr};  ///< if guarded: run for the lanes of the guard
  std::uint32_t d = kNone, a = kNone, b = kNone, c = kNone;  ///< vectors use all four as data
  std::uint32_t e = kNone;  ///< one more source: the fourth, a carry flag, a value to unpack
  std::uint32_t predicate = kNone;  ///< a second result; the carry flag, if the instruction sets it
  std::uint32_t address = kNone;    ///< of memory or an mbarrier; a handle
  std::uint32_t guard = kNone;      ///< predicate
  std::uint32_t more = 0;           ///< further operands in Program::operands, from here
  std::uint32_t statement = 0;      ///< for reports: Program::statement finds it
  std::int64_t imm = 0;             ///< offset of an access, or as its row of operations.def says
  std::uint32_t site = 0;           ///< number among the kernel's accesses
  std::uint16_t object = 0;         ///< of an access: index in Program::objects of its bounds
  Opcode opcode = Opcode::count;
  std::uint8_t count = 1;        ///< elements of a vector, parts of a register, matrices
  Space space = Space::generic;  ///< where the address lies, if no opcode says it
  bool guard_negated : 1 = false;
  bool negated : 1 = false;         ///< the predicate operand is negated: c, or a of votes
  bool address_narrow : 1 = false;  ///< the address register has 32 bits
  bool one_address : 1 = false;     ///< the address is a variable's, the same in all lanes
  bool transposed : 1 = false;      ///< .trans of ldmatrix and stmatrix
  bool parity : 1 = false;          ///< mbarrier_test: b is no state but a parity
  bool no_increment : 1 = false;    ///< .noinc of arrive_async: the arrival is expected already
  /// Answers early: .read of wait_bulk, once the sources may be written again, and an mbarrier_test
  /// that is a test_wait.
  bool early : 1 = false;
  bool cluster_scope : 1 = false;   ///< of an access or fence: as Instruction::kBlockScope
  bool proxy : 1 = false;           ///< a fence between proxies, for imm as in ProxyMemory
  bool past_l1 : 1 = false;         ///< a load that sees writes of other multiprocessors: __ldcg
  Counter counter = Counter::none;  ///< counter that it adds to; for an access, its bytes
  std::uint8_t cost = 0;            ///< how much for each lane
  /// Flags of `order`: the role of an access or fence in the memory model.
  static constexpr std::uint8_t kStrong = 1, kRelease = 2, kBlockScope = 4;
  /// A volatile access, which counts as such only in shared memory; a load that is not repeated.
  static constexpr std::uint8_t kVolatile = 8, kOnce = 16;
  /// An atomic operation whose result is read.
  static constexpr std::uint8_t kReturns = 32;
  /// A load of memory that is not written while the kernel runs: ld.global.nc, ldu.
  static constexpr std::uint8_t kReadOnly = 64;
  /// A read that acquires, or a fence that acquires earlier reads.
  static constexpr std::uint8_t kAcquire = 128;
  std::uint8_t order = 0;
  /// A number for accesses to global or shared memory of one basic block that have the same address
  /// register with the same values, and as many bytes; 0: none. Greater numbers than kMostPlaces are
  /// of shared memory and registers that have the same values for a whole launch.
  std::uint8_t same_places = 0;
  static constexpr std::uint8_t kMostPlaces = 7, kLastingPlaces = 8;

  /// The value of `imm` for operations with a separate form type, such as MatrixForm.
  template <typename Form>
  [[nodiscard, gnu::always_inline]] Form form() const {
    Form form;
    __builtin_memcpy(static_cast<void*>(&form), &imm, sizeof form);
    return form;
  }
  template <typename Form>
  void set_form(const Form& form) {
    static_assert(sizeof form <= sizeof imm);
    __builtin_memcpy(&imm, &form, sizeof form);
  }
};
static_assert(sizeof(Instruction) == 96);

/// The memory that a fence between the generic and another proxy is for: what copies and products
/// access by the async proxy, the mbarriers that copies complete on, and tensor maps.
enum ProxyMemory : std::uint8_t {
  kProxyShared = 1,
  kProxyGlobal = 2,
  kProxyMbarrier = 4,
  kProxyMapRelease = 8,   ///< of who has changed a tensor map
  kProxyMapAcquire = 16,  ///< of who uses it
  kProxyReads = 32        ///< shared memory that was read, not written
};

/// Instruction::imm of comparisons with a second predicate.
enum Combine : std::int64_t { kCombineNone, kCombineAnd, kCombineOr, kCombineXor };

/// How a block ends.
enum class Exit : std::uint8_t {
  jump,            ///< to `next`
  branch,          ///< lanes with the predicate to `taken`, others to `next`
  leave,           ///< the threads are done
  barrier,         ///< wait for the block's threads, then `next`
  warp,            ///< wait for the lanes of a mask at any such place, then `next`
  collect,         ///< wait for the lanes of a mask at the same place: before a shuffle or vote
  trap,            ///< the launch fails
  call,            ///< into the function of Program::calls[barrier]; `next` is where it returns to
  ret,             ///< out of the function Program::callees[barrier]
  cluster_arrive,  ///< at the cluster's barrier, then `next` at once
  cluster_wait,    ///< for the threads of the cluster, then `next`
};

/// Instructions without a branch into or out of them. Blocks are numbered so that a block comes
/// after everything it must wait for to reconverge: see flow.hpp.
struct BasicBlock {
  std::uint32_t begin = 0, end = 0;            ///< in Program::code
  std::uint32_t varying = 0, varying_end = 0;  ///< in Program::varying
  std::uint32_t weight = 0;  ///< number of PTX instructions, including the last one
  Exit exit = Exit::leave;
  bool negated = false;      ///< the branch is taken where the predicate is false
  bool arrive_only = false;  ///< bar.arrive
  bool relaxed = false;      ///< barrier.cluster.arrive.relaxed
  bool polls = false;        ///< has an access that can wait for other threads
  bool polls_block = false;  ///< polls only for threads of its own block
  bool shuffles = false;     ///< has a shuffle: lanes may read values of others
  bool parts = false;        ///< a branch that decides whether lanes release: find_partings()
  std::uint32_t predicate = Instruction::kNone;
  std::uint32_t next = 0, taken = 0;
  std::uint32_t barrier = Instruction::kNone;  ///< slot of the barrier's number, or of a lane mask
  bool counts = false;  ///< a barrier that counts the threads whose `predicate` holds
  std::uint32_t threads = Instruction::kNone;  ///< slot of the number of threads, if given
  std::uint32_t statement = 0;                 ///< of the instruction that ends it
  std::uint64_t barrier_bit = 0;  ///< bit of a barrier for all threads; the first 64 have one
  std::uint64_t past = 0;         ///< bits of the barriers that threads here can no longer reach
};

/// The number of multiprocessors that the device and %nsmid report. A grid's blocks are assigned to
/// them in turn.
constexpr std::uint32_t kMultiprocessors = 132;

/// A device function that a kernel calls. Its registers have separate slots, since a lane is in the
/// function only once at a time; a recursive call saves them. Its frame, in the thread's local
/// memory, holds parameters, results, and the variables of its body.
struct Callee {
  struct Value {
    std::uint32_t offset = 0, bytes = 0;  ///< in the frame
  };
  struct Saved {
    std::uint32_t slot = 0;
    std::uint8_t bytes = 0;  ///< bytes of one lane; 0 for a predicate
  };
  const Function* function = nullptr;
  std::uint32_t entry = 0;        ///< block
  std::uint32_t frame_bytes = 0;  ///< a multiple of 16
  std::uint32_t frame_slot = 0;   ///< 64-bit register: address of the frame
  std::uint32_t return_slot = 0;  ///< 32-bit register: the call that it returns from
  std::vector<Value> parameters, results;
  std::vector<Saved> registers;
};

/// A place that calls.
struct Call {
  std::uint32_t caller = Instruction::kNone;  ///< callee that contains it; none: the kernel
  std::uint32_t callee = Instruction::kNone;  ///< none: `target` has its address
  std::uint32_t target = Instruction::kNone;
  std::uint32_t next = 0;  ///< block
  std::uint32_t statement = 0;
  bool recursive = false;                         ///< the callee may be in progress
  bool repeated = false;                          ///< the call is in a loop
  std::vector<Callee::Value> arguments, results;  ///< in the caller's frame
};

/// An object that a pointer of a kernel is known to point into.
struct Object {
  enum class Kind : std::uint8_t {
    unknown,
    shared,     ///< a variable in shared memory
    dynamic,    ///< shared memory of the launch's size
    variable,   ///< a .global or .const variable
    parameter,  ///< the object that a pointer parameter of the kernel points into
    either,  ///< the object of whichever parameter, of two, is a pointer; at `address` and `bytes`
    any,     ///< one of two parameters' objects if both are pointers, else unknown
    loaded   ///< the object that the register at `address`, read from memory, points into
  };
  Kind kind = Kind::unknown;
  std::string_view name;  ///< in the PTX
  std::uint64_t address =
      0;  ///< offset into shared memory, parameters or registers, or device address
  std::uint64_t bytes = 0;  ///< of a shared variable
};

/// Functions that the device provides; the compiler declares them without a body.
enum class Runtime : std::uint8_t {
  vprintf,
  assertfail,
  malloc,
  free,
  parameter_buffer,
  launch_device,
  last_error,
  peek_error
};
/// Returns whether a call's addresses, or its order, depend on which thread comes first.
constexpr bool in_order(Runtime which) {
  return which == Runtime::malloc || which == Runtime::free || which == Runtime::parameter_buffer ||
         which == Runtime::launch_device;
}

/// A place that calls one of them.
struct RuntimeCall {
  Runtime which = Runtime::vprintf;
  std::uint32_t caller = Instruction::kNone;      ///< as Call::caller
  std::vector<Callee::Value> arguments, results;  ///< in the caller's frame
};

/// Where a function's registers and variables lie, for debuggers.
struct FunctionPlaces {
  struct Variable {
    Space space = Space::local;
    std::uint64_t offset = 0;  ///< in the function's frame, if it is local
  };
  std::vector<std::uint32_t> slots;  ///< by number among Function::registers; kNone: not used
  std::unordered_map<std::string_view, Variable> variables;  ///< shared, local, and parameters
};

struct Program {
  /// A function's statements, as Instruction::statement counts them.
  struct Source {
    std::uint32_t first = 0;
    const Function* function = nullptr;
    std::shared_ptr<const FunctionPlaces> places = nullptr;
  };
  struct Constant {
    std::uint32_t slot = 0;
    bool wide = false;
    std::uint64_t value = 0;
  };
  struct SpecialSlot {
    std::uint32_t slot = 0;
    Special which = Special::tid_x;
  };
  std::string name;
  std::vector<Instruction> code;
  /// Instructions whose results are the same for a thread in all blocks of a launch, so that its
  /// registers may have them from the beginning; and the places of the other ones in `code`.
  /// find_invariants() fills them in.
  std::vector<Instruction> invariant;
  std::vector<std::uint32_t> varying;
  std::vector<std::uint32_t> operands;  ///< slots, where four operands are not enough
  std::vector<BasicBlock> blocks;
  std::uint32_t entry = 0;  ///< block; called functions come before it, so that they finish first
  std::vector<Callee> callees;
  std::vector<Call> calls;
  std::vector<RuntimeCall> runtime_calls;
  std::vector<Source> sources;
  std::unordered_map<std::uint32_t, std::uint32_t> callee_of;  ///< by index in Module::functions
  std::uint64_t code_window = 0;                               ///< Placement's
  std::vector<Constant> constants;                             ///< the same in every lane
  std::vector<SpecialSlot> specials;
  /// The slot where a counting barrier stores how many predicates held; 128 bytes further, out of
  /// how many.
  std::uint32_t barrier_count = Instruction::kNone;
  /// True if a block may wait for another one: a loop has an access that can wait.
  bool waits = false;
  /// True if atomics on global memory must happen in the order of blocks, because a result depends
  /// on it.
  bool ordered = false;
  /// Blocks with an access whose result depends on the order of threads, although it does not race;
  /// find_contention() fills it in.
  std::vector<std::uint32_t> contended;
  DecidingAccesses deciding;          ///< find_deciding_accesses() fills it in
  bool contends_globally = false;     ///< one of these accesses may be to global memory
  bool uses_heap = false;             ///< calls malloc or free
  bool cancels = false;               ///< may take clusters over that have not begun
  bool multiplies_in_groups = false;  ///< has products of warpgroups (wgmma)
  std::uint32_t register_bytes = 0;   ///< of one warp; a multiple of 64
  std::uint32_t sites = 0;            ///< loads and stores
  std::uint32_t shared_bytes = 0;     ///< static; dynamic shared memory follows at `dynamic_offset`
  std::uint32_t dynamic_offset = 0;
  /// Bytes at the end of a block's shared memory that cooperative groups use, if the program uses
  /// them.
  std::uint32_t reserved_bytes = 0;
  std::uint32_t local_bytes = 0;  ///< bytes of one thread: the kernel's own, then the stack
  std::uint32_t kernel_local_bytes = 0;
  /// The amounts that each execution of a block adds to counters, for each lane or warp, by the
  /// counter's unit. Guarded instructions and generic accesses are not included.
  struct Cost {
    std::uint32_t block = 0;
    Counter counter = Counter::none;
    std::uint64_t amount = 0;
  };
  std::vector<Cost> costs;
  /// Bytes of the smallest access to each memory that threads share: 1, 2 or 4.
  std::uint32_t global_granule = 4, shared_granule = 4;
  /// An access of so many bytes to global, shared or generic addresses.
  void note_access(Space space, std::uint32_t bytes) {
    if (space != Space::shared) global_granule = std::min(global_granule, bytes);
    if (space == Space::shared || space == Space::generic)
      shared_granule = std::min(shared_granule, bytes);
  }
  static constexpr std::uint32_t kMostObjects = 0xffff;
  std::vector<Object> objects{1};  ///< the first is unknown
  /// Registers that hold addresses: their slots, and the objects of the addresses.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> addresses;
  /// Registers that may be read before they are written; find_unwritten() fills it in.
  std::vector<std::uint32_t> unwritten;
  /// Parameters and results of the kernel's calls in its local memory: offsets and bytes.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> call_space;
  const Function* function = nullptr;  ///< parameters, and statements for reports
  const Module* module = nullptr;      ///< file names

  /// The statement of a number, or null.
  [[nodiscard]] const Statement* statement(std::uint32_t number) const {
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
      if (number < source->first) continue;
      const std::vector<Statement>& all = source->function->statements;
      return number - source->first < all.size() ? &all[number - source->first] : nullptr;
    }
    return nullptr;
  }
};

/// Bytes of the smallest register of a warp: 32 bits for each lane.
constexpr std::uint32_t kSlotBytes = 128;

/// Fills in Program::costs.
void lay_out_costs(Program& program);

/// Fills in Instruction::object, and adds the parameters to Program::objects.
void find_provenance(Program& program);

/// Fills in Instruction::same_places, behind find_invariants().
void find_same_places(Program& program);

/// Fills in Program::invariant and Program::varying.
void find_invariants(Program& program);

/// Fills in BasicBlock::parts.
void find_partings(Program& program);

/// Fills in Program::unwritten.
void find_unwritten(Program& program);

/// Parts of the registers of a warp: offsets and bytes, in ascending order.
using RegisterRuns = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Returns the registers that must be new when a block begins in the registers of an earlier one:
/// a thread may read them before it writes them, or another thread may read them for it. Other
/// registers may keep what the earlier block left.
RegisterRuns find_renewed(const Program& program);

/// The addresses at which the machine placed the variables and functions of a program.
struct Placement {
  /// Device address of a .global or .const variable; 0 if there is none of that name.
  std::function<std::uint64_t(std::string_view)> variable;
  std::uint64_t shared_window = 0, local_window = 0, param_window = 0;
  /// Addresses of functions: kFunctionStride times their index in the module, from here.
  std::uint64_t code_window = 0;
  static constexpr std::uint64_t kFunctionStride = 16;
  std::uint32_t stack_bytes = 16 << 10;  ///< of a thread, for kernels that recurse
};

/// Decodes a kernel. Throws PtxError: `unsupported` for an instruction that is valid but not
/// implemented, with the instruction's text, otherwise for wrong operands. The function and module
/// must outlive the program.
Program decode(const Module& module, const Function& function, const Placement& placement);

}  // namespace warpmark::cpu
