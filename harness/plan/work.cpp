// The work of two points, whose growth `work_efficient` compares with that of the instructions; and
// the rate that work is held against.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "plan/plan.hpp"

namespace warpmark {
namespace {

std::optional<double> known_work(const Plan& plan) {
  return known_amount(plan.composites.work_efficient);
}

}  // namespace

std::optional<double> known_amount(const std::optional<Amount>& amount) {
  if (!amount || std::holds_alternative<Symbolic>(*amount)) return std::nullopt;
  const auto* whole = std::get_if<int64_t>(&*amount);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(*amount);
}

void check_peak(const Plan& plan, const PositionMap& positions) {
  const std::optional<double> peak = known_amount(plan.peak_flops_per_s);
  if (!peak || (*peak > 0 && std::isfinite(*peak))) return;
  throw usage_error(fmt::format("`peak_flops_per_s` of {} is {:g}: a number more than 0 is needed",
                                plan.case_id, *peak),
                    positions.find("/peak_flops_per_s"));
}

void check_work(const Plan& plan, const Plan& smaller, const PositionMap& positions) {
  if (may_be_skipped(plan) || may_be_skipped(smaller)) return;
  const auto refuse = [&](const std::string& why) {
    throw usage_error(why, positions.find("/expect/work_efficient"),
                      "`work` and `smaller` go together as in {work: n, smaller: {n: n // 8}}");
  };
  const std::optional<double> own = known_work(plan), less = known_work(smaller);
  const auto require_positive = [&](const Plan& at, const std::optional<double>& work) {
    if (!work || (*work > 0 && std::isfinite(*work))) return;
    refuse(fmt::format("the work of {} is {:g}: a number above 0 is needed", at.case_id, *work));
  };
  require_positive(smaller, less);
  require_positive(plan, own);
  if (!own || !less || *less < *own) return;
  refuse(
      fmt::format("the work at the smaller point {} is {:g}, and that of {} is {:g}: it must be "
                  "less there",
                  smaller.case_id, *less, plan.case_id, *own));
}

}  // namespace warpmark
