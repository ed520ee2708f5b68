#include "api/branch_ways.hpp"

#include <span>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

bool ends(const Statement& statement) {
  const Mnemonic name = statement.facts->mnemonic;
  return name == Mnemonic::bra || name == Mnemonic::brx || name == Mnemonic::ret ||
         name == Mnemonic::exit || name == Mnemonic::trap;
}

}  // namespace

bool is_source_branch(const Statement& statement) {
  return is_indexed_branch(statement) ||
         (statement.facts->mnemonic == Mnemonic::bra && statement.guard != Operand::kNone);
}

std::vector<std::uint32_t> branch_targets(const Function& function, std::uint32_t index) {
  const Statement& statement = function.statements[index];
  const std::span<const Operand> operands = function.operands_of(statement);
  if (!is_indexed_branch(statement)) return {operands[0].index, index + 1};
  std::vector<std::uint32_t> found;
  const auto table = function.branch_tables.find(operands[1].text);
  if (table == function.branch_tables.end()) return found;
  for (std::uint32_t label = 0; label < table->second.labels; ++label)
    found.push_back(function.operands[table->second.first_operand + label].index);
  if (statement.guard != Operand::kNone) found.push_back(index + 1);
  return found;
}

bool is_located(const Module& module, const Location& location) {
  return location.line != 0 && module.files.contains(location.file);
}

BranchWays::BranchWays(const Module& module, const Function& function)
    : module_(module), function_(function), labels_(function.statements.size() + 1) {
  for (std::uint32_t i = 0; i < function.statements.size(); ++i) {
    const Mnemonic name = function.statements[i].facts->mnemonic;
    if (name != Mnemonic::bra && name != Mnemonic::brx) continue;
    for (const std::uint32_t target : branch_targets(function, i)) labels_[target] = true;
  }
}

std::optional<std::uint32_t> BranchWays::line(std::uint32_t index, const Location& branch) const {
  constexpr int kMostHops = 64;
  std::uint32_t earlier = 0;  // where code of an earlier line leads on
  for (int hop = 0; hop < kMostHops; ++hop) {
    const Block block = look(index, branch);
    if (block.later != 0) return block.later;
    if (earlier == 0) earlier = block.earlier;
    if (block.leaves || block.end >= function_.statements.size()) return earlier;
    const Statement& last = function_.statements[block.end];
    if (labels_[block.end] && block.end != index) {
      index = block.end;
    } else if (earlier != 0) {
      return earlier;
    } else if (is_source_branch(last)) {
      return std::nullopt;
    } else if (last.facts->mnemonic == Mnemonic::bra) {
      index = branch_targets(function_, block.end).front();
    } else {
      return 0;
    }
  }
  return earlier;
}

// The compiler moves code of earlier lines down to where it is needed, so that a later line
// says better where this is. Merged code is placed by a guess.
BranchWays::Block BranchWays::look(std::uint32_t index, const Location& branch) const {
  Block block;
  for (block.end = index; block.end < function_.statements.size(); ++block.end) {
    if (labels_[block.end] && block.end != index) break;
    const Statement& statement = function_.statements[block.end];
    const bool last = ends(statement);
    if (is_located(module_, statement.location) && (last || !statement.location.merged)) {
      const std::optional<Location> place = seen_from(branch, statement.location);
      if (!place) {
        block.leaves = true;
      } else if (place->line > branch.line) {
        block.later = place->line;
        return block;
      } else if (place->line < branch.line) {
        if (block.earlier == 0) block.earlier = place->line;
      } else if (block.leaves) {
        return block;  // another copy of the function
      }
    }
    if (last) break;
  }
  return block;
}

std::optional<Location> BranchWays::seen_from(const Location& branch, Location place) const {
  while (place.inlined != branch.inlined) {
    if (place.inlined == 0 || place.inlined > module_.inlined.size()) return std::nullopt;
    place = module_.inlined[place.inlined - 1].call;
  }
  return place.file == branch.file ? std::optional(place) : std::nullopt;
}

}  // namespace warpmark::cpu
