#include "grade/judge/judgement_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace warpmark {

namespace {

constexpr std::array kFindings = {GradeWord::memory_error, GradeWord::race, GradeWord::barrier};

/// The way in which an item failed: its word, and what the word does not say.
using Failure = std::pair<GradeWord, std::optional<FailedBy>>;

// In the order of FailedBy.
constexpr std::array kSentences = {
    "elements differ from the reference by little, as by a lower precision or approximate "
    "instructions",
    "elements were never written",
    "elements were written in part, as by stores of a narrower type",
    "an input was changed",
    "the results are not as the task's checks demand",
    "a count of its work is not as the task demands",
    "the kernel ended itself by a trap",
    "an assertion in the kernel does not hold",
    "far more instructions than the task's own kernel executes, as in a loop without end",
    "not run, since a case before ran into a limit"};
static_assert(kSentences.size() == words(FailedBy()).size());

// A sentence for the writer about hidden cases, which tells nothing of their data.
const char* sentence_for(const Failure& failure) {
  if (failure.second) return kSentences[static_cast<size_t>(*failure.second)];
  switch (failure.first) {
    case GradeWord::wrong:
      return "elements differ from the reference";
    case GradeWord::memory_error:
      return "an access out of bounds or misaligned, or the use of a value that was never written";
    case GradeWord::race:
      return "two threads access the same memory, one of them writes, and nothing orders them";
    case GradeWord::barrier:
      return "threads wait at a barrier, or in a warp operation, for threads that do not come";
    case GradeWord::limit:
      return "too many instructions, or too much time";
    case GradeWord::not_launched:
      return "the kernel cannot be launched";
    case GradeWord::pass:
    case GradeWord::partly:
      break;
  }
  return "";
}

// Adds up the items of a result by how they failed.
class Tally {
 public:
  explicit Tally(const GradeResult& result) {
    for (const GradedCase& one : result.cases) {
      for (const GradedItem& item : one.items) {
        // The CPU device ends a kernel at a write to an input, and a GPU shows it afterwards.
        const bool written = item.failed_by == FailedBy::written_input;
        const GradeWord word = written ? GradeWord::wrong : item.word;
        ++words_[word];
        ++failures_[{word, item.failed_by}];
        ++all_;
        trials_ = std::max(trials_, item.trials);
      }
    }
  }

  uint64_t of(GradeWord word) const { return words_.contains(word) ? words_.at(word) : 0; }
  // True if an item ended before all threads of the kernel had.
  bool has_unfinished() const {
    return std::ranges::any_of(failures_, [](const auto& one) {
      const auto& [word, how] = one.first;
      return word == GradeWord::limit || word == GradeWord::not_launched || how == FailedBy::trap ||
             how == FailedBy::assertion || how == FailedBy::written_input;
    });
  }
  uint64_t all() const { return all_; }
  uint64_t trials() const { return trials_; }
  bool passed() const { return all_ > 0 && of(GradeWord::pass) == all_; }
  std::vector<JudgedFinding> findings() const {
    std::vector<JudgedFinding> found;
    for (const GradeWord word : kFindings) {
      if (of(word) > 0) found.push_back({std::string(to_text(word)), of(word)});
    }
    return found;
  }
  // "3 of 8 cases: race: two threads …", for each way in which an item failed with these words.
  std::string text_of(std::initializer_list<GradeWord> words) const {
    std::vector<std::string> texts;
    for (const GradeWord word : words) {
      for (const auto& [failure, count] : failures_) {
        if (failure.first != word) continue;
        texts.push_back(fmt::format("{} of {} cases: {}: {}", count, all_, to_text(word),
                                    sentence_for(failure)));
      }
    }
    return join(texts, "\n");
  }

