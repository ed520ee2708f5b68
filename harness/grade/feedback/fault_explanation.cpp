#include "grade/feedback/fault_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "grade/feedback/item_verdict.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// Names and texts in a report may be made by the student.
constexpr size_t kLongestName = 60;
constexpr size_t kLongestFaultMessage = 200;

// Reads members of a report, whatever their types are.
class Report {
 public:
  explicit Report(const Json& json) : json_(json) {}

  std::string text(const char* key, size_t most = kLongestName) const {
    const auto found = find(key);
    if (!found || !found->is_string()) return "";
    std::string value = printable(found->get<std::string>());
    if (value.size() > most) value = printable(value.substr(0, most)) + "…";
    return value;
  }
  std::optional<int64_t> number(const char* key) const {
    const auto found = find(key);
    if (!found || !found->is_number_integer()) return std::nullopt;
    return found->get<int64_t>();
  }
  bool flag(const char* key) const {
    const auto found = find(key);
    return found && found->is_boolean() && found->get<bool>();
  }
  Report object(const char* key) const {
    static const Json nothing;
    const auto found = find(key);
    return Report(found ? *found : nothing);
  }
  std::vector<Report> objects(const char* key) const {
    std::vector<Report> all;
    const auto found = find(key);
    if (!found || !found->is_array()) return all;
    for (const Json& one : *found) all.emplace_back(one);
    return all;
  }
  std::optional<std::array<int64_t, 3>> triple(const char* key) const {
    const auto found = find(key);
    if (!found || !found->is_array() || found->size() != 3) return std::nullopt;
    std::array<int64_t, 3> out{};
    for (size_t i = 0; i < 3; ++i) {
      if (!(*found)[i].is_number_integer()) return std::nullopt;
      out.at(i) = (*found)[i].get<int64_t>();
    }
    return out;
  }

 private:
  const Json* find(const char* key) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  const Json& json_;
};

// "3" for (3, 0, 0), as in most kernels of beginners.
std::string index_text(const std::array<int64_t, 3>& at) {
  if (at[1] == 0 && at[2] == 0) return std::to_string(at[0]);
  return fmt::format("({}, {}, {})", at[0], at[1], at[2]);
}

std::string thread_text(const Report& report) {
  const auto thread = report.triple("thread");
  const auto block = report.triple("block");
  if (!thread || !block) return "";
  return fmt::format("thread {} of block {}", index_text(*thread), index_text(*block));
}

bool is_file(const std::string& name, const std::string& file) {
  return name == file || name.ends_with("/" + file);
}

// True if a report, or a frame that it was inlined through, names a line of the submitted file.
bool is_submitted(const Report& frame, const SubmittedNames& names) {
  const std::string name = frame.text("file");
  return name.empty() || names.file.empty() || is_file(name, names.file);
}

std::string line_in_file(int64_t line, const SubmittedNames& names) {
  return names.several ? fmt::format("line {} of {}", line, printable(names.file))
                       : fmt::format("line {}", line);
}

// "line 5", with the file if it is not the only one; "" if unknown. For code inlined from a header
// of the course or of CUDA it is the innermost line of the submitted file that called it, which its
// author can change.
std::string line_text(const Report& report, const SubmittedNames& names) {
  const auto line = report.number("line");
  if (!line || *line < 1) return "";
  if (is_submitted(report, names)) return line_in_file(*line, names);
  const std::string file = report.text("file");
  for (const std::string& header : names.headers) {
    if (is_file(file, header)) return fmt::format("line {} of {}", *line, printable(header));
  }
  for (const Report& call : report.objects("inlined_at")) {
    const auto caller = call.number("line");
    if (!call.text("file").empty() && is_submitted(call, names) && caller && *caller > 0) {
      return line_in_file(*caller, names);
    }
  }
  return fmt::format("line {} of {}", *line, file);
}

// "Line 5" or "The kernel", to begin a sentence.
std::string subject(const Report& report, const SubmittedNames& names) {
  std::string line = line_text(report, names);
  if (line.empty()) return "The kernel";
  line[0] = 'L';
  return line;
}

std::string by_thread(const Report& report) {
  const std::string thread = thread_text(report);
  if (thread.empty()) return "";
  // A report of a submission may say any number.
  const int64_t count = report.number("count").value_or(1);
  if (count <= 1) return fmt::format(" It was {}.", thread);
  const int64_t more = count - 1;
  return fmt::format(" The first to do so was {}, and {} more access{} did the same.", thread, more,
                     more == 1 ? "" : "es");
}

