// A kernel and the functions that it calls, statement by statement, as one program.
#include "program/decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "program/check_module.hpp"
#include "program/contention.hpp"
#include "program/deciding_accesses.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

// A warp's registers may take this much: 32 warps of a block then stay below 128 MiB.
constexpr std::uint32_t kMostRegisterBytes = 4 << 20;

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace

Decoder::Decoder(Decoding& shared, const Function& function, std::uint32_t callee)
    : shared_(shared),
      module_(shared.module),
      function_(function),
      placement_(shared.placement),
      program_(shared.program),
      callee_(callee),
      first_statement_(shared.statements),
      slot_of_(function.registers.size(), Instruction::kNone) {
  program_.sources.push_back({first_statement_, &function});
  shared.statements += static_cast<std::uint32_t>(function.statements.size());
}

void Decoder::refuse(const Statement& statement, const std::string& why) const {
  const auto file = module_.files.find(statement.location.file);
  std::string where;
  if (file != module_.files.end()) {
    where =
        " (from " + std::string(file->second) + ":" + std::to_string(statement.location.line) + ")";
  }
  throw PtxError(statement.line,
                 "in " + std::string(function_.entry ? "kernel" : "function") + " '" +
                     std::string(function_.name) + "': " + why + ": `" + one_line(statement.text) +
                     "`" + where,
                 true);
}

void Decoder::refuse_opcode(const Statement& statement) const {
  if (!statement.facts->is_unsupported()) invalid(statement, what_is_wrong(statement.opcode));
  check_target(statement);
  refuse(statement, "instruction is not implemented on this device");
}

void Decoder::invalid(const Statement& statement, const std::string& why) const {
  throw PtxError(statement.line, "in " + std::string(function_.entry ? "kernel" : "function") +
                                     " '" + std::string(function_.name) + "': " + why + ": `" +
                                     one_line(statement.text) + "`");
}

std::uint32_t Decoder::allocate(bool wide) {
  const std::uint32_t slot = program_.register_bytes;
  program_.register_bytes += wide ? 256 : 128;
  if (program_.register_bytes > kMostRegisterBytes) {
    throw PtxError(
        function_.line,
        "kernel '" + std::string(function_.name) + "' uses more registers than this device has",
        true);
  }
  return slot;
}

std::uint32_t Decoder::constant(std::uint64_t value, bool wide) {
  if (!wide) value &= 0xffffffff;
  auto [entry, fresh] =
      (wide ? shared_.wide_constants : shared_.narrow_constants).emplace(value, 0);
  if (fresh) {
    entry->second = allocate(wide);
    program_.constants.push_back({entry->second, wide, value});
  }
  return entry->second;
}

std::uint32_t Decoder::address_of(std::uint32_t object, std::uint64_t address, bool wide) {
  if (object == 0) return constant(address, wide);
  auto [entry, fresh] = shared_.addresses.emplace(std::tuple(object, address, wide), 0);
  if (fresh) {
    entry->second = allocate(wide);
    program_.constants.push_back({entry->second, wide, address});
    program_.addresses.emplace_back(entry->second, object);
  }
  return entry->second;
}

std::uint32_t Decoder::object(const Object& object) {
  if (program_.objects.size() > Program::kMostObjects) return 0;
  program_.objects.push_back(object);
  return static_cast<std::uint32_t>(program_.objects.size() - 1);
}

std::uint32_t Decoder::global_object(std::string_view name, std::uint64_t address) {
  auto [entry, fresh] = shared_.globals.emplace(name, 0);
  if (fresh) entry->second = object({Object::Kind::variable, name, address, 0});
  return entry->second;
}

std::uint32_t Decoder::special(Special which) {
  auto [entry, fresh] = shared_.specials.emplace(static_cast<int>(which), 0);
  if (fresh) {
    entry->second = allocate(false);
    program_.specials.push_back({entry->second, which});
  }
  return entry->second;
}

std::uint32_t Decoder::more(const std::vector<std::uint32_t>& slots) {
  std::vector<std::uint32_t>& operands = program_.operands;
  operands.insert(operands.end(), slots.begin(), slots.end());
  return static_cast<std::uint32_t>(operands.size() - slots.size());
}

