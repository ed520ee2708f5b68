// Where variables, parameters and frames lie in a thread's and a block's memory.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "program/decoder.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kMostShared = std::uint64_t{48} << 10;  // static, of a block: ptxas

constexpr std::uint64_t kMostLocal = std::uint64_t{512} << 10;  // of a thread, CUDA's limit

std::uint64_t aligned(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

// The next place in the thread's local memory, or in the function's frame.
std::uint64_t place_local(Emitter& out, std::uint64_t bytes, std::uint64_t alignment,
                          std::uint32_t line) {
  const std::uint64_t offset = aligned(out.frame_bytes, alignment);
  out.frame_bytes = offset + bytes;
  if (out.frame_bytes > kMostLocal) {
    throw PtxError(line, "'" + std::string(out.function.name) + "' has more than " +
                             std::to_string(kMostLocal) + " bytes of local memory per thread");
  }
  return offset;
}

void place_shared(Emitter& out, const Variable& variable) {
  // An external one that has a size gets memory of its own, as from ptxas (Taichi's have one).
  if (variable.bytes == 0) {
    out.dynamic.push_back(variable.name);
    out.shared.dynamic_alignment =
        std::max<std::uint64_t>(out.shared.dynamic_alignment, variable.alignment);
    return;
  }
  std::uint64_t& shared = out.shared.shared_bytes;
  shared = aligned(shared, variable.alignment);
  out.variables[variable.name] = {
      Space::shared, shared,
      out.object({Object::Kind::shared, variable.name, shared, variable.bytes})};
  shared += variable.bytes;
  if (shared > kMostShared && out.shared.of_kernel) {
    throw PtxError(variable.line, "kernel '" + std::string(out.program.name) + "' has " +
                                      std::to_string(shared) +
                                      " bytes of static shared memory; a block has " +
                                      std::to_string(kMostShared));
  }
}

void place_variable(Emitter& out, const Variable& variable) {
  if (variable.space == Space::shared) return place_shared(out, variable);
  if (variable.space != Space::local) return;
  out.variables[variable.name] = {
      Space::local, place_local(out, variable.bytes, variable.alignment, variable.line), 0};
}

// A function's parameters and results lie in its frame, a kernel's in the launch's buffer.
void place_parameters(Emitter& out) {
  if (out.in_kernel()) {
    for (const Parameter& parameter : out.function.parameters)
      out.variables[parameter.name] = {Space::param, parameter.offset, 0, true};
    return;
  }
  const auto place = [&](const std::vector<Parameter>& values, std::vector<Callee::Value>& places) {
    for (const Parameter& value : values) {
      const std::uint64_t at = place_local(out, value.bytes, value.alignment, out.function.line);
      out.variables[value.name] = {Space::local, at, 0, true};
      places.push_back({static_cast<std::uint32_t>(at), value.bytes});
    }
  };
  place(out.function.parameters, out.program.callees[out.callee].parameters);
  place(out.function.results, out.program.callees[out.callee].results);
}

// A module's shared variables belong to a kernel only if it or what it calls names them.
void place_shared_of_module(Emitter& out) {
  std::unordered_map<std::string_view, bool> used;
  for (const Operand& operand : out.function.operands) {
    if (operand.kind == OperandKind::name) used[operand.text] = true;
  }
  for (const Variable& variable : out.module.variables) {
    if (variable.space != Space::shared || !used.contains(variable.name)) continue;
    if (const auto known = out.shared.shared.find(variable.name);
        known != out.shared.shared.end()) {
      out.variables[variable.name] = known->second;
      continue;
    }
    place_shared(out, variable);
    if (const auto placed = out.variables.find(variable.name); placed != out.variables.end())
      out.shared.shared[variable.name] = placed->second;
  }
}

// The .param variables of call sequences are used one sequence after another, so those of one name
// share their place; the largest decides.
void place_call_sequences(Emitter& out) {
  struct Size {
    std::uint64_t bytes = 0;
    std::uint32_t alignment = 0;
  };
  std::unordered_map<std::string_view, Size> sizes;
  for (const Variable& variable : out.function.variables) {
    if (variable.space != Space::param) continue;
    Size& size = sizes[variable.name];
    size.bytes = std::max(size.bytes, variable.bytes);
    size.alignment = std::max(size.alignment, variable.alignment);
  }
  for (const Variable& variable : out.function.variables) {
    if (variable.space != Space::param || out.variables.contains(variable.name)) continue;
    const Size& size = sizes[variable.name];
    const std::uint64_t at = place_local(out, size.bytes, size.alignment, variable.line);
    out.variables[variable.name] = {Space::local, at, 0, true};
    if (out.in_kernel()) {
      out.program.call_space.emplace_back(static_cast<std::uint32_t>(at),
                                          static_cast<std::uint32_t>(size.bytes));
    }
  }
}

}  // namespace

void place_variables(Emitter& out) {
  place_parameters(out);
  place_shared_of_module(out);
  for (const Variable& variable : out.function.variables) {
    if (variable.space != Space::param) place_variable(out, variable);
  }
  place_call_sequences(out);
  const auto bytes = static_cast<std::uint32_t>(aligned(out.frame_bytes, 16));
  if (out.in_kernel()) {
    out.program.local_bytes = out.program.kernel_local_bytes = bytes;
    return;
  }
  Callee& callee = out.program.callees[out.callee];
  callee.frame_bytes = std::max(bytes, 16u);
  callee.frame_slot = out.allocate(true);
  callee.return_slot = out.allocate(false);
  callee.registers.push_back({callee.frame_slot, 8});
  callee.registers.push_back({callee.return_slot, 4});
}

void place_dynamic_shared(Emitter& out) {
  for (const std::string_view name : out.dynamic) {  // all of them alias one base
    std::uint32_t& all = out.shared.dynamic_object;
    if (all == 0) all = out.object({Object::Kind::dynamic, name, out.program.dynamic_offset, 0});
    out.variables[name] = {Space::shared, out.program.dynamic_offset, all};
  }
}

bool is_constant_variable(const Emitter& out, std::string_view name) {
  const auto found = out.module.variable_by_name.find(name);
  return found != out.module.variable_by_name.end() &&
         out.module.variables[found->second].space == Space::constant;
}

}  // namespace warpmark::cpu
