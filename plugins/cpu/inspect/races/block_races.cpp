#include "inspect/races/block_races.hpp"

#include <algorithm>
#include <utility>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// Returns whether an instruction may write global memory.
bool may_write_global(const Instruction& i) {
  const OpcodeInfo* info = find_opcode(i.opcode);
  if (info != nullptr && is_atomic(info->form)) return i.space != Space::shared;
  switch (i.opcode) {
#define ACCESS_STORE(space, memory, bits)         \
  case Opcode::store_##space##_##memory##_##bits: \
    return Space::space == Space::global || Space::space == Space::generic;
#include "program/memory_ops.def"
    case Opcode::copy_bulk:
    case Opcode::copy_tensor:
    case Opcode::surface_store:
    case Opcode::matrix_store:
    case Opcode::multimem_store:
    case Opcode::multimem_reduce:
    case Opcode::copy_map:
    case Opcode::replace_in_map:
    case Opcode::discard:
      return true;
    default:
      return false;
  }
}

// Finds the parameters of a kernel through whose pointers it writes nothing; all are assumed
// written if the object of some write is not known.
std::vector<bool> unwritten_objects(const Program& program) {
  std::vector<bool> unwritten(program.objects.size());
  const auto is_parameter = [&](std::uint16_t object) {
    return object < program.objects.size() &&
           program.objects[object].kind == Object::Kind::parameter;
  };
  for (std::size_t k = 0; k < unwritten.size(); ++k)
    unwritten[k] = is_parameter(static_cast<std::uint16_t>(k));
  for (const Instruction& i : program.code) {
    if (!may_write_global(i)) continue;
    if (!is_parameter(i.object)) return {};
    unwritten[i.object] = false;
  }
  return unwritten;
}

}  // namespace

LaunchRaces::LaunchRaces(InspectionMemory& kept, const Program& program)
    : order(kept.clock, program),
      global_shift(granule_shift(program.global_granule)),
      shared_shift(granule_shift(program.shared_granule)),
      memory(kept.races.at(static_cast<std::size_t>(global_shift))),
      further(kept.clock),
      further_reads(kept.clock),
      unwritten(unwritten_objects(program)),
      deciding(program.deciding) {
  constexpr std::uint8_t kOwn = Instruction::kStrong | Instruction::kBlockScope;
  bool atomic = false, once = false;
  proxies = program.multiplies_in_groups;
  for (const Instruction& i : program.code) {
    const OpcodeInfo* info = atomic ? nullptr : find_opcode(i.opcode);
    atomic = atomic || (info != nullptr && is_atomic(info->form));
    once = once || (i.order & Instruction::kOnce) != 0;
    swaps = swaps || is_swap(i.opcode);
    proxies = proxies || i.opcode == Opcode::copy_bulk || i.opcode == Opcode::copy_tensor;
    copies = copies || proxies || i.opcode == Opcode::copy_async || i.opcode == Opcode::store_async;
    if ((i.order & kOwn) == kOwn) of_block_scope.insert(i.statement);
  }
  looks = atomic && once;
  if (order.clock.begin_launch()) {
    for (RaceMemory& records : kept.races) records.clear();
  }
  memory.begin_launch(order.clock.first());
}

void LaunchRaces::find_apart(const Program& program,
                             const std::function<const void*(const Object&)>& home) {
  std::unordered_set<const void*> written;
  for (const Instruction& i : program.code) {
    if (!may_write_global(i)) continue;
    const void* const allocation = home(program.objects[i.object]);
    if (allocation == nullptr) return;
    written.insert(allocation);
  }
  for (const Object& object : program.objects) {
    const void* const allocation = home(object);
    apart.push_back(allocation != nullptr && !written.contains(allocation));
  }
}

bool LaunchRaces::decides(const Record& before, const Record& now) const {
  if (deciding.empty() || before.statement() == now.statement()) return false;
  const auto one = deciding.find(before.statement()), other = deciding.find(now.statement());
  return one != deciding.end() && other != deciding.end() &&
         order_decides(one->second, other->second);
}

