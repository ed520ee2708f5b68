#include "grade/assignment/assignment_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "grade/assignment/assignment_credit.hpp"
#include "grade/assignment/foreseen.hpp"
#include "grade/assignment/free_points.hpp"
#include "report/grade/credit_lines.hpp"

namespace warpmark {
namespace {

// Margins look at every element of every answer; of large items one trial shows what three do.
constexpr uint64_t kElementsOfAllTrials = uint64_t{1} << 20;

// How many results an attempt at a hidden case can tell apart: a word where no item passes, the number
// of items that pass where each has a share, and of a pass its points.
size_t hidden_results(const AssignmentCase& one) {
  constexpr size_t kFailures = 6;  // seven words, one of which is a pass
  constexpr size_t kShares = 101;  // a degree has whole percents, and a ratio that is not coarser
  size_t points = 1;
  if (one.credit == Credit::degree) points = kShares;
  if (one.performance)
    points = one.performance->steps.empty() ? kShares : one.performance->steps.size() + 1;
  if (one.credit == Credit::each) points += std::max<size_t>(1, one.items.size()) - 1;
  return kFailures + points;
}

// Names the kinds of traffic that a list of sectors does not count: a submission may move its
// data by them.
std::string sectors_left_out(const PerformanceRule& rule) {
  std::vector<std::string> left_out;
  bool counts_sectors = false;
  for (const CounterTerm& term : terms_of(kMovedSectors)) {
    const bool is_named = std::ranges::any_of(rule.counters, [&](const std::string& name) {
      return name == kMovedSectors || name == term.name;
    });
    counts_sectors = counts_sectors || is_named;
    if (!is_named) left_out.push_back("`" + term.name + "`");
  }
  return counts_sectors ? join(left_out, ", ") : "";
}

class AssignmentLinter {
 public:
  AssignmentLinter(const Assignment& assignment, Session& session, Interpreter& python,
                   PluginLoader& plugins)
      : assignment_(assignment),
        session_(session),
        python_(python),
        plugins_(plugins),
        free_(assignment),
        built_in_(assignment) {}

  AssignmentLint run() {
    bool whole = true;
    for (const AssignmentCase& one : assignment_.cases) {
      for (const Case& item : one.items) whole = look(one, item) && whole;
    }
    // A case with an item that could not be looked at would seem to be free, or not to be.
    if (!whole) return std::move(lint_);
    lint_.problems = free_.problems();
    for (const Error& problem : built_in_.problems()) lint_.problems.push_back(problem);
    lint_.built_in = built_in_.names();
    lint_.notes = built_in_.notes();
    add_notes();
    return std::move(lint_);
  }

 private:
  void add_notes() {
    for (const auto& [suite, fills] : fills_blocks_) {
      if (!fills) continue;
      lint_.notes.push_back(fmt::format(
          "every launch{} has exactly as many threads as there are elements: a kernel without a "
          "check of its bounds gets all points; add a size that is no multiple of the block",
          fills_blocks_.size() > 1 ? " of `" + suite + "`" : ""));
    }
    const bool proved = std::ranges::any_of(assignment_.self_tests,
                                            [](const SelfTest& test) { return test.must_pass; });
    if (!proved) {
      lint_.notes.emplace_back(
          "`self_test` has no `must_pass`: nothing shows that a right kernel gets all points");
    }
    add_notes_on_credit();
  }

  void judge_hidden_cases() {
    constexpr size_t kMostResults = 8;  // three bits
    double all_bits = 0;
    size_t hidden = 0;
    for (const AssignmentCase& one : assignment_.cases) {
      if (one.visibility != Visibility::hidden) continue;
      const size_t results = hidden_results(one);
      const double bits = std::log2(results);
      ++hidden;
      all_bits += bits;
      if (results <= kMostResults) continue;
      add(usage_error(
          fmt::format(
              "an attempt at `{}`, which is hidden, has one of {} results: that tells {:.1f} "
              "bits of its data, and three are the most",
              one.name, results, bits),
          one.where,
          one.performance
              ? "give `steps` of one ratio, or show the case"
              : "give all points or none (`credit: all`), give two items a share each, or show "
                "the case"));
    }
    if (hidden > 1) {
      lint_.notes.push_back(fmt::format(
          "an attempt tells up to {:.1f} bits of the {} hidden cases together", all_bits, hidden));
    }
  }

