// Name lookup of a function body.
#include "ptx/scopes.hpp"

#include <cstdint>
#include <string>

#include "ptx/error.hpp"
#include "ptx/lexer.hpp"

namespace warpmark::cpu {

void Scopes::declare(std::string_view name, Type type, bool range, std::uint64_t count,
                     std::uint32_t line) {
  Scope& scope = scopes_.back();
  const bool fresh = range ? scope.ranges.emplace(name, Range{type, count}).second
                           : scope.singles.emplace(name, type).second;
  // %r12 is one of %r<20>, whichever comes first.
  bool twice = !fresh;
  const auto is_in = [](std::string_view single, std::string_view stem, std::uint64_t size) {
    return single.starts_with(stem) && is_number_below(single.substr(stem.size()), size);
  };
  if (range) {
    for (const auto& [single, unused] : scope.singles) twice = twice || is_in(single, name, count);
  } else {
    for (const auto& [stem, numbers] : scope.ranges)
      twice = twice || is_in(name, stem, numbers.count);
  }
  twice = twice || (!range && scope.labels.contains(name));
  if (twice) throw PtxError(line, "'" + std::string(name) + "' is declared twice");
}

std::uint32_t Scopes::find(std::string_view name) {
  // `%r12` may be declared alone or as one of `%r<20>`: split the number off.
  const std::size_t stem = name.find_last_not_of("0123456789") + 1;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto used = scope->used.find(name); used != scope->used.end()) return used->second;
    Type type = Type::none;
    if (auto single = scope->singles.find(name); single != scope->singles.end()) {
      type = single->second;
      if (type == Type::none) return Operand::kNone;  // a variable
    } else if (stem < name.size()) {
      auto range = scope->ranges.find(name.substr(0, stem));
      if (range != scope->ranges.end() && is_number_below(name.substr(stem), range->second.count))
        type = range->second.type;
    }
    if (type == Type::none) continue;
    const auto index = static_cast<std::uint32_t>(function_.registers.size());
    function_.registers.push_back({name, type});
    scope->used.emplace(name, index);
    return index;
  }
  return Operand::kNone;
}

std::uint32_t Scopes::find_outermost(std::string_view name) {
  Scope& scope = scopes_.front();
  const auto single = scope.singles.find(name);
  if (single == scope.singles.end() || single->second == Type::none) return Operand::kNone;
  const auto [used, fresh] =
      scope.used.emplace(name, static_cast<std::uint32_t>(function_.registers.size()));
  if (fresh) function_.registers.push_back({name, single->second});
  return used->second;
}

void Scopes::label(std::string_view name, std::uint32_t line) {
  const auto statement = static_cast<std::uint32_t>(function_.statements.size());
  if (!scopes_.back().labels.emplace(name, statement).second ||
      scopes_.back().singles.contains(name)) {
    throw PtxError(line, "label '" + std::string(name) + "' is declared twice");
  }
}

void Scopes::close() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const Branch& branch : scope.branches) {
    Operand& operand = function_.operands[branch.operand];
    auto label = scope.labels.find(operand.text);
    if (label != scope.labels.end()) {
      operand.kind = OperandKind::label;
      operand.index = label->second;
    } else if (!scopes_.empty()) {
      scopes_.back().branches.push_back(branch);
    } else {
      throw PtxError(branch.line, "branch to '" + std::string(operand.text) +
                                      "', a label that the function does not have");
    }
  }
}

void Scopes::finish() {
  while (!scopes_.empty()) close();
}

}  // namespace warpmark::cpu
