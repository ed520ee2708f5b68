// Where the addresses of a module's variables go in PTX: which of them something may be stored to.
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

/// What may become of a variable while a kernel runs.
enum class PtxChange : uint8_t {
  never,   ///< it is read and no more, wherever its address goes
  stored,  ///< a store or an atomic operation may go through its address
  passed,  ///< its address goes to a function whose body is not here
  unclear  ///< it is the address of an instruction that is not known to only read
};

struct PtxOperand {
  std::vector<std::string_view> names;
  char opened_by = '\0';  ///< `[` for an address, `(` and `{` for lists; 0 for a plain one
};

/// A flow-insensitive over-approximation: a register, parameter or kind of memory that may hold an
/// address once may hold it always, and so does whatever is computed of it. Each instruction is one
/// of a few that are known to only read through their addresses, or counts as one that writes.
/// Where a program branches by an address, and where it makes one out of nothing, is not followed.
/// Names are views into the PTX, which must outlive this. Linear in time and memory.
class PtxFlow {
 public:
  PtxFlow();

  /// A function begins; its parameters and results as they are declared.
  void begin_function(std::string_view name, const std::vector<std::string_view>& results,
                      const std::vector<std::string_view>& parameters);
  /// A variable of the `.param` space in a body: arguments of a call.
  void add_parameter(std::string_view name);
  /// `guard` is the predicate before it, "" without one; `where` comes back in Change.
  void add_instruction(const cpu::InstructionFacts& facts, std::string_view guard,
                       const std::vector<PtxOperand>& operands, size_t where);
  /// The initial value of a variable holds the address of another.
  void add_reference(std::string_view name);

  struct Change {
    PtxChange kind;
    size_t where;
  };
  /// Of `variables`, those that may change, each with the first reason. Where several may be behind
  /// one address, at least one of them is among the answers.
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
  /// `made` is the node of what the instruction makes.
  void add_operands(const cpu::InstructionFacts& facts, const std::vector<PtxOperand>& operands,
                    Node made, size_t where);
  void add_carry(const cpu::InstructionFacts& facts, Node made);
  void add_memory(const cpu::InstructionFacts& facts, Node made, size_t where);
  bool is_parameter(std::string_view name) const { return parameters_.contains(name); }

  // What each kind of memory may hold, anywhere in it.
  enum Cell : Node { kLocal, kShared, kGlobal, kConstant, kCells };

  std::vector<std::string_view> names_;  ///< of nodes; "" for cells and instructions
  std::vector<std::pair<Node, Node>> edges_;
  std::vector<Sink> sinks_;
  std::vector<Call> calls_;
  std::map<std::string_view, Function> functions_;
  std::unordered_map<std::string_view, Node> scope_;  ///< of the function
  std::set<std::string_view> parameters_;             ///< of the function
};

}  // namespace warpmark
