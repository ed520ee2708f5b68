#include "results/totals.hpp"

namespace warpmark {

void Totals::add(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      ++passed;
      break;
    case Verdict::failed:
      ++failed;
      break;
    case Verdict::skipped:
      ++skipped;
      break;
    case Verdict::interrupted:
      ++interrupted;
      break;
    case Verdict::not_run:
      ++not_run;
      break;
  }
}

}  // namespace warpmark
