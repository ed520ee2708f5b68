// Asynchronous copies and mbarriers: from a copy's start until somebody has waited for it nobody may
// touch what it writes, nor change what it reads.
//
// PTX ISA, "Asynchronous copy": the writes of a copy are ordered by its completion alone, so that
// they are not even ordered with what the thread that started it does next.
#include <algorithm>
#include <bit>

#include "inspect/observed_block.hpp"
#include "inspect/races/block_races.hpp"
#include "memory/async_copy.hpp"
#include "program/source_place.hpp"

namespace warpmark::cpu {

template <typename Body>
void BlockRaces::each_cell(const AsyncCopy& copy, bool written, Body body) {
  const Flight::Side& side = written ? copy.flight->to : copy.flight->from;
  const std::uint64_t step = std::uint64_t{1} << shift(side.space);
  copy.each_part([&](const CopyPart& part) {
    // Parts of boxes may begin anywhere.
    const std::uint64_t first = side.address + (written ? part.to : part.from);
    const std::uint64_t end = first + (written ? part.bytes : part.source);
    each_granule(side.space, first / step * step, end, body);
  });
}

// The accesses of its thread that stand for the copy's: of what it reads, or of what it writes.
void BlockRaces::access_cells(const AsyncCopy& copy, bool written) {
  const Flight& flight = *copy.flight;
  const Flight::Side& side = written ? flight.to : flight.from;
  const std::uint64_t step = std::uint64_t{1} << shift(side.space);
  copy.each_part([&](const CopyPart& part) {
    const std::uint64_t address = side.address + (written ? part.to : part.from);
    const std::uint64_t first = address / step * step;
    const std::uint64_t end = address + (written ? part.bytes : part.source);
    const auto bytes = static_cast<std::uint32_t>(end - first);
    if (written)
      write_cells(*flight.lanes, *flight.instruction, side.space, flight.lane, first, bytes,
                  copy.reduces, false);
    else if (part.source != 0)
      read_cells(*flight.lanes, *flight.instruction, side.space, flight.lane, first, bytes, false);
  });
}

namespace {

// Copies of bulks and boxes read and write by the async proxy.
bool is_of_async_proxy(const Instruction& i) {
  return i.opcode == Opcode::copy_bulk || i.opcode == Opcode::copy_tensor;
}

constexpr const char* kNoProxyFence =
    "and no fence.proxy.async lies between the two: the copy need not see the write";
constexpr const char* kNoProxyFenceBetween =
    "and no fence.proxy.async lies between the two: the copy may come before the write";

// libcu++ documents cuda::memcpy_async without a fence of its user, and that works.
bool is_of_memcpy_async(const Program& program, const Instruction& i) {
  const std::vector<SourceLine> lines = source_lines(program, i.statement);
  return std::any_of(lines.begin(), lines.end(), [](const SourceLine& line) {
    return line.file.find("/__memcpy_async/") != std::string_view::npos;
  });
}

}  // namespace

// CUTLASS's epilogues let a whole warp store a box. A GPU stores it once, and the bytes are the same.
const char* const BlockRaces::kRepeatedCopy =
    "and lanes of one warp make the same copy: let one of them make it, by elect.sync";

bool BlockRaces::repeats_copy(const Record& before, const Record& now, const Instruction& i) {
  return before.in_flight() && !before.strong() && i.opcode == Opcode::copy_tensor &&
         before.statement() == now.statement() && before.warp() == now.warp();
}

// Returns whether a write that has come about was one of a copy of the async proxy, whose completion
// is a fence itself (PTX ISA, "Async proxy").
bool BlockRaces::by_async_proxy(const Record& written) const {
  const std::uint64_t block = order_.block_of(written);
  if (block != BlockOrder::without_engine(block)) return true;
  const Statement* statement = block_.program().statement(written.statement());
  return statement != nullptr && statement->facts->has(Modifier::bulk) &&
         statement->facts->has(Modifier::async);
}

// Returns whether no fence between the proxies keeps a read before the copy that overwrites what was
// read, as the PTX ISA asks for ("Causality Order"). Unless the launch is strict, reads that a barrier
// lies behind do not count: CUTLASS's pipelines hand a stage back to the warp that copies by an
// mbarrier, and others by __syncthreads(), without a fence.
bool BlockRaces::is_unfenced_read(const Record& read, const Access& access) {
  if (read.epoch() < order_.start() || read.in_flight() || order_.block_of(read) != order_.index())
    return false;
  if (!launch_.strict_proxies &&
      (read.warp() != access.now.warp() || order_.before_barrier(read) ||
       order_.covers(access.now.warp(), access.now.lane(), read, order_.index())))
    return false;
  const Statement* statement = block_.program().statement(read.statement());
  if (statement == nullptr || (statement->facts->mnemonic != Mnemonic::ld &&
                               statement->facts->mnemonic != Mnemonic::ldmatrix))
    return false;
  return !order_.proxied(read, order_.index(), access.now.thread(), kProxyShared | kProxyReads) &&
         !conflicts(read, access);
}

// A write of the generic proxy is in order with what a copy reads, or writes in its place,
// only behind a proxy fence.
void BlockRaces::check_proxy(const AsyncCopy& copy, bool written) {
  const Flight& flight = *copy.flight;
  const Instruction& i = *flight.instruction;
  if (!is_of_async_proxy(i)) return;
  const Flight::Side& side = written ? flight.to : flight.from;
  const std::uint8_t memory = side.space == Space::shared ? kProxyShared : kProxyGlobal;
  const std::uint32_t thread = flight.lanes->warp * 32 + flight.lane;
  const Access access{Record::make(order_.epoch(), thread, false, i.statement), i, side.space,
                      side.address};
  const Epoch first = side.space == Space::shared ? order_.start() : launch_.order.clock.first();
  Record unseen, seen, read, fenced;
  const bool overwrites = written && side.space == Space::shared;
  each_cell(copy, written, [&](const RaceCells& cell) {
    if (const Record reader{*cell.read};
        overwrites && read.bits == 0 && reader.bits != 0 && reader.bits != fenced.bits)
      (is_unfenced_read(reader, access) ? read : fenced) = reader;
    const Record before{*cell.write};
    if (unseen.bits != 0 || before.epoch() < first || before.in_flight() ||
        before.bits == seen.bits)
      return;
    const std::uint64_t block = order_.block_of(before);
    if (by_async_proxy(before) || order_.proxied(before, block, thread, memory) ||
        conflicts(before, access))
      seen = before;
    else
      unseen = before;
  });
  if (unseen.bits != 0 && !is_of_memcpy_async(block_.program(), i))
    race(*flight.lanes, i, side.space, flight.lane, side.address, copy.bytes, unseen,
         written ? "write after write" : "read after write", false,
         written ? kNoProxyFenceBetween : kNoProxyFence);
  if (read.bits == 0 || is_of_memcpy_async(block_.program(), i)) return;
  Fault fault;
  fault.kind = FaultKind::race;
  fault.hazard = "write after read";
  fault.warning = fault.unfenced = true;
  block_.describe_access(*flight.lanes, i, side.space, flight.lane, side.address, copy.bytes, true,
                         fault);
  describe_other(fault, read);
  block_.report(fault);
}

// Copies read tensor maps by a proxy of their own (PTX ISA, "membar/fence", .proxykind tensormap).
void BlockRaces::check_map(Lanes& w, const Instruction& i, std::uint32_t lane,
                           std::uint64_t address, std::uint32_t bytes) {
  const std::uint32_t thread = w.warp * 32 + lane;
  const Access access{Record::make(order_.epoch(), thread, false, i.statement), i, Space::global,
                      address};
  Record fenced;
  bool reported = false;
  each_granule(Space::global, address, address + bytes, [&](const RaceCells& cell) {
    const Record written{*cell.write};
    if (reported || written.epoch() < launch_.order.clock.first() || written.in_flight() ||
        written.bits == fenced.bits || conflicts(written, access))
      return;
    const Statement* statement = block_.program().statement(written.statement());
    const std::uint64_t block = order_.block_of(written);
    const bool releases =  // tensormap.cp_fenceproxy
        statement != nullptr && statement->facts->has(Modifier::tensormap_generic);
    const bool released = releases || order_.proxied(written, block, thread, kProxyMapRelease);
    const bool acquired = order_.proxied(written, block, thread, kProxyMapAcquire);
    fenced = written;
    if (released && acquired) return;
    reported = true;
    race(w, i, Space::global, lane, address, bytes, written, "read after write", false,
         released ? "and no fence.proxy.tensormap::generic.acquire lies between the two: the copy "
                    "need not see the change of its tensor map"
                  : "and no fence.proxy.tensormap::generic.release follows the change: the copy "
                    "need not see it in its tensor map");
  });
}

// The instruction says what it is: handlers tell of plain and of strong accesses alike.
void BlockRaces::touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                       std::uint64_t address, std::uint32_t bytes, Touch what) {
  if (i.opcode == Opcode::multimem_reduce) return atomic(w, i, space, lane, address, bytes, false);
  if (what != Touch::load)
    return store(w, i, space, lane, address, bytes, what == Touch::same_store);
  load(w, i, space, lane, address, bytes);
  if (i.opcode == Opcode::copy_tensor || i.opcode == Opcode::prefetch_tensor)
    check_map(w, i, lane, address, bytes);
}

