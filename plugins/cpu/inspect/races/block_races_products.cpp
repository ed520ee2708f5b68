// Products of warpgroups (wgmma): from a product's issue until a warp of its group has waited for
// it nobody may change the shared memory that it reads.
//
// A product reads by the async proxy, as bulk copies do, so that it need not see what was written
// without a proxy fence. It is one operation of four warps: who has waited for it, whichever of
// them, knows that it has read all of its operands.
#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "inspect/observed_block.hpp"
#include "inspect/races/block_races.hpp"
#include "memory/async_copy.hpp"
#include "program/wgmma.hpp"

namespace warpmark::cpu {

void BlockRaces::leave_groups() {
  for (WarpgroupReads& group : warpgroups_) {
    for (WarpgroupReads::Part& part : group.under_way)
      launch_.flights.land(part.reads.flight->mark);
    group = {};
  }
}

namespace {

constexpr const char* kProductNeedsProxyFence =
    "and no fence.proxy.async lies between the two: wgmma reads shared memory by the async proxy "
    "and need not see the write";

// Pieces of 16 bytes, joined where they lie beside each other.
AsyncCopy reads_of(Lanes& w, const Instruction& i, std::vector<std::uint32_t> pieces) {
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  auto plan = std::make_shared<CopyPlan>();
  std::vector<CopyPart>& parts = plan->parts;
  AsyncCopy reads;
  for (const std::uint32_t piece : pieces) {
    constexpr std::uint32_t kBytes = MatrixDescriptor::kPiece;
    if (!parts.empty() && parts.back().from + parts.back().source == piece)
      parts.back().source += kBytes;
    else
      parts.push_back({piece, 0, 0, kBytes});
    reads.source += kBytes;
  }
  reads.from = w.shared.host;
  reads.plan = std::move(plan);
  const auto lane = static_cast<std::uint32_t>(__builtin_ctz(w.mask));
  reads.flight.emplace(Flight{{Space::shared, 0, nullptr, 0}, {}, &w, &i, lane, 0, {}});
  return reads;
}

bool same_places(const AsyncCopy& one, const AsyncCopy& other) {
  const std::vector<CopyPart>&first = one.plan->parts, &second = other.plan->parts;
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const CopyPart& a, const CopyPart& b) {
                      return a.from == b.from && a.source == b.source;
                    });
}

// Copies of 4 to 16 bytes write by the generic proxy, too, but CUTLASS multiplies what they have
// brought without a proxy fence.
bool needs_proxy_fence(const Program& program, const Record& written) {
  const Statement* statement = program.statement(written.statement());
  return statement == nullptr || statement->facts->mnemonic != Mnemonic::cp;
}

}  // namespace

template <typename Body>
void BlockRaces::each_operand_cell(const AsyncCopy& reads, Body body) {
  const std::uint64_t step = std::uint64_t{1} << shift(Space::shared);
  reads.each_part([&](const CopyPart& part) {
    each_granule(Space::shared, part.from / step * step, part.from + part.source, body);
  });
}

// Holds the reads of a warp against earlier writes. `known` is the part of another warp that reads
// the same: its mark has taken the place of the writes.
void BlockRaces::check_operand(Lanes& w, const Instruction& i, const AsyncCopy& reads,
                               const AsyncCopy* known) {
  const std::uint32_t lane = reads.flight->lane, thread = w.warp * 32 + lane;
  Access access{Record::make(order_.epoch(), thread, false, i.statement), i, Space::shared, 0};
  bool raced = false, unseen = false;
  Record fenced;  // the last one of which that is known
  std::uint64_t at = 0;
  std::size_t next = 0;
  const std::uint64_t step = std::uint64_t{1} << shift(Space::shared);
  reads.each_part([&](const CopyPart& part) {
    at = part.from / step * step;
    each_granule(Space::shared, at, part.from + part.source, [&](const RaceCells& cell) {
      access.address = std::exchange(at, at + step);
      Record written{*cell.write};
      if (known != nullptr) {
        const std::uint64_t kept = known->flight->kept[next++];
        if (written.epoch() == known->flight->mark) written.bits = kept;
      }
      if (written.in_flight() && written.strong()) return;  // it is read, too
      if (!raced && conflicts(written, access)) {
        raced = true;
        race(w, i, Space::shared, lane, access.address, MatrixDescriptor::kPiece, written,
             "read after write", false);
        return;
      }
      if (raced || unseen || written.in_flight() || written.epoch() < order_.start()) return;
      if (written.bits == fenced.bits) return;
      if (by_async_proxy(written) || !needs_proxy_fence(block_.program(), written) ||
          order_.proxied(written, order_.block_of(written), thread, kProxyShared)) {
        fenced = written;
        return;
      }
      unseen = true;
      race(w, i, Space::shared, lane, access.address, MatrixDescriptor::kPiece, written,
           "read after write", false, kProductNeedsProxyFence);
    });
  });
}

