// Where variables, parameters and frames lie in a thread's and a block's memory.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "program/decoder.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kMostShared = std::uint64_t{48} << 10;  // static, of a block: ptxas
constexpr std::uint64_t kMostLocal = std::uint64_t{512} << 10;  // of a thread, CUDA's limit

std::uint64_t aligned(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

void Decoder::place_variables() {
  place_parameters();
  place_shared_of_module();
  for (const Variable& variable : function_.variables) {
    if (variable.space != Space::param) place_variable(variable);
  }
  place_call_sequences();
  const auto bytes = static_cast<std::uint32_t>(aligned(frame_bytes_, 16));
  if (callee_ == Instruction::kNone) {
    program_.local_bytes = program_.kernel_local_bytes = bytes;
    return;
  }
  Callee& callee = program_.callees[callee_];
  callee.frame_bytes = std::max(bytes, 16u);
  callee.frame_slot = allocate(true);
  callee.return_slot = allocate(false);
  callee.registers.push_back({callee.frame_slot, 8});
  callee.registers.push_back({callee.return_slot, 4});
}

// The next place in the thread's local memory, or in the function's frame.
std::uint64_t Decoder::place_local(std::uint64_t bytes, std::uint64_t alignment,
                                   std::uint32_t line) {
  const std::uint64_t offset = aligned(frame_bytes_, alignment);
  frame_bytes_ = offset + bytes;
  if (frame_bytes_ > kMostLocal) {
    throw PtxError(line, "'" + std::string(function_.name) + "' has more than " +
                             std::to_string(kMostLocal) + " bytes of local memory per thread");
  }
  return offset;
}

void Decoder::place_variable(const Variable& variable) {
  if (variable.space == Space::shared) return place_shared(variable);
  if (variable.space != Space::local) return;
  variables_[variable.name] = {Space::local,
                               place_local(variable.bytes, variable.alignment, variable.line), 0};
}

void Decoder::place_shared(const Variable& variable) {
  // An external one that has a size gets memory of its own, as from ptxas (Taichi's have one).
  if (variable.bytes == 0) {
    dynamic_.push_back(variable.name);
    shared_.dynamic_alignment =
        std::max<std::uint64_t>(shared_.dynamic_alignment, variable.alignment);
    return;
  }
  std::uint64_t& shared = shared_.shared_bytes;
  shared = aligned(shared, variable.alignment);
  variables_[variable.name] = {
      Space::shared, shared, object({Object::Kind::shared, variable.name, shared, variable.bytes})};
  shared += variable.bytes;
  if (shared > kMostShared && shared_.of_kernel) {
    throw PtxError(variable.line, "kernel '" + std::string(program_.name) + "' has " +
                                      std::to_string(shared) +
                                      " bytes of static shared memory; a block has " +
                                      std::to_string(kMostShared));
  }
}

// A function's parameters and results lie in its frame, a kernel's in the launch's buffer.
void Decoder::place_parameters() {
  if (callee_ == Instruction::kNone) {
    for (const Parameter& parameter : function_.parameters)
      variables_[parameter.name] = {Space::param, parameter.offset, 0, true};
    return;
  }
  const auto place = [this](const std::vector<Parameter>& values,
                            std::vector<Callee::Value>& places) {
    for (const Parameter& value : values) {
      const std::uint64_t at = place_local(value.bytes, value.alignment, function_.line);
      variables_[value.name] = {Space::local, at, 0, true};
      places.push_back({static_cast<std::uint32_t>(at), value.bytes});
    }
  };
  place(function_.parameters, program_.callees[callee_].parameters);
  place(function_.results, program_.callees[callee_].results);
}

// A module's shared variables belong to a kernel only if it or what it calls names them.
void Decoder::place_shared_of_module() {
  std::unordered_map<std::string_view, bool> used;
  for (const Operand& operand : function_.operands) {
    if (operand.kind == OperandKind::name) used[operand.text] = true;
  }
  for (const Variable& variable : module_.variables) {
    if (variable.space != Space::shared || !used.contains(variable.name)) continue;
    if (const auto known = shared_.shared.find(variable.name); known != shared_.shared.end()) {
      variables_[variable.name] = known->second;
      continue;
    }
    place_shared(variable);
    if (const auto placed = variables_.find(variable.name); placed != variables_.end())
      shared_.shared[variable.name] = placed->second;
  }
}

// The .param variables of call sequences are used one sequence after another, so those of one name
// share their place; the largest decides.
void Decoder::place_call_sequences() {
  struct Size {
    std::uint64_t bytes = 0;
    std::uint32_t alignment = 0;
  };
  std::unordered_map<std::string_view, Size> sizes;
  for (const Variable& variable : function_.variables) {
    if (variable.space != Space::param) continue;
    Size& size = sizes[variable.name];
    size.bytes = std::max(size.bytes, variable.bytes);
    size.alignment = std::max(size.alignment, variable.alignment);
  }
  for (const Variable& variable : function_.variables) {
    if (variable.space != Space::param || variables_.contains(variable.name)) continue;
    const Size& size = sizes[variable.name];
    const std::uint64_t at = place_local(size.bytes, size.alignment, variable.line);
    variables_[variable.name] = {Space::local, at, 0, true};
    if (callee_ == Instruction::kNone) {
      program_.call_space.emplace_back(static_cast<std::uint32_t>(at),
                                       static_cast<std::uint32_t>(size.bytes));
    }
  }
}

void Decoder::place_dynamic_shared() {
  for (const std::string_view name : dynamic_) {  // all of them alias one base
    std::uint32_t& all = shared_.dynamic_object;
    if (all == 0) all = object({Object::Kind::dynamic, name, program_.dynamic_offset, 0});
    variables_[name] = {Space::shared, program_.dynamic_offset, all};
  }
}

// Where the module's variable lies, or 0 if there is none of this name.
std::uint64_t Decoder::variable_address(const Statement& statement, std::string_view name) const {
  const auto found = module_.variable_by_name.find(name);
  if (found != module_.variable_by_name.end() && module_.variables[found->second].image &&
      statement.facts->family != Family::image && statement.facts->mnemonic != Mnemonic::cvta &&
      (statement.facts->mnemonic != Mnemonic::mov || !statement.facts->has(Type::u64)))
    invalid(statement, "'" + std::string(name) + "' is a texture or surface, which has no memory");
  return placement_.variable ? placement_.variable(name) : 0;
}

bool Decoder::is_constant_variable(std::string_view name) const {
  const auto found = module_.variable_by_name.find(name);
  return found != module_.variable_by_name.end() &&
         module_.variables[found->second].space == Space::constant;
}

}  // namespace warpmark::cpu