void BlockRaces::depart(AsyncCopy& copy) {
  Flight& flight = *copy.flight;
  const Instruction& i = *flight.instruction;
  const std::uint32_t thread = flight.lanes->warp * 32 + flight.lane;
  const bool reads = copy.from != nullptr && copy.source != 0;
  if (reads) check_proxy(copy, false);
  if (reads) access_cells(copy, false);
  check_proxy(copy, true);
  access_cells(copy, true);
  flight.mark = launch_.flights.depart(order_.index(), copy.reduces);
  const std::uint64_t write = Record::make(flight.mark, thread, false, i.statement).bits;
  const std::uint64_t read = Record::make(flight.mark, thread, true, i.statement).bits;
  each_cell(copy, true, [&](const RaceCells& cell) { *cell.write = write; });
  if (!reads || flight.from.space != Space::shared) return;
  const auto granule = std::uint32_t{1} << shift(Space::shared);
  flight.kept.reserve(std::bit_ceil((copy.source + granule - 1) / granule));
  each_cell(copy, false, [&](const RaceCells& cell) {
    flight.kept.push_back(*cell.write);
    if (!Record{*cell.write}.in_flight()) *cell.write = read;
  });
}

void BlockRaces::has_read(AsyncCopy& copy) {
  Flight& flight = *copy.flight;
  if (flight.kept.empty()) return;
  std::size_t next = 0;
  each_cell(copy, false, [&](const RaceCells& cell) {
    const std::uint64_t kept = flight.kept[next++];
    if (Record{*cell.write}.epoch() == flight.mark) *cell.write = kept;
  });
  flight.kept.clear();
  // It has read until now, as its thread knows; of those that mbarriers are told of it does not.
  if (copy.completion == nullptr) access_cells(copy, false);
}

