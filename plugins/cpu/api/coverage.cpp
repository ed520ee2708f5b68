// From counts of blocks to statements, and from those to lines and branches of the source.
#include "api/coverage.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/branch_ways.hpp"
#include "api/json_text.hpp"
#include "api/report.hpp"
#include "program/source_place.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;

// The first statement of a block that has any.
std::optional<std::uint32_t> first_statement(const Program& program, std::uint32_t block) {
  const BasicBlock& node = program.blocks[block];
  if (node.weight == 0) return std::nullopt;
  return node.statement + 1 - node.weight;
}

// How much an instruction says of where its line is executed. A compiler computes addresses and
// other values ahead of the branch behind which they are used, seldom loads, and never what can be
// noticed.
enum class Weight : std::uint8_t { value, load, effect };

constexpr std::array kLoads = {Mnemonic::ldu,  Mnemonic::ldmatrix, Mnemonic::tex, Mnemonic::tld4,
                               Mnemonic::suld, Mnemonic::shfl,     Mnemonic::vote};
constexpr std::array kEffects = {
    Mnemonic::st,     Mnemonic::stmatrix, Mnemonic::red,     Mnemonic::atom,     Mnemonic::bra,
    Mnemonic::brx,    Mnemonic::bar,      Mnemonic::barrier, Mnemonic::call,     Mnemonic::ret,
    Mnemonic::exit,   Mnemonic::trap,     Mnemonic::cp,      Mnemonic::mbarrier, Mnemonic::fence,
    Mnemonic::membar, Mnemonic::sust,     Mnemonic::sured};

Weight weight_of(const Statement& statement) {
  const Mnemonic mnemonic = statement.facts->mnemonic;
  if (std::ranges::count(kEffects, mnemonic) != 0) return Weight::effect;
  const bool loads = mnemonic == Mnemonic::ld ? !statement.facts->has(Modifier::param)
                                              : std::ranges::count(kLoads, mnemonic) != 0;
  return loads ? Weight::load : Weight::value;
}

using NumberedLine = std::pair<std::uint32_t, std::uint32_t>;  // number of the file, line
struct LineCoverage {
  std::uint64_t count = 0;
  std::map<std::uint32_t, std::uint64_t> sides;  ///< lanes by the line that they go on at, or 0
};

class Rendering {
 public:
  explicit Rendering(const Module& module) : module_(module) {}

  void add(const Function& function, const std::vector<std::uint64_t>* executed,
           const std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>>* sides);
  [[nodiscard]] Json json() const;

 private:
  void add_branch(const Function& function, const BranchWays& ways, std::uint32_t index,
                  const std::map<std::uint32_t, std::uint64_t>* counted);
  void add_function(const Function& function, std::uint64_t count);

  const Module& module_;
  std::map<NumberedLine, LineCoverage> lines_;
  struct FunctionLine {
    NumberedLine line;
    std::uint64_t count = 0;
  };
  std::map<std::string, FunctionLine> functions_;
  std::set<std::string> without_lines_;
};

void Rendering::add_branch(const Function& function, const BranchWays& ways, std::uint32_t index,
                           const std::map<std::uint32_t, std::uint64_t>* counted) {
  const Location& location = function.statements[index].location;
  LineCoverage& line = lines_[{location.file, location.line}];
  for (const std::uint32_t target : branch_targets(function, index)) {
    const std::optional<std::uint32_t> to = ways.line(target, location);
    if (!to) continue;
    std::uint64_t& count = line.sides[*to];
    if (counted == nullptr) continue;
    const auto found = counted->find(target);
    if (found != counted->end()) count += found->second;
  }
}

void Rendering::add_function(const Function& function, std::uint64_t count) {
  std::optional<NumberedLine> first;
  for (const Statement& statement : function.statements) {
    if (!is_located(module_, statement.location) || statement.location.inlined != 0) continue;
    const NumberedLine line{statement.location.file, statement.location.line};
    if (!first || (line.first == first->first && line.second < first->second)) first = line;
  }
  if (!first) {
    if (function.entry) without_lines_.insert(readable_name(function.name));
    return;
  }
  FunctionLine& one =
      functions_.try_emplace(readable_name(function.name), FunctionLine{*first}).first->second;
  if (first->first == one.line.first) one.line.second = std::min(one.line.second, first->second);
  one.count += count;
}

// A line's count is that of its most executed instruction among those that say most; copies that
// the compiler made by inlining or for types of a template add up.
void Rendering::add(const Function& function, const std::vector<std::uint64_t>* executed,
                    const std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>>* sides) {
  const BranchWays ways(module_, function);
  std::map<std::tuple<NumberedLine, std::uint32_t>, std::pair<Weight, std::uint64_t>> most;
  for (std::uint32_t i = 0; i < function.statements.size(); ++i) {
    const Statement& statement = function.statements[i];
    if (!is_located(module_, statement.location) || statement.location.merged) continue;
    const NumberedLine line{statement.location.file, statement.location.line};
    const std::pair<Weight, std::uint64_t> own{weight_of(statement),
                                               executed != nullptr ? (*executed)[i] : 0};
    const auto known = most.try_emplace({line, statement.location.inlined}, own).first;
    known->second = std::max(known->second, own);
    if (!is_source_branch(statement)) continue;
    const auto* counted = sides != nullptr && sides->contains(i) ? &sides->at(i) : nullptr;
    add_branch(function, ways, i, counted);
  }
  for (const auto& [key, best] : most) lines_[std::get<0>(key)].count += best.second;
  const bool ran = executed != nullptr && !executed->empty();
  add_function(function, ran ? executed->front() : 0);
}