std::string LaunchRaces::left_out() const {
  if (memory.full()) {
    std::string text = "race: what is kept of each access takes more than ";
    text += std::to_string(InspectionMemory::kMostRecords >> 30);
    return text += " GiB, so that accesses to the rest of the memory were not looked at";
  }
  if (order.clock.exhausted()) {
    return "race: the launch has more barriers and fences than can be told apart, so that the "
           "last accesses were not looked at";
  }
  if (further_reads.full()) {
    return "race: more threads read places that others write than are kept, so that some writes "
           "were "
           "not held against all of them";
  }
  if (further.full()) {
    return "race: more threads change places by atomic operations than are kept, so that some "
           "plain accesses to these were not held against all of them";
  }
  if (order.synchronization.exhausted()) {
    return "race: threads synchronize by atomic operations and fences more often than is kept, so "
           "that some of the last accesses count as ordered that may not be";
  }
  return "";
}

std::vector<Fault> LaunchRaces::settled() const {
  std::vector<Fault> faults;
  for (const Unsettled& one : unsettled) {
    const bool reads = one.fault.hazard[0] == 'r';
    const std::uint32_t read = reads ? one.fault.statement : one.fault.other.statement;
    if (!before_swaps.contains(read)) faults.push_back(one.fault);
  }
  return faults;
}

BlockRaces::BlockRaces(LaunchRaces& launch, ObservedBlock& block, std::uint64_t shared_bytes,
                       std::uint32_t warps)
    : launch_(launch),
      block_(block),
      order_(launch.order, warps, &block),
      shared_bytes_(shared_bytes) {
  const std::uint32_t reserved = block.program().reserved_bytes;
  if (reserved > 0) reserved_ = shared_bytes - reserved;
  const std::uint64_t rows = (shared_bytes >> launch.shared_shift) / kRowCells + 1;
  const std::uint64_t cells = rows * kRowCells;
  shared_rows_.resize(rows);
  shared_records_.resize(3 * cells);
  std::uint64_t* first = shared_records_.data();
  shared_cells_ = {first, first + cells, first + 2 * cells};
}

void BlockRaces::begin(std::uint64_t index) {
  auto* const first = block_.rank() > 0 ? block_.observer_of(0).races() : this;
  order_.begin(index, first != nullptr ? first->order_ : order_);
  in_cluster_ = block_.cluster_size() > 1;
  visited_ = false;
  made_.clear();
  leave_groups();
  reported_.fill({});
}

bool BlockRaces::conflicts_in_launch(const Record& before, const Access& access) {
  const Record& now = access.now;
  // Reductions do not race with other reductions, under way or not, or with atomic operations.
  if (before.in_flight())
    return launch_.flights.holds(before.epoch()) &&
           !(now.strong() && launch_.flights.reduces(before.epoch()));
  const bool strong = before.strong() && now.strong();
  if (strong && launch_.of_block_scope.empty() && launch_.deciding.empty()) return false;
  const std::uint64_t block = order_.block_of(before);
  const bool own_block = block == order_.index();
  if (strong && !is_in_scope_race(before, now) && !launch_.decides(before, now)) return false;
  // The record is of a block that used this shared memory before.
  if (access.space == Space::shared && before.epoch() < order_.start()) return false;
  if (own_block) {
    if (before.thread() == now.thread() || order_.before_barrier(before)) return false;
    if (before.warp() == now.warp()) {
      if (order_.is_ordered_by_warp(before, now.lane()) ||
          access.instruction.opcode == Opcode::mbarrier_inval)
        return false;
      if (in_step(before, access.instruction, access.space)) {
        if (!std::exchange(launch_.in_step, true)) met_in_step_ = before;
        return false;
      }
    }
  }
  if (order_.covers(now.warp(), now.lane(), before, block)) return false;
  // One of the lanes that used an mbarrier takes it back, as libcu++'s barriers do.
  if (access.instruction.opcode == Opcode::mbarrier_inval && before.strong() &&
      order_.released_in_step(now.warp(), now.lane(), before, block) != Instruction::kNone)
    return false;
  // A thread that has observed a later release lacks an acquire, and not the order itself.
  if (strong && !is_in_scope_race(before, now) &&
      lack_of(before, access.instruction, access.space, now.warp(), now.lane()).what !=
          BlockOrder::Lack::What::everything)
    return false;
  return !before.strong() || !order_.covers_at(key(access.space, access.address), now.warp(),
                                               now.lane(), before, block);
}

