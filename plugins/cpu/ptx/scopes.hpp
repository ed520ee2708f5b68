// Names of registers and labels inside the nested { } of one function body.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// Resolves names while a function body is parsed. An inner scope may declare a name again; a label
/// is visible in its scope and those inside it, also before the place where it stands.
class Scopes {
 public:
  /// The kind of registers that a declaration makes. Type::none, with the other members at their
  /// defaults, is for a parameter or variable, which shares the name space but has no register.
  struct Kind {
    Type type = Type::none;
    std::uint8_t elements = 1;  ///< of a vector
    bool of_module = false;     ///< the same register in all functions
  };
  struct Range {
    Kind kind;
    std::uint64_t count = 0;
  };
  struct Names {
    std::unordered_map<std::string_view, Kind> singles;
    std::unordered_map<std::string_view, Range> ranges;
  };

  /// `outside` has the registers of the module, which a function's own names hide.
  /// A tolerant one asks neither for names that are declared twice nor for labels.
  Scopes(Function& function, const Names& outside, bool tolerant)
      : function_(function), outside_(outside), tolerant_(tolerant) {
    open();
  }

  void open() { scopes_.emplace_back(); }
  /// Closes the innermost scope and points the branches in it at its labels.
  void close();

  [[nodiscard]] std::size_t depth() const { return scopes_.size(); }

  /// Adds register `name`, or registers name0 … name(count-1) if `range`. Throws PtxError if there
  /// is one already.
  static void add(Names& names, std::string_view name, Kind kind, bool range, std::uint64_t count,
                  std::uint32_t line);
  /// The same in the innermost scope.
  void declare(std::string_view name, Kind kind, bool range, std::uint64_t count,
               std::uint32_t line);
  /// A variable of the outermost scope.
  void declare_outermost(std::string_view name) { scopes_.front().singles.emplace(name, Kind{}); }
  /// Returns whether a scope has the name, for a register or a variable.
  [[nodiscard]] bool has(std::string_view name) const;
  /// The function's index of register `name`, which may be the element v.x of a vector, made on its
  /// first use; Operand::kNone if it is not declared.
  std::uint32_t find(std::string_view name);
  /// The registers of a vector, one behind the other; none if there is no such vector.
  struct Vector {
    std::uint32_t first = Operand::kNone;
    std::uint8_t elements = 0;
  };
  Vector find_vector(std::string_view name);
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
  struct Branch {
    std::uint32_t operand, line;
  };
  /// The innermost declaration of a name, and the first of its registers.
  struct Found {
    Kind kind;
    std::uint32_t index = Operand::kNone;
  };
  using Used = std::unordered_map<std::string_view, Found>;
  struct Scope : Names {
    Used used;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<Branch> branches;
  };

  Found look_up(std::string_view name);
  /// Nothing if the names have it not.
  std::optional<Found> look_up_in(const Names& names, Used& used, std::string_view name);
  std::uint32_t make(Used& used, std::string_view name, Kind kind);

  Function& function_;
  const Names& outside_;
  bool tolerant_;
  Used outside_used_;
  std::vector<Scope> scopes_;
};

}  // namespace warpmark::cpu
