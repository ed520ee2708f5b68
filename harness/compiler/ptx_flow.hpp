// Follows the addresses of a module's variables in PTX, to find the variables that a store may
// change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/instruction_set.hpp"

namespace warpmark {

/// The worst that may happen to a variable while a kernel runs.
enum class PtxChange : uint8_t {
  never,   ///< it is only read, wherever its address goes
  stored,  ///< a store or an atomic operation may go through its address
  passed,  ///< its address goes to a function whose body is in another module
  unclear  ///< its address is an operand of an instruction that may do more than read
};

struct PtxOperand {
  std::vector<std::string_view> names;
  char opened_by = '\0';  ///< `[` for an address, `(` and `{` for lists; 0 for a plain operand
};

/// A flow-insensitive over-approximation: a register, parameter or kind of memory that may hold an
/// address once may hold it always, and so may any value computed from it. Instructions count as
/// writing, except for a few that are known to only read through their addresses. Branches that
/// depend on an address, and addresses made out of nothing, are not followed. Names are views into
/// the PTX, which must outlive this. Linear in time and memory.
class PtxFlow {
 public:
  PtxFlow();

  /// A function begins; its parameters and results as they are declared.
  void begin_function(std::string_view name, const std::vector<std::string_view>& results,
                      const std::vector<std::string_view>& parameters);
  /// A variable of the `.param` space in a body: arguments of a call.
  void add_parameter(std::string_view name);
  /// `guard` is the predicate before the instruction, "" without one; `where` is returned in
  /// Change.
  void add_instruction(const cpu::InstructionFacts& facts, std::string_view guard,
                       const std::vector<PtxOperand>& operands, size_t where);
  /// The initial value of a variable holds the address of another.
  void add_reference(std::string_view name);

  struct Change {
    PtxChange kind;
    size_t where;
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
    size_t where;
  };
  struct Sink {
    Node node;
    PtxChange kind;
    size_t where;
  };

  Node new_node(std::string_view name);
  Node node_of(std::string_view name);
  void add_edge(Node from, Node to);
  void from_cells(const cpu::InstructionFacts& facts, Node to);
  void to_cells(const cpu::InstructionFacts& facts, Node from);
  void to_cells(Node from, bool local, bool shared, bool global);
  void add_call(const std::vector<PtxOperand>& operands, size_t where);
  void keep_parameters_in_memory(const std::vector<PtxOperand>& operands);
  enum class Role : uint8_t { source, result, address };
  static Role role_of(const cpu::InstructionFacts& facts, const PtxOperand& operand, bool first);
  /// `made` is the node of the instruction's result.
  void add_operands(const cpu::InstructionFacts& facts, const std::vector<PtxOperand>& operands,
                    Node made, size_t where);
  void add_carry(const cpu::InstructionFacts& facts, Node made);
  void add_memory(const cpu::InstructionFacts& facts, Node made, size_t where);
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
