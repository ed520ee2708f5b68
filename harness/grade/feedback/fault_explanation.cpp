#include "grade/feedback/fault_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/text.hpp"
#include "grade/feedback/device_report.hpp"
#include "grade/feedback/item_verdict.hpp"
#include "grade/feedback/race_explanation.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

std::string forbidden(const Report& report, const SubmittedNames& names,
                      const SubmissionFacts& facts, int64_t index) {
  const std::string name = report.text("argument");
  const auto store = facts.store_in(line_number(report));
  std::string advice =
      "Results belong in the output; `const` before the pointer's type lets the compiler find such "
      "lines.";
  if (store && store->array != name) {
    advice = fmt::format(
        "Your file calls it `{}` there: have the kernel's parameters the order of the assignment, "
        "and does `{}` point where it should?",
        printable(store->array), printable(store->array));
  }
  return fmt::format(
      "{} writes to `{}[{}]`, but `{}` is an input, which the kernel may only read.{} {}",
      subject(report, names), name, index, name, by_thread(report), advice);
}

std::string outside_argument(const Report& report, const SubmittedNames& names,
                             const SubmissionFacts& facts, const SourceCauses& causes,
                             int64_t index) {
  const std::string name = report.text("argument");
  const int64_t elements = report.number("elements").value_or(0);
  const std::string does = report.text("access") == "write" ? "writes" : "reads";
  std::string text = fmt::format("{} {} `{}[{}]`, but `{}` has only {}", subject(report, names),
                                 does, name, index, name, counted(elements, "element"));
  if (elements > 0) text += fmt::format(" (index 0 to {})", elements - 1);
  text += "." + by_thread(report);
  const int64_t count = report.number("count").value_or(1);
  const std::string cause = causes.of({.kind = Symptom::Kind::outside,
                                       .line = line_number(report),
                                       .one_past = index == elements && count == 1});
  if (!cause.empty()) return text + " " + cause;
  if (index < 0 && facts.known() && !facts.has("-")) {
    return text +
           " The index is negative although nothing is subtracted: a product, a sum or `<<` is too "
           "great for an `int`, and overflows.";
  }
  if (index < 0) {
    return text +
           " The index is negative: something like `i - 1` needs a check for the first "
           "element.";
  }
  if (index > INT32_MAX && elements < INT32_MAX) {
    return text +
           " Such an index is an unsigned number that went below 0: `i >= 0` is always true for an "
           "`unsigned` one.";
  }
  const bool or_equal = !facts.known() || facts.has_or_equal();
  if (index == elements && count == 1 && !or_equal) {
    return text + " That is one past the end: is the index of the last element one too great?";
  }
  if (index == elements && count == 1) {
    return text +
           " That is one past the end: usually `<=` is written where `<` is meant, or a "
           "neighbour such as `[i + 1]` is used for the last element, too.";
  }
  if (const int moved = facts.moved_in(name); moved != 0) {
    return text + fmt::format(
                      " The pointer `{}` is moved in {}, so that its index begins there already: "
                      "is the offset added twice?",
                      name, line_in_file(moved, names));
  }
  if (facts.asks_bound()) {
    return text + fmt::format(
                      " The kernel compares an index before it uses an element: is it this index, "
                      "and is it compared with the number of elements of `{}`?",
                      name);
  }
  return text +
         " There are usually more threads than elements, so each thread must ask `if (i < "
         "n)` before it uses its element.";
}

// Explains an access between the rows of an array with a pitch.
std::string outside_rows(const Report& report, const SubmittedNames& names, int64_t row) {
  const std::string name = report.text("argument");
  const std::string where =
      row < 0 ? "in front of the first row" : fmt::format("behind the end of row {}", row);
  return fmt::format(
      "{} writes {} of `{}`, where no elements are: from one row to the next it is further than a "
      "row "
      "is long.{} Compare the column with the width of a row before the element is used.",
      subject(report, names), where, name, by_thread(report));
}