 private:
  std::map<GradeWord, uint64_t> words_;
  std::map<Failure, uint64_t> failures_;
  uint64_t all_ = 0, trials_ = 0;
};

JudgedAs verdict_of(const GradeResult& result, const Tally& tally) {
  switch (result.state) {
    case GradeState::grader_error:
      return JudgedAs::not_judged;
    case GradeState::refused:
      return JudgedAs::refused;
    case GradeState::compile_error:
    case GradeState::limit:
    case GradeState::fault:
      return JudgedAs::not_compiled;
    case GradeState::graded:
      break;
  }
  if (!tally.findings().empty()) return JudgedAs::unclean;
  return tally.passed() ? JudgedAs::right : JudgedAs::wrong;
}

JudgedPart right_of(const Tally& tally) {
  if (tally.passed()) return {true, ""};
  std::string why = tally.text_of({GradeWord::wrong, GradeWord::limit, GradeWord::not_launched});
  if (!why.empty()) return {false, std::move(why)};
  return {std::nullopt, "the cases that fail ended with a finding before they had all values"};
}

JudgedPart clean_of(const Tally& tally, bool reports) {
  const std::string why =
      tally.text_of({GradeWord::memory_error, GradeWord::race, GradeWord::barrier});
  if (!why.empty()) return {false, why};
  if (!reports) return {std::nullopt, "this device looks for no mistakes: the CPU device does"};
  if (tally.has_unfinished()) return {std::nullopt, "some cases did not run to their end"};
  return {true, ""};
}

JudgedSpeed speed_of(const GradeResult& result, bool passed) {
  JudgedSpeed speed;
  double logs = 0, lows = 0, highs = 0;
  uint64_t count = 0;
  bool known = true, times = false;
  for (const GradedCase& one : result.cases) {
    if (!one.performance) continue;
    speed.by = one.performance->by_counters() ? "counters" : "gpu";
    speed.counters = one.performance->counters;
    for (const GradedItem& item : one.items) {
      known = known && item.performance.has_value();
      if (!item.open.empty()) speed.reason = item.open;
      if (!item.performance) continue;
      const Performance& measured = *item.performance;
      times = measured.rounds > 0;
      logs += std::log(times ? measured.median : measured.ratio);
      lows += std::log(measured.low);
      highs += std::log(measured.high);
      ++count;
    }
  }
  if (speed.by.empty()) {
    speed.reason = "the task does not ask for speed";
  } else if (!passed) {
    speed.reason = "only a right candidate is measured";
  } else if (known && count > 0) {
    const auto mean = [&](double sum) { return std::exp(sum / static_cast<double>(count)); };
    speed.ratio = mean(logs);
    if (times) {
      speed.low = mean(lows);
      speed.high = mean(highs);
    }
  } else if (speed.reason.empty()) {
    speed.reason = "it could not be measured";
  }
  return speed;
}

std::string text_of(const JudgedSpeed& speed) {
  if (!speed.ratio) return "";
  const std::string what = speed.counters.empty() ? "its time" : join(speed.counters, " + ");
  // The writer gets a rounded ratio: its digits could carry what the kernel has seen of hidden data.
  constexpr double kMost = 10;
  std::string text =
      *speed.ratio > kMost
          ? fmt::format("{} is more than {:g} times that of the task's own kernel", what, kMost)
          : fmt::format("{} is {:.2g} of the task's own kernel", what, *speed.ratio);
  if (speed.low) {
    text += fmt::format(" (95 % interval {:.3g} to {:.3g}{})", *speed.low, *speed.high,
                        *speed.low < 1 && *speed.high > 1 ? ": inconclusive" : "");
  }
  return text;
}

// Whole explanations of the cases that a task shows.
std::string visible_failures(const GradeResult& result) {
  std::string text;
  for (const GradedCase& one : result.cases) {
    if (one.visibility == Visibility::hidden) continue;
    for (const GradedItem& item : one.items) {
      if (item.word == GradeWord::pass) continue;
      text += fmt::format("{}: {}\n{}\n", item.case_id, item.explanation, item.detail);
    }
  }
  return text;
}

std::string feedback_of(const Judgement& made, const GradeResult& result) {
  std::vector<std::string> texts;
  if (made.verdict == JudgedAs::not_judged) return "";
  for (const JudgedPart* part : {&made.honest, &made.compiled, &made.clean, &made.right}) {
    if (part->holds && !*part->holds) texts.push_back(part->reason);
  }
  if (made.verdict == JudgedAs::not_compiled) texts.push_back(made.log);
  if (made.verdict == JudgedAs::right)
    texts.push_back(fmt::format("all {} cases are right", made.cases));
  texts.push_back(visible_failures(result));
  texts.push_back(text_of(made.fast));
  std::erase(texts, "");
  return std::string(trim(join(texts, "\n")));
}

void set_parts(Judgement& made, const GradeResult& result, const Tally& tally, bool reports) {
  switch (made.verdict) {
    case JudgedAs::not_judged:
      made.problem = result.staff.empty() ? result.message : result.staff;
      break;
    case JudgedAs::refused:
      made.honest = {false, result.message};
      break;
    case JudgedAs::not_compiled:
      made.compiled = {false, result.message};
      break;
    case JudgedAs::unclean:
    case JudgedAs::wrong:
    case JudgedAs::right:
      made.compiled = {true, ""};
      made.honest = {true, ""};
      made.right = right_of(tally);
      made.clean = clean_of(tally, reports);
      break;
  }
  made.fast = speed_of(result, made.verdict == JudgedAs::right);
}

}  // namespace

Judgement judgement_of(const GradeResult& result, const Assignment& task, bool reports) {
  const Tally tally(result);
  Judgement made;
  made.verdict = verdict_of(result, tally);
  set_parts(made, result, tally, reports);
  made.log = result.log;
  made.cases = tally.all();
  made.passed = tally.of(GradeWord::pass);
  made.trials = tally.trials();
  made.findings = tally.findings();
  made.noticed = result.flags;
  made.digests = {task.sha256, result.submission_sha256, result.key};
  const GradeLimits& limits = task.limits;
  made.limits = {limits.instructions,  limits.timeout_s,   limits.total_s,
                 limits.compile_cpu_s, limits.compile_mib, limits.memory_mib};
  made.warpmark = result.context.warpmark;
  made.device = result.context.device;
  made.date = result.context.date;
  made.sandbox = result.context.sandbox;
  made.seconds = result.seconds;
  made.feedback = feedback_of(made, result);
  return made;
}

}  // namespace warpmark
