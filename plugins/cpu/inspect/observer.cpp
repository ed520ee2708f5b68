// Races, undefined values and the order that synchronization gives, block by block.
#include "inspect/observer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "inspect/observed_block.hpp"
#include "memory/arena.hpp"
#include "memory/init_bits.hpp"
#include "program/data_flow.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// What records of global memory may take of the host's memory, for each size of granules.
constexpr std::uint64_t kMostRecords = std::uint64_t{4} << 30;

int shift_of(std::uint32_t granule) {
  return granule >= 4 ? 2 : granule == 2 ? 1 : 0;
}

// A volatile load of shared memory that is not repeated waits for nothing: it is no stronger than a
// plain one.
bool is_strong(const Instruction& i, Space space) {
  return (i.order & Instruction::kStrong) != 0 &&
         ((i.order & Instruction::kOnce) == 0 || space != Space::shared);
}

// Swaps that are still to come; more races than that are told at once.
constexpr std::size_t kMostUnsettled = 4096;

// Whether a program can put some threads in order that do not meet at a barrier of the whole block.
bool orders_in_part(const Program& program) {
  constexpr std::uint8_t kOrders = Instruction::kRelease | Instruction::kBlockScope;
  return std::any_of(
             program.code.begin(), program.code.end(),
             [](const Instruction& i) {
               return (i.order & kOrders) != 0 || i.opcode == Opcode::fence ||
                      (i.opcode >= Opcode::mbarrier_init && i.opcode <= Opcode::mbarrier_pending);
             }) ||
         std::any_of(program.blocks.begin(), program.blocks.end(), [](const BasicBlock& block) {
           return block.exit == Exit::warp || block.exit == Exit::cluster_arrive ||
                  (block.exit == Exit::barrier && block.threads != Instruction::kNone);
         });
}

}  // namespace

InspectionMemory::InspectionMemory(const Arena& arena)
    : races{RaceMemory(arena.global_begin(), 0, kMostRecords),
            RaceMemory(arena.global_begin(), 1, kMostRecords),
            RaceMemory(arena.global_begin(), 2, kMostRecords)} {}

bool is_volatile(const Statement& statement) {
  return statement.opcode.find(".volatile") != std::string_view::npos;
}

LaunchObserver::LaunchObserver(const Checks& wanted, InspectionMemory& memory,
                               const Program& program)
    : checks(wanted),
      clock(memory.clock),
      global_shift(shift_of(program.global_granule)),
      shared_shift(shift_of(program.shared_granule)),
      races(memory.races.at(static_cast<std::size_t>(global_shift))),
      further(memory.clock),
      in_part(orders_in_part(program)) {
  constexpr std::uint8_t kOwn = Instruction::kStrong | Instruction::kBlockScope;
  bool atomic = false, once = false;
  for (const Instruction& i : program.code) {
    const OpcodeInfo* info = atomic ? nullptr : find_opcode(i.opcode);
    atomic = atomic || (info != nullptr && is_atomic(info->form));
    once = once || (i.order & Instruction::kOnce) != 0;
    swaps = swaps || is_swap(i.opcode);
    if ((i.order & kOwn) == kOwn) of_block_scope.insert(i.statement);
  }
  looks = atomic && once;
  for (const BasicBlock& block : program.blocks) {
    if (block.exit != Exit::cluster_arrive) continue;
    const BasicBlock& next = program.blocks[block.next];
    if (next.begin != next.end || next.exit != Exit::cluster_wait) splits_cluster_barrier = true;
  }
  if (checks.init) lay_out_call_spaces(program);
  races.begin_launch();
  if (!clock.begin_launch()) return;
  for (RaceMemory& records : memory.races) records.clear();
}

void LaunchObserver::lay_out_call_spaces(const Program& program) {
  call_spaces.resize(program.callees.size());
  const auto add = [&](std::uint32_t caller, const std::vector<Callee::Value>& values) {
    if (caller == Instruction::kNone) return;
    call_spaces[caller].insert(call_spaces[caller].end(), values.begin(), values.end());
  };
  for (std::uint32_t i = 0; i < program.callees.size(); ++i) add(i, program.callees[i].results);
  for (const Call& call : program.calls) {
    add(call.caller, call.arguments);
    add(call.caller, call.results);
  }
  for (const RuntimeCall& call : program.runtime_calls) {
    add(call.caller, call.arguments);
    add(call.caller, call.results);
  }
}

