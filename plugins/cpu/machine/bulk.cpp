// Bulk copies and reductions, and stores and reductions that complete on an mbarrier.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/access_places.hpp"
#include "machine/async_places.hpp"
#include "machine/block.hpp"
#include "machine/handlers.hpp"
#include "program/async_forms.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kChunk = 16;
constexpr auto kNothing = std::byte{0xb6};  ///< in bytes whose value PTX does not say

std::uint64_t address_in(const Lanes& w, std::uint32_t slot, std::uint32_t lane) {
  return read_lane<std::uint64_t>(w.registers, slot, lane);
}

// The parts of a copy of which `mask` has the bytes of each 16. A part ends with its 16 bytes.
std::vector<CopyPart> masked_parts(std::uint32_t bytes, std::uint32_t mask) {
  std::vector<CopyPart> parts;
  for (std::uint32_t at = 0; at < bytes; at += kChunk) {
    for (std::uint32_t first = 0; first < kChunk;) {
      if ((mask >> first & 1) == 0) {
        ++first;
        continue;
      }
      const auto count = static_cast<std::uint32_t>(std::countr_one((mask & 0xffff) >> first));
      parts.push_back({at + first, at + first, count, count});
      first += count;
    }
  }
  return parts;
}

// A copy that leaves out bytes at either end of its source: those of the target get other values, as
// they may have any, and whoever uses them is to notice it. False if `left` or `right` is none that
// PTX has.
bool leave_out(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint32_t left,
               std::uint32_t right, AsyncCopy& made) {
  if (left >= kChunk || right >= kChunk) {
    Fault fault = w.block->fault(FaultKind::descriptor, i.statement, w.warp, 1u << lane);
    fault.message = "the copy leaves out " + std::to_string(left >= kChunk ? left : right) +
                    " bytes at an end of its source: .ignore_oob has 0 to 15";
    w.block->launch().faults.add(fault);
    w.block->launch().stop = true;
    return false;
  }
  const std::uint32_t inner = made.bytes - std::min(left + right, made.bytes);
  std::vector<CopyPart> parts;
  if (left != 0) parts.push_back({0, 0, left, 0});
  if (inner != 0) parts.push_back({0, left, inner, inner});
  if (right != 0) parts.push_back({0, made.bytes - right, right, 0});
  made.source = inner;
  made.unsaid = true;
  made.values.fill(kNothing);
  made.plan = std::make_shared<const CopyPlan>(CopyPlan{std::move(parts), {}});
  return true;
}

// The places that a copy to several devices writes: the first is its target for the checks.
bool locate_everywhere(Lanes& w, const Instruction& i, std::uint32_t lane, AsyncCopy& made,
                       Flight::Side& side) {
  const std::uint64_t address = address_in(w, i.address, lane);
  std::vector<std::byte*> all = replicas_of(w, i, lane, address, made.bytes, kChunk);
  if (all.empty()) return false;
  side = {Space::global, address, nullptr, 0};
  made.to = all.front();
  CopyPlan plan{{{0, 0, made.bytes, made.source}}, {all.begin() + 1, all.end()}};
  if (made.plan != nullptr) plan.parts = made.plan->parts;
  made.plan = std::make_shared<const CopyPlan>(std::move(plan));
  return true;
}