std::string outside_shared(const Report& report, const SubmittedNames& names,
                           const SubmissionFacts& facts, const SourceCauses& causes) {
  const std::string does = report.text("access") == "write" ? "writes" : "reads";
  auto size = report.object("allocation").number("bytes");
  // A size of 0 is not in a member of the report, only in its text.
  const std::string message = report.text("message", Report::kLongestMessage);
  if (!size && message.find("has 0 bytes") != std::string::npos) size = 0;
  std::string text = fmt::format("{} {} shared memory outside of what the block has",
                                 subject(report, names), does);
  // An `extern __shared__` array has the size that the launch gives it.
  if (size && *size == 0) {
    return text + ", which is nothing." + by_thread(report) +
           " This launch gives the kernel no dynamic shared memory: declare the array with a size, "
           "as in `__shared__ float part[128];`, and not as `extern __shared__`.";
  }
  if (size) text += fmt::format(", which is {}", counted(*size, "byte"));
  text += "." + by_thread(report);
  const LoopFacts loop = facts.loop_around(line_number(report), line_number(report));
  const std::string cause =
      causes.of({.kind = Symptom::Kind::outside_shared, .line = line_number(report)});
  if (!cause.empty()) return text + " " + cause;
  if (loop.starts_at_block) {
    return text + fmt::format(
                      " The loop of {} begins with `blockDim`, and adds an element as far behind: "
                      "half of it, `blockDim.x / 2`, is the first step.",
                      line_in_file(loop.line, names));
  }
  if (loop.ends_at_or_past) {
    return text + fmt::format(
                      " The loop of {} goes on with `<=`: an array of N elements has the indices 0 "
                      "to N - 1.",
                      line_in_file(loop.line, names));
  }
  const std::string small = causes.small_array(line_number(report), true);
  if (!small.empty()) return text + " " + small;
  return text +
         " Either the `__shared__` array is too small for the number of threads in a block, or the "
         "index is too great.";
}

std::string illegal_address(const Report& report, const SubmittedNames& names,
                            const SubmissionFacts& facts, const SourceCauses& causes) {
  const std::string space = report.text("space");
  if (space == "shared") return outside_shared(report, names, facts, causes);
  const auto row = report.number("row");
  if (space == "global" && row && !report.text("argument").empty())
    return outside_rows(report, names, *row);
  const auto index = report.number("index");
  if (space == "global" && index && !report.text("argument").empty() &&
      report.number("elements").value_or(-1) >= 0) {
    const Report allocation = report.object("allocation");
    const int64_t elements = *report.number("elements");
    const bool inside = *index >= 0 && *index < elements && allocation.text("side") == "inside";
    if (inside && allocation.flag("read_only")) return forbidden(report, names, facts, *index);
    if (*index < 0 || *index >= elements || !allocation.text("side").empty()) {
      return outside_argument(report, names, facts, causes, *index);
    }
  }
  const std::string does = report.text("access") == "write" ? "writes to" : "reads from";
  if (space == "local") {
    const std::string small = causes.small_array(line_number(report), false);
    return fmt::format(
        "{} {} an array inside the kernel, outside its bounds.{} {}", subject(report, names), does,
        by_thread(report),
        small.empty() ? "Compare the index with the size in the array's declaration." : small);
  }
  return fmt::format(
      "{} {} memory that belongs to none of the kernel's arguments.{} Perhaps the pointer is null "
      "or "
      "was never set, or an index on the way to it is far too great.",
      subject(report, names), does, by_thread(report));
}

std::string misaligned(const Report& report, const SubmittedNames& names) {
  const auto bytes = report.number("bytes");
  const std::string size = bytes ? std::to_string(*bytes) : "several";
  return fmt::format(
      "{} uses {} bytes at once at an address that is not a multiple of {}.{} A pointer that was "
      "cast to a wider type, as from `float *` to `float4 *`, may only be used where the wider "
      "type "
      "could lie.",
      subject(report, names), size, bytes ? size : "that", by_thread(report));
}