std::string LaunchObserver::left_out() const {
  if (!checks.race) return "";
  if (races.full()) {
    return "race: what is kept of each access takes more than " +
           std::to_string(kMostRecords >> 30) +
           " GiB, so that accesses to the rest of the memory were not looked at";
  }
  if (clock.exhausted()) {
    return "race: the launch has more barriers and fences than can be told apart, so that the "
           "last accesses were not looked at";
  }
  if (further.full()) {
    return "race: more threads change places by atomic operations than are kept, so that some "
           "plain "
           "accesses to these were not held against all of them";
  }
  if (synchronization.exhausted()) {
    return "race: threads synchronize by atomic operations and fences more often than is kept, so "
           "that some of the last accesses count as ordered that may not be";
  }
  return "";
}

std::vector<Fault> LaunchObserver::settled() const {
  std::vector<Fault> faults;
  for (const Unsettled& one : unsettled) {
    const bool reads = one.fault.hazard[0] == 'r';
    const std::uint32_t read = reads ? one.fault.statement : one.fault.other.statement;
    if (!before_swaps.contains(read)) faults.push_back(one.fault);
  }
  return faults;
}

BlockObserver::BlockObserver(LaunchObserver& launch, ObservedBlock& block,
                             std::uint64_t shared_bytes, std::uint64_t local_bytes,
                             std::uint32_t warps)
    : launch_(launch),
      block_(block),
      shared_bytes_(shared_bytes),
      local_bytes_(local_bytes),
      warps_(warps) {
  const std::uint32_t reserved = block.program().reserved_bytes;
  if (reserved > 0) reserved_ = shared_bytes - reserved;
  if (launch.checks.race) {
    const std::uint64_t cells = (shared_bytes >> launch.shared_shift) + 1;
    shared_records_.resize(3 * cells);
    std::uint64_t* first = shared_records_.data();
    shared_cells_ = {first, first + cells, first + 2 * cells};
  }
  if (launch.checks.init) {
    shared_init_.resize(shared_bytes / 8 + 1);
    local_init_.resize((local_bytes / 8 + 1) * 32 * warps);
  }
}

void BlockObserver::start(std::uint64_t index) {
  index_ = index;
  epoch_ = barrier_ = start_ = launch_.clock.take(index);
  if (block_.rank() > 0) start_ = block_.observer_of(0).start_;
  visited_ = false;
  cluster_releases_ = 0;
  std::fill(shared_init_.begin(), shared_init_.end(), std::uint8_t{0});
  // Frames of calls are the machine's to clear, and count as written.
  const Program& program = block_.program();
  std::fill(local_init_.begin(), local_init_.end(), std::uint8_t{0xff});
  const std::uint64_t stride = local_bytes_ / 8 + 1;
  for (std::uint64_t lane = 0; launch_.checks.init && lane < 32 * warps_.size(); ++lane) {
    set_bits<false>(local_init_.data() + lane * stride, 0, program.kernel_local_bytes);
    for (const auto& [offset, bytes] : program.call_space)
      set_bits(local_init_.data() + lane * stride, offset, bytes);
  }
  for (Warp& warp : warps_) {
    warp.definedness.reset(program.register_bytes);
    warp.syncs.clear();
    warp.undefined_loads.clear();
    warp.seen.clear();
    warp.covered.fill(0);
    warp.fences.fill({});
    warp.fenced = nullptr;
    warp.fenced_anew = false;
  }
  fenced_ = {};
  shared_partial_.clear();
  local_partial_.clear();
  shared_origins_.clear();
  local_origins_.clear();
  if (!launch_.checks.init) return;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    for (const std::uint32_t slot : program.unwritten) {
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        warps_[w].definedness.set(slot, lane,
                                  Definedness::make(~std::uint64_t{0}, Space::param, 0));
    }
  }
}

// --- races