void BlockRaces::landed(AsyncCopy& copy, const std::byte* barrier) {
  Flight& flight = *copy.flight;
  const std::uint32_t thread = flight.lanes->warp * 32 + flight.lane;
  const std::uint32_t statement = flight.instruction->statement;
  has_read(copy);
  if (barrier == nullptr && copy.from != nullptr && flight.from.space == Space::global)
    access_cells(copy, false);
  if (barrier == nullptr && copy.reduces) access_cells(copy, true);
  const Epoch epoch = barrier == nullptr ? order_.epoch() : order_.copy_arrives(barrier, thread);
  const bool strong = copy.reduces;
  const std::uint64_t landed = Record::make(epoch, thread, strong, statement).bits;
  if (!strong || barrier != nullptr) {
    each_cell(copy, true, [&](const RaceCells& cell) {
      const Record now{*cell.write};
      if (!now.in_flight() || now.epoch() == flight.mark) *cell.write = landed;
    });
  }
  launch_.flights.land(flight.mark);
}

void BlockRaces::abandon(AsyncCopy& copy, std::uint32_t statement, std::uint32_t warp,
                         std::uint32_t lane) {
  Flight& flight = *copy.flight;
  if (flight.mark == 0) return;
  const bool writes = flight.to.space == Space::shared;
  const Flight::Side& side = writes ? flight.to : flight.from;
  Fault fault;
  fault.kind = FaultKind::race;
  fault.hazard = writes ? "exit after write" : "exit after read";
  block_.describe_access(*flight.lanes, *flight.instruction, side.space, flight.lane, side.address,
                         copy.bytes, writes, fault);
  fault.statement = statement;
  fault.calls = block_.calls_to(statement, warp, lane);
  fault.thread = block_.thread(warp, lane);
  describe_other(fault, Record::make(flight.mark, flight.lanes->warp * 32 + flight.lane, false,
                                     flight.instruction->statement));
  block_.report(fault);
  has_read(copy);
  each_cell(copy, true, [&](const RaceCells& cell) {
    if (Record{*cell.write}.epoch() == flight.mark) *cell.write = 0;
  });
  launch_.flights.land(flight.mark);
  flight.mark = 0;
}

