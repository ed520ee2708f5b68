// How many cases came to which verdict.
#pragma once

#include <cstddef>

#include "runtime/outcome.hpp"

namespace warpmark {

struct Totals {
  size_t passed = 0;
  size_t failed = 0;
  size_t skipped = 0;
  size_t interrupted = 0;
  size_t not_run = 0;

  void add(Verdict verdict);
  size_t cases() const { return passed + failed + skipped + interrupted + not_run; }
  friend bool operator==(const Totals&, const Totals&) = default;
};

}  // namespace warpmark