bool BlockObserver::conflicts(const Record& before, const Access& access) {
  const Record& now = access.now;
  Warp& warp = access.warp;
  // Reductions may meet others, under way or not, and atomic operations.
  if (before.in_flight())
    return launch_.flights.holds(before.epoch()) &&
           !(now.strong() && launch_.flights.reduces(before.epoch()));
  if (before.epoch() < launch_.clock.first()) return false;
  const bool strong = before.strong() && now.strong();
  if (strong && launch_.of_block_scope.empty()) return false;
  const std::uint64_t block = launch_.clock.block(before.epoch());
  if (strong) {
    const auto own = [&](std::uint32_t statement) {
      return launch_.of_block_scope.contains(statement);
    };
    if (block == index_ || (!own(before.statement()) && !own(now.statement()))) return false;
  }
  // Of a block that was here before.
  if (access.space == Space::shared && before.epoch() < start_) return false;
  if (block == index_) {
    if (before.thread() == now.thread() || before.epoch() < barrier_) return false;
    if (before.warp() == now.warp() &&
        (in_step(before, access.instruction, access.space) ||
         warp_ordered(warp.syncs, before.epoch(), before.lane(), now.lane())))
      return false;
  }
  // What a warp has seen once it has seen for good.
  const std::uint64_t record = before.bits >> Record::kThreadShift;
  std::uint64_t& covered = warp.covered.at(record % 64);
  if (covered == record) return false;
  const Synchronization& order = launch_.synchronization;
  if (order.covers(warp.seen, before, block, index_)) {
    covered = record;
    return false;
  }
  if (!before.strong()) return true;
  const SyncObject* own = order.find(key(access.space, access.address));
  return own == nullptr || !order.covers(warp.seen, before, block, index_, own);
}

Record BlockObserver::further_conflict(const RaceCells& cell, const Access& access) {
  const auto [records, weak] = launch_.further.find(cell.write);
  if (records.empty() || (access.now.strong() && !weak && launch_.of_block_scope.empty()))
    return {};
  const auto found = std::find_if(records.rbegin(), records.rend(), [&](std::uint64_t bits) {
    return conflicts(Record{bits}, access);
  });
  return found == records.rend() ? Record{} : Record{*found};
}

// Kernels of old have warps in step by volatile accesses: lanes execute those as one. And libcu++
// has one lane take an mbarrier back when its warp has met at match.sync.
bool BlockObserver::in_step(const Record& before, const Instruction& i, Space space) const {
  if (i.opcode == Opcode::mbarrier_inval) return true;
  if (space != Space::shared || (i.order & Instruction::kVolatile) == 0) return false;
  const Statement* then = block_.program().statement(before.statement());
  return then != nullptr && is_volatile(*then);
}

void BlockObserver::race(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                         std::uint64_t address, std::uint32_t bytes, const Record& before,
                         const char* kind, bool same) {
  Fault fault;
  fault.kind = FaultKind::race;
  fault.hazard = kind;
  fault.warning = same;
  block_.describe_access(w, i, space, lane, address, bytes, kind[0] == 'w', fault);
  tell_other(fault, before);
  if ((i.order & Instruction::kReadOnly) != 0)
    fault.detail =
        "and who reads through the read-only cache need not see what the same launch writes";
  else if (before.strong() && !before.in_flight() && is_strong(i, space))
    fault.detail = "and one of them is atomic for threads of its own block only";
  // The plain read of a read-modify-write by compare and swap.
  const bool reads = kind[0] == 'r', strong = is_strong(i, space);
  const bool perhaps = reads ? before.strong() && !strong : strong && !before.strong();
  if (perhaps && launch_.before_swaps.contains(reads ? i.statement : before.statement())) return;
  if (!(launch_.swaps || launch_.looks) || !perhaps || before.in_flight() ||
      std::strcmp(kind, "write after write") == 0 || launch_.unsettled.size() >= kMostUnsettled) {
    block_.report(fault);
    return;
  }
  launch_.unsettled.push_back({reads ? index_ : launch_.clock.block(before.epoch()), address,
                               reads ? w.warp * 32 + lane : before.thread(), std::move(fault)});
}