std::string forbidden(const Report& report, const SubmittedNames& names, int64_t index) {
  const std::string name = report.text("argument");
  return fmt::format(
      "{} writes to `{}[{}]`, but `{}` is an input, which the kernel may only read.{} Results "
      "belong in the output; `const` before the pointer's type lets the compiler find such lines.",
      subject(report, names), name, index, name, by_thread(report));
}

std::string outside_argument(const Report& report, const SubmittedNames& names,
                             const SourceFacts& facts, int64_t index) {
  const std::string name = report.text("argument");
  const int64_t elements = report.number("elements").value_or(0);
  const std::string does = report.text("access") == "write" ? "writes" : "reads";
  std::string text = fmt::format("{} {} `{}[{}]`, but `{}` has only {}", subject(report, names),
                                 does, name, index, name, counted(elements, "element"));
  if (elements > 0) text += fmt::format(" (index 0 to {})", elements - 1);
  text += "." + by_thread(report);
  const int64_t count = report.number("count").value_or(1);
  if (index < 0) {
    return text +
           " The index is negative: something like `i - 1` needs a check for the first "
           "element.";
  }
  if (index == elements && count == 1) {
    return text +
           " That is one past the end: usually `<=` is written where `<` is meant, or a "
           "neighbour such as `[i + 1]` is used for the last element, too.";
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

std::string outside_shared(const Report& report, const SubmittedNames& names) {
  const std::string does = report.text("access") == "write" ? "writes" : "reads";
  auto size = report.object("allocation").number("bytes");
  // A size of 0 is not in a member of the report, only in its text.
  const std::string message = report.text("message", kLongestFaultMessage);
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
  return text + "." + by_thread(report) +
         " Either the `__shared__` array is too small for the number of threads in a block, or the "
         "index is too great.";
}

std::string illegal_address(const Report& report, const SubmittedNames& names,
                            const SourceFacts& facts) {
  const std::string space = report.text("space");
  if (space == "shared") return outside_shared(report, names);
  const auto row = report.number("row");
  if (space == "global" && row && !report.text("argument").empty())
    return outside_rows(report, names, *row);
  const auto index = report.number("index");
  if (space == "global" && index && !report.text("argument").empty() &&
      report.number("elements").value_or(-1) >= 0) {
    const Report allocation = report.object("allocation");
    const int64_t elements = *report.number("elements");
    const bool inside = *index >= 0 && *index < elements && allocation.text("side") == "inside";
    if (inside && allocation.flag("read_only")) return forbidden(report, names, *index);
    if (*index < 0 || *index >= elements || !allocation.text("side").empty()) {
      return outside_argument(report, names, facts, *index);
    }
  }
  const std::string does = report.text("access") == "write" ? "writes to" : "reads from";
  if (space == "local") {
    return fmt::format(
        "{} {} an array inside the kernel, outside its bounds.{} Compare the index with the size "
        "in "
        "the array's declaration.",
        subject(report, names), does, by_thread(report));
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

// Names a barrier that only some threads reach, and the reason.
std::string divergence(const SourceFacts& facts, const SubmittedNames& names) {
  const DivergentBarrier& one = facts.divergent_barrier();
  if (one.behind) {
    return fmt::format(
        "Some threads `return` in the branch of {}, and never come to the `__syncthreads()` in {}. "
        "All threads of a block must reach it: let them skip the work in place of leaving.",
        line_in_file(one.branch, names), line_in_file(one.line, names));
  }
  return fmt::format(
      "The `__syncthreads()` in {} is in the branch or loop of {}, which only some threads of a "
      "block take, so that it does not hold the others back. Take it out of there, so that all "
      "threads reach it.",
      line_in_file(one.line, names), line_in_file(one.branch, names));
}

std::string barrier(const Report& report, const SubmittedNames& names, const SourceFacts& facts) {
  const std::string line = line_text(report, names);
  const std::string at = line.empty() ? "" : " (" + line + ")";
  const std::string message = report.text("message", kLongestFaultMessage);
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

// True if one of two accesses may be meant to add to what is there.
bool adds_up(const Report& report, const Report& other, const SourceFacts& facts) {
  const auto adds = [&](const Report& one) {
    return facts.adds_up(
        static_cast<int>(std::clamp<int64_t>(one.number("line").value_or(0), 0, INT32_MAX)));
  };
  return !facts.known() || adds(report) || adds(other);
}

// The means that put two accesses in order depend on whether they are of one block, and on what the
// source has.
std::string order_of(const Report& report, const Report& other, const SubmittedNames& names,
                     const SourceFacts& facts) {
  const auto mine = report.triple("block");
  const auto others = other.triple("block");
  if (!mine || !others) {
    return " Within a block `__syncthreads()` between the two accesses puts them in order, and "
           "between blocks nothing does in a launch; to add up in one place use `atomicAdd`.";
  }
  const bool adds = adds_up(report, other, facts);
  if (*mine != *others) {
    return fmt::format(
        " The two threads are in different blocks, {} and {}, which `__syncthreads()` does not put "
        "in order: let each block write different elements{}.",
        index_text(*mine), index_text(*others),
        adds ? ", or use `atomicAdd` to add up in one place" : "");
  }
  if (facts.divergent_barrier().line != 0) return " " + divergence(facts, names);
  return std::string(" `__syncthreads()` between the two accesses puts them in order") +
         (adds ? "; to add up in one place use `atomicAdd`." : ".");
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

std::string undefined(const Report& report, const SubmittedNames& names) {
  const std::string use = line_text(report, names);
  const Report reading = report.object("other");
  const std::string read = line_text(reading, names);
  const bool elsewhere = !read.empty() && !use.empty() && read != use;
  return fmt::format(
      "{} {} {} that nothing has written yet{}, so its value is a matter of luck.{} Give it a "
      "value first, in every thread and for every index that is read.",
      subject(elsewhere ? reading : report, names), elsewhere ? "reads" : "uses",
      undefined_thing(report), elsewhere ? ", and " + use + " uses it" : "", by_thread(report));
}

std::string race(const Report& report, const SubmittedNames& names, const SourceFacts& facts) {
  const std::string space = report.text("space");
  const std::string name = report.text("argument");
  const std::string what = !name.empty()       ? "`" + name + "`"
                           : space == "shared" ? "shared memory"
                                               : "the same memory";
  const std::string other = line_text(report.object("other"), names);
  const std::string at = other.empty() || other == line_text(report, names) ? "" : " in " + other;
  return fmt::format(
      "{} uses {} at the same time as another thread{}, and one of them writes, so the result is a "
      "matter of luck.{}{}",
      subject(report, names), what, at, by_thread(report),
      order_of(report, report.object("other"), names, facts));
}

std::string limit(const Report& report) {
  // The device's own text is the only place that has the numbers.
  const std::string message = report.text("message");
  const std::string what = message.find("took longer") != std::string::npos
                               ? "The kernel took longer than it may"
                               : "The kernel executed more instructions than it may";
  return what +
         ". Usually a loop never ends: is its counter increased, and does its condition become "
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
                                                     : "another mistake";
  return line.empty() ? what : what + " in " + line;
}

// The other findings in half a sentence, as they may follow from the one that was explained.
std::string folded(const std::vector<Json>& reports, const Json& explained,
                   const SubmittedNames& names) {
  constexpr size_t kMostNamed = 2;
  std::vector<std::string> others = {finding_text(Report(explained), names)};
  for (const Json& report : reports) {
    std::string text = finding_text(Report(report), names);
    if (std::ranges::count(others, text) == 0) others.push_back(std::move(text));
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
                           const SourceFacts& facts) {
  const Report report(json);
  const std::string kind = report.text("kind");
  if (kind == "illegal_address") return illegal_address(report, names, facts);
  if (kind == "misaligned_address") return misaligned(report, names);
  if (kind == "barrier" || kind == "sync") return barrier(report, names, facts);
  if (kind == "uninitialised") return undefined(report, names);
  if (kind == "race") return race(report, names, facts);
  if (kind == "limit") return limit(report);
  if (kind == "assert") {
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
  const std::string message = report.text("message", kLongestFaultMessage);
  if (message.empty()) return "";
  const std::string line = line_text(report, names);
  return fmt::format("The kernel made a mistake{}: {}.", line.empty() ? "" : " in " + line,
                     message);
}

std::string explain_fault(const Outcome& outcome, const SubmittedNames& names,
                          const SourceFacts& facts) {
  const std::vector<Json> reports = weighed_reports(outcome);
  for (const Json& report : reports) {
    std::string text = explain_report(report, names, facts);
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
