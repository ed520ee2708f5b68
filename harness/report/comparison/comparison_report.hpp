// A comparison of two benches for a person, for a pull request, and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "report/page/page.hpp"
#include "report/page/style.hpp"
#include "results/bench_comparison.hpp"

namespace warpmark {

/// The input of a report; all of it must outlive the call.
struct ComparedBenches {
  const BenchResult& baseline;
  const BenchResult& contender;
  const BenchComparison& comparison;
  ComparisonOptions options;
  /// Verdicts that fail besides `slower`, `lost`, `missing` and `mixed`.
  std::set<ChangeVerdict> fail_on = {};
  bool allow_missing = false;  ///< then `missing` does not fail, unless `fail_on` has it
  std::string command = {};    ///< the command that measures and compares; "" for `warpmark
                               ///< compare`
  bool advises = true;         ///< adds advice on what to do now

  bool fails(ChangeVerdict verdict) const;
  /// 1 if any verdict of the comparison fails, else 0.
  int exit_code() const;
};

/// The rows that are not the same, the gravest first, then a sum and what to do; all rows if asked
/// for. Verbosity::quiet leaves those that fail, and the sum.
std::string comparison_text(const ComparedBenches& compared, const ConsoleStyle& style,
                            bool all = false);

/// The same as Markdown for GitHub, with the rows that are the same in a block to unfold.
std::string comparison_markdown(const ComparedBenches& compared);

/// False for what is the same, inconclusive or was not asked for.
bool is_change(ChangeVerdict verdict);

/// A page that opens with what changed: what is inconclusive and what is the same are folded away.
Page changes_first(const ComparedBenches& compared);

/// As schema/compare.json says.
nlohmann::ordered_json comparison_json(const ComparedBenches& compared);

}  // namespace warpmark