void Decoder::emit(const Statement& statement, Instruction instruction) {
  instruction.statement =
      first_statement_ + static_cast<std::uint32_t>(&statement - function_.statements.data());
  if (statement.guard != Operand::kNone) {
    instruction.guard = register_slot(statement.guard);
    instruction.guard_negated = statement.guard_negated;
  }
  program_.code.push_back(instruction);
}

void Decoder::check_target(const Statement& statement) const {
  const Needs& least = statement.facts->needs;
  if (least.specific && (module_.architecture < least.architecture || !module_.specific))
    invalid(statement, "needs .target sm_" + std::to_string(least.architecture) + "a");
  if (module_.architecture < least.architecture)
    invalid(statement, "needs .target sm_" + std::to_string(least.architecture) + " or higher");
  if (module_.version < least.version)
    invalid(statement, "needs .version " + std::to_string(least.version / 10) + "." +
                           std::to_string(least.version % 10));
}

void Decoder::keep_unsupported(const PtxError& error) {
  if (!error.unsupported()) throw;
  if (!shared_.unsupported) shared_.unsupported = error;
  widen_ = {};
}

void Decoder::try_instruction(const Statement& statement) {
  try {
    instruction(statement);
  } catch (const PtxError& error) {
    keep_unsupported(error);
  }
}

void Decoder::try_end_block(const Statement& statement, std::uint32_t index, BasicBlock& block) {
  try {
    end_block(statement, index, block);
  } catch (const PtxError& error) {
    keep_unsupported(error);
    block.exit = Exit::trap;
  }
}

void Decoder::instruction(const Statement& statement) {
  if (statement.facts->form == nullptr) invalid(statement, what_is_wrong(statement.opcode));
  check_target(statement);
  const Decode decoder = decoder_of(statement.facts->family);
  if (decoder == nullptr) refuse_opcode(statement);
  (this->*decoder)(statement);
}

// Decodes an instruction that has a line in opcodes.def, by its name.
void Decoder::named_arithmetic(const Statement& statement) {
  const OpcodeInfo* info = find_in_any_order(statement.opcode);
  if (info == nullptr) refuse_opcode(statement);
  arithmetic(statement, *info);
}

void Decoder::move(const Statement& statement) {
  if (statement.facts->has(Modifier::v2) || statement.facts->has(Modifier::v4))
    move_vector(statement);
  else if (!clock(statement) && !moves(statement))
    named_arithmetic(statement);
}

// Null if there is none.
Decoder::Decode Decoder::decoder_of(Family wanted) {
  using Decoders = std::array<Decode, static_cast<std::size_t>(Family::count)>;
  static constexpr Decoders kDecoders = [] {
    Decoders all{};
    const auto set = [&](Family family, Decode decoder) {
      all.at(static_cast<std::size_t>(family)) = decoder;
    };
    set(Family::address, &Decoder::conversions_of_addresses);
    set(Family::advice, &Decoder::advice);
    set(Family::arithmetic, &Decoder::named_arithmetic);
    set(Family::async_copy, &Decoder::async_copy);
    set(Family::async_store, &Decoder::async_store);
    set(Family::atomic, &Decoder::atomic);
    set(Family::bulk_copy, &Decoder::bulk_copy);
    set(Family::bulk_store, &Decoder::bulk_store);
    set(Family::cluster_address, &Decoder::cluster_address);
    set(Family::cluster_cancel, &Decoder::cluster_cancel);
    set(Family::collective, &Decoder::collective);
    set(Family::conversion, &Decoder::conversion);
    set(Family::elect, &Decoder::elects);
    set(Family::fence, &Decoder::fence);
    set(Family::image, &Decoder::image);
    set(Family::logic_with_predicate, &Decoder::logic_with_predicate);
    set(Family::matrix, &Decoder::matrix);
    set(Family::mbarrier, &Decoder::mbarrier);
    set(Family::memory, &Decoder::memory);
    set(Family::mixed, &Decoder::mixed_real);
    set(Family::move, &Decoder::move);
    set(Family::multimem, &Decoder::multimem);
    set(Family::packed, &Decoder::packed_real);
    set(Family::policy, &Decoder::policy);
    set(Family::set, &Decoder::set);
    set(Family::stack, &Decoder::stack);
    set(Family::tensormap, &Decoder::tensor_map);
    set(Family::test, &Decoder::test_kind);
    set(Family::three_operands, &Decoder::three_operands);
    set(Family::video, &Decoder::video);
    set(Family::warpgroup, &Decoder::warpgroup);
    return all;
  }();
  return kDecoders.at(static_cast<std::size_t>(wanted));
}