// Returns the write that made the mbarrier, or took it back, if nothing puts it before a use now.
Record BlockRaces::made_unordered(const Access& access) {
  const RaceCells cell = cell_at(Space::shared, access.address);
  if (!cell) return {};
  Record made{*cell.write};
  if (made.strong() && !made.in_flight()) made = further_conflict(cell, access);
  const bool raced = !made.strong() && !made.in_flight() && conflicts(made, access);
  return raced ? made : Record{};
}

// An mbarrier on which a copy completes must have been made known to the async proxy.
void BlockRaces::check_proxy_of(Lanes& w, const Instruction& i, std::uint32_t lane,
                                std::uint64_t address) {
  if (!is_of_async_proxy(i)) return;
  std::uint64_t offset = address;
  const BlockRaces& owner = home(offset);
  const auto found = owner.made_.find(offset);
  if (found == owner.made_.end()) return;
  const Record made = found->second;
  if (order_.proxied(made, owner.order_.index(), w.warp * 32 + lane, kProxyMbarrier) ||
      is_of_memcpy_async(block_.program(), i))
    return;
  if (!is_first_use(made, i)) return;
  race(w, i, Space::shared, lane, address, kMbarrierBytes, made, "write after write", false,
       "and neither fence.proxy.async nor fence.mbarrier_init lies between the two: the copy need "
       "not see that the mbarrier was made");
}

// Threads may change and look at one at the same time, once it is made, and until it is taken back.
// A thread that does not wait for it to be made does so wherever it uses it: one report is enough.
void BlockRaces::use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane,
                              std::uint64_t address, MbarrierUse use) {
  const bool exclusive = is_exclusive(use);
  if (!exclusive) {
    const Record now = Record::make(order_.epoch(), w.warp * 32 + lane, true, i.statement);
    const Record made = made_unordered({now, i, Space::shared, address});
    const bool raced = made.bits != 0;
    if (raced && !is_first_use(made, i)) return;
    // The copy is done once somebody has waited for it: no record is kept of the use.
    if (use == MbarrierUse::signal) {
      if (raced)
        race(w, i, Space::shared, lane, address, kMbarrierBytes, made, "write after write", false);
      else
        check_proxy_of(w, i, lane, address);
      return;
    }
  }
  if (exclusive) {
    std::uint64_t offset = address;
    BlockRaces& owner = home(offset);
    owner.made_.erase(offset);
    if (use == MbarrierUse::init)
      owner.made_[offset] = Record::make(order_.epoch(), w.warp * 32 + lane, false, i.statement);
  }
  if (use == MbarrierUse::test)
    read_cells(w, i, Space::shared, lane, address, kMbarrierBytes, true);
  else
    write_cells(w, i, Space::shared, lane, address, kMbarrierBytes, !exclusive, false);
}

}  // namespace warpmark::cpu
