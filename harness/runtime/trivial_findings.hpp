// What the answers that need no kernel mean for a whole suite: findings, exceptions, words.
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

/// An answer that a case should not let pass.
struct TrivialFinding {
  std::string case_id;
  TrivialPass pass;
  /// A single element that is right, or the one right constant of inputs without `rng`: found only
  /// because every case of the suite lets it pass.
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

  /// What is left after the suite's exceptions, in the order of the cases.
  std::vector<TrivialFinding> findings() const;

  /// Exceptions that no case needs; to be asked once every case of the suite was added.
  std::vector<LintException::Allowed> unneeded() const;

 private:
  struct Seen {
    TrivialFinding finding;
    bool only_in_every_case = false;
    std::vector<const LintException*> rules;  ///< those that hold in the case
  };

  std::vector<const LintException*> rules_of(const Case& which) const;
  bool counts(const Seen& seen) const;

  std::shared_ptr<const Suite> suite_;
  std::vector<Seen> seen_;
  std::map<std::string, size_t> cases_;      ///< that judge an output, by its name
  std::map<std::string, size_t> passed_;     ///< cases that let an answer to an output pass
  std::map<std::string, std::string> same_;  ///< output and fingerprint to the first such case
};

/// What the kernel did, as in "wrote zeros"; `one_case`: with what differs from case to case.
std::string answer_words(const TrivialPass& pass, bool one_case);

/// The findings as usage errors with their places and what to do: one for all cases of an output
/// that let the same answers pass.
std::vector<Error> trivial_problems(const Suite& suite,
                                    const std::vector<TrivialFinding>& findings);
/// The same for exceptions that are not needed.
Error unneeded_exception(const LintException::Allowed& allowed);

}  // namespace warpmark