Json Rendering::json() const {
  Json lines = Json::array(), functions = Json::array(), without = Json::array();
  std::map<std::pair<std::string_view, std::uint32_t>, LineCoverage> named;
  for (const auto& [place, counts] : lines_) {
    LineCoverage& line = named[{module_.files.at(place.first), place.second}];
    line.count += counts.count;
    for (const auto& [to, count] : counts.sides) line.sides[to] += count;
  }
  for (const auto& [place, counts] : named) {
    Json line = {{"file", safe(place.first)}, {"line", place.second}, {"count", counts.count}};
    // A branch that only the compiler made goes on at one line in any case.
    const bool parts = counts.sides.size() > 1;
    for (const auto& [to, count] : parts ? counts.sides : decltype(counts.sides){})
      line["branches"].push_back({{"to", to}, {"count", count}});
    lines.push_back(std::move(line));
  }
  for (const auto& [name, function] : functions_) {
    functions.push_back({{"name", safe(name)},
                         {"file", safe(module_.files.at(function.line.first))},
                         {"line", function.line.second},
                         {"count", function.count}});
  }
  for (const std::string& name : without_lines_) without.push_back(safe(name));
  return {{"coverage", std::move(lines)},
          {"functions", std::move(functions)},
          {"without_lines", std::move(without)}};
}

}  // namespace

ModuleCoverage::Place ModuleCoverage::place(const Program& program, std::uint32_t number) {
  const auto next = std::upper_bound(
      program.sources.begin(), program.sources.end(), number,
      [](std::uint32_t one, const Program::Source& source) { return one < source.first; });
  if (next == program.sources.begin()) return {};
  const Program::Source& source = *(next - 1);
  const std::vector<Statement>& all = source.function->statements;
  const std::uint32_t index = number - source.first;
  if (index >= all.size()) return {};
  Counts& counts = functions_[source.function];
  counts.executed.resize(all.size());
  return {&counts, source.function, &all[index], index};
}

void ModuleCoverage::add(const Program& program, const CoverageMap& map, const Profile& profile) {
  for (std::uint32_t node = 0; node < profile.visits.size(); ++node) {
    const BasicBlock& block = program.blocks[node];
    const std::uint64_t lanes = profile.visits[node].lanes;
    for (std::uint32_t i = block.statement + 1 - block.weight; i <= block.statement; ++i) {
      const Place at = block.weight == 0 ? Place{} : place(program, i);
      if (at.statement == nullptr) break;
      const bool guarded =
          at.statement->guard != Operand::kNone && !is_source_branch(*at.statement);
      if (!guarded) at.counts->executed[at.index] += lanes;
    }
    if (block.exit != Exit::branch) continue;
    const Place at = place(program, block.statement);
    if (at.statement == nullptr) continue;
    const Sides& sides = profile.sides[node];
    if (at.statement->facts->mnemonic ==
        Mnemonic::brx) {  // a chain of blocks, each of which asks for one label
      const auto target = first_statement(program, block.taken);
      const Place to = target ? place(program, *target) : Place{};
      if (to.statement != nullptr) at.counts->sides[at.index][to.index] += sides.taken;
    } else if (is_source_branch(*at.statement)) {
      const std::vector<std::uint32_t> ways = branch_targets(*at.function, at.index);
      at.counts->sides[at.index][ways[0]] += sides.taken;
      at.counts->sides[at.index][ways[1]] += sides.other;
    } else if (block.weight > 0) {  // @p ret, @p bar.sync: a branch around it
      at.counts->executed[at.index] += sides.taken;
    }
  }
  // A statement may take several instructions, which have the same guard.
  for (std::size_t i = 0; i < profile.held.size(); ++i) {
    const std::uint32_t number = program.code[map.guarded()[i]].statement;
    if (i > 0 && program.code[map.guarded()[i - 1]].statement == number) continue;
    const Place at = place(program, number);
    if (at.statement != nullptr && at.statement->guard != Operand::kNone)
      at.counts->executed[at.index] += profile.held[i];
  }
}

std::string ModuleCoverage::json() const {
  const Module& module = text_->module();
  Rendering rendering(module);
  for (const Function& function : module.functions) {
    if (!function.has_body) continue;
    const auto found = functions_.find(&function);
    const bool ran = found != functions_.end();
    rendering.add(function, ran ? &found->second.executed : nullptr,
                  ran ? &found->second.sides : nullptr);
  }
  return json_text(rendering.json());
}

}  // namespace warpmark::cpu
