#include "runtime/counted_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/ptx_contents.hpp"

namespace warpmark {

namespace {

constexpr double kDoneShare = 0.5;

double sum_of(const Measurement& measurement, const std::vector<std::string_view>& names) {
  double sum = 0;
  for (const auto& [name, value] : measurement.counters) {
    if (std::ranges::find(names, name) != names.end()) sum += static_cast<double>(value);
  }
  return sum;
}

}  // namespace

UncountedWork uncounted_work(std::string_view ptx) {
  constexpr std::array<std::string_view, 7> kElsewhere = {"cp.async", "cp.reduce", "tex.",  "tld4.",
                                                          "suld.",    "sust.",     "sured."};
  const auto is_there = [ptx](std::string_view one) {
    return ptx.find(one) != std::string_view::npos;
  };
  return {has_matrix_instructions(ptx), std::ranges::any_of(kElsewhere, is_there)};
}

std::vector<std::string> missing_work(const Measurement& measurement,
                                      const UncountedWork& uncounted) {
  std::vector<std::string> found;
  if (measurement.counters.empty()) return found;
  const auto compare = [&](const char* key, const std::optional<double>& modelled, double counted) {
    if (!modelled || !(counted < kDoneShare * *modelled)) return;
    found.push_back(
        fmt::format("bench.{} is {:.0f}, and the device counted {:.0f}: the formula is wrong, or "
                    "the kernel does "
                    "not do the work",
                    key, *modelled, counted));
  };
  if (!uncounted.bytes) {
    compare("bytes", measurement.bytes,
            sum_of(measurement, {"global_load_bytes", "global_store_bytes", "global_atomic_bytes",
                                 "constant_load_bytes"}));
  }
  if (!uncounted.flops) compare("flops", measurement.flops, sum_of(measurement, {"ptx_flops"}));
  return found;
}

}  // namespace warpmark
