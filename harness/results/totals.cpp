#include "results/totals.hpp"

namespace warpmark {

void Totals::add(Verdict verdict) {
  size_t* const counts[] = {&passed, &failed, &skipped, &interrupted, &not_run};
  ++*counts[static_cast<size_t>(verdict)];
}

}  // namespace warpmark