// Atomic accesses that are so for threads of their own block alone.
bool BlockRaces::is_in_scope_race(const Record& before, const Record& now) const {
  const auto own = [&](const Record& record) {
    return launch_.of_block_scope.contains(record.statement());
  };
  return order_.block_of(before) != order_.index() && (own(before) || own(now));
}

Record BlockRaces::further_conflict(const RaceCells& cell, const Access& access) {
  const auto [records, weak] = launch_.further.find(cell.write);
  const bool strong = launch_.of_block_scope.empty() && !is_deciding(access.instruction);
  if (records.empty() || (access.now.strong() && !weak && strong)) return {};
  const auto found = std::find_if(records.rbegin(), records.rend(), [&](std::uint64_t bits) {
    return conflicts(Record{bits}, access);
  });
  return found == records.rend() ? Record{} : Record{*found};
}

Record BlockRaces::further_reader(const RaceCells& cell, const Access& access) {
  if (!launch_.order.in_part) return {};
  const auto [records, weak] = launch_.further_reads.find(cell.read);
  const auto found = std::find_if(records.rbegin(), records.rend(), [&](std::uint64_t bits) {
    return conflicts(Record{bits}, access);
  });
  return found == records.rend() ? Record{} : Record{*found};
}

// Old kernels rely on the lanes of a warp to execute volatile accesses in step.
bool BlockRaces::in_step(const Record& before, const Instruction& i, Space space) const {
  if (space != Space::shared || (i.order & Instruction::kVolatile) == 0) return false;
  const Statement* then = block_.program().statement(before.statement());
  return then != nullptr && then->facts->has(Modifier::volatile_);
}

std::uint64_t BlockRaces::block_of(const Record& record) const {
  if (record.in_flight()) return launch_.flights.block(record.epoch());
  return BlockOrder::without_engine(order_.block_of(record));
}

// An atomic access does not make safe a plain access of the same thread that was not fenced, so the
// plain one's record stays.
bool BlockRaces::hides(const Record& before, const Record& now) const {
  return !before.strong() && now.strong() && before.thread() == now.thread() &&
         !order_.before_barrier(before) && order_.owns(before) &&
         order_.fenced(now.warp(), now.lane()) < before.epoch();
}

// Returns whether the last read of a cell takes the other one's place when `now` is the last.
bool BlockRaces::takes_place(const Record& last, const Record& other, const Record& now,
                             std::uint64_t oldest) const {
  const auto is_alien = [&](const Record& record) {
    return order_.block_of(record) != order_.index();
  };
  if (other.bits < oldest) return is_alien(last) || last.thread() != now.thread();
  // A plain read takes the place of an earlier one of its thread.
  const bool follows_other = !now.strong() && other.thread() == now.thread() && order_.owns(other);
  const bool weaker = last.strong() && !other.strong() && !follows_other;
  if (weaker || is_alien(last)) return !weaker;
  if (is_alien(other)) return false;
  // The newest reads of two lanes stay of a warp: an older one may have been put in order since.
  const bool gives_way = other.warp() == now.warp() || order_.before_barrier(other);
  return last.warp() != now.warp() || (gives_way && last.thread() != now.thread());
}

