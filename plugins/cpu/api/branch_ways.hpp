// The lines of the source at which the sides of a branch go on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// True for a branch of the source: a guarded `bra`, or a `brx`. Other guarded instructions are
/// executed or not.
bool is_source_branch(const Statement& statement);
/// The statements that a branch leads to: where it is taken, then the next one.
std::vector<std::uint32_t> branch_targets(const Function& function, std::uint32_t index);
/// True if the place is a line of a file with a name.
bool is_located(const Module& module, const Location& location);

/// The ways on from the branches of one function.
class BranchWays {
 public:
  BranchWays(const Module& module, const Function& function);

  /// The line at which threads go on that come to a statement, as it is seen from `branch`: a call
  /// that was inlined is the line of the call, and 0 is outside of the function or file. Nothing
  /// if they come to another branch of the line, which says where they go, as in an unrolled loop
  /// or behind the first half of `a && b`.
  [[nodiscard]] std::optional<std::uint32_t> line(std::uint32_t index,
                                                  const Location& branch) const;

 private:
  struct Block {
    std::uint32_t end = 0;  ///< the statement that ends it, or begins the next one
    /// The first line behind the branch's, and the first before it; 0: none.
    std::uint32_t later = 0, earlier = 0;
    bool leaves = false;  ///< it has code of the branch's callers
  };
  [[nodiscard]] Block look(std::uint32_t index, const Location& branch) const;
  [[nodiscard]] std::optional<Location> seen_from(const Location& branch, Location place) const;

  const Module& module_;
  const Function& function_;
  std::vector<bool> labels_;  ///< by statement: a branch leads there
};

}  // namespace warpmark::cpu
