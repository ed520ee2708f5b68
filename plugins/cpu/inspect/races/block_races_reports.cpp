// Reports of races: whether one is an error or a warning, and the other access.
#include <cstring>
#include <utility>

#include "inspect/observed_block.hpp"
#include "inspect/races/block_races.hpp"

namespace warpmark::cpu {

// A place and a statement identify a report only in the block's own shared memory, and only outside
// of called functions.
BlockRaces::Reported* BlockRaces::remembered(const Instruction& i, Space space,
                                             std::uint64_t address, const Record& before) {
  if (launch_.closely || space != Space::shared || address >= shared_bytes_ ||
      !before.in_flight() || before.strong() || is_strong(i, space) ||
      !block_.program().callees.empty())
    return nullptr;
  return &reported_.at((address / 4 + i.statement * 7 + before.statement() * 31) %
                       reported_.size());
}

void BlockRaces::warn_in_step(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                              std::uint64_t address, std::uint32_t bytes, bool write) {
  const Record before = std::exchange(met_in_step_, {});
  const Statement* then = block_.program().statement(before.statement());
  const bool wrote = then != nullptr && then->facts->mnemonic == Mnemonic::st;
  Fault fault;
  fault.kind = FaultKind::race;
  fault.hazard = !write ? "read after write" : wrote ? "write after write" : kWriteAfterRead;
  fault.warning = fault.in_step = true;
  block_.describe_access(w, i, space, lane, address, bytes, write, fault);
  describe_other(fault, before);
  block_.report(fault);
}

// Published code lets one lane give back what its warp has read: that lane alone arrives at an
// mbarrier, or sets a flag, and no bar.warp.sync puts the other lanes' reads in front of that. The
// PTX ISA orders them only by one, and every GPU reads in time. What lanes write must be in order.
std::uint32_t BlockRaces::released_in_step(const Record& read, std::uint32_t warp,
                                           std::uint32_t lane, std::string_view hazard) const {
  if (read.in_flight() || hazard != kWriteAfterRead) return Instruction::kNone;
  return order_.released_in_step(warp, lane, read, order_.block_of(read));
}

// Fills in why two accesses race, and whether that is an error or only a warning.
void BlockRaces::classify(Fault& fault, const Record& before, const Instruction& i, Space space,
                          std::uint32_t warp, std::uint32_t lane, const char* detail) const {
  const Record now =
      Record::make(order_.epoch(), warp * 32 + lane, is_strong(i, space), i.statement);
  const bool both_strong = before.strong() && now.strong() && !before.in_flight();
  fault.released = released_in_step(before, warp, lane, fault.hazard);
  fault.warning = fault.warning || fault.released != Instruction::kNone;
  if (fault.released != Instruction::kNone) return;
  if (detail != nullptr) {
    fault.detail = detail;
    return;
  }
  fault.decides = both_strong && !is_in_scope_race(before, now);
  fault.warning = fault.warning || fault.decides;
  if (fault.decides) return;
  if ((i.order & Instruction::kReadOnly) != 0)
    fault.detail =
        "and who reads through the read-only cache need not see what the same launch writes";
  else if (both_strong)
    fault.detail = "and one of them is atomic only for threads of the same block";
  const BlockOrder::Lack lack = lack_of(before, i, space, warp, lane);
  if (lack.what == BlockOrder::Lack::What::everything) return;
  fault.relaxed = {true, lack.what == BlockOrder::Lack::What::order, lack.statement};
  fault.warning = fault.warning || fault.relaxed.warning;
}

// The most races that wait for a swap to settle them; further ones are reported at once.
constexpr std::size_t kMostUnsettled = 4096;

void BlockRaces::race(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                      std::uint64_t address, std::uint32_t bytes, const Record& before,
                      const char* kind, bool same, const char* detail) {
  Reported* const known = remembered(i, space, address, before);
  if (known != nullptr && known->instruction == &i && known->address == address &&
      known->kind == kind && block_.report_again(known->place, i.statement, before.statement()))
    return;
  Fault fault;
  fault.kind = FaultKind::race;
  fault.hazard = kind;
  fault.warning = same;
  classify(fault, before, i, space, w.warp, lane, detail);
  if (fault.decides && same) return;  // the value is the same in either order
  block_.describe_access(w, i, space, lane, address, bytes, kind[0] == 'w', fault);
  describe_other(fault, before);
  // The plain read of a read-modify-write by compare and swap.
  const bool reads = kind[0] == 'r', strong = is_strong(i, space);
  const bool perhaps = reads ? before.strong() && !strong : strong && !before.strong();
  if (perhaps && launch_.before_swaps.contains(reads ? i.statement : before.statement())) return;
  if (!(launch_.swaps || launch_.looks) || !perhaps || before.in_flight() ||
      std::strcmp(kind, "write after write") == 0 || launch_.unsettled.size() >= kMostUnsettled) {
    const std::size_t place = block_.report(fault);
    if (known != nullptr) *known = {&i, address, kind, place};
    return;
  }
  launch_.unsettled.push_back({reads ? order_.index() : order_.block_of(before), address,
                               reads ? w.warp * 32 + lane : before.thread(), std::move(fault)});
}

// Says what a race lacks whose thread has read a release that comes after the other access. If the
// access itself is strong, it sees the other's write, and only the order is missing.
BlockOrder::Lack BlockRaces::lack_of(const Record& before, const Instruction& i, Space space,
                                     std::uint32_t warp, std::uint32_t lane) const {
  if (before.in_flight() || (i.order & Instruction::kReadOnly) != 0) return {};
  BlockOrder::Lack lack = order_.lack(warp, lane, before, order_.block_of(before));
  if (lack.what == BlockOrder::Lack::What::acquire && (is_strong(i, space) || i.past_l1))
    lack.what = BlockOrder::Lack::What::order;
  return lack;
}

void BlockRaces::describe_other(Fault& fault, const Record& before) const {
  const std::uint64_t other = block_of(before);
  const auto& grid = block_.grid();
  fault.other.known = true;
  fault.other.statement = before.statement();
  fault.other.thread = block_.thread(before.warp(), before.lane());
  fault.other.block = {static_cast<std::uint32_t>(other % grid[0]),
                       static_cast<std::uint32_t>(other / grid[0] % grid[1]),
                       static_cast<std::uint32_t>(other / grid[0] / grid[1])};
}

}  // namespace warpmark::cpu