  void add_notes_on_credit() {
    const TrialRules& trials = assignment_.trials;
    if (2 * trials.drop >= trials.count) {
      lint_.notes.push_back(
          fmt::format("{} of {} trials may fail: a kernel that is right by chance may pass",
                      trials.drop, trials.count));
    }
    judge_hidden_cases();
    for (const AssignmentCase& one : assignment_.cases) {
      if (!one.performance) continue;
      const double own = one.performance->points(1, one.points);
      if (own < one.points) {
        lint_.notes.push_back(
            fmt::format("a kernel as good as the baseline gets {:.4g} of the {:.4g} points of `{}`",
                        own, one.points, one.name));
      }
      if (const std::string left_out = sectors_left_out(*one.performance); !left_out.empty()) {
        lint_.notes.push_back(
            fmt::format("the performance of `{}` leaves out {}: `moved_sectors` has all that moves",
                        one.name, left_out));
      }
      if (!one.performance->by_counters()) {
        lint_.notes.push_back(fmt::format(
            "the {:.4g} points of `{}` stay open where there is no GPU", one.points, one.name));
      }
    }
  }

  bool look(const AssignmentCase& one, const Case& item) {
    try {
      return look_at(one, item);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      add(error.at(one.where));
      return false;
    }
  }

  bool look_at(const AssignmentCase& one, const Case& item) {
    const PlannedCase planned = make_plan(item, plugins_);
    TrivialCheck check(python_);
    TrivialMargin margin(python_);
    ForeseenCheck foreseen(python_);
    uint64_t trials = 0;
    bool refutes = true, foresees = true;
    const Outcome outcome = session_.examine(item, planned, [&](const ReadyCase& ready) {
      if (refutes) refutes = check.look(ready);
      if (foresees) foresees = foreseen.look(ready, check.is_random());
      built_in_.add(item, ready);
      uint64_t elements = 0;
      for (const TrivialCheck::Judged& judged : check.judged()) elements += judged.elements;
      const uint64_t wanted =
          !check.is_random() || elements > kElementsOfAllTrials ? 1 : assignment_.trials.count;
      if (trials < wanted) margin.look(ready);
      return ++trials < wanted || refutes || foresees;
    });
    if (outcome.verdict != Verdict::passed) {
      const Error why = outcome.error.value_or(usage_error(outcome.reason));
      add(usage_error(fmt::format("{}: {}", item.id, why.message()),
                      why.where().known() ? why.where() : one.where, why.hint()));
      return false;
    }
    const std::string& suite = item.suite->name;
    bool& fills = fills_blocks_.try_emplace(suite, true).first->second;
    fills = fills && foreseen.fills_blocks();
    free_.add(one, item, check, foreseen, margin);
    if (const auto weakest = margin.weakest()) add_margin({suite, one.name, item.id, *weakest});
    return true;
  }

  void add_margin(WeakestMargin one) {
    const auto known = std::ranges::find(lint_.weakest, one.suite, &WeakestMargin::suite);
    if (known == lint_.weakest.end()) {
      lint_.weakest.push_back(std::move(one));
    } else if (one.margin.times < known->margin.times) {
      *known = std::move(one);
    }
  }

  // Adds a problem. One mistake often fails many items; only the first is reported.
  void add(const Error& problem) {
    const bool known = std::ranges::any_of(lint_.problems, [&](const Error& other) {
      return other.where() == problem.where() && other.hint() == problem.hint();
    });
    if (!known) lint_.problems.push_back(problem);
  }

