// The findings of trivial answers for a whole suite: findings, exceptions, texts.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/trivial_check.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// An answer that a case should not accept.
struct TrivialFinding {
  std::string case_id;
  TrivialPass pass;
  /// A single element that is right, or the one right constant of inputs without `rng`: found only
  /// because every case of the suite accepts it.
  bool in_every_case = false;
};

/// Collects the cases of one suite. docs/suite-format.md has the rules.
class TrivialFindings {
 public:
  explicit TrivialFindings(std::shared_ptr<const Suite> suite) : suite_(std::move(suite)) {}

  /// A case after its last trial. Throws a usage error for an exception whose `when` is no
  /// condition.
  void add(const Case& which, const TrivialCheck& check);
  /// A case that passes whatever the kernel does, because no output is compared.
  void add_without_outputs(const Case& which);

  /// The findings that are left after the suite's exceptions, in the order of the cases.
  std::vector<TrivialFinding> findings() const;

  /// The exceptions that no case needs; to be called once every case of the suite was added.
  std::vector<LintException::Allowed> unneeded() const;

 private:
  struct Seen {
    TrivialFinding finding;
    bool only_in_every_case = false;
    std::vector<const LintException*> rules;  ///< rules that apply to the case
  };

  std::vector<const LintException*> rules_of(const Case& which) const;
  bool counts(const Seen& seen) const;

  std::shared_ptr<const Suite> suite_;
  std::vector<Seen> seen_;
  std::map<std::string, size_t> cases_;      ///< cases that judge an output, by its name
  std::map<std::string, size_t> passed_;     ///< cases that accept an answer to an output
  std::map<std::string, std::string> same_;  ///< output and fingerprint to the first such case
};

/// The action of the kernel, as in "wrote zeros"; with `one_case`, including the parts that differ
/// from case to case.
std::string answer_words(const TrivialPass& pass, bool one_case);

/// The findings as usage errors with their places and advice: one for all cases of an output that
/// accept the same answers.
std::vector<Error> trivial_problems(const Suite& suite,
                                    const std::vector<TrivialFinding>& findings);
/// The same for an exception that is not needed.
Error unneeded_exception(const LintException::Allowed& allowed);

}  // namespace warpmark
