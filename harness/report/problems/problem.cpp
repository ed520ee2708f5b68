#include "report/problems/problem.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "report/pictures/pictures.hpp"
#include "report/run/case_text.hpp"
#include "report/run/failure_cause.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// The kinds of the device's reports are finer than those of failures.
std::string rule_of(const Outcome& outcome) {
  const bool of_device =
      outcome.failure == FailureKind::finding || outcome.failure == FailureKind::fault;
  if (of_device && !outcome.findings.empty()) {
    const auto kind = outcome.findings.front().find("kind");
    if (kind != outcome.findings.front().end() && kind->is_string()) return *kind;
  }
  return std::string(to_text(outcome.failure));
}

constexpr size_t kMostPictures = 2;  // of each kind

struct RuleText {
  std::string_view rule, text;
};
constexpr std::array kRules = {
    RuleText{"compile", "A kernel does not compile."},
    RuleText{"signature", "The arguments of a suite do not fit the kernel's parameters."},
    RuleText{"input", "An input cannot be made."},
    RuleText{"fault", "A kernel faults."},
    RuleText{"limit", "A kernel takes more time or more instructions than it may."},
    RuleText{"crash", "A kernel ends the process that runs it."},
    RuleText{"no_fault", "The fault that a suite expects does not happen."},
    RuleText{"reference", "A reference or a tolerance cannot be evaluated."},
    RuleText{"wrong", "Elements of an output are wrong."},
    RuleText{"check", "A check of the outputs does not hold."},
    RuleText{"unwritten", "Elements of an output are never written."},
    RuleText{"input_changed", "A kernel writes to an argument that it may only read."},
    RuleText{"driver", "The driver refuses a call."},
    RuleText{"finding", "A kernel makes a mistake that its results may not show."},
    RuleText{"counter", "A counter is beyond the bound that the suite gives."},
    RuleText{"load", "A suite cannot be loaded."},
    RuleText{"launch", "No device can make the launch."},
    RuleText{"impossible", "A time is shorter than the device can reach."},
    RuleText{"replayed", "A kernel reuses results of an earlier run."},
    RuleText{"slower", "A kernel became slower."},
    RuleText{"lost", "A case that had figures has none any more."},
    RuleText{"missing", "A case of the baseline is missing."},
    RuleText{"mixed", "Some counters of a kernel grew, and others shrank."},
    RuleText{"race", "Threads access one place, and nothing puts the accesses in order."},
    RuleText{"uninitialised", "A value is used that was never written."},
    RuleText{"sync", "A barrier is not reached by all threads that it needs."},
    RuleText{"lint", "A suite has a mistake, or lets a kernel pass that it should not."},
    RuleText{"error", "A command ended with an error."}};

// The way from `folder` to a file in it; "" for a file elsewhere.
std::string within(const fs::path& folder, const fs::path& file) {
  const fs::path way = file.lexically_relative(folder);
  return way.empty() || *way.begin() == ".." ? "" : way.string();
}

}  // namespace

Problem problem_of(const Error& error, std::string_view rule, bool is_warning) {
  std::string text = error.message();
  if (!error.hint().empty()) text += "\nhint: " + error.hint();
  return {is_warning, std::string(rule), error.where(),
          "warpmark", std::move(text),   without_numbers(error.message())};
}

void FailedCases::add(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  if (outcome.verdict != Verdict::failed) return;
  const std::string key = failure_cause(outcome);
  const auto known = std::ranges::find_if(
      causes_, [&](const Cause& one) { return !key.empty() && one.key == key; });
  if (known != causes_.end()) {
    ++known->more;
    return;
  }
  causes_.push_back(
      {key,
       {false, rule_of(outcome), ended.where.known() ? ended.where : outcome.where, outcome.case_id,
        failure_text(outcome, ended.reproduce),
        // A place moves with the lines above it.
        outcome.suite + " " + without_numbers(outcome.reason),
        pictures_of_case(outcome.findings, outcome.counters, {kMostPictures, kMostPictures})}});
}

std::vector<Problem> FailedCases::problems() const {
  std::vector<Problem> all;
  all.reserve(causes_.size());
  for (const Cause& one : causes_) {
    all.push_back(one.problem);
    all.back().title = cases_title(one.problem.title, one.more);
  }
  return all;
}

std::string rule_text(std::string_view rule) {
  const auto* const found = std::ranges::find(kRules, rule, &RuleText::rule);
  if (found != kRules.end()) return std::string(found->text);
  std::string words(rule);
  std::ranges::replace(words, '_', ' ');
  return "A kernel makes a mistake: " + words + ".";
}

std::string name_in_checkout(const std::string& file) {
  for (const char* name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const char* variable = std::getenv(name);
    if (variable == nullptr || *variable == '\0') continue;
    std::error_code code;
    const fs::path workspace = fs::path(variable).lexically_normal();
    const fs::path whole = fs::absolute(file, code).lexically_normal();
    if (code) return file;  // the working directory is gone
    std::string named = within(workspace, whole);
    // The variable may go through a link, which the working directory never does. A link to a file
    // is kept where it can be: its own place may be outside.
    if (named.empty()) named = within(fs::weakly_canonical(workspace, code), whole);
    if (named.empty()) {
      named = within(fs::weakly_canonical(workspace, code), fs::weakly_canonical(whole, code));
    }
    if (!named.empty()) return named;
  }
  return file;
}

}  // namespace warpmark