void copy_bulk(Lanes& w, const Instruction& i) {
  const auto form = i.form<BulkForm>();
  const Reduction combine = reduction_by(form.reduction);
  LaunchState& launch = w.block->launch();
  for_lanes(w, [&](std::uint32_t lane) {
    const auto bytes = read_lane<std::uint32_t>(w.registers, i.b, lane);
    AsyncCopy made;
    Flight::Side from_side, to_side;
    made.bytes = made.source = bytes;
    made.combine = combine;
    made.reduces = combine != nullptr;
    made.launch = &launch;
    made.to_global = form.to == Space::global;
    if (i.e != Instruction::kNone && !form.ignores)
      made.plan = std::make_shared<const CopyPlan>(
          CopyPlan{masked_parts(bytes, read_lane<std::uint32_t>(w.registers, i.e, lane)), {}});
    // Sizes must be multiples of 16, and so must addresses.
    std::uint64_t from = address_in(w, i.a, lane);
    if (bytes % kChunk != 0 || (form.ignores && from % kChunk != 0)) {
      record_fault(w, i, form.from, lane, from | 1, kChunk, false);
      return;
    }
    std::uint32_t alignment = kChunk;
    if (form.ignores) {
      const auto left = read_lane<std::uint32_t>(w.registers, i.d, lane);
      if (!leave_out(w, i, lane, left, read_lane<std::uint32_t>(w.registers, i.e, lane), made))
        return;
      from += left;
      alignment = 1;
    }
    made.from =
        locate_async(w, i, form.from, lane, from, made.source, alignment, false, &from_side);
    if (i.d != Instruction::kNone && !form.ignores) {
      const auto blocks = read_lane<std::uint32_t>(w.registers, i.d, lane) & 0xffff;
      if (made.from == nullptr ||
          !start_multicast(w, i, lane, blocks, address_in(w, i.address, lane), bytes,
                           address_in(w, i.c, lane), from_side, made))
        launch.stop = true;
      return;
    }
    if (!form.everywhere)
      made.to = locate_async(w, i, form.to, lane, address_in(w, i.address, lane), bytes, kChunk,
                             true, &to_side);
    else if (!locate_everywhere(w, i, lane, made, to_side))
      made.to = nullptr;
    if (i.c != Instruction::kNone) {
      made.completion = locate_completion(w, i, lane, address_in(w, i.c, lane));
      if (made.completion == nullptr) return;
    }
    if (made.from != nullptr && made.to != nullptr) {
      note_flight(w, i, lane, from_side, to_side, made);
      w.block->async().start(AsyncCopies::bulk, w.warp * 32 + lane, std::move(made));
    } else {
      launch.stop = true;  // whoever waits for the copy would wait for ever
    }
  });
}

// A hint, which cannot fail.
void prefetch_bulk(Lanes& w, const Instruction& i) {
  if (w.traffic == nullptr) return;
  for_lanes(w, [&](std::uint32_t lane) {
    w.traffic->touch(Space::global, address_in(w, i.address, lane),
                     read_lane<std::uint32_t>(w.registers, i.b, lane));
  });
}

// The bytes get others: they may have any value now, and whoever uses them is to notice it.
void discard(Lanes& w, const Instruction& i) {
  constexpr std::uint32_t kLine = 128;
  for_lanes(w, [&](std::uint32_t lane) {
    const std::uint64_t address =
        address_in(w, i.address, lane) + static_cast<std::uint64_t>(i.imm);
    std::byte* line = locate_async(w, i, Space::global, lane, address, kLine, kLine, true);
    if (line == nullptr) return;
    std::memset(line, static_cast<int>(kNothing), kLine);
    if (w.observer == nullptr) return;
    w.observer->tell<&Check::store>(w, i, Space::global, lane, address, kLine, false);
    w.observer->tell<&Check::discard>(address, kLine);
  });
}

void store_async(Lanes& w, const Instruction& i) {
  const auto form = i.form<StoreForm>();
  const std::uint32_t element = form.bytes, bytes = element * i.count;
  const Space space = i.space;
  for_lanes(w, [&](std::uint32_t lane) {
    AsyncCopy made;
    Flight::Side to;
    made.bytes = bytes;
    made.combine = reduction_by(form.reduction);
    made.reduces = made.combine != nullptr;
    made.launch = &w.block->launch();
    for (std::uint32_t e = 0; e < i.count; ++e) {
      const std::uint64_t value =
          read_lane(w.registers, w.operands[i.more + e], lane, element == 8);
      std::memcpy(made.values.data() + std::size_t{e} * element, &value, element);
    }
    std::uint64_t address = address_in(w, i.address, lane), barrier = address_in(w, i.c, lane);
    // Generic addresses must be those of shared memory.
    const Space lies = resolve_space(w, space, address), at = resolve_space(w, space, barrier);
    if (lies != Space::shared || at != Space::shared) {
      const bool wrong = lies != Space::shared;
      record_fault(w, i, wrong ? lies : at, lane, wrong ? address : barrier, wrong ? bytes : 8,
                   true);
      made.launch->stop = true;
      return;
    }
    if (w.traffic != nullptr) w.traffic->touch(Space::shared, address, bytes);
    made.to = locate_async(w, i, Space::shared, lane, address, bytes, bytes, true, &to);
    made.completion = locate_completion(w, i, lane, barrier);
    if (made.to == nullptr || made.completion == nullptr) {
      made.launch->stop = true;
      return;
    }
    note_flight(w, i, lane, {Space::param, 0, nullptr, 0}, to, made);
    w.block->async().start(AsyncCopies::bulk, w.warp * 32 + lane, std::move(made));
  });
}

