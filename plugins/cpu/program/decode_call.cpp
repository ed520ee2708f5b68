// Which functions a kernel reaches, how its calls pass values, and how much stack they need.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "program/decoder.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

// Functions of one kernel; beyond this a hostile module would make the graph expensive.
constexpr std::size_t kMostFunctions = 4096;

// Frames of calls that end, together; more is refused before a launch allocates it.
constexpr std::uint64_t kMostStack = std::uint64_t{512} << 10;

bool is_call(const Statement& statement) {
  return statement.facts->form != nullptr && statement.facts->mnemonic == Mnemonic::call;
}

struct CallOperands {
  const Operand* results = nullptr;
  const Operand* target = nullptr;
  const Operand* arguments = nullptr;
  const Operand* prototype = nullptr;  ///< or the label of .calltargets
};

// call (results), target, (arguments), prototype; only the target is always there.
CallOperands operands_of_call(const Function& function, const Statement& statement) {
  CallOperands call;
  std::size_t next = 0;
  const auto at = [&]() -> const Operand* {
    return next < statement.operands ? &function.operands[statement.first_operand + next] : nullptr;
  };
  if (at() != nullptr && at()->kind == OperandKind::vector) {
    call.results = at();
    ++next;
  }
  call.target = at();
  ++next;
  if (at() != nullptr && at()->kind == OperandKind::vector) {
    call.arguments = at();
    ++next;
  }
  if (at() != nullptr && at()->kind == OperandKind::name) call.prototype = at();
  return call;
}

// Functions whose address the module's variables or this function's moves take.
void add_pointed(const Module& module, const Function& function, std::vector<std::uint32_t>& into) {
  for (const Statement& statement : function.statements) {
    if (statement.facts->mnemonic != Mnemonic::mov) continue;
    for (std::size_t i = 0; i < statement.operands; ++i) {
      const Operand& operand = function.operands[statement.first_operand + i];
      if (operand.kind != OperandKind::name) continue;
      if (const auto found = module.function_by_name.find(operand.text);
          found != module.function_by_name.end())
        into.push_back(found->second);
    }
  }
}

}  // namespace

bool CallGraph::reaches(std::uint32_t from, std::uint32_t to) const {
  std::vector<std::uint8_t> seen(successors.size(), 0);
  std::vector<std::uint32_t> work = {from};
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (at == to) return true;
    if (std::exchange(seen[at], 1) != 0) continue;
    work.insert(work.end(), successors[at].begin(), successors[at].end());
  }
  return false;
}

CallGraph call_graph(const Module& module, const Function& kernel) {
  const auto first = static_cast<std::uint32_t>(&kernel - module.functions.data());
  std::vector<std::uint32_t> found = {first}, pointed;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> calls;
  std::vector<std::uint32_t> indirect;
  const auto add = [&](std::uint32_t function) {
    if (!module.functions[function].has_body || module.functions[function].entry) return;
    if (std::ranges::find(found, function) == found.end()) found.push_back(function);
    if (found.size() > kMostFunctions)
      throw PtxError(kernel.line, "the kernel calls too many functions", true);
  };
  for (const Variable& variable : module.variables) {
    for (const Variable::Reference& reference : variable.references) {
      if (const auto named = module.function_by_name.find(reference.symbol);
          named != module.function_by_name.end())
        pointed.push_back(named->second);
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint32_t index = found[i];
    const Function& function = module.functions[index];
    add_pointed(module, function, pointed);
    for (const Statement& statement : function.statements) {
      if (!is_call(statement)) continue;
      const Operand* target = operands_of_call(function, statement).target;
      if (target == nullptr) continue;
      if (target->kind == OperandKind::reg) {
        indirect.push_back(index);
      } else if (const auto named = module.function_by_name.find(target->text);
                 named != module.function_by_name.end()) {
        add(named->second);
        calls[index].push_back(named->second);
      }
    }
    // A call through a pointer may reach every function whose address is taken.
    if (!indirect.empty()) {
      for (const std::uint32_t function_index : pointed) add(function_index);
    }
  }
  std::ranges::sort(pointed);
  pointed.erase(std::unique(pointed.begin(), pointed.end()), pointed.end());
  for (const std::uint32_t caller : indirect)
    calls[caller].insert(calls[caller].end(), pointed.begin(), pointed.end());
  // Post-order of a depth-first search without recursion on the graph.
  CallGraph graph;
  std::unordered_map<std::uint32_t, std::uint32_t> place;
  std::unordered_map<std::uint32_t, bool> seen;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{first, 0}};
  seen[first] = true;
  while (!stack.empty()) {
    auto& [at, edge] = stack.back();
    const std::vector<std::uint32_t>& next = calls[at];
    if (edge < next.size()) {
      const std::uint32_t to = next[edge++];
      const bool wanted = std::ranges::find(found, to) != found.end();
      if (wanted && !std::exchange(seen[to], true)) stack.emplace_back(to, 0);
      continue;
    }
    place[at] = static_cast<std::uint32_t>(graph.order.size());
    graph.order.push_back(at);
    stack.pop_back();
  }
  graph.successors.resize(graph.order.size());
  for (std::uint32_t i = 0; i < graph.order.size(); ++i) {
    for (const std::uint32_t to : calls[graph.order[i]]) {
      if (place.contains(to)) graph.successors[i].push_back(place[to]);
    }
  }
  for (const std::uint32_t function : pointed) {
    if (place.contains(function)) graph.pointed.push_back(place[function]);
  }
  return graph;
}

