// Patterns in the elements that are wrong, which help a beginner more than the first of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "grade/feedback/submission_facts.hpp"
#include "runtime/comparison.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// An output that is not as it should be.
struct WrongOutput {
  const OutputVerdict& verdict;
  TypedBytes actual;
  TypedBytes expected;                       ///< as many elements, or one for all
  std::optional<int64_t> block_threads;      ///< of the launch, if known
  std::map<std::string, TypedBytes> inputs;  ///< before the launch, by name
  SubmissionFacts facts = {};                ///< of the file
};

/// Properties of all elements that are not near the expected ones.
struct WrongValues {
  bool whole_numbers = false;  ///< none has digits after the point, and each should
  bool zero = false;           ///< they are 0
  bool negative = false;       ///< a negative number was expected
  bool last_only = false;      ///< it is the last one
  double factor = 0;           ///< of a single element: what it is over what was expected
  double ratio = 0;            ///< of several: the same, which all have; 0 for none
  double greatest = 0;         ///< magnitude of what was expected
  bool copied = false;         ///< they are those of an input
};

WrongValues wrong_values(const TypedBytes& actual, const TypedBytes& expected,
                         const std::map<std::string, TypedBytes>& inputs);

/// One or two sentences such as "Only the first 128 elements are right, as many as a block has
/// threads: …", or "" where there is no pattern that is known, or too many elements to look at.
///
/// A rough comparison finds which elements are wrong. It is used only where it finds as many as the
/// verdict, so that the sentence agrees with it.
std::string wrong_pattern(const WrongOutput& output);

}  // namespace warpmark