std::string barrier(const Report& report, const SubmittedNames& names,
                    const SubmissionFacts& facts) {
  const std::string line = line_text(report, names);
  const std::string at = line.empty() ? "" : " (" + line + ")";
  const std::string message = report.text("message", Report::kLongestMessage);
  const auto says = [&](std::string_view what) { return message.find(what) != std::string::npos; };
  if (says("must be a multiple") || says("does not exist")) {
    return fmt::format("A barrier{} is used in a way that no GPU allows: {}.", at, message);
  }
  if (says("does not name the lane")) {
    return fmt::format(
        "An operation of a warp{}, such as `__shfl_sync()`, is executed by a thread that its mask "
        "does not name. The mask has a bit for each thread that takes part, and 0xffffffff names "
        "all 32 of a warp.",
        at);
  }
  if (says("values are read from lanes")) {
    return fmt::format(
        "An operation of a warp{}, such as `__shfl_sync()`, reads values of threads that have left "
        "the kernel. Let no thread `return` before it.",
        at);
  }
  if (says("lanes wait for others")) {
    return fmt::format(
        "Some threads of a warp wait at an operation{}, such as `__syncwarp()` or `__shfl_sync()`, "
        "for others that its mask names and that never come. Take it out of the `if`, or give it "
        "the mask of those that come.",
        at);
  }
  if (says("an operation of the whole warp")) {
    return fmt::format(
        "An operation of a whole warp{}, such as a product of matrices, is executed by some of its "
        "32 "
        "threads only. All of them must come to it: take it out of the `if`, and let no thread "
        "`return` before it.",
        at);
  }
  if (says("mbarrier")) {
    return fmt::format(
        "Threads wait at an mbarrier{} for a phase that never ends: not as many threads, or bytes "
        "of copies, arrive as it expects.",
        at);
  }
  if (says("cluster")) {
    return fmt::format(
        "Some threads wait at the barrier of a cluster{} for others that never come. All threads "
        "of all blocks of the cluster must reach it.",
        at);
  }
  if (facts.divergent_barrier().line != 0) {
    return fmt::format("Some threads of a block wait at a barrier{} for others that never come. {}",
                       at, divergence(facts, names));
  }
  return fmt::format(
      "Some threads of a block wait at a barrier{} such as `__syncthreads()` for others that never "
      "come to it. All threads of a block must reach it: take it out of the `if`, and let no "
      "thread "
      "`return` before it.",
      at);
}

std::string undefined_thing(const Report& report) {
  const std::string origin = report.text("origin");
  const std::string name = report.text("source");
  if (!name.empty()) {
    return fmt::format("an element of `{}`{}", name,
                       origin == "shared"  ? ", in shared memory,"
                       : origin == "local" ? ", an array inside the kernel,"
                                           : "");
  }
  return origin == "shared"   ? "an element of shared memory"
         : origin == "local"  ? "an element of an array inside the kernel"
         : origin == "global" ? "an element of an argument"
                              : "a variable";
}

std::string undefined(const Report& report, const SubmittedNames& names,
                      const SubmissionFacts& facts, const SourceCauses& causes) {
  const std::string use = line_text(report, names);
  const Report reading = report.object("other");
  const std::string read = line_text(reading, names);
  const bool elsewhere = !read.empty() && !use.empty() && read != use;
  const std::string origin = report.text("origin");
  const auto bare = facts.bare_in(line_number(report));
  if (bare && origin == "register" && report.text("source").empty()) {
    return fmt::format(
        "{} uses `{}`, which nothing has given a value yet, so that the result is a matter of "
        "luck.{} It is declared without one in {}: begin with a value, such as `= 0`.",
        subject(report, names), printable(bare->name), by_thread(report),
        line_in_file(bare->line, names));
  }
  std::string advice = "Give it a value first, in every thread and for every index that is read.";
  if (const DivergentBarrier& one = facts.divergent_barrier(); one.behind && origin == "shared") {
    advice = fmt::format(
        "Threads that `return` in the branch of {} write nothing there: let them write a neutral "
        "value, such as 0, in place of leaving.",
        line_in_file(one.branch, names));
  } else if (origin != "register") {
    const std::string cause = causes.of(
        {.kind = Symptom::Kind::undefined, .line = line_number(elsewhere ? reading : report)});
    if (!cause.empty()) advice = cause;
  }
  return fmt::format(
      "{} {} {} that nothing has written yet{}, so its value is a matter of luck.{} {}",
      subject(elsewhere ? reading : report, names), elsewhere ? "reads" : "uses",
      undefined_thing(report), elsewhere ? ", and " + use + " uses it" : "", by_thread(report),
      advice);
}