// A cell has the last read and another one, which together tell of a race with any later write.
void BlockRaces::keep_read(const RaceCells& cell, const Record& now, std::uint64_t oldest,
                           FurtherRecords* readers) const {
  const Record last{*cell.read}, other{*cell.other};
  const bool hides_last = hides(last, now);
  if (hides_last || hides(other, now)) {
    // The plain read stays for other warps, and the strong one for its own, if there is room.
    const bool has_room = other.bits < oldest || other.thread() == now.thread();
    if (hides_last && has_room)
      *cell.other = now.bits;
    else if (readers != nullptr)
      readers->keep_two_of_warp(cell.read, now.bits);
    return;
  }
  const auto lose = [&](const Record& lost) {
    if (readers == nullptr || lost.bits < oldest) return;
    const bool own_warp = order_.owns(lost) && lost.warp() == now.warp();
    if (!own_warp) return readers->keep(cell.read, lost.bits);
    if (lost.thread() != now.thread()) readers->keep_two_of_warp(cell.read, lost.bits);
  };
  if (last.bits >= oldest) {
    const bool moves = takes_place(last, other, now, oldest);
    // Two plain reads say more than a strong one, but to their own block only until its barrier.
    const bool is_settled = order_.owns(last) && order_.before_barrier(last);
    const bool strong_after_plain = now.strong() && !last.strong() && !is_settled;
    if (!moves && strong_after_plain && last.thread() != now.thread()) return lose(now);
    lose(moves ? other : last);
    if (moves) *cell.other = last.bits;
  }
  *cell.read = now.bits;
}

void BlockRaces::read_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                            std::uint64_t address, std::uint32_t bytes, bool strong) {
  const Record now = Record::make(order_.epoch(), w.warp * 32 + lane, strong, i.statement);
  const Access access{now, i, space, address};
  const std::uint64_t oldest = oldest_danger(space);
  FurtherRecords* const readers = this->readers(i, space);
  bool reported = false;
  each_granule(space, address, address + bytes, [&](const RaceCells& cell) {
    const Record written{*cell.write};
    const bool both_read = written.in_flight() && written.strong();
    Record raced;
    if (!reported && !both_read && conflicts(written, access)) raced = written;
    // A race that only warns must not hide another.
    if (!reported && written.strong() &&
        (raced.bits == 0 || warns(raced, i, space, w.warp, lane))) {
      const Record further = further_conflict(cell, access);
      if (further.bits != 0) raced = further;
    }
    if (raced.bits != 0) {
      reported = true;
      race(w, i, space, lane, address, bytes, raced, "read after write", false);
    }
    keep_read(cell, now, oldest, readers);
  });
  if (met_in_step_.bits != 0) warn_in_step(w, i, space, lane, address, bytes, false);
}

void BlockRaces::write_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                             std::uint64_t address, std::uint32_t bytes, bool strong, bool same) {
  const Record now = Record::make(order_.epoch(), w.warp * 32 + lane, strong, i.statement);
  const Access access{now, i, space, address};
  const std::uint64_t oldest = oldest_danger(space);
  bool reported = false;
  each_granule(space, address, address + bytes, [&](const RaceCells& cell) {
    const Record written{*cell.write}, last{*cell.read}, other{*cell.other};
    const bool raced = !reported && conflicts(written, access);
    Record before = raced ? written : Record{};
    if (!reported && !raced && written.strong()) before = further_conflict(cell, access);
    // A harmless race must not hide another: reads first.
    const bool repeated = space == Space::global && repeats_copy(before, now, i);
    const bool harmless = repeated || (same && !before.in_flight());
    Record read;
    const auto goes_on = [&] {
      return read.bits == 0 || warns(read, i, space, w.warp, lane) ||
             released_in_step(read, w.warp, lane, kWriteAfterRead) != Instruction::kNone;
    };
    if (!reported && (before.bits == 0 || harmless || warns(before, i, space, w.warp, lane))) {
      if (conflicts(last, access)) read = last;
      if (goes_on() && conflicts(other, access)) read = other;
      if (goes_on()) {
        const Record further = further_reader(cell, access);
        if (further.bits != 0) read = further;
      }
    }
    if (launch_.order.in_part) launch_.further_reads.forget(cell.read);
    if (read.bits != 0) {
      reported = true;
      race(w, i, space, lane, address, bytes, read, kWriteAfterRead, false);
    } else if (before.bits != 0) {
      reported = true;
      const bool copied = before.in_flight() && before.strong();  // its source
      race(w, i, space, lane, address, bytes, before,
           copied ? kWriteAfterRead : "write after write", harmless,
           repeated ? kRepeatedCopy : nullptr);
    }
    put_write(cell, access, oldest, raced);
  });
  if (met_in_step_.bits != 0) warn_in_step(w, i, space, lane, address, bytes, true);
}

