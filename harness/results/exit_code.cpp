#include "results/exit_code.hpp"

#include <algorithm>
#include <array>

namespace warpmark {

ExitCode graver(ExitCode a, ExitCode b) {
  // A skip is graver than a success only: nothing was found wrong.
  constexpr std::array kOrder = {ExitCode::success,  ExitCode::skipped,    ExitCode::unmatched,
                                 ExitCode::verdict,  ExitCode::usage,      ExitCode::environment,
                                 ExitCode::internal, ExitCode::interrupted};
  const auto rank = [&](ExitCode code) { return std::ranges::find(kOrder, code); };
  return rank(a) < rank(b) ? b : a;
}

}  // namespace warpmark