// Marks what a product reads, as what a copy reads that is under way.
void BlockRaces::begin_reads(AsyncCopy& reads) {
  Flight& flight = *reads.flight;
  const std::uint32_t thread = flight.lanes->warp * 32 + flight.lane;
  flight.mark = launch_.flights.depart(order_.index(), false);
  const std::uint64_t read =
      Record::make(flight.mark, thread, true, flight.instruction->statement).bits;
  each_operand_cell(reads, [&](const RaceCells& cell) {
    flight.kept.push_back(*cell.write);
    if (!Record{*cell.write}.in_flight()) *cell.write = read;
  });
}

void BlockRaces::keep_read(const RaceCells& cell, const Record& record, FurtherRecords* readers) {
  const std::uint64_t oldest = oldest_danger(Space::shared);
  if (*cell.read >= oldest) {
    if (*cell.other >= oldest && readers != nullptr) readers->keep(cell.read, *cell.other);
    *cell.other = *cell.read;
  }
  *cell.read = record.bits;
}

// The product has read. Who has waited for it knows that, and nobody else.
void BlockRaces::end_reads(AsyncCopy& reads, const std::byte* key) {
  Flight& flight = *reads.flight;
  const std::uint32_t thread = flight.lanes->warp * 32 + flight.lane;
  const Record read =
      Record::make(order_.copy_arrives(key, thread), thread, false, flight.instruction->statement);
  FurtherRecords* const readers = this->readers(*flight.instruction, Space::shared);
  std::size_t next = 0;
  each_operand_cell(reads, [&](const RaceCells& cell) {
    const std::uint64_t kept = flight.kept[next++];
    if (Record{*cell.write}.epoch() == flight.mark) *cell.write = kept;
    keep_read(cell, read, readers);
  });
  launch_.flights.land(flight.mark);
}

void BlockRaces::multiply_in_group(Lanes& w, const Instruction& i,
                                   const std::vector<std::uint32_t>& a,
                                   const std::vector<std::uint32_t>& b) {
  if (warpgroups_.empty())
    warpgroups_.resize(1024 / 32 / WgmmaForm::kWarps);  // of the greatest block
  WarpgroupReads& group = warpgroups_[w.warp / WgmmaForm::kWarps];
  const std::uint32_t own = w.warp % WgmmaForm::kWarps;
  const std::uint64_t product = group.issued[own]++;
  const bool first = std::all_of(group.issued.begin(), group.issued.end(),
                                 [&](std::uint64_t issued) { return issued <= product + 1; }) &&
                     std::count(group.issued.begin(), group.issued.end(), product + 1) == 1;
  const auto known = std::find_if(
      group.under_way.begin(), group.under_way.end(),
      [&](const WarpgroupReads::Part& part) { return part.product == product && part.has_b; });
  AsyncCopy whole_b = reads_of(w, i, b);
  const bool marked = known != group.under_way.end() && same_places(known->reads, whole_b);
  check_operand(w, i, whole_b, marked ? &known->reads : nullptr);
  const auto begin = [&](AsyncCopy&& reads, bool has_b) {
    group.under_way.push_back({product, group.committed[own], has_b, std::move(reads)});
    begin_reads(group.under_way.back().reads);
  };
  if (!a.empty()) {
    AsyncCopy rows = reads_of(w, i, a);
    check_operand(w, i, rows, nullptr);
    begin(std::move(rows), false);
  }
  if (first) begin(std::move(whole_b), true);
}

void BlockRaces::steer_group(Lanes& w, const Instruction& i) {
  if (warpgroups_.empty()) return;
  WarpgroupReads& group = warpgroups_[w.warp / WgmmaForm::kWarps];
  std::uint64_t& committed = group.committed[w.warp % WgmmaForm::kWarps];
  if (i.opcode == Opcode::matrix_group_commit) ++committed;
  if (i.opcode != Opcode::matrix_group_wait) return;
  const auto most = static_cast<std::uint64_t>(i.imm);
  const std::uint64_t until = committed - std::min(most, committed);
  const std::size_t before = group.under_way.size();
  std::deque<WarpgroupReads::Part> rest;
  const auto* const key = reinterpret_cast<const std::byte*>(&group);
  for (WarpgroupReads::Part& part : group.under_way) {
    if (part.group < until)
      end_reads(part.reads, key);
    else
      rest.push_back(std::move(part));
  }
  group.under_way = std::move(rest);
  if (before > 0 || until > 0) order_.see_copies(key, w.warp);
}

}  // namespace warpmark::cpu
