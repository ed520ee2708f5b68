// Calls of the functions that the device provides: which they are, and what they take.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "program/decoder.hpp"
#include "ptx/device_functions.hpp"

namespace warpmark::cpu {
namespace {

struct Provided {
  std::string_view name;
  Runtime which;
  std::uint32_t result;                    ///< bytes; 0 if there is none
  std::array<std::uint32_t, 5> arguments;  ///< bytes
};

// Signatures as NVRTC declares them; __assertfail(message, file, line, function, character size).
constexpr Provided kProvided[] = {
    {"vprintf", Runtime::vprintf, 4, {8, 8}},
    {"__assertfail", Runtime::assertfail, 0, {8, 8, 4, 8, 8}},
    {"malloc", Runtime::malloc, 8, {8}},
    {"free", Runtime::free, 0, {8}},
    {"cudaGetParameterBufferV2", Runtime::parameter_buffer, 8, {8, 12, 12, 4}},
    {"cudaLaunchDeviceV2", Runtime::launch_device, 4, {8, 8}},
    {"cudaLaunchDeviceV2_ptsz", Runtime::launch_device, 4, {8, 8}},
    {"cudaGetLastError", Runtime::last_error, 4, {}},
    {"cudaPeekAtLastError", Runtime::peek_error, 4, {}},
};

// A call that was decoded as instructions ends its block all the same.
void go_on_behind(Emitter& out, BasicBlock& block) {
  block.end = out.code_end();
  block.exit = Exit::jump;
  block.next = out.place() - out.first_statement + 1;
}

// cudaGraphSetConditional(handle, value): the handle is the address of the condition's value
// (api/graph_conditional.cpp).
void set_condition(Emitter& out, const Call& call, BasicBlock& block) {
  if (call.arguments.size() != 2 || !call.results.empty() || call.arguments[0].bytes < 8 ||
      call.arguments[1].bytes < 4)
    out.invalid("the call does not match the parameters of 'cudaGraphSetConditional'");
  const auto load = [&](std::uint32_t offset, bool wide) {
    Instruction instruction;
    instruction.opcode = wide ? Opcode::load_local_u64_64 : Opcode::load_local_u32_32;
    instruction.count = 1;
    instruction.cost = wide ? 8 : 4;
    instruction.counter = bytes_counter(Space::local, Traffic::load);
    instruction.address =
        out.in_kernel() ? out.constant(0, true) : out.program.callees[out.callee].frame_slot;
    instruction.imm = offset;
    instruction.d = out.allocate(wide);
    instruction.site = out.program.sites++;
    out.emit(instruction);
    return instruction.d;
  };
  Instruction store;
  store.address = load(call.arguments[0].offset, true);
  store.d = load(call.arguments[1].offset, false);
  store.opcode = Opcode::store_global_u32_32;
  store.count = 1;
  store.cost = 4;
  store.counter = bytes_counter(Space::global, Traffic::store);
  store.site = out.program.sites++;
  out.program.note_access(Space::global, 4);
  out.emit(store);
  go_on_behind(out, block);
}

}  // namespace

bool runtime_call(Emitter& out, std::string_view name, const Call& call, BasicBlock& block) {
  if (name == "cudaGraphSetConditional") {
    set_condition(out, call, block);
    return true;
  }
  const std::string known = device_runtime_name(name);
  const std::string own = known.empty() ? std::string(name) : known;
  for (const Provided& provided : kProvided) {
    if (provided.name != own) continue;
    std::size_t count = 0;
    while (count < provided.arguments.size() && provided.arguments[count] != 0) ++count;
    bool fits = call.arguments.size() == count && call.results.size() <= 1;
    for (std::size_t i = 0; fits && i < count; ++i)
      fits = call.arguments[i].bytes >= provided.arguments[i];
    if (!call.results.empty())
      fits = fits && provided.result != 0 && call.results[0].bytes >= provided.result;
    if (!fits) out.invalid("the call does not match the parameters of '" + std::string(name) + "'");
    RuntimeCall made;
    made.which = provided.which;
    made.caller = out.callee;
    made.arguments = call.arguments;
    made.results = call.results;
    for (std::size_t i = 0; i < count; ++i) made.arguments[i].bytes = provided.arguments[i];
    for (Callee::Value& result : made.results) result.bytes = provided.result;
    const bool heap = in_order(made.which);
    out.program.uses_heap = out.program.uses_heap || heap;
    // Addresses depend on who comes first.
    out.program.ordered = out.program.ordered || heap;
    Instruction instruction;
    instruction.opcode = Opcode::runtime_call;
    instruction.imm = static_cast<std::int64_t>(out.program.runtime_calls.size());
    out.program.runtime_calls.push_back(std::move(made));
    out.emit(instruction);
    go_on_behind(out, block);
    return true;
  }
  if (!known.empty())
    out.refuse("'" + own + "' of the runtime on the device (dynamic parallelism) is not " +
               "implemented on this device");
  return false;
}

}  // namespace warpmark::cpu
