// The functions that the device provides to kernels: printf, assert, malloc and free, and launches
// of kernels.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "inspect/observer.hpp"
#include "machine/block.hpp"
#include "machine/device_calls.hpp"
#include "machine/format.hpp"
#include "machine/handlers.hpp"
#include "machine/heap.hpp"
#include "machine/turns.hpp"
#include "memory/arena.hpp"
#include "memory/init_bits.hpp"

namespace warpmark::cpu {
namespace {

// A string without an end would otherwise take all memory; CUDA's own limit is its FIFO.
constexpr std::size_t kMostText = 64 << 10;

// The bytes from a generic address to the end of the memory that it lies in, as one lane sees it;
// size 0 if there is none.
Region memory_at(const Lanes& w, std::uint32_t lane, std::uint64_t address) {
  const LaunchState& launch = w.block->launch();
  const auto tail = [](const Region& region, std::uint64_t offset) {
    if (offset >= region.size) return Region{};
    return Region{offset, region.size - offset, region.host + offset};
  };
  const std::uint64_t offset = address - w.local_window;
  switch (offset / Arena::kWindow) {
    case 0: {
      Region local = w.local;
      local.host += std::uint64_t{lane} * local.size;
      return tail(local, offset);
    }
    case 1:
      return tail(w.shared, offset % Arena::kWindow);
    case 2:
      return tail(w.param, offset % Arena::kWindow);
    default: {
      const Arena* arena = launch.arena.holder(address, 1);
      if (arena == nullptr) return {};
      const Allocation* found = arena->find(address, 1);
      const std::uint64_t left = found->bytes - (address - found->address);
      return {address, left, arena->host(address)};
    }
  }
}

std::string text_at(const Lanes& w, std::uint32_t lane, std::uint64_t address, std::size_t most) {
  const Region memory = memory_at(w, lane, address);
  if (memory.size == 0) return address == 0 ? "(null)" : "(invalid)";
  const auto* text = reinterpret_cast<const char*>(memory.host);
  const std::size_t length = std::min({static_cast<std::size_t>(memory.size), most, kMostText});
  return {text, strnlen(text, length)};
}

// A variable argument list: values one after another, each aligned to its size.
class PackedArguments final : public FormatArguments {
 public:
  PackedArguments(const Lanes& w, std::uint32_t lane, std::uint64_t address)
      : w_(w), lane_(lane), memory_(memory_at(w, lane, address)) {}
  std::uint64_t next(std::uint32_t bytes) override {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    if (offset_ + bytes <= memory_.size) std::memcpy(&value, memory_.host + offset_, bytes);
    offset_ += bytes;
    return value;
  }
  std::string text(std::uint64_t address, std::size_t most) override {
    return text_at(w_, lane_, address, most);
  }

 private:
  const Lanes& w_;
  std::uint32_t lane_;
  Region memory_;
  std::uint64_t offset_ = 0;
};

// One lane's call: its arguments and results lie in the caller's frame.
class Frame {
 public:
  Frame(const Lanes& w, const RuntimeCall& call, std::uint32_t lane)
      : w_(w), call_(call), lane_(lane) {
    const Program& program = w.block->launch().program;
    base_ =
        call.caller == Instruction::kNone
            ? 0
            : read_lane<std::uint64_t>(w.registers, program.callees[call.caller].frame_slot, lane);
    local_ = w.local.host + std::uint64_t{lane} * w.local.size + base_;
  }
  [[nodiscard]] std::uint64_t argument(std::size_t index) const {
    std::uint64_t value = 0;
    const Callee::Value& place = call_.arguments[index];
    std::memcpy(&value, local_ + place.offset, std::min<std::size_t>(place.bytes, 8));
    return value;
  }
  [[nodiscard]] std::array<std::uint32_t, 3> dimensions(std::size_t index) const {
    std::array<std::uint32_t, 3> value{};
    std::memcpy(&value, local_ + call_.arguments[index].offset, sizeof value);
    return value;
  }
  void result(std::uint64_t value) const {
    if (call_.results.empty()) return;
    const Callee::Value& place = call_.results[0];
    std::memcpy(local_ + place.offset, &value, std::min<std::size_t>(place.bytes, 8));
    if (w_.observer != nullptr)
      w_.observer->tell<&Check::fill_local>(w_.warp, lane_, base_ + place.offset, place.bytes);
  }

