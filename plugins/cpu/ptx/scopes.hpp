// Names of registers and labels inside the nested { } of one function body.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// Resolves names while a function body is parsed. An inner scope may declare a name again; a label
/// is visible in its scope and those inside it, also before the place where it stands.
class Scopes {
 public:
  explicit Scopes(Function& function) : function_(function) { open(); }

  void open() { scopes_.emplace_back(); }
  /// Closes the innermost scope and points the branches in it at its labels.
  void close();

  [[nodiscard]] std::size_t depth() const { return scopes_.size(); }

  /// Declares register `name`, or registers name0 … name(count-1) if `range`; with Type::none a
  /// parameter or variable, which has the same names and no register.
  void declare(std::string_view name, Type type, bool range, std::uint64_t count,
               std::uint32_t line);
  /// The function's index of register `name`, made on its first use; Operand::kNone if none is so
  /// declared.
  std::uint32_t find(std::string_view name);
  /// The same of a register of the outermost scope, even if an inner one declares its name again.
  std::uint32_t find_outermost(std::string_view name);

  void label(std::string_view name, std::uint32_t line);
  /// Operand `index` of the function names a label that may come later.
  void branch_to(std::uint32_t operand, std::uint32_t line) {
    scopes_.back().branches.push_back({operand, line});
  }
  /// Closes the outermost scope; throws PtxError for a branch to a label that does not exist.
  void finish();

 private:
  struct Range {
    Type type = Type::none;
    std::uint64_t count = 0;
  };
  struct Branch {
    std::uint32_t operand, line;
  };
  struct Scope {
    std::unordered_map<std::string_view, Type> singles;
    std::unordered_map<std::string_view, Range> ranges;
    std::unordered_map<std::string_view, std::uint32_t> used;  ///< name -> register of the function
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<Branch> branches;
  };

  Function& function_;
  std::vector<Scope> scopes_;
};

}  // namespace warpmark::cpu
