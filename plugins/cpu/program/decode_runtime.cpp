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

}  // namespace

bool Decoder::runtime_call(const Statement& statement, std::string_view name, const Call& call,
                           BasicBlock& block) {
  if (name == "cudaGraphSetConditional") {
    set_condition(statement, call, block);
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
    if (!fits)
      invalid(statement, "the call does not match the parameters of '" + std::string(name) + "'");
    RuntimeCall made;
    made.which = provided.which;
    made.caller = callee_;
    made.arguments = call.arguments;
    made.results = call.results;
    for (std::size_t i = 0; i < count; ++i) made.arguments[i].bytes = provided.arguments[i];
    for (Callee::Value& result : made.results) result.bytes = provided.result;
    const bool heap = in_order(made.which);
    program_.uses_heap = program_.uses_heap || heap;
    // Addresses depend on who comes first.
    program_.ordered = program_.ordered || heap;
    Instruction instruction;
    instruction.opcode = Opcode::runtime_call;
    instruction.imm = static_cast<std::int64_t>(program_.runtime_calls.size());
    program_.runtime_calls.push_back(std::move(made));
    emit(statement, instruction);
    go_on_behind(statement, block);
    return true;
  }
  if (!known.empty())
    refuse(statement, "'" + own + "' of the runtime on the device (dynamic parallelism) is not " +
                          "implemented on this device");
  return false;
}

// A call that was decoded as instructions ends its block all the same.
void Decoder::go_on_behind(const Statement& statement, BasicBlock& block) {
  block.end = static_cast<std::uint32_t>(program_.code.size());
  block.exit = Exit::jump;
  block.next = static_cast<std::uint32_t>(&statement - function_.statements.data()) + 1;
}

// cudaGraphSetConditional(handle, value): the handle is the address of the condition's value
// (api/graph_conditional.cpp).
void Decoder::set_condition(const Statement& statement, const Call& call, BasicBlock& block) {
  if (call.arguments.size() != 2 || !call.results.empty() || call.arguments[0].bytes < 8 ||
      call.arguments[1].bytes < 4)
    invalid(statement, "the call does not match the parameters of 'cudaGraphSetConditional'");
  const auto load = [&](std::uint32_t offset, bool wide) {
    Instruction instruction;
    instruction.opcode = wide ? Opcode::load_local_u64_64 : Opcode::load_local_u32_32;
    instruction.count = 1;
    instruction.cost = wide ? 8 : 4;
    instruction.counter = bytes_counter(Space::local, Traffic::load);
    instruction.address =
        callee_ == Instruction::kNone ? constant(0, true) : program_.callees[callee_].frame_slot;
    instruction.imm = offset;
    instruction.d = allocate(wide);
    instruction.site = program_.sites++;
    emit(statement, instruction);
    return instruction.d;
  };
  Instruction store;
  store.address = load(call.arguments[0].offset, true);
  store.d = load(call.arguments[1].offset, false);
  store.opcode = Opcode::store_global_u32_32;
  store.count = 1;
  store.cost = 4;
  store.counter = bytes_counter(Space::global, Traffic::store);
  store.site = program_.sites++;
  program_.note_access(Space::global, 4);
  emit(statement, store);
  go_on_behind(statement, block);
}

}  // namespace warpmark::cpu