std::uint64_t BlockRaces::key(Space space, std::uint64_t address) {
  // Global addresses are below 2^48; shared memory is each block's own.
  if (space == Space::global) return address;
  const std::uint64_t block = home(address).order_.index();
  return BlockOrder::shared_key(block, address);
}

bool BlockRaces::is_grid_barrier(Space space, std::uint64_t address) const {
  return space == Space::global && address == block_.grid_barrier();
}

void BlockRaces::strong_read(const Lanes& w, const Instruction& i, std::uint32_t lane, Space space,
                             std::uint64_t address) {
  if (is_grid_barrier(space, address))
    order_.see_grid(w.warp, lane, i, address);
  else
    order_.read(w.warp, lane, i, key(space, address));
}

void BlockRaces::load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                      std::uint64_t address, std::uint32_t bytes) {
  if (space != Space::global && space != Space::shared) return;
  const bool strong = is_strong(i, space);
  const Record fresh = (i.order & Instruction::kReadOnly) != 0
                           ? written_anew(w, i, space, lane, address, bytes)
                           : Record{};
  if (fresh.bits == 0)
    read_cells(w, i, space, lane, address, bytes, strong);
  else
    race(w, i, space, lane, address, bytes, fresh, "read after write", false);
  // This must come after the check: a value read here does not order the read itself.
  if (strong) strong_read(w, i, lane, space, address);
}

void BlockRaces::store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                       std::uint64_t address, std::uint32_t bytes, bool same) {
  if (space != Space::global && space != Space::shared) return;
  const bool strong = (i.order & Instruction::kStrong) != 0;
  write_cells(w, i, space, lane, address, bytes, strong, same);
  if (!strong) return;
  const std::uint64_t place = key(space, address);
  if (!order_.release(w.warp, lane, i, place)) order_.begin_anew(place);
}

// Finds a write of the same launch among the last writes of some cells, by any thread and in any
// order; no bits if there is none.
Record BlockRaces::written_anew(const Lanes& w, const Instruction& i, Space space,
                                std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
  const std::uint32_t step = 1u << shift(space);
  for (std::uint64_t at = address; at < address + bytes; at += step) {
    const RaceCells cell = cell_at(space, at);
    if (!cell) break;
    const Record written{*cell.write};
    if (written.epoch() < launch_.order.clock.first() || (written.in_flight() && written.strong()))
      continue;
    // A thread can read back its own writes to a surface, although the guide does not guarantee it.
    const bool own = i.opcode == Opcode::surface_load && !written.in_flight() &&
                     written.thread() == w.warp * 32 + lane && block_of(written) == order_.index();
    if (!own) return written;
  }
  return {};
}

// The guide, "Texture and Surface Memory": a fetch is not coherent with what the same launch
// writes.
std::uint32_t BlockRaces::fetch(Lanes& w, const Instruction& i, std::uint32_t lane,
                                std::uint64_t address, std::uint32_t bytes) {
  const Record fresh = written_anew(w, i, Space::global, lane, address, bytes);
  if (fresh.bits == 0)
    read_cells(w, i, Space::global, lane, address, bytes, false);
  else
    race(w, i, Space::global, lane, address, bytes, fresh, "fetch after write", false);
  return 0;
}

BlockRaces& BlockRaces::home(std::uint64_t& offset) {
  BlockObserver* other = block_.other_at(offset);
  if (other == nullptr) return *this;
  BlockRaces& owner = *other->races();
  if (&owner != this) owner.visited_ = true;
  return owner;
}