void BlockObserver::tell_other(Fault& fault, const Record& before) const {
  const std::uint64_t other = block_of(before);
  const auto& grid = block_.grid();
  fault.other.known = true;
  fault.other.statement = before.statement();
  fault.other.thread = block_.thread(before.warp(), before.lane());
  fault.other.block = {static_cast<std::uint32_t>(other % grid[0]),
                       static_cast<std::uint32_t>(other / grid[0] % grid[1]),
                       static_cast<std::uint32_t>(other / grid[0] / grid[1])};
}

// A plain access that its thread has not fenced is not made good by an atomic one of the same
// thread: the record of the plain one stays.
bool BlockObserver::hides(const Record& before, const Record& now) const {
  if (before.strong() || !now.strong() || before.thread() != now.thread()) return false;
  if (before.in_flight()) return false;
  return before.epoch() >= barrier_ && launch_.clock.block(before.epoch()) == index_ &&
         warps_[now.warp()].fences.at(now.lane()).epoch < before.epoch();
}

void BlockObserver::read_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                               std::uint64_t address, std::uint32_t bytes, bool strong) {
  const Record now = Record::make(epoch_, w.warp * 32 + lane, strong, i.statement);
  const Access access{now, i, space, address, warps_[w.warp]};
  const std::uint32_t step = 1u << shift(space);
  const std::uint64_t oldest = oldest_danger(space, address);
  bool told = false;
  for (std::uint64_t at = address; at < address + bytes; at += step) {
    const RaceCells cell = cell_at(space, at);
    if (!cell) return;
    const Record written{*cell.write}, last{*cell.read}, other{*cell.other};
    const bool both_read = written.in_flight() && written.strong();
    Record raced;
    if (!told && !both_read && conflicts(written, access)) raced = written;
    if (!told && raced.bits == 0 && written.strong()) raced = further_conflict(cell, access);
    if (raced.bits != 0) {
      told = true;
      race(w, i, space, lane, address, bytes, raced, "read after write", false);
    }
    if (hides(last, now)) continue;
    const bool strong_after_plain = now.strong() && !last.strong();
    if (last.bits >= oldest) {
      const auto others = [&](const Record& record) {
        return launch_.clock.block(record.epoch()) != index_;
      };
      const bool alone = other.bits < oldest;
      const bool weaker = last.strong() && !other.strong();
      const bool moves = alone          ? others(last) || last.thread() != now.thread()
                         : others(last) ? !weaker
                                        : !others(other) && last.warp() != now.warp() && !weaker;
      if (moves) *cell.other = last.bits;
      // Two plain reads say more than a strong one.
      if (!moves && strong_after_plain && last.thread() != now.thread()) continue;
    }
    *cell.read = now.bits;
  }
}

void BlockObserver::write_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                                std::uint64_t address, std::uint32_t bytes, bool strong,
                                bool same) {
  const Record now = Record::make(epoch_, w.warp * 32 + lane, strong, i.statement);
  const Access access{now, i, space, address, warps_[w.warp]};
  const std::uint32_t step = 1u << shift(space);
  const std::uint64_t oldest = oldest_danger(space, address);
  bool told = false;
  for (std::uint64_t at = address; at < address + bytes; at += step) {
    const RaceCells cell = cell_at(space, at);
    if (!cell) return;
    const Record written{*cell.write}, last{*cell.read}, other{*cell.other};
    const bool raced = !told && conflicts(written, access);
    Record before = raced ? written : Record{};
    if (!told && !raced && written.strong()) before = further_conflict(cell, access);
    // A harmless race must not hide another: reads first.
    const bool harmless = same && !before.in_flight();
    Record read;
    if (!told && (before.bits == 0 || harmless)) {
      if (conflicts(last, access))
        read = last;
      else if (conflicts(other, access))
        read = other;
    }
    if (read.bits != 0) {
      told = true;
      race(w, i, space, lane, address, bytes, read, "write after read", false);
    } else if (before.bits != 0) {
      told = true;
      const bool copied = before.in_flight() && before.strong();  // its source
      race(w, i, space, lane, address, bytes, before,
           copied ? "write after read" : "write after write", harmless);
    }
    put_write(cell, access, oldest, raced);
  }
}

std::uint64_t BlockObserver::key(Space space, std::uint64_t address) {
  // Global addresses are below 2^48; shared memory is each block's own.
  if (space == Space::global) return address;
  const std::uint64_t block = home(address).index_;
  return std::uint64_t{1} << 63 | block << 20 | (address & 0xfffff);
}