 private:
  const Lanes& w_;
  const RuntimeCall& call_;
  std::uint32_t lane_;
  std::uint64_t base_ = 0;
  std::byte* local_ = nullptr;
};

std::string triple(const std::array<std::uint32_t, 3>& at) {
  return "[" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) +
         "]";
}

void add_fault(const Lanes& w, const Instruction& i, std::uint32_t lane, FaultKind kind,
               const std::string& message) {
  LaunchState& launch = w.block->launch();
  Fault fault = w.block->fault(kind, i.statement, w.warp, 1u << lane);
  fault.message = message;
  launch.faults.add(fault);
  launch.stop = true;
}

void print(const Lanes& w, std::uint32_t lane, const Frame& frame) {
  const std::uint64_t format = frame.argument(0);
  if (format == 0) {
    frame.result(~std::uint64_t{0});  // CUDA: -1 for a format that is null
    return;
  }
  PackedArguments arguments(w, lane, frame.argument(1));
  std::uint32_t taken = 0;
  w.block->launch().printed.add(format_text(text_at(w, lane, format, kMostText), arguments, taken));
  frame.result(taken);
}

void fail_assertion(const Lanes& w, const Instruction& i, std::uint32_t lane, const Frame& frame) {
  const auto text = [&](std::size_t index) {
    return text_at(w, lane, frame.argument(index), kMostText);
  };
  const std::string message =
      text(1) + ":" + std::to_string(static_cast<std::uint32_t>(frame.argument(2))) + ": " +
      text(3) + ": block: " + triple(w.block->coordinates()) +
      ", thread: " + triple(w.block->thread(w.warp, lane)) + " Assertion `" + text(0) + "` failed.";
  w.block->launch().asserted.add(message + "\n");
  add_fault(w, i, lane, FaultKind::assertion, message);
}

void release(Lanes& w, const Instruction& i, std::uint32_t lane, DeviceHeap& heap,
             std::uint64_t address) {
  if (address == 0) return;
  switch (heap.free(address)) {
    case DeviceHeap::Freed::good:
      w.block->forget_regions(address);
      return;
    case DeviceHeap::Freed::twice:
      add_fault(w, i, lane, FaultKind::heap, "free of device memory that was freed already");
      return;
    case DeviceHeap::Freed::unknown:
      add_fault(w, i, lane, FaultKind::heap, "free of a pointer that malloc did not return");
  }
}

std::uint64_t thread_key(const Lanes& w, std::uint32_t lane) {
  const auto& [x, y, z] = w.block->coordinates();
  const LaunchShape& shape = w.block->launch().shape;
  const std::uint64_t block = (std::uint64_t{z} * shape.grid[1] + y) * shape.grid[0] + x;
  return block * 1024 + std::uint64_t{w.warp} * 32 + lane;
}

// Memory from malloc has no values yet.
std::uint64_t allocate(const Lanes& w, LaunchState& launch, std::uint64_t bytes) {
  if (launch.shape.heap == nullptr) return 0;
  const std::uint64_t address = launch.shape.heap->allocate(bytes);
  const Allocation* memory = address == 0 ? nullptr : launch.arena.find(address, bytes);
  if (memory != nullptr && memory->init != nullptr) launch.arena.set_values(address, bytes, false);
  if (w.observer != nullptr && memory != nullptr)
    w.observer->tell<&Check::allocated>(address, bytes);
  return address;
}

// A kernel's parameters are written to memory of the heap before it is launched.
std::uint64_t parameter_buffer(const Lanes& w, LaunchState& launch, const Frame& frame) {
  DeviceLaunch asked;
  asked.function = function_at(w, frame.argument(0));
  if (asked.function == kNoFunction) return 0;
  asked.grid = frame.dimensions(1);
  asked.block = frame.dimensions(2);
  asked.shared = static_cast<std::uint32_t>(frame.argument(3));
  const std::uint32_t bytes = launch.shape.module->functions[asked.function].parameter_bytes;
  const std::uint64_t address = allocate(w, launch, std::max(bytes, 16u));
  if (address != 0) launch.device.asked[address] = std::move(asked);
  return address;
}

// Each thread has its own last error.
std::uint32_t last_error(const Lanes& w, std::uint32_t lane, bool forget) {
  std::map<std::uint64_t, std::uint32_t>& errors = w.block->launch().device.last_errors;
  const auto found = errors.find(thread_key(w, lane));
  if (found == errors.end()) return 0;
  const std::uint32_t error = found->second;
  if (forget) errors.erase(found);
  return error;
}

void runtime_call(Lanes& w, const Instruction& i) {
  LaunchState& launch = w.block->launch();
  const RuntimeCall& call = launch.program.runtime_calls[static_cast<std::size_t>(i.imm)];
  if (in_order(call.which) && launch.turns != nullptr && !launch.in_turn)
    launch.turns->wait(launch);
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const Frame frame(w, call, lane);
    switch (call.which) {
      case Runtime::vprintf:
        print(w, lane, frame);
        break;
      case Runtime::assertfail:
        fail_assertion(w, i, lane, frame);
        break;
      case Runtime::malloc:
        frame.result(allocate(w, launch, frame.argument(0)));
        break;
      case Runtime::free:
        if (launch.shape.heap != nullptr)
          release(w, i, lane, *launch.shape.heap, frame.argument(0));
        break;
      case Runtime::parameter_buffer:
        frame.result(parameter_buffer(w, launch, frame));
        break;
      case Runtime::launch_device: {
        const std::uint32_t error = launch_device(w, frame.argument(0), frame.argument(1));
        if (error != 0) launch.device.last_errors[thread_key(w, lane)] = error;
        frame.result(error);
        break;
      }
      case Runtime::last_error:
      case Runtime::peek_error:
        frame.result(last_error(w, lane, call.which == Runtime::last_error));
        break;
    }
  }
}

}  // namespace

void fill_runtime(HandlerTable& table) {
  table.set(Opcode::runtime_call, runtime_call);
}

}  // namespace warpmark::cpu
