// Name lookup of a function body.
#include "ptx/scopes.hpp"

#include <algorithm>
#include <string>

#include "ptx/error.hpp"
#include "ptx/lexer.hpp"

namespace warpmark::cpu {

void Scopes::add(Names& names, std::string_view name, Kind kind, bool range, std::uint64_t count,
                 std::uint32_t line) {
  const bool fresh = range ? names.ranges.emplace(name, Range{kind, count}).second
                           : names.singles.emplace(name, kind).second;
  // %r12 is one of %r<20>, whichever comes first.
  bool twice = !fresh;
  const auto is_in = [](std::string_view single, std::string_view stem, std::uint64_t size) {
    return single.starts_with(stem) && is_number_below(single.substr(stem.size()), size);
  };
  if (range) {
    for (const auto& [single, unused] : names.singles) twice = twice || is_in(single, name, count);
  } else {
    for (const auto& [stem, numbers] : names.ranges)
      twice = twice || is_in(name, stem, numbers.count);
  }
  if (twice) throw PtxError(line, "'" + std::string(name) + "' is declared twice");
}

void Scopes::declare(std::string_view name, Kind kind, bool range, std::uint64_t count,
                     std::uint32_t line) {
  if (tolerant_) {
    Scope& scope = scopes_.back();
    if (range)
      scope.ranges.emplace(name, Range{kind, count});
    else
      scope.singles.emplace(name, kind);
    return;
  }
  add(scopes_.back(), name, kind, range, count, line);
  if (!range && scopes_.back().labels.contains(name))
    throw PtxError(line, "'" + std::string(name) + "' is declared twice");
}

bool Scopes::has(std::string_view name) const {
  return std::ranges::any_of(scopes_,
                             [&](const Scope& scope) { return scope.singles.contains(name); });
}

// The registers of a declaration are made together, when the first of them is used.
std::uint32_t Scopes::make(Used& used, std::string_view name, Kind kind) {
  const auto index = static_cast<std::uint32_t>(function_.registers.size());
  for (std::uint8_t i = 0; i < kind.elements; ++i)
    function_.registers.push_back({name, kind.type, kind.of_module, i});
  used.emplace(name, Found{kind, index});
  return index;
}

std::optional<Scopes::Found> Scopes::look_up_in(const Names& names, Used& used,
                                                std::string_view name) {
  if (const auto known = used.find(name); known != used.end()) return known->second;
  if (const auto single = names.singles.find(name); single != names.singles.end()) {
    if (single->second.type == Type::none) return Found{};  // a variable
    return Found{single->second, make(used, name, single->second)};
  }
  // `%r12` may be declared alone or as one of `%r<20>`: split the number off.
  const std::size_t stem = name.find_last_not_of("0123456789") + 1;
  if (stem == name.size()) return std::nullopt;
  const auto range = names.ranges.find(name.substr(0, stem));
  if (range == names.ranges.end() || !is_number_below(name.substr(stem), range->second.count))
    return std::nullopt;
  return Found{range->second.kind, make(used, name, range->second.kind)};
}

Scopes::Found Scopes::look_up(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const std::optional<Found> found = look_up_in(*scope, scope->used, name)) return *found;
  }
  return look_up_in(outside_, outside_used_, name).value_or(Found{});
}

std::uint32_t Scopes::find(std::string_view name) {
  const Found found = look_up(name);
  if (found.index != Operand::kNone) return found.kind.elements == 1 ? found.index : Operand::kNone;
  const std::size_t size = name.size();
  if (size < 3 || name[size - 2] != '.') return Operand::kNone;
  const std::size_t element = std::string_view("xyzwrgba").find(name.back());
  if (element == std::string_view::npos) return Operand::kNone;
  const Vector vector = find_vector(name.substr(0, size - 2));
  return element % 4 < vector.elements ? vector.first + static_cast<std::uint32_t>(element % 4)
                                       : Operand::kNone;
}

Scopes::Vector Scopes::find_vector(std::string_view name) {
  const Found found = look_up(name);
  return found.kind.elements == 1 ? Vector{} : Vector{found.index, found.kind.elements};
}

std::uint32_t Scopes::find_outermost(std::string_view name) {
  Scope& scope = scopes_.front();
  const auto single = scope.singles.find(name);
  if (single == scope.singles.end() || single->second.type == Type::none) return Operand::kNone;
  const auto used = scope.used.find(name);
  return used != scope.used.end() ? used->second.index : make(scope.used, name, single->second);
}

void Scopes::label(std::string_view name, std::uint32_t line) {
  const auto statement = static_cast<std::uint32_t>(function_.statements.size());
  const bool twice = !scopes_.back().labels.emplace(name, statement).second ||
                     scopes_.back().singles.contains(name);
  if (twice && !tolerant_) {
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
    } else if (!tolerant_) {
      throw PtxError(branch.line, "branch to '" + std::string(operand.text) +
                                      "', a label that the function does not have");
    }
  }
}

void Scopes::finish() {
  while (!scopes_.empty()) close();
}

}  // namespace warpmark::cpu
