#include "grade/feedback/race_explanation.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/text.hpp"

namespace warpmark {

namespace {

constexpr int64_t kWarp = 32;  // threads

class Race {
 public:
  Race(const Report& report, const SubmittedNames& names, const SubmissionFacts& facts,
       const SourceCauses& causes)
      : report_(report),
        other_(report.object("other")),
        names_(names),
        facts_(facts),
        causes_(causes),
        line_(line_number(report)),
        other_line_(line_number(other_)),
        store_(store()) {}

  std::string advice() const {
    const auto mine = report_.triple("block");
    const auto others = other_.triple("block");
    if (!mine || !others) {
      return " Within a block `__syncthreads()` between the two accesses puts them in order, and "
             "between blocks nothing does in a launch; to add up in one place use `atomicAdd`.";
    }
    const bool apart = *mine != *others;
    // A barrier in a branch is a cause by itself, and an index that is wrong is one between blocks.
    const std::string cause =
        causes_.of({.kind = apart ? Symptom::Kind::race : Symptom::Kind::race_in_block,
                    .line = line_,
                    .other = other_line_});
    if (!cause.empty()) return " " + cause;
    return !apart ? in_a_block() : between_blocks(index_text(*mine), index_text(*others));
  }

 private:
  // The statement of one of the two lines that stores.
  std::optional<StoreFacts> store() const {
    const auto own = facts_.store_in(line_);
    return own ? own : facts_.store_in(other_line_);
  }
  bool has_one_line() const { return line_ == other_line_ && line_ != 0; }
  // True if several threads may add to one element; also if nothing is known of the source.
  bool adds_up() const { return !facts_.known() || (store_ && store_->adds && !is_own_element()); }
  bool is_own_element() const { return store_->by_thread && !store_->by_data; }
  bool both_write() const { return report_.text("hazard") == "write after write"; }
  bool is_one_warp() const {
    const auto a = report_.triple("thread");
    const auto b = other_.triple("thread");
    return a && b && (*a)[1] == (*b)[1] && (*a)[2] == (*b)[2] && (*a)[0] / kWarp == (*b)[0] / kWarp;
  }
  std::string line_name(int line) const { return line_in_file(line, names_); }

  std::string between_blocks(const std::string& mine, const std::string& other) const {
    const std::string blocks = fmt::format(
        " The two threads are in different blocks, {} and {}, which `__syncthreads()` does not put "
        "in order: ",
        mine, other);
    if (store_ && !store_->by_block && store_->by_thread && both_write()) {
      return blocks + fmt::format(
                          "the index of `{}` in {} is the same in each block. Let each block write "
                          "different elements, by an index with `blockIdx.x`.",
                          store_->array, line_name(store_->line));
    }
    if (store_ && !store_->by_block && both_write()) {
      return blocks + fmt::format(
                          "all blocks write to the same element of `{}` in {}. To add up there use "
                          "`atomicAdd`; else let each block write its own.",
                          store_->array, line_name(store_->line));
    }
    if (store_ && store_->by_block && !store_->adds && !has_one_line() && !both_write()) {
      return blocks + (facts_.has_atomics()
                           ? fmt::format("a `__threadfence()` is missing behind the store of {}, "
                                         "before the atomic operation that tells of it.",
                                         line_name(store_->line))
                           : std::string("a block cannot wait for another one in a launch. Let a "
                                         "second launch use what the first one has written."));
    }
    return blocks + "let each block write different elements" +
           (adds_up() ? ", or use `atomicAdd` to add up in one place." : ".");
  }

  std::string in_a_block() const {
    if (facts_.divergent_barrier().line != 0) return " " + divergence(facts_, names_);
    if (const std::string variable = causes_.shared_variable(line_); !variable.empty())
      return " " + variable;
    if (facts_.known() && adds_up()) {
      return fmt::format(
          " Several threads add to the same element: `atomicAdd` does that one after another. The "
          "element must have a value first, such as 0.");
    }
    if (store_ && has_one_line() && both_write() && !store_->by_thread) {
      return fmt::format(
          " All threads of a block write to the same element of `{}`: let one of them do it, as by "
          "`if (threadIdx.x == 0)`.",
          store_->array);
    }
    if (is_one_warp() && facts_.is_of_one_warp(line_)) {
      return fmt::format(
          " Both threads are in one warp, and only that warp comes to {}, so that "
          "`__syncthreads()` does not fit: `__syncwarp()` between the accesses puts them in order.",
          line_name(line_));
    }
    return in_order();
  }

  // "Line 11 reads what other threads write in line 9".
  std::string between_lines() const {
    const std::string hazard = report_.text("hazard");
    const bool reads = hazard == "read after write", writes = hazard == "write after read";
    if (both_write() && line_ != 0 && other_line_ != 0 && !has_one_line()) {
      return fmt::format(
          " Threads write in {} to elements that others write in {}: `__syncthreads()` must be "
          "between the two",
          line_name(line_), line_name(other_line_));
    }
    if (line_ == 0 || other_line_ == 0 || has_one_line() || (!reads && !writes))
      return " `__syncthreads()` between the two accesses puts them in order";
    return fmt::format(
        " {} reads what other threads write in {}: `__syncthreads()` must be between "
        "the two",
        "L" + line_name(reads ? line_ : other_line_).substr(1),
        line_name(reads ? other_line_ : line_));
  }

  std::string in_order() const {
    const std::string between = between_lines();
    const LoopFacts loop = facts_.loop_around(line_, other_line_);
    if (loop.line != 0 && loop.has_barrier && line_ < other_line_ &&
        report_.text("hazard") == "write after read") {
      return fmt::format(
          " The next round of the loop in {} writes what other threads still read in {}: a "
          "`__syncthreads()` is missing at the end of the loop.",
          line_name(loop.line), line_name(other_line_));
    }
    if (loop.line != 0 && !loop.has_barrier) {
      return fmt::format(
          " What a thread writes in one round of the loop in {} others read in the next one: "
          "`__syncthreads()` at the end of each round puts them in order.",
          line_name(loop.line));
    }
    if (has_one_line() && store_ && !both_write()) {
      return fmt::format(
          " In {} a thread reads an element that another one writes there: keep the value in a "
          "variable, call `__syncthreads()`, and write it then; or write to a second array.",
          line_name(line_));
    }
    return between + (facts_.known() ? "." : "; to add up in one place use `atomicAdd`.");
  }

  const Report& report_;
  const Report other_;
  const SubmittedNames& names_;
  const SubmissionFacts& facts_;
  const SourceCauses& causes_;
  int line_, other_line_;
  std::optional<StoreFacts> store_;
};

}  // namespace

std::string divergence(const SubmissionFacts& facts, const SubmittedNames& names) {
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

std::string explain_race(const Report& report, const SubmittedNames& names,
                         const SubmissionFacts& facts, const SourceCauses& causes) {
  const std::string space = report.text("space");
  const std::string name = report.text("argument");
  const std::string shared =
      space == "shared" ? causes.shared_array(line_number(report)) : std::string();
  const std::string what = !name.empty()       ? "`" + name + "`"
                           : !shared.empty()   ? "`" + printable(shared) + "`, in shared memory,"
                           : space == "shared" ? "shared memory"
                                               : "the same memory";
  const std::string other = line_text(report.object("other"), names);
  const std::string at = other.empty() || other == line_text(report, names) ? "" : " in " + other;
  return fmt::format(
      "{} uses {} at the same time as another thread{}, and one of them writes, so the result is a "
      "matter of luck.{}{}",
      subject(report, names), what, at, by_thread(report),
      Race(report, names, facts, causes).advice());
}

}  // namespace warpmark
