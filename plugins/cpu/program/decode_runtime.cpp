// Calls of the functions that the device provides: which they are, and what they take.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "program/decoder.hpp"

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
};

}  // namespace

bool Decoder::runtime_call(const Statement& statement, std::string_view name, const Call& call,
                           Block& block) {
  if (name.starts_with("cudaLaunchDevice") || name.starts_with("cudaGetParameterBuffer") ||
      name.starts_with("cudaDeviceSynchronize") || name.starts_with("cudaStream"))
    refuse(statement,
           "kernels that launch kernels (dynamic parallelism) do not run on this device");
  for (const Provided& provided : kProvided) {
    if (provided.name != name) continue;
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
    const bool heap = made.which == Runtime::malloc || made.which == Runtime::free;
    program_.uses_heap = program_.uses_heap || heap;
    // Addresses depend on who comes first.
    program_.ordered = program_.ordered || heap;
    Instruction instruction;
    instruction.opcode = Opcode::runtime_call;
    instruction.imm = static_cast<std::int64_t>(program_.runtime_calls.size());
    program_.runtime_calls.push_back(std::move(made));
    emit(statement, instruction);
    block.end = static_cast<std::uint32_t>(program_.code.size());
    block.exit = Exit::jump;
    block.next = static_cast<std::uint32_t>(&statement - function_.statements.data()) + 1;
    return true;
  }
  return false;
}

}  // namespace warpmark::cpu