// The reason why a loop never ends, by its head; "" if that does not show it.
std::string endless(const LoopFacts& loop, const SubmittedNames& names) {
  if (loop.line == 0) return "";
  const std::string line = line_in_file(loop.line, names);
  if (loop.changes_nothing) {
    return fmt::format(" The last part of the loop of {} assigns nothing: write `i += step`.",
                       line);
  }
  if (loop.compares_floats) {
    return fmt::format(
        " The loop of {} ends only when a float has exactly that value, which rounding can miss: "
        "compare by `<` or `>`.",
        line);
  }
  return "";
}

std::string limit(const Report& report, const SubmittedNames& names, const SubmissionFacts& facts,
                  const SourceCauses& causes) {
  // The device's own text is the only place that has the numbers.
  const std::string message = report.text("message");
  const auto times = report.number(kTimesOwn);
  const std::string what =
      message.find("took longer") != std::string::npos ? "The kernel took longer than it may."
      : times                                          ? fmt::format(
                                                             "The kernel executed more than {} times the instructions of the "
                                                                                                      "assignment's own kernel, and was ended.",
                                                             *times)
              : "The kernel executed more instructions than it may.";
  const int line = line_number(report);
  std::string cause = causes.of({.kind = Symptom::Kind::limit, .line = line});
  if (!cause.empty()) return what + " " + cause;
  cause = endless(facts.loop_around(line, line), names);
  if (cause.empty()) cause = endless(facts.odd_loop(), names);
  if (!cause.empty()) return what + cause;
  return what +
         " Usually a loop never ends: is its counter increased, and does its condition become "
         "false at some time? In a loop such as `for (i = …; i < n; i += step)` a step of 0 is "
         "enough.";
}

// "a race in line 9"
std::string finding_text(const Report& report, const SubmittedNames& names) {
  const std::string kind = report.text("kind");
  const std::string line = line_text(report, names);
  const std::string what = kind == "illegal_address" ? "an access out of bounds"
                           : kind == "uninitialised" ? "the use of an undefined value"
                           : kind == "race"          ? "a race"
                           : kind == "sync"          ? "a barrier that not all threads reach"
                                                     : "";
  if (what.empty()) return "";
  return line.empty() ? what : what + " in " + line;
}

