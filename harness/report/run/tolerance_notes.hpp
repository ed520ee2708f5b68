// The tolerances that references gave (`from_float64`), each output of a suite once.
#pragma once

#include <string>
#include <vector>

namespace warpmark {

class ToleranceNotes {
 public:
  /// Every one is kept, instead of the first of each output alone.
  explicit ToleranceNotes(bool all = false) : all_(all) {}

  /// `bound` is Expectation::reason; "" is no tolerance of this kind.
  void add(const std::string& suite, const std::string& case_id, const std::string& output,
           const std::string& bound);

  /// "tolerance of `z` in saxpy.n=32 and 2 more cases: rtol 9.5e-07 from float64: …".
  std::vector<std::string> lines() const;

 private:
  struct Note {
    std::string suite, case_id, output, bound;
    size_t more = 0;  ///< further cases
  };

  bool all_;
  std::vector<Note> notes_;
};

}  // namespace warpmark