  const Assignment& assignment_;
  Session& session_;
  Interpreter& python_;
  PluginLoader& plugins_;
  FreePoints free_;
  BuiltInValues built_in_;
  std::map<std::string, bool> fills_blocks_;  ///< by suite
  AssignmentLint lint_;
};

bool says(const GradedCase& one, const std::vector<GradeWord>& words) {
  const auto wanted = [&](GradeWord word) { return std::ranges::find(words, word) != words.end(); };
  return words.empty() || wanted(one.word()) ||
         std::ranges::any_of(one.items, [&](const GradedItem& item) { return wanted(item.word); });
}

// "`large` says wrong": the reason for lost points, or for no grade.
std::string reason_of(const GradeResult& result) {
  if (result.state != GradeState::graded) {
    return fmt::format("{}: {}", to_text(result.state), result.message);
  }
  for (const GradedCase& one : result.cases) {
    if (one.points >= one.max_points || !one.open.empty()) continue;
    std::string reason = fmt::format("`{}` says {}", one.name, to_text(one.word()));
    for (const GradedItem& item : one.items) {
      if (item.word != GradeWord::pass) return reason + ": " + item.explanation;
    }
    return reason;
  }
  return "";
}

std::string passed_although(const SelfTest& test, const GradeResult& result) {
  bool lost = false, said = false;
  std::string words;
  for (const GradedCase& one : result.cases) {
    if (!test.case_name.empty() && one.name != test.case_name) continue;
    if (one.points >= one.max_points || !one.open.empty()) continue;
    lost = true;
    said = said || says(one, test.words);
    if (words.empty()) words = std::string(to_text(one.word()));
  }
  const std::string where =
      test.case_name.empty() ? "" : fmt::format(" in `{}`", printable(test.case_name));
  if (!lost) return fmt::format("must lose points{}, and loses none", where);
  if (said) return "";
  std::string wanted;
  for (const GradeWord word : test.words) {
    wanted += (wanted.empty() ? "" : " or ") + std::string(to_text(word));
  }
  return fmt::format("must say {}{}, and says {}", wanted, where, words);
}

}  // namespace

AssignmentLint lint_assignment(const Assignment& assignment, Session& session, Interpreter& python,
                               PluginLoader& plugins) {
  session.require();
  return AssignmentLinter(assignment, session, python, plugins).run();
}

std::vector<Error> run_self_tests(const Assignment& assignment, const GradeFile& grade,
                                  std::vector<std::string>* reached,
                                  ReachedComposites* composites) {
  std::vector<Error> problems;
  for (const SelfTest& test : assignment.self_tests) {
    if (composites != nullptr) composites->clear();
    const GradeResult result = grade(test.file);
    const std::string name = test.file.lexically_relative(assignment.folder).string();
    const auto add = [&](const std::string& message, const std::string& hint) {
      problems.push_back(usage_error(fmt::format("`{}` {}", printable(name), message), test.where,
                                     printable(hint)));
    };
    if (result.state == GradeState::grader_error) {
      add("could not be graded", result.staff.empty() ? result.message : result.staff);
    } else if (test.must_pass) {
      std::vector<std::string> lines = credit_lines(result);
      if (composites != nullptr) {
        for (std::string& line : composites->lines()) lines.push_back(std::move(line));
      }
      for (const std::string& line : lines) {
        if (reached != nullptr) reached->push_back(fmt::format("`{}`: {}", printable(name), line));
      }
      // Points that cannot be measured here are not lost.
      const double points = result.points + result.open_points();
      if (result.state == GradeState::graded && points >= result.max_points) continue;
      add(fmt::format("must pass, and gets {:.4g} of {:.4g} points", result.points,
                      result.max_points),
          reason_of(result));
    } else if (const std::string message = passed_although(test, result); !message.empty()) {
      add(message, "add or change a case so that this mistake shows");
    }
  }
  return problems;
}

std::string lint_summary(const Assignment& assignment, const AssignmentLint& lint) {
  size_t items = 0;
  for (const AssignmentCase& one : assignment.cases) items += one.items.size();
  std::string text = fmt::format("{}: {:.10g} points in {}, {}, {}\n", assignment.id,
                                 assignment.max_points(), counted(assignment.cases.size(), "case"),
                                 counted(items, "item"), trials_text(assignment.trials));
  for (const WeakestMargin& weakest : lint.weakest) {
    const std::string of = lint.weakest.size() > 1 ? " of `" + weakest.suite + "`" : "";
    if (std::isinf(weakest.margin.times)) {
      text += fmt::format("weakest margin{}: none, every value must be equal to the expected one\n",
                          of);
      continue;
    }
    text += fmt::format("weakest margin{}: {:.3g} times the bound, by {} as `{}` in `{}` ({})\n",
                        of, weakest.margin.times, weakest.margin.answer, weakest.margin.output,
                        weakest.case_name, weakest.item);
  }
  return text;
}

}  // namespace warpmark
