// A kernel and the functions that it calls, statement by statement, as one program.
#include "program/decoder.hpp"

#include <memory>
#include <utility>

#include "program/check_module.hpp"
#include "program/contention.hpp"
#include "program/deciding_accesses.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

using Decode = void (*)(Emitter& out);
constexpr Decode kDecoders[] = {
#define FAMILY(name) decode_##name,
#include "ptx/families.def"
};

}  // namespace

void decode_instruction(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  if (facts.form == nullptr) out.invalid(what_is_wrong(out.statement().opcode));
  out.check_target();
  if (facts.family == Family::none) out.refuse_opcode();
  kDecoders[static_cast<std::size_t>(facts.family) - 1](out);
}

namespace {

// Emitters of the functions in this order, with their variables placed. The first `callees` of them
// are called.
std::vector<Emitter> emitters_of(Decoding& shared, const Function& entry,
                                 const std::vector<std::uint32_t>& order, std::size_t callees) {
  Program& program = shared.program;
  program.name = entry.name;
  program.function = &entry;
  program.module = &shared.module;
  program.code_window = shared.placement.code_window;
  program.callees.resize(callees);
  std::vector<Emitter> emitters;
  emitters.reserve(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const Function& one = shared.module.functions[order[i]];
    if (i < callees) {
      program.callees[i].function = &one;
      program.callee_of[order[i]] = i;
    }
    emitters.emplace_back(shared, one, i < callees ? i : Instruction::kNone);
    place_variables(emitters.back());
  }
  return emitters;
}

}  // namespace

Program decode(const Module& module, const Function& function, const Placement& placement) {
  if (!function.has_body)
    throw PtxError(function.line, "kernel '" + std::string(function.name) + "' has no body");
  Decoding shared(module, placement);
  Program& program = shared.program;
  const CallGraph graph = call_graph(module, function);
  std::vector<Emitter> emitters =
      emitters_of(shared, function, graph.order, graph.order.size() - 1);  // the kernel is last
  const std::uint64_t alignment = shared.dynamic_alignment;
  program.shared_bytes = static_cast<std::uint32_t>(shared.shared_bytes);
  program.dynamic_offset =
      static_cast<std::uint32_t>((shared.shared_bytes + alignment - 1) / alignment * alignment);
  for (std::size_t i = 0; i < emitters.size(); ++i) {
    place_dynamic_shared(emitters[i]);
    decode_blocks(emitters[i]);
    program.sources[i].places = std::make_shared<FunctionPlaces>(emitters[i].take_places());
  }
  if (shared.unsupported) throw PtxError(*shared.unsupported);
  mark_repeated_functions(program);
  lay_out_stack(program, graph, placement.stack_bytes);
  lay_out_costs(program);
  find_provenance(program);
  find_contention(program);
  find_deciding_accesses(program);
  find_partings(program);
  find_invariants(program);
  find_same_places(program);
  program.register_bytes = (program.register_bytes + 63) / 64 * 64;
  return std::move(shared.program);
}

namespace {

// A function that no kernel calls, which has to be right all the same.
void check_function(const Module& module, std::uint32_t index, const Placement& placement,
                    std::vector<bool>& seen) {
  Decoding shared(module, placement);
  shared.of_kernel = false;
  const Function& function = module.functions[index];
  const std::vector<std::uint32_t> order = call_graph(module, function).order;
  std::vector<Emitter> emitters = emitters_of(shared, function, order, order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (seen[order[i]]) continue;
    seen[order[i]] = true;
    place_dynamic_shared(emitters[i]);
    decode_blocks(emitters[i]);
  }
}

}  // namespace

void check_module(const Module& module, const Placement& placement,
                  const std::function<void(const Function&, Program)>& keep) {
  std::vector<bool> seen(module.functions.size(), false);
  const auto attempt = [](const auto& action) {
    try {
      action();
    } catch (const PtxError& error) {
      if (!error.unsupported()) throw;
    }
  };
  for (const Function& function : module.functions) {
    if (!function.entry) continue;
    attempt([&] {
      Program program = decode(module, function, placement);
      for (const Callee& callee : program.callees)
        seen[static_cast<std::size_t>(callee.function - module.functions.data())] = true;
      keep(function, std::move(program));
    });
  }
  // Callers mostly stand behind what they call.
  for (auto index = static_cast<std::uint32_t>(module.functions.size()); index-- > 0;) {
    const Function& function = module.functions[index];
    if (function.entry || !function.has_body || seen[index]) continue;
    attempt([&] { check_function(module, index, placement, seen); });
  }
}

}  // namespace warpmark::cpu