// The other findings in half a sentence, as they may follow from the one that was explained.
std::string folded(const std::vector<Json>& reports, const Json& explained,
                   const SubmittedNames& names) {
  constexpr size_t kMostNamed = 2;
  std::vector<std::string> others = {finding_text(Report(explained), names)};
  for (const Json& report : reports) {
    std::string text = finding_text(Report(report), names);
    if (!text.empty() && std::ranges::count(others, text) == 0) others.push_back(std::move(text));
  }
  others.erase(others.begin());
  if (others.empty()) return "";
  const size_t more = others.size() > kMostNamed ? others.size() - kMostNamed : 0;
  others.resize(others.size() - more);
  return fmt::format(" Mend this first: {}{} may follow from it.", join(others, " and "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

std::string explain_report(const Json& json, const SubmittedNames& names,
                           const SubmissionFacts& facts, const SourceCauses& causes) {
  const Report report(json);
  const std::string kind = report.text("kind");
  if (kind == "illegal_address") return illegal_address(report, names, facts, causes);
  if (kind == "misaligned_address") return misaligned(report, names);
  if (kind == "barrier" || kind == "sync") return barrier(report, names, facts);
  if (kind == "uninitialised") return undefined(report, names, facts, causes);
  if (kind == "race") return explain_race(report, names, facts, causes);
  if (kind == "limit") return limit(report, names, facts, causes);
  if (kind == "incomplete") {
    return fmt::format(
        "The check for races could not follow the kernel to its end, and a kernel of which that is "
        "so counts as one with a race ({}).",
        report.text("message", Report::kLongestMessage));
  }
  if (kind == "assert") {
    const std::string condition = causes.assertion(line_number(report));
    if (!condition.empty()) {
      return fmt::format(
          "{} has an `assert` that does not hold: `{}`.{} What is asserted must be "
          "true for every size that the assignment has.",
          subject(report, names), printable(condition), by_thread(report));
    }
    return fmt::format("{} has an `assert` that does not hold.{}", subject(report, names),
                       by_thread(report));
  }
  if (kind == "trap") {
    return fmt::format(
        "{} ended the kernel on purpose: by `__trap()`, by an `assert` that does not hold, or "
        "because a function that returns a value came to its end without `return`.{}",
        subject(report, names), by_thread(report));
  }
  if (kind == "stack_overflow") {
    return fmt::format(
        "A thread ran out of memory for its calls{}: a function calls itself without end, or has "
        "arrays that are too large for a thread.",
        line_text(report, names).empty() ? "" : " (" + line_text(report, names) + ")");
  }
  if (kind == "invalid_pc") {
    return fmt::format("{} calls a function through a pointer that points to none.{}",
                       subject(report, names), by_thread(report));
  }
  if (kind == "unsupported_instruction") {
    return fmt::format(
        "{} uses an instruction that the grader's device does not have. Ask your teacher whether "
        "it is meant to.",
        subject(report, names));
  }
  // A report of a later device, or one too rare to have its own text.
  const std::string message = report.text("message", Report::kLongestMessage);
  if (message.empty()) return "";
  const std::string line = line_text(report, names);
  return fmt::format("The kernel made a mistake{}: {}.", line.empty() ? "" : " in " + line,
                     message);
}

std::string explain_fault(const Outcome& outcome, const SubmittedNames& names,
                          const SubmissionFacts& facts, const SourceCauses& causes) {
  const std::vector<Json> reports = weighed_reports(outcome);
  for (const Json& report : reports) {
    std::string text = explain_report(report, names, facts, causes);
    if (text.empty()) continue;
    return text + folded(reports, report, names);
  }
  const std::string& said = outcome.reason;
  if (outcome.failure == FailureKind::limit) {
    return "The kernel did not end in time and was stopped. Usually a loop never ends, or threads "
           "wait for each other: is the loop's counter increased, and does its condition become "
           "false at some time?";
  }
  const auto says = [&](std::string_view name) { return said.find(name) != std::string::npos; };
  if (says("ILLEGAL_ADDRESS")) {
    return "The kernel used memory outside of its arrays, or by a pointer that leads to none. "
           "There "
           "are usually more threads than "
           "elements, so each thread must ask `if (i < n)` before it uses its element.";
  }
  if (says("MISALIGNED_ADDRESS")) {
    return "The kernel used memory at an address that does not fit the type, as by a cast from "
           "`float *` to `float4 *`.";
  }
  if (says("CUDA_ERROR_ASSERT")) return "An `assert` in the kernel does not hold.";
  if (outcome.failure == FailureKind::crash) {
    return "The program that runs the kernel ended in the middle of it. Look for accesses far "
           "outside of arrays and for calls without end; if there are none, tell your teacher.";
  }
  return "The kernel was started and did not end well: " + printable(said) + ".";
}

}  // namespace warpmark