// Beyond the shared memory that a block can have.
std::uint64_t BlockObserver::barrier_key(std::uint32_t number) const {
  return std::uint64_t{1} << 63 | index_ << 20 | (0xffff0 + number);
}

void BlockObserver::release(const Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                            std::uint64_t address) {
  Warp& warp = warps_[w.warp];
  const Epoch access = epoch_;
  Fence fence = warp.fences.at(lane);
  if ((i.order & Instruction::kRelease) != 0) {
    fence = {epoch_, barrier_, (i.order & Instruction::kBlockScope) != 0};
    epoch_ = launch_.clock.take(index_);
  }
  if (fence.epoch == 0) return;
  SyncObject& object = launch_.synchronization.at(key(space, address));
  launch_.synchronization.release(object,
                                  {index_, w.warp * 32 + lane, fence.epoch, fence.barrier,
                                   fence.block_only, warp.fenced, access},
                                  warp.seen);
}

void BlockObserver::acquire(const Lanes& w, Space space, std::uint64_t address) {
  const SyncObject* object = launch_.synchronization.find(key(space, address));
  if (object != nullptr) warps_[w.warp].seen.add(object, object->releases());
}

void BlockObserver::load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                         std::uint64_t address, std::uint32_t bytes) {
  const bool strong = is_strong(i, space);
  if (launch_.checks.race && (space == Space::global || space == Space::shared)) {
    if (strong) acquire(w, space, address);
    const Record fresh = (i.order & Instruction::kReadOnly) != 0
                             ? written_anew(w, i, space, lane, address, bytes)
                             : Record{};
    if (fresh.bits == 0)
      read_cells(w, i, space, lane, address, bytes, strong);
    else
      race(w, i, space, lane, address, bytes, fresh, "read after write", false);
  }
  if (launch_.checks.init) load_values(w, i, space, lane, address, bytes);
}

void BlockObserver::store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, bool same) {
  const bool strong = (i.order & Instruction::kStrong) != 0;
  if (launch_.checks.race && (space == Space::global || space == Space::shared)) {
    write_cells(w, i, space, lane, address, bytes, strong, same);
    const bool releases =
        (i.order & Instruction::kRelease) != 0 || warps_[w.warp].fences.at(lane).epoch != 0;
    if (strong && !releases && !launch_.synchronization.empty())
      launch_.synchronization.begin_anew(key(space, address));
    if (strong) release(w, i, space, lane, address);
  }
  if (launch_.checks.init) store_values(w, i, space, lane, address, bytes);
}

void BlockObserver::touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, bool store) {
  if (launch_.checks.race && store) write_cells(w, i, space, lane, address, bytes, false, false);
  if (launch_.checks.race && !store) read_cells(w, i, space, lane, address, bytes, false);
}

// A write of the same launch among the last ones of some cells, by whichever thread and however
// ordered; none has no bits.
Record BlockObserver::written_anew(const Lanes& w, const Instruction& i, Space space,
                                   std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
  const std::uint32_t step = 1u << shift(space);
  for (std::uint64_t at = address; at < address + bytes; at += step) {
    const RaceCells cell = cell_at(space, at);
    if (!cell) break;
    const Record written{*cell.write};
    if (written.epoch() < launch_.clock.first() || (written.in_flight() && written.strong()))
      continue;
    // That a thread reads what it wrote to a surface works, whatever the guide says.
    const bool own = i.opcode == Opcode::surface_load && !written.in_flight() &&
                     written.thread() == w.warp * 32 + lane && block_of(written) == index_;
    if (!own) return written;
  }
  return {};
}

// The guide, "Texture and Surface Memory": a fetch is not coherent with what the same launch
// writes.
std::uint32_t BlockObserver::fetch(Lanes& w, const Instruction& i, std::uint32_t lane,
                                   std::uint64_t address, std::uint32_t bytes) {
  if (launch_.checks.race) {
    const Record fresh = written_anew(w, i, Space::global, lane, address, bytes);
    if (fresh.bits == 0)
      read_cells(w, i, Space::global, lane, address, bytes, false);
    else
      race(w, i, Space::global, lane, address, bytes, fresh, "fetch after write", false);
  }
  if (!launch_.checks.init) return 0;
  const Values values = values_at(w, i, Space::global, lane, address);
  if (values.bits == nullptr || all_set(values.bits, values.from, bytes)) return 0;
  std::uint32_t missing = 0;
  for (std::uint32_t byte = 0; byte < bytes; ++byte)
    missing |= static_cast<std::uint32_t>(!all_set(values.bits, values.from + byte, 1)) << byte;
  return missing;
}

