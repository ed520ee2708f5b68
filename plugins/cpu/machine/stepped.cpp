// Blocks as a debugger sees them: stops between statements, and where each thread is.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "machine/block.hpp"
#include "machine/stepper.hpp"
#include "memory/generic_address.hpp"

namespace warpmark::cpu {
namespace {

std::uint32_t bytes_of(const Callee& callee) {
  std::uint32_t bytes = 0;
  for (const Callee::Saved& saved : callee.registers)
    bytes += std::max<std::uint32_t>(1, saved.bytes);
  return bytes;
}

}  // namespace

bool BlockState::may_step(const Warp& warp, std::uint32_t mask, std::uint32_t statement) {
  Stepper& stepper = *launch_.shape.stepper;
  if (stepper.ended) return false;
  const std::size_t faults = launch_.faults.faults().size();
  const bool found = faults > stepper.faults_known;
  stepper.faults_known = faults;
  const bool stored = std::exchange(stepper.stored, false);
  if ((found || stored || stepper.is_wanted(statement)) &&
      !stepper.before(*this, warp, mask, statement, found)) {
    stepper.ended = true;
    launch_.stop = true;
    return false;
  }
  ++stepper.count;
  return true;
}

// A branch or barrier that is the last statement of a node is a step, too. An operation for which
// lanes meet before it is one when they have met.
bool BlockState::may_leave(const Warp& warp, std::uint32_t mask, const BasicBlock& node) {
  if (node.exit == Exit::collect) return true;
  const std::uint32_t last =
      node.end > node.begin ? launch_.program.code[node.end - 1].statement : Instruction::kNone;
  return node.statement == last || may_step(warp, mask, node.statement);
}

// The number among Program::sources of the function that holds a statement: callees, in the order of
// their numbers, and then the kernel.
std::uint32_t BlockState::source_of(std::uint32_t statement) const {
  const std::vector<Program::Source>& sources = launch_.program.sources;
  std::uint32_t source = 0;
  while (source + 1 < sources.size() && sources[source + 1].first <= statement) ++source;
  return source;
}

BlockState::Whereabouts BlockState::where(std::uint32_t warp, std::uint32_t lane) const {
  Whereabouts found;
  if ((warps_[warp].live >> lane & 1) == 0) return found;
  found.state = Whereabouts::State::runs;
  for (const Fragment& fragment : warps_[warp].fragments) {
    if ((fragment.mask >> lane & 1) == 0) continue;
    const BasicBlock& node = launch_.program.blocks[fragment.node];
    found.known = true;
    if (fragment.waits()) {
      found.state = Whereabouts::State::waits;
      found.statement = statement_of_wait(launch_.program, fragment.node);
      return found;
    }
    const std::uint32_t next =
        node.begin + (fragment.wait == Fragment::Wait::none ? fragment.key : 0);
    found.statement = next < node.end ? launch_.program.code[next].statement : node.statement;
  }
  return found;
}

std::vector<BlockState::Frame> BlockState::frames(std::uint32_t warp, std::uint32_t lane,
                                                  std::uint32_t statement) const {
  constexpr std::size_t kMostFrames = 1000;
  const Program& program = launch_.program;
  std::vector<Frame> frames;
  // Where each function's registers are of the frame that is looked at.
  std::vector<std::size_t> saved(program.callees.size(), Frame::kLive);
  std::size_t top = warps_[warp].saved[lane].size();
  std::uint32_t source = source_of(statement);
  while (frames.size() < kMostFrames) {
    Frame frame;
    frame.statement = statement;
    frame.source = source;
    if (source >= program.callees.size()) {
      frames.push_back(frame);
      break;
    }
    const Callee& callee = program.callees[source];
    frame.saved = saved[source];
    frame.base = slot_in(frame, warp, lane, callee.frame_slot, true);
    frames.push_back(frame);
    const auto number =
        static_cast<std::uint32_t>(slot_in(frame, warp, lane, callee.return_slot, false));
    if (number >= program.calls.size()) break;
    const Call& call = program.calls[number];
    if (call.recursive) {
      const std::uint32_t bytes = bytes_of(callee);
      if (top < bytes) break;
      saved[source] = top -= bytes;
    }
    statement = call.statement;
    source =
        std::min<std::uint32_t>(call.caller, static_cast<std::uint32_t>(program.callees.size()));
  }
  return frames;
}

std::uint64_t BlockState::slot_in(const Frame& frame, std::uint32_t warp, std::uint32_t lane,
                                  std::uint32_t slot, bool wide) const {
  const std::byte* registers = warps_[warp].lanes.registers;
  if (frame.saved == Frame::kLive) return read_lane(registers, slot, lane, wide);
  const std::byte* at = warps_[warp].saved[lane].data() + frame.saved;
  for (const Callee::Saved& one : launch_.program.callees[frame.source].registers) {
    if (one.slot == slot) {
      std::uint64_t value = 0;
      std::memcpy(&value, at, std::max<std::uint32_t>(1, one.bytes));
      return value;
    }
    at += std::max<std::uint32_t>(1, one.bytes);
  }
  return read_lane(registers, slot, lane, wide);
}

bool BlockState::register_in(const Frame& frame, std::uint32_t warp, std::uint32_t lane,
                             std::uint32_t number, RegisterValue& value) const {
  const Program::Source& source = launch_.program.sources[frame.source];
  if (source.places == nullptr || number >= source.places->slots.size()) return false;
  const std::uint32_t slot = source.places->slots[number];
  if (slot == Instruction::kNone) return false;
  const Type type = source.function->registers[number].type;
  if (type == Type::pred) {
    const std::uint64_t bits = slot_in(frame, warp, lane, slot, false);
    const bool live = frame.saved == Frame::kLive;
    // A predicate has one bit a lane, and lies in lane 0.
    value.low = live ? read_lane<std::uint32_t>(warps_[warp].lanes.registers, slot, 0) >> lane & 1
                     : bits & 1;
    value.bits = 1;
    return true;
  }
  const std::uint32_t bytes = cpu::bytes_of(type);
  value.bits = bytes * 8;
  value.low = slot_in(frame, warp, lane, slot, bytes >= 8);
  if (bytes == 16) value.high = slot_in(frame, warp, lane, slot + 256, true);
  if (bytes < 8) value.low &= ~std::uint64_t{0} >> (64 - bytes * 8);
  return true;
}

const std::byte* BlockState::memory_at(Space space, std::uint64_t address, std::uint64_t bytes,
                                       std::uint32_t warp, std::uint32_t lane) const {
  const Lanes& lanes = warps_[warp].lanes;
  space = resolve_space(lanes, space, address);
  const auto within = [&](const Region& region, std::uint64_t further) -> const std::byte* {
    const bool inside = address <= region.size && bytes <= region.size - address;
    return inside ? region.host + further + address : nullptr;
  };
  switch (space) {
    case Space::shared:
      return within(lanes.shared, 0);
    case Space::local:
      return within(lanes.local, lane * local_bytes_);
    case Space::param:
      return within(lanes.param, 0);
    case Space::global:
    case Space::constant: {
      const Arena* holder = launch_.arena.holder(address, bytes);
      return holder == nullptr ? nullptr : holder->host(address);
    }
    default:
      return nullptr;
  }
}

}  // namespace warpmark::cpu
