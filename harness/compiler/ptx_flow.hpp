// Follows the addresses of a module's variables in PTX, to find the variables that a store may
// change.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/module.hpp"

namespace warpmark {

/// The worst that may happen to a variable while a kernel runs.
enum class PtxChange : uint8_t {
  never,   ///< it is only read, wherever its address goes
  stored,  ///< a store or an atomic operation may go through its address
  passed,  ///< its address goes to a function whose body is in another module
  unclear  ///< its address is an operand of an instruction that may do more than read
};

/// A flow-insensitive over-approximation: a register, parameter or kind of memory that may hold an
/// address once may hold it always, and so does whatever is computed of it. Each instruction is one
/// of a few that are known to only read through their addresses, or counts as one that writes.
/// Where a program branches by an address, and where it makes one out of nothing, is not followed.
/// The module must outlive this. Linear in time and memory.
class PtxFlow {
 public:
  PtxFlow();

  /// A function that was read tolerantly (ptx/parser.hpp) begins; its instructions follow.
  void begin_function(const cpu::Function& function);
  void add_instruction(const cpu::Function& function, const cpu::Statement& statement);
  /// The initial value of a variable holds the address of another.
  void add_reference(std::string_view name);

  struct Change {
    PtxChange kind;
    const cpu::Statement* where;
  };
  /// The variables among `variables` that may change, each with the first reason. If several may be
  /// behind one address, at least one of them is among the answers.
  std::map<std::string_view, Change> changes(const std::set<std::string_view>& variables) const;

 private:
  using Node = uint32_t;
  struct Function {
    std::vector<Node> results, parameters;
    bool twice = false;
  };
  struct Call {
    std::string_view target;
    std::vector<Node> results, arguments;
    const cpu::Statement* where;
  };
  struct Sink {
    Node node;
    PtxChange kind;
    const cpu::Statement* where;
  };
  using Operands = std::span<const cpu::Operand>;

  Node new_node(std::string_view name);
  Node node_of(std::string_view name);
  void add_edge(Node from, Node to);
  void from_cells(const cpu::InstructionFacts& facts, Node to);
  void to_cells(const cpu::InstructionFacts& facts, Node from);
  void to_cells(Node from, bool local, bool shared, bool global);
  void add_parameter(std::string_view name) { parameters_.insert(name); }
  void add_call(const cpu::Function& function, const cpu::Statement& call);
  void keep_parameters_in_memory(const cpu::Function& function, Operands operands);
  enum class Role : uint8_t { source, result, address };
  static Role role_of(const cpu::InstructionFacts& facts, const cpu::Operand& operand, bool first);
  /// `made` is the node of what the instruction makes.
  void add_operands(const cpu::Function& function, const cpu::Statement& statement, Node made);
  void add_carry(const cpu::InstructionFacts& facts, Node made);
  void add_memory(const cpu::Statement& statement, Node made);
  bool is_parameter(std::string_view name) const { return parameters_.contains(name); }

  // Nodes for the contents of each kind of memory, as a whole.
  enum Cell : Node { kLocal, kShared, kGlobal, kConstant, kCells };

  std::vector<std::string_view> names_;  ///< names of nodes; "" for cells and instructions
  std::vector<std::pair<Node, Node>> edges_;
  std::vector<Sink> sinks_;
  std::vector<Call> calls_;
  std::map<std::string_view, Function> functions_;
  std::unordered_map<std::string_view, Node> scope_;  ///< names in the function
  std::set<std::string_view> parameters_;             ///< parameters of the function
};

}  // namespace warpmark