// The answer is written as copies are, and completes 16 bytes on the mbarrier of each block that
// gets it.
void try_cancel(Lanes& w, const Instruction& i) {
  constexpr std::uint32_t kAnswer = 16;
  LaunchState& launch = w.block->launch();
  for_lanes(w, [&](std::uint32_t lane) {
    std::uint64_t address = address_in(w, i.address, lane), barrier = address_in(w, i.c, lane);
    const Space lies = resolve_space(w, i.space, address), at = resolve_space(w, i.space, barrier);
    if (lies != Space::shared || at != Space::shared) {
      const bool wrong = lies != Space::shared;
      record_fault(w, i, wrong ? lies : at, lane, wrong ? address : barrier, wrong ? kAnswer : 8,
                   true);
      launch.stop = true;
      return;
    }
    AsyncCopy made;
    made.bytes = kAnswer;
    made.launch = &launch;
    const auto taken = launch.cancel ? launch.cancel() : std::nullopt;
    std::uint32_t words[] = {0, 0, 0, taken ? 1u : 0u};
    for (std::size_t d = 0; taken && d < taken->size(); ++d) words[d] = (*taken)[d];
    static_assert(sizeof words == kAnswer);
    std::memcpy(made.values.data(), words, sizeof words);
    const Flight::Side from{Space::param, 0, nullptr, 0};
    if (i.proxy) {  // to every block of the cluster
      const auto blocks = (1u << w.block->cluster().blocks.size()) - 1;
      if (!start_multicast(w, i, lane, blocks, address, kAnswer, barrier, from, made))
        launch.stop = true;
      return;
    }
    Flight::Side to;
    made.to = locate_async(w, i, Space::shared, lane, address, kAnswer, kAnswer, true, &to);
    made.completion = locate_completion(w, i, lane, barrier);
    if (made.to == nullptr || made.completion == nullptr) {
      launch.stop = true;
      return;
    }
    note_flight(w, i, lane, from, to, made);
    w.block->async().start(AsyncCopies::bulk, w.warp * 32 + lane, std::move(made));
  });
}

// address = to, b = bytes. It comes about at once.
void fill_bulk(Lanes& w, const Instruction& i) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  // of shared memory there is less
  for_lanes(w, [&](std::uint32_t lane) {
    const auto bytes = read_lane<std::uint64_t>(w.registers, i.b, lane);
    std::uint64_t address = address_in(w, i.address, lane);
    const Space space = resolve_space(w, i.space, address);
    if (bytes == 0) return;
    if (space != Space::shared || bytes % 8 != 0 || bytes > kMost) {
      record_fault(w, i, space, lane, bytes % 8 != 0 ? address | 1 : address, 8, true);
      return;
    }
    if (w.traffic != nullptr)
      w.traffic->touch(Space::shared, address, static_cast<std::uint32_t>(bytes));
    std::byte* to = locate_async(w, i, Space::shared, lane, address, bytes, 8, true);
    if (to == nullptr) return;
    if (w.observer != nullptr) {
      w.observer->tell<&Check::touch>(w, i, Space::shared, lane, address,
                                      static_cast<std::uint32_t>(bytes), Touch::store);
      w.observer->tell<&Check::fill_shared>(address, bytes);
    }
    std::memset(to, 0, bytes);
  });
}

}  // namespace

// An offset below kSharedPart is the block's own; that of the same place in a block of rank r lies
// (r + 1) parts above.
bool start_multicast(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint32_t blocks,
                     std::uint64_t to, std::uint64_t reach, std::uint64_t completion,
                     const Flight::Side& from, const AsyncCopy& made) {
  const std::size_t size = w.block->cluster().blocks.size();
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    const std::uint64_t part =
        rank < size ? (rank + 1) * kSharedPart : Arena::kWindow - kSharedPart;
    AsyncCopy one = made;
    Flight::Side side;
    one.to =
        locate_async(w, i, Space::shared, lane, part + to % kSharedPart, reach, 16, true, &side);
    if (one.to == nullptr) return false;
    one.completion = locate_completion(w, i, lane, part + completion % kSharedPart);
    if (one.completion == nullptr) return false;
    note_flight(w, i, lane, from, side, one);
    w.block->async().start(AsyncCopies::bulk, w.warp * 32 + lane, std::move(one));
  }
  return true;
}

void fill_bulk_copies(HandlerTable& table) {
  table.set(Opcode::copy_bulk, copy_bulk);
  table.set(Opcode::prefetch_bulk, prefetch_bulk);
  table.set(Opcode::store_async, store_async);
  table.set(Opcode::fill_bulk, fill_bulk);
  table.set(Opcode::try_cancel, try_cancel);
  table.set(Opcode::discard, discard);
}

}  // namespace warpmark::cpu