RaceCells BlockRaces::cells_at(Space space, std::uint64_t address, std::uint64_t bytes) {
  if (space != Space::shared) return launch_.memory.find(address, bytes);
  BlockRaces& owner = home(address);
  if (address >= reserved_ || bytes > reserved_ - address) return {};
  return owner.shared_cells(address, bytes);
}

void BlockRaces::barrier_arrive(const Lanes& w, std::uint32_t mask, std::uint32_t number,
                                std::uint32_t threads, const BasicBlock& node) {
  if (threads != 0) order_.arrive(w.warp, mask, number, node.statement);
}

std::uint64_t BlockRaces::cluster_key() const {
  return block_.observer_of(0).races()->order_.index();
}

void BlockRaces::cluster_complete() {
  if (!in_cluster_) return;
  if (splits())
    order_.cluster_complete(cluster_key());
  else
    order_.cluster_release(cluster_key());
}

void BlockRaces::cluster_released() {
  if (!in_cluster_ || splits()) return;
  order_.cluster_acquire(cluster_key());
  visited_ = false;
}

void BlockRaces::cluster_arrive(std::uint32_t warp, std::uint32_t mask, bool relaxed) {
  if (in_cluster_ && splits()) order_.cluster_arrive(warp, mask, cluster_key(), relaxed);
}

void BlockRaces::cluster_wait(std::uint32_t warp) {
  if (in_cluster_ && splits()) order_.cluster_wait(warp, cluster_key());
}

void BlockRaces::fence(const Lanes& w, const Instruction& i) {
  // One that is of a proxy and releases is released itself: fence.mbarrier_init.
  const bool acquires = (i.order & Instruction::kAcquire) != 0;
  if (acquires) order_.fence(w.warp, w.mask, i);
  if (i.proxy) order_.proxy_fence(w.warp, w.mask, static_cast<std::uint8_t>(i.imm));
  if (i.order != 0 && !acquires) order_.fence(w.warp, w.mask, i);
}

// All events that any of the block's threads has waited for came before the exit of the last
// thread.
void BlockRaces::exit(std::uint32_t statement, std::uint32_t warp, std::uint32_t lane) {
  if (!visited_ && launch_.flights.empty()) return;
  const auto raced = [&](const Record& record) {
    if (record.epoch() < order_.start() || block_of(record) == order_.index()) return false;
    if (record.in_flight()) return launch_.flights.holds(record.epoch());
    return !order_.is_seen(record, order_.block_of(record));
  };
  const std::uint64_t cells = (shared_bytes_ >> launch_.shared_shift) + 1;
  for (std::uint64_t i = 0; i < cells; ++i) {
    const RaceCells cell = shared_cells(i << launch_.shared_shift, 1);
    for (const std::uint64_t* bits : {cell.write, cell.read, cell.other}) {
      const Record record{*bits};
      if (!raced(record)) continue;
      Fault fault;
      if (bits != cell.write && !record.in_flight() &&
          order_.is_seen(record, order_.block_of(record), &fault.released))
        fault.warning = true;
      fault.kind = FaultKind::race;
      fault.hazard = bits == cell.write ? "exit after write" : "exit after read";
      fault.statement = statement;
      fault.calls = block_.calls_to(statement, warp, lane);
      fault.has_access = true;
      fault.space = Space::shared;
      fault.write = bits == cell.write;
      fault.bytes = 1u << launch_.shared_shift;
      fault.address = i << launch_.shared_shift;
      fault.allocation.bytes = shared_bytes_;
      fault.side = Nearest::Side::inside;
      fault.thread = block_.thread(warp, lane);
      fault.block = block_.coordinates();
      fault.count = 1;
      describe_other(fault, record);
      block_.report(fault);
      break;
    }
    // The next block that runs here knows nothing of it.
    if (Record{*cell.write}.in_flight()) *cell.write = 0;
  }
}

}  // namespace warpmark::cpu
