// Calls and returns: frames on the thread's stack, values passed, registers saved by recursion.
#include <bit>
#include <cstdint>
#include <cstring>

#include "machine/block.hpp"

namespace warpmark::cpu {
namespace {

// One lane's part of a function's registers, to the end of `stack`, or back from there.
void save(const Callee& callee, const std::byte* registers, std::uint32_t lane,
          std::vector<std::byte>& stack) {
  for (const Callee::Saved& saved : callee.registers) {
    if (saved.bytes == 0) {
      stack.push_back(std::byte{static_cast<std::uint8_t>(
          read_lane<std::uint32_t>(registers, saved.slot, 0) >> lane & 1)});
    } else {
      const std::byte* from = registers + saved.slot + lane * saved.bytes;
      stack.insert(stack.end(), from, from + saved.bytes);
    }
  }
}
void restore(const Callee& callee, std::byte* registers, std::uint32_t lane,
             std::vector<std::byte>& stack) {
  for (auto saved = callee.registers.rbegin(); saved != callee.registers.rend(); ++saved) {
    if (saved->bytes == 0) {
      const auto bit = static_cast<std::uint32_t>(stack.back());
      const auto mask = read_lane<std::uint32_t>(registers, saved->slot, 0);
      write_lane(registers, saved->slot, 0, (mask & ~(1u << lane)) | bit << lane);
      stack.pop_back();
    } else {
      std::memcpy(registers + saved->slot + lane * saved->bytes,
                  stack.data() + (stack.size() - saved->bytes), saved->bytes);
      stack.erase(stack.end() - saved->bytes, stack.end());
    }
  }
}

}  // namespace

std::uint64_t BlockState::frame_of(const Warp& warp, std::uint32_t callee,
                                   std::uint32_t lane) const {
  if (callee == Instruction::kNone) return 0;  // the kernel's variables are at the bottom
  return read_lane<std::uint64_t>(warp.lanes.registers, launch_.program.callees[callee].frame_slot,
                                  lane);
}

std::vector<std::uint32_t> BlockState::calls_to(std::uint32_t statement, std::uint32_t warp,
                                                std::uint32_t lane) const {
  constexpr std::size_t kMostCalls = 16;
  const Program& program = launch_.program;
  std::vector<std::uint32_t> calls;
  if (program.callees.empty()) return calls;
  // Functions are decoded in the order of their numbers, and the kernel last.
  std::uint32_t callee = 0;
  while (callee + 1 < program.sources.size() && program.sources[callee + 1].first <= statement)
    ++callee;
  while (callee < program.callees.size() && calls.size() < kMostCalls) {
    const auto number = read_lane<std::uint32_t>(warps_[warp].lanes.registers,
                                                 program.callees[callee].return_slot, lane);
    if (number >= program.calls.size()) break;
    const Call& call = program.calls[number];
    calls.push_back(call.statement);
    if (call.recursive) break;  // who called it first is with the registers that were saved
    callee = call.caller;
  }
  return calls;
}

void BlockState::fail_call(const Warp& warp, const Call& call, std::uint32_t mask, FaultKind kind,
                           const std::string& message) {
  Fault fault = this->fault(kind, call.statement, warp.lanes.warp, mask);
  fault.message = message;
  launch_.faults.add(fault);
  launch_.stop = true;
}

void BlockState::enter(Warp& warp, const Fragment& fragment, const BasicBlock& node) {
  const Program& program = launch_.program;
  const Call& call = program.calls[node.barrier];
  for (std::uint32_t rest = fragment.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t number = call.callee;
    if (number == Instruction::kNone) {
      // A pointer is a validated index, never an address to go to.
      const auto address = read_lane<std::uint64_t>(warp.lanes.registers, call.target, lane);
      const std::uint64_t offset = address - program.code_window;
      const std::uint64_t index = offset / Placement::kFunctionStride;
      const auto found =
          offset % Placement::kFunctionStride != 0 || index == 0 || index > 0xffffffff
              ? program.callee_of.end()
              : program.callee_of.find(static_cast<std::uint32_t>(index - 1));
      bool fits = found != program.callee_of.end();
      if (fits) {
        const Callee& callee = program.callees[found->second];
        fits = callee.parameters.size() == call.arguments.size() &&
               callee.results.size() == call.results.size();
        for (std::size_t i = 0; fits && i < call.arguments.size(); ++i)
          fits = callee.parameters[i].bytes <= call.arguments[i].bytes;
        for (std::size_t i = 0; fits && i < call.results.size(); ++i)
          fits = callee.results[i].bytes <= call.results[i].bytes;
      }
      if (!fits) {
        fail_call(warp, call, 1u << lane, FaultKind::invalid_pc,
                  found == program.callee_of.end()
                      ? "a call through a pointer that is no function's"
                      : "a call through a pointer to a function with other parameters");
        return;
      }
      number = found->second;
    }
    const Callee& callee = program.callees[number];
    std::uint64_t& top = warp.stack_top[lane];
    if (top + callee.frame_bytes > local_bytes_) {
      fail_call(warp, call, 1u << lane, FaultKind::stack,
                "the thread's calls need more than its " +
                    std::to_string(local_bytes_ - program.kernel_local_bytes) + " bytes of stack");
      return;
    }
    const std::uint64_t from = frame_of(warp, call.caller, lane);
    if (call.recursive) save(callee, warp.lanes.registers, lane, warp.saved[lane]);
    std::byte* local = warp.lanes.local.host + lane * local_bytes_;
    std::memset(local + top, 0, callee.frame_bytes);
    tell<&Check::enter_frame>(warp.lanes.warp, lane, number, top);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const std::uint64_t argument = from + call.arguments[i].offset;
      const std::uint64_t parameter = top + callee.parameters[i].offset;
      const std::uint32_t bytes = callee.parameters[i].bytes;
      std::memcpy(local + parameter, local + argument, bytes);
      tell<&Check::copy_local>(warp.lanes.warp, lane, argument, parameter, bytes);
    }
    write_lane(warp.lanes.registers, callee.frame_slot, lane, top);
    write_lane(warp.lanes.registers, callee.return_slot, lane, node.barrier);
    top += callee.frame_bytes;
    Fragment inside = fragment;
    inside.node = callee.entry;
    inside.mask = 1u << lane;
    warp.add(inside);
  }
}

void BlockState::return_from(Warp& warp, const Fragment& fragment, const BasicBlock& node) {
  const Program& program = launch_.program;
  const Callee& callee = program.callees[node.barrier];
  for (std::uint32_t rest = fragment.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const Call& call =
        program.calls[read_lane<std::uint32_t>(warp.lanes.registers, callee.return_slot, lane)];
    const std::uint64_t base = frame_of(warp, node.barrier, lane);
    if (call.recursive) restore(callee, warp.lanes.registers, lane, warp.saved[lane]);
    warp.stack_top[lane] = base;
    const std::uint64_t to = frame_of(warp, call.caller, lane);
    std::byte* local = warp.lanes.local.host + lane * local_bytes_;
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      std::memcpy(local + to + call.results[i].offset, local + base + callee.results[i].offset,
                  callee.results[i].bytes);
      tell<&Check::copy_local>(warp.lanes.warp, lane, base + callee.results[i].offset,
                               to + call.results[i].offset, callee.results[i].bytes);
    }
    tell<&Check::leave_frame>(warp.lanes.warp, lane, node.barrier, base);
    Fragment back = fragment;
    back.node = call.next;
    back.mask = 1u << lane;
    warp.add(back);
  }
}

}  // namespace warpmark::cpu