// How often statements name the register other than as an atomic's result.
std::uint32_t Decoder::reads_of(std::uint32_t reg) {
  if (reads_.empty()) {
    reads_.assign(function_.registers.size(), 0);
    for (const Operand& operand : function_.operands) {
      if (operand.kind == OperandKind::reg) ++reads_[operand.index];
    }
  }
  return reads_[reg] - 1;
}

void Decoder::run() {
  find_leaders();
  build_blocks();
  order_blocks();
}

FunctionPlaces Decoder::take_places() {
  FunctionPlaces places{std::move(slot_of_), {}};
  places.variables.reserve(variables_.size());
  for (const auto& [name, placed] : variables_)
    places.variables.emplace(name, FunctionPlaces::Variable{placed.space, placed.offset});
  return places;
}

Program decode(const Module& module, const Function& function, const Placement& placement) {
  if (!function.has_body)
    throw PtxError(function.line, "kernel '" + std::string(function.name) + "' has no body");
  Decoding shared(module, placement);
  Program& program = shared.program;
  program.name = function.name;
  program.function = &function;
  program.module = &module;
  program.code_window = placement.code_window;
  const CallGraph graph = call_graph(module, function);
  const auto callees = static_cast<std::uint32_t>(graph.order.size() - 1);  // the kernel is last
  program.callees.resize(callees);
  std::vector<Decoder> decoders;
  decoders.reserve(callees + 1);
  for (std::uint32_t i = 0; i <= callees; ++i) {
    const bool kernel = i == callees;
    const Function& one = module.functions[graph.order[i]];
    if (!kernel) {
      program.callees[i].function = &one;
      program.callee_of[graph.order[i]] = i;
    }
    decoders.emplace_back(shared, one, kernel ? Instruction::kNone : i);
    decoders.back().place_variables();
  }
  const std::uint64_t alignment = shared.dynamic_alignment;
  program.shared_bytes = static_cast<std::uint32_t>(shared.shared_bytes);
  program.dynamic_offset =
      static_cast<std::uint32_t>((shared.shared_bytes + alignment - 1) / alignment * alignment);
  for (std::size_t i = 0; i < decoders.size(); ++i) {
    decoders[i].place_dynamic_shared();
    decoders[i].run();
    program.sources[i].places = std::make_shared<FunctionPlaces>(decoders[i].take_places());
  }
  if (shared.unsupported) throw PtxError(*shared.unsupported);
  mark_repeated_functions(program);
  lay_out_stack(program, graph, placement.stack_bytes);
  lay_out_costs(program);
  find_provenance(program);
  find_contention(program);
  find_deciding_accesses(program);
  program.register_bytes = (program.register_bytes + 63) / 64 * 64;
  return std::move(shared.program);
}

namespace {

// A function that no kernel calls, which has to be right all the same.
void check_function(const Module& module, std::uint32_t index, const Placement& placement,
                    std::vector<bool>& seen) {
  Decoding shared(module, placement);
  shared.of_kernel = false;
  Program& program = shared.program;
  const Function& function = module.functions[index];
  program.name = function.name;
  program.function = &function;
  program.module = &module;
  program.code_window = placement.code_window;
  const std::vector<std::uint32_t> order = call_graph(module, function).order;
  program.callees.resize(order.size());
  std::vector<Decoder> decoders;
  decoders.reserve(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    program.callees[i].function = &module.functions[order[i]];
    program.callee_of[order[i]] = i;
    decoders.emplace_back(shared, module.functions[order[i]], i);
    decoders.back().place_variables();
  }
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (seen[order[i]]) continue;
    seen[order[i]] = true;
    decoders[i].place_dynamic_shared();
    decoders[i].run();
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
