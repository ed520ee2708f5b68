#include "compiler/ptx_flow.hpp"

#include <algorithm>
#include <limits>

namespace warpmark {

namespace {

bool is_shared(const cpu::InstructionFacts& facts) {
  return facts.has(cpu::Modifier::shared) || facts.has(cpu::Modifier::shared_cta) ||
         facts.has(cpu::Modifier::shared_cluster);
}

bool is_parameter_space(const cpu::InstructionFacts& facts) {
  return facts.has(cpu::Modifier::param) || facts.has(cpu::Modifier::param_entry) ||
         facts.has(cpu::Modifier::param_func);
}

// True for instructions that read through their addresses and write only to registers (PTX ISA
// 9.0).
bool only_reads(const cpu::InstructionFacts& facts) {
  constexpr std::array kReaders = {
      cpu::Mnemonic::ld,       cpu::Mnemonic::ldu,       cpu::Mnemonic::ldmatrix,
      cpu::Mnemonic::prefetch, cpu::Mnemonic::prefetchu, cpu::Mnemonic::tex,
      cpu::Mnemonic::tld4,     cpu::Mnemonic::txq,       cpu::Mnemonic::suld,
      cpu::Mnemonic::suq,      cpu::Mnemonic::isspacep,  cpu::Mnemonic::istypep,
      cpu::Mnemonic::cvta};
  const cpu::Mnemonic base = facts.mnemonic;
  if (base == cpu::Mnemonic::wmma) return facts.has(cpu::Modifier::load);
  return std::ranges::find(kReaders, base) != kReaders.end();
}

// True for functions of the system that only read their arguments.
bool only_reads_arguments(std::string_view function) {
  return function == "vprintf" || function == "__assertfail";
}

constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();

}  // namespace

PtxFlow::PtxFlow() : names_(kCells) {}

PtxFlow::Node PtxFlow::new_node(std::string_view name) {
  names_.push_back(name);
  return static_cast<Node>(names_.size() - 1);
}

PtxFlow::Node PtxFlow::node_of(std::string_view name) {
  const auto [found, fresh] = scope_.try_emplace(name, 0);
  if (fresh) found->second = new_node(name);
  return found->second;
}

void PtxFlow::add_edge(Node from, Node to) {
  edges_.emplace_back(from, to);
}

void PtxFlow::begin_function(const cpu::Function& begun) {
  scope_.clear();
  parameters_.clear();
  const auto [found, fresh] = functions_.try_emplace(begun.name);
  if (!fresh) found->second.twice = true;
  Function function;
  for (const cpu::Parameter& one : begun.results) {
    add_parameter(one.name);
    function.results.push_back(node_of(one.name));
  }
  for (const cpu::Parameter& one : begun.parameters) {
    add_parameter(one.name);
    function.parameters.push_back(node_of(one.name));
  }
  // The parameters of a body are the arguments of its calls.
  for (const cpu::Variable& variable : begun.variables) {
    if (variable.space == cpu::Space::param) add_parameter(variable.name);
  }
  function.twice = found->second.twice;
  found->second = std::move(function);
}

void PtxFlow::add_reference(std::string_view name) {
  const Node node = new_node(name);
  add_edge(node, kGlobal);
  add_edge(node, kConstant);
}

void PtxFlow::from_cells(const cpu::InstructionFacts& facts, Node to) {
  const bool in_cell[] = {facts.has(cpu::Modifier::local), is_shared(facts),
                          facts.has(cpu::Modifier::global), facts.has(cpu::Modifier::const_)};
  const bool known = std::ranges::find(in_cell, true) != std::end(in_cell);
  for (Node cell = 0; cell < kCells; ++cell) {
    if (in_cell[cell] || !known) add_edge(cell, to);
  }
}

void PtxFlow::to_cells(const cpu::InstructionFacts& facts, Node from) {
  to_cells(from, facts.has(cpu::Modifier::local), is_shared(facts),
           facts.has(cpu::Modifier::global));
}

void PtxFlow::to_cells(Node from, bool local, bool shared, bool global) {
  // A store without a space may go to any but constant memory.
  const bool any = !local && !shared && !global;
  if (any || local) add_edge(from, kLocal);
  if (any || shared) add_edge(from, kShared);
  if (any || global) add_edge(from, kGlobal);
}

// call (results), name, (arguments), prototype;
void PtxFlow::add_call(const cpu::Function& function, const cpu::Statement& statement) {
  const Operands operands = function.operands_of(statement);
  Call call;
  call.where = &statement;
  size_t at = 0;
  const auto nodes = [&](const cpu::Operand& operand) {
    std::vector<Node> found;
    for (const cpu::Operand& name : function.elements_of(operand))
      found.push_back(node_of(name.text));
    return found;
  };
  const auto is_list = [&] {
    return at < operands.size() && operands[at].kind == cpu::OperandKind::vector;
  };
  if (is_list()) call.results = nodes(operands[at++]);
  if (at < operands.size() && operands[at].count > 0)
    call.target = function.elements_of(operands[at++])[0].text;
  if (is_list()) call.arguments = nodes(operands[at]);
  calls_.push_back(std::move(call));
}

// An address of a parameter in a register: what it holds is then in memory, too.
void PtxFlow::keep_parameters_in_memory(const cpu::Function& function, Operands operands) {
  for (const cpu::Operand& operand : operands) {
    for (const cpu::Operand& name : function.elements_of(operand)) {
      if (!is_parameter(name.text)) continue;
      for (const Node cell : {kLocal, kGlobal}) {
        add_edge(node_of(name.text), cell);
        add_edge(cell, node_of(name.text));
      }
    }
  }
}

PtxFlow::Role PtxFlow::role_of(const cpu::InstructionFacts& facts, const cpu::Operand& operand,
                               bool first) {
  const cpu::Mnemonic base = facts.mnemonic;
  const bool loads_parameter = base == cpu::Mnemonic::ld && is_parameter_space(facts);
  const bool stores_parameter = base == cpu::Mnemonic::st && is_parameter_space(facts);
  if (stores_parameter && first) return Role::result;
  if (operand.kind == cpu::OperandKind::address && !loads_parameter) return Role::address;
  return first && base != cpu::Mnemonic::st && base != cpu::Mnemonic::red ? Role::result
                                                                          : Role::source;
}

void PtxFlow::add_operands(const cpu::Function& function, const cpu::Statement& statement,
                           Node made) {
  const cpu::InstructionFacts& facts = *statement.facts;
  const Operands operands = function.operands_of(statement);
  const cpu::Mnemonic base = facts.mnemonic;
  const bool stores = base == cpu::Mnemonic::st || base == cpu::Mnemonic::atom ||
                      base == cpu::Mnemonic::red || base == cpu::Mnemonic::cp;
  const bool reads = only_reads(facts);
  size_t addresses = 0;
  for (const cpu::Operand& operand : operands) {
    if (operand.kind == cpu::OperandKind::address) ++addresses;
    // A bulk or asynchronous copy reads through the second of its addresses.
    const bool harmless = reads || (base == cpu::Mnemonic::cp && addresses == 2);
    const Role role = role_of(facts, operand, &operand == operands.data());
    for (const cpu::Operand& name : function.elements_of(operand)) {
      const Node node = node_of(name.text);
      if (role == Role::result) {
        add_edge(made, node);
      } else if (role == Role::source) {
        add_edge(node, made);
      } else if (!harmless) {
        sinks_.push_back({node, stores ? PtxChange::stored : PtxChange::unclear, &statement});
      }
    }
  }
}

// Adds the carry, a register that no operand names.
void PtxFlow::add_carry(const cpu::InstructionFacts& facts, Node made) {
  constexpr std::string_view kCarry = "CC.CF";
  const cpu::Mnemonic base = facts.mnemonic;
  if (facts.has(cpu::Modifier::cc)) add_edge(made, node_of(kCarry));
  if (base == cpu::Mnemonic::addc || base == cpu::Mnemonic::subc || base == cpu::Mnemonic::madc)
    add_edge(node_of(kCarry), made);
}

void PtxFlow::add_memory(const cpu::Statement& statement, Node made) {
  const cpu::InstructionFacts& facts = *statement.facts;
  from_cells(facts, made);
  if (only_reads(facts)) return;
  to_cells(facts, made);
  if (facts.mnemonic != cpu::Mnemonic::cp) return;
  for (const Node cell : {kLocal, kShared, kGlobal}) {
    add_edge(cell, made);
    to_cells(made, true, true, true);
  }
  // The address that a tensor map holds is written through where only the device looks.
  if (facts.has(cpu::Modifier::tensor)) sinks_.push_back({made, PtxChange::unclear, &statement});
}

void PtxFlow::add_instruction(const cpu::Function& function, const cpu::Statement& statement) {
  const cpu::InstructionFacts& facts = *statement.facts;
  const Operands operands = function.operands_of(statement);
  const cpu::Mnemonic base = facts.mnemonic;
  if (base == cpu::Mnemonic::call) return add_call(function, statement);
  const bool moves_parameter =
      (base == cpu::Mnemonic::ld || base == cpu::Mnemonic::st) && is_parameter_space(facts);
  if (!moves_parameter) keep_parameters_in_memory(function, operands);
  const Node made = new_node({});  // what the instruction makes, from all that it takes
  add_operands(function, statement, made);
  if (statement.guard != cpu::Operand::kNone)
    add_edge(node_of(function.registers[statement.guard].name), made);
  add_carry(facts, made);
  const bool has_address = std::ranges::any_of(
      operands, [](const auto& operand) { return operand.kind == cpu::OperandKind::address; });
  if (has_address && !moves_parameter) add_memory(statement, made);
}

std::map<std::string_view, PtxFlow::Change> PtxFlow::changes(
    const std::set<std::string_view>& variables) const {
  std::vector<std::pair<Node, Node>> edges = edges_;
  std::vector<Sink> sinks = sinks_;
  const auto anybody = static_cast<Node>(names_.size());  // the results of any function
  for (const Call& call : calls_) {
    const auto found = functions_.find(call.target);
    const bool known = found != functions_.end() && !found->second.twice &&
                       found->second.parameters.size() == call.arguments.size() &&
                       found->second.results.size() == call.results.size();
    if (known) {
      for (size_t i = 0; i < call.arguments.size(); ++i) {
        edges.emplace_back(call.arguments[i], found->second.parameters[i]);
      }
      for (size_t i = 0; i < call.results.size(); ++i) {
        edges.emplace_back(found->second.results[i], call.results[i]);
      }
      continue;
    }
    if (found == functions_.end() && only_reads_arguments(call.target)) continue;
    for (const Node node : call.arguments) sinks.push_back({node, PtxChange::passed, call.where});
    for (const Node node : call.results) edges.emplace_back(anybody, node);
  }
  for (const auto& [name, function] : functions_) {
    for (const Node node : function.results) edges.emplace_back(node, anybody);
  }

  // For each node, the first variable whose address it may have.
  std::vector<uint32_t> owner(names_.size() + 1, kNobody);
  std::vector<Node> open;
  std::vector<std::string_view> of;
  for (Node node = kCells; node < names_.size(); ++node) {
    if (names_[node].empty() || !variables.contains(names_[node])) continue;
    owner[node] = static_cast<uint32_t>(of.size());
    of.push_back(names_[node]);
    open.push_back(node);
  }
  if (open.empty()) return {};
  std::ranges::sort(edges);
  for (size_t next = 0; next < open.size(); ++next) {
    const Node from = open[next];
    auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair(from, Node{0}));
    for (; edge != edges.end() && edge->first == from; ++edge) {
      if (owner[edge->second] != kNobody) continue;
      owner[edge->second] = owner[from];
      open.push_back(edge->second);
    }
  }
  std::map<std::string_view, Change> found;
  for (const Sink& sink : sinks) {
    if (owner[sink.node] == kNobody) continue;
    found.try_emplace(of[owner[sink.node]], Change{sink.kind, sink.where});
  }
  return found;
}

}  // namespace warpmark
