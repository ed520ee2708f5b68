// One submission on its way through all items: compiled, tried, timed, judged.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ptx_contents.hpp"
#include "grade/feedback/item_texts.hpp"
#include "grade/feedback/item_verdict.hpp"
#include "grade/grader/grader.hpp"
#include "grade/grader/trial_verdicts.hpp"
#include "runtime/artifacts.hpp"

namespace warpmark {

struct SubmissionGrader::Item {
  Case which;
  PlannedCase planned;  ///< with the suite's own source, limits and types
  /// The student may read the compiler's messages: no macro has a value of a hidden case.
  bool may_be_shown = true;
  Credit credit = Credit::all;
  DegreeOf degree_of = DegreeOf::elements;
  /// The instructions of the suite's own kernel limit those of a submission.
  bool limited_by_own = false;
  /// Those of the suite's own kernel, once a submission made them matter; 0 if they are not known.
  std::optional<uint64_t> own_instructions = {};
};

class SubmissionGrader::Run {
 public:
  Run(SubmissionGrader& grader, const Submission& submission, GradeResult& result);

  void grade();

 private:
  // The state of one of the submitted files.
  struct File {
    bool ended = false;  ///< it is refused, or was too much for the compiler
    size_t launched = 0;
    bool has_prints = false;
  };

  const std::string& file_of(const Item& item) const;
  // Covers the files that some case needs: where cases are chosen, some files may have none.
  bool all_ended();

  // Returns true if no file is left.
  bool end_missing_files();

  // Ends the grading of a file: all of its cases lose their points, and no others.
  void end_file(const std::string& name, GradeState state, const std::string& message);

  void grade(Item& item, const GradedCase& one, GradedItem& graded);

  // The first reason that a student may see, over all files or for one file.
  std::string why_nothing_ran() const;

  std::string why_nothing_ran(const std::string& name) const;

  // Returns false if the item has its verdict, or the whole submission.
  bool compile(const Item& item, const PlannedCase& planned, GradedItem& graded);

  // True if the assignment allows the code that the compiler made; else the submission is refused.
  bool is_allowed(const CaseArtifacts& artifacts, const Item& item);

  // True if the time for all items is used up.
  bool is_over_time() const { return limited_ && spent_s_ >= assignment_.limits.total_s; }
  // Lets a trial take no more seconds than are left for all items.
  void limit_to_rest(PlannedCase& planned, double spent_s) const;
  void note_warnings(const Outcome& outcome);
  void add_flag(const std::string& flag);

  void try_out(Item& item, const PlannedCase& planned, const GradedCase& one, GradedItem& graded);

  // Runs a trial within the limit of instructions that the suite's own kernel gives. That kernel is
  // asked only where a submission reaches the least limit: nearly none does.
  Outcome verify(Item& item, PlannedCase& planned, const Trial& trial, CaseArtifacts& artifacts);
  uint64_t own_limit(const Item& item) const;
  void ask_own_kernel(Item& item);

  // Measures performance by time after everything else: it takes longest, and wrong items have
  // none.
  void time_all();

  void time(const Item& item, const GradedCase& one, GradedItem& graded);

  // Fails an item that was right before it was timed, and not after.
  void fail_timed(const Item& item, const PlannedCase& planned, const GradedCase& one,
                  const Outcome& outcome, GradedItem& graded);

  // The seed of the last trial, which is unknown in advance.
  uint64_t timing_seed(const Item& item) const;

  static FailedTrial failed_trial(const Item& item, const Outcome& outcome, GradeWord word,
                                  const ItemTexts& texts);

  // The suite's own kernel runs only once the submission's session has ended, which starts anew. A
  // template gives no answer: then only a case that this machine skips is not the submission's
  // fault.
  Blame resolve(const Item& item, uint64_t seed, const Outcome& submitted);

  void cannot_judge(GradedItem& graded, const std::string& why);

  void end(const Item& item, GradeState state, const std::string& message, const Outcome& outcome);

  // The kernels of the file that any suite launches; one case launches only some of them.
  std::set<std::string> wanted_entries(const CaseArtifacts& artifacts, const PtxContents& contents,
                                       const std::string& name) const;

  std::string flagged_place(const std::string& name, int line) const;

  uint64_t seed_of(const Item& item, uint64_t trial) const;

  std::string reproduce(const Item& item, const GradedCase& one, uint64_t seed) const;

  ItemTexts texts(const Item& item, const PlannedCase& planned) const;

  SubmissionGrader& grader_;
  const Assignment& assignment_;
  const Submission& submission_;
  GradeResult& result_;
  std::map<std::string, File> files_;    ///< by the files' names in the assignment
  std::set<std::string> sized_;          ///< cases whose explanations have sizes of their arrays
  uint64_t static_bytes_ = 0;            ///< size of the variables in the code that was compiled
                                         ///< last
  double spent_s_ = 0;                   ///< seconds used by all items so far
  bool limited_ = false;                 ///< true if an item ended at a limit
  std::vector<std::string> ungradable_;  ///< items, and why the grader could not judge them
};

}  // namespace warpmark