void BlockObserver::allocated(std::uint64_t address, std::uint64_t bytes) {
  if (launch_.checks.race) launch_.races.forget(address, bytes);
}

// --- synchronization

void BlockObserver::fence(const Lanes& w, std::uint32_t mask, bool block_only) {
  if (!launch_.checks.race) return;
  if (fenced_.block.empty()) {
    fenced_.block.resize(warps_.size() * 32);
    fenced_.device.resize(warps_.size() * 32);
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    warps_[w.warp].fences.at(lane) = {epoch_, barrier_, block_only};
    fenced_.block[w.warp * 32 + lane] = epoch_;
    if (!block_only) fenced_.device[w.warp * 32 + lane] = epoch_;
  }
  warps_[w.warp].fenced_anew = true;
  epoch_ = launch_.clock.take(index_);
}

// Threads that meet know of each other's fences: who releases for all of them after a barrier need
// not fence once more.
void BlockObserver::share_fences() {
  const bool anew =
      std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.fenced_anew; });
  if (!anew) return;
  const auto shared = std::make_shared<const Fenced>(fenced_);
  for (Warp& warp : warps_) {
    warp.fenced = shared;
    warp.fenced_anew = false;
  }
}

void BlockObserver::share_fences(std::uint32_t number, std::uint32_t mask) {
  Warp& warp = warps_[number];
  if (!warp.fenced_anew) return;
  auto shared = std::make_shared<Fenced>();
  if (warp.fenced != nullptr) *shared = *warp.fenced;
  shared->block.resize(fenced_.block.size());
  shared->device.resize(fenced_.device.size());
  for (; mask != 0; mask &= mask - 1) {
    const std::size_t thread = number * 32 + static_cast<std::size_t>(std::countr_zero(mask));
    shared->block[thread] = fenced_.block[thread];
    shared->device[thread] = fenced_.device[thread];
  }
  warp.fenced = std::move(shared);
}

void BlockObserver::arrive(std::uint32_t warp, std::uint32_t number) {
  if (!launch_.checks.race) return;
  SyncObject& object = launch_.synchronization.at(barrier_key(number));
  // Later than the accesses of all lanes of the warp, so that it covers them.
  const Epoch until = launch_.clock.take(index_);
  launch_.synchronization.release(
      object, {index_, warp * 32, until, barrier_, false, warps_[warp].fenced}, warps_[warp].seen);
  epoch_ = launch_.clock.take(index_);  // what comes now is not covered
}

void BlockObserver::barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps) {
  if (!launch_.checks.race) return;
  if (!everybody) {
    const SyncObject* object = launch_.synchronization.find(barrier_key(number));
    for (; object != nullptr && warps != 0; warps &= warps - 1)
      warps_[static_cast<std::size_t>(std::countr_zero(warps))].seen.add(object,
                                                                         object->releases());
    return;
  }
  epoch_ = barrier_ = launch_.clock.take(index_);
  share_fences();
  Seen all;
  for (Warp& warp : warps_) {
    warp.syncs.clear();
    all.merge(warp.seen);
  }
  if (all.empty()) return;
  for (Warp& warp : warps_) warp.seen = all;
}

void BlockObserver::warp_complete(std::uint32_t warp, std::uint32_t mask) {
  if (!launch_.checks.race || std::popcount(mask) < 2) return;
  epoch_ = launch_.clock.take(index_);
  share_fences(warp, mask);
  std::vector<WarpSync>& syncs = warps_[warp].syncs;
  // Two in a row by all the same lanes order no more than the later one alone.
  while (!syncs.empty() && (syncs.back().mask & ~mask) == 0) syncs.pop_back();
  syncs.push_back({epoch_, mask});
}

}  // namespace warpmark::cpu