void lay_out_stack(Program& program, const CallGraph& graph, std::uint32_t recursive_bytes) {
  // Callees come before their callers, so one pass finds the deepest chain; an edge that goes the
  // other way belongs to a recursion.
  std::vector<std::uint64_t> below(graph.order.size(), 0);
  bool recursive = false;
  for (std::uint32_t i = 0; i < graph.order.size(); ++i) {
    for (const std::uint32_t to : graph.successors[i]) {
      if (to >= i || graph.reaches(to, i)) {
        recursive = true;
        continue;
      }
      below[i] = std::max(below[i], below[to] + program.callees[to].frame_bytes);
    }
  }
  for (Call& call : program.calls) {
    if (call.caller == Instruction::kNone) continue;
    if (call.callee != Instruction::kNone) {
      call.recursive = graph.reaches(call.callee, call.caller);
    } else {
      call.recursive = std::ranges::any_of(
          graph.pointed, [&](std::uint32_t to) { return graph.reaches(to, call.caller); });
    }
  }
  std::uint64_t bytes = below.back();
  if (recursive) {
    // Every function of a recursion once, and what the limit adds.
    for (const Callee& callee : program.callees) bytes += callee.frame_bytes;
    bytes += recursive_bytes;
  }
  if (bytes > kMostStack) {
    throw PtxError(program.function->line,
                   "kernel '" + program.name + "' needs " + std::to_string(bytes) +
                       " bytes of stack per thread; this device has " + std::to_string(kMostStack),
                   true);
  }
  program.local_bytes += static_cast<std::uint32_t>(bytes);
}

void call(Emitter& out, BasicBlock& block) {
  const CallOperands operands = operands_of_call(out.function, out.statement());
  if (operands.target == nullptr) out.invalid("expected a function");
  if ((operands.target->kind == OperandKind::reg) != (operands.prototype != nullptr))
    out.invalid("a call of a pointer, and only that, names its prototype");
  Call call;
  call.caller = out.callee;
  call.statement = out.place();
  const auto values = [&](const Operand* list, std::vector<Callee::Value>& into) {
    for (std::uint32_t i = 0; list != nullptr && i < list->count; ++i) {
      const Operand& operand = out.part(*list, i);
      const auto placed = out.variables.find(operand.text);
      if (operand.kind != OperandKind::name || placed == out.variables.end() ||
          placed->second.space != Space::local)
        out.invalid("an argument is a register, a number or a .param variable");
      std::uint64_t bytes = 0;
      for (const Variable& variable : out.function.variables) {
        if (variable.name == operand.text && variable.space == Space::param)
          bytes = std::max(bytes, variable.bytes);
      }
      into.push_back(
          {static_cast<std::uint32_t>(placed->second.offset), static_cast<std::uint32_t>(bytes)});
    }
  };
  values(operands.results, call.results);
  values(operands.arguments, call.arguments);
  if (operands.target->kind == OperandKind::reg) {
    out.check_register(*operands.target, Type::u64, false);
    call.target = out.register_slot(operands.target->index);
  } else {
    const std::string name(operands.target->text);
    const auto known = out.module.function_by_name.find(operands.target->text);
    if (known == out.module.function_by_name.end()) out.invalid("'" + name + "' is not declared");
    const auto callee = out.program.callee_of.find(known->second);
    if (callee == out.program.callee_of.end() && runtime_call(out, name, call, block)) return;
    if (callee == out.program.callee_of.end())
      out.invalid("function '" + name + "' has no body in this module");
    call.callee = callee->second;
    const Callee& target = out.program.callees[call.callee];
    if (target.parameters.size() != call.arguments.size() ||
        target.results.size() != call.results.size())
      out.invalid("the call does not match the parameters of '" + name + "'");
    // A place shared by several sequences may be larger than this one's.
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (call.arguments[i].bytes < target.parameters[i].bytes)
        out.invalid("argument " + std::to_string(i + 1) + " has too few bytes");
    }
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      if (call.results[i].bytes < target.results[i].bytes)
        out.invalid("the result has too few bytes");
    }
  }
  block.exit = Exit::call;
  block.barrier = static_cast<std::uint32_t>(out.program.calls.size());
  out.program.calls.push_back(std::move(call));
}

}  // namespace warpmark::cpu
