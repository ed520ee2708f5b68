#include "report/run/case_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"
#include "report/page/style.hpp"

namespace warpmark {
namespace {

std::string sufficient_text(const OutputVerdict& output, const Outcome& outcome) {
  if (output.sufficient.empty()) return "";
  const auto& outputs = outcome.outputs;
  const bool alone = std::ranges::count_if(
                         outputs, [](const OutputVerdict& one) { return one.has_reference; }) == 1;
  return fmt::format(
      "\n{} would pass with `tolerance: {}`", alone ? "it" : "`" + output.output + "`",
      alone ? output.sufficient
            : fmt::format("{{outputs: {{{}: {}}}}}", output.output, output.sufficient));
}

// Powers of two of a person's size are written out.
std::string power_text(double value) {
  if (value >= 1 && value <= 1 << 20) return fmt::format("{}", value);
  return fmt::format("2^{}", std::ilogb(value));
}

std::string bars_of(const OutputVerdict& output) {
  constexpr size_t kWidth = 40;
  size_t most = 0, name_width = 0;
  std::vector<std::string> names;
  const bool by_bound = output.histogram.unit == "bound";
  for (const ErrorBucket& bucket : output.histogram.buckets) {
    most = std::max(most, bucket.count);
    names.push_back(std::isfinite(bucket.high)
                        ? fmt::format("{} to {}", power_text(bucket.low), power_text(bucket.high))
                        : "no bound");
    name_width = std::max(name_width, names.back().size());
  }
  std::string text = fmt::format("errors of `{}`, {}:", output.output,
                                 by_bound ? "in multiples of what is allowed" : "in ulp");
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t count = output.histogram.buckets[i].count;
    // The smallest count has a mark, too.
    const size_t bar = count == 0 ? 0 : std::max<size_t>(1, count * kWidth / most);
    text += fmt::format("\n  {:>{}}  {:<{}}  {}", names[i], name_width, std::string(bar, '#'),
                        kWidth, count);
  }
  return text;
}

}  // namespace

std::string error_bars(const Outcome& outcome) {
  std::string text;
  for (const OutputVerdict& output : outcome.outputs) {
    if (output.histogram.buckets.empty()) continue;
    text += (text.empty() ? "" : "\n") + bars_of(output);
  }
  return printable(text);
}

std::string failure_text(const Outcome& outcome, const std::string& reproduce) {
  std::string text(trim(outcome.message));
  if (text.empty()) {
    if (outcome.where.known()) text = outcome.where.text() + ": ";
    text += outcome.reason.empty() ? std::string(to_text(outcome.failure)) : outcome.reason;
  }
  for (const OutputVerdict& output : outcome.outputs) text += sufficient_text(output, outcome);
  if (outcome.trial) text += fmt::format("\ntrial: {}", *outcome.trial);
  if (!reproduce.empty()) text += "\nreproduce: " + reproduce;
  return printable(text);
}

std::string skip_text(const Outcome& outcome) {
  const std::string place = outcome.where.known() ? outcome.where.text() + ": " : "";
  return place + outcome.reason;
}

std::string run_text(size_t suites, size_t cases, const RunContext& context) {
  const DeviceFacts& device = context.device;
  std::vector<std::string> facts;
  if (device.architecture > 0) facts.push_back(fmt::format("sm_{}", device.architecture));
  if (device.driver_version > 0)
    facts.push_back("driver " + cuda_version_text(device.driver_version));
  if (!device.nvrtc_version.empty()) facts.push_back("NVRTC " + device.nvrtc_version);
  std::string text = count_text(suites, "suite") + ", " + count_text(cases, "case");
  if (context.deselected > 0) text += " (" + count_text(context.deselected, "") + "deselected)";
  if (!device.name.empty()) text += " on " + device.name;
  if (!facts.empty()) text += " (" + join(facts, ", ") + ")";
  text += fmt::format(", seed {}", context.seed);
  if (context.trials > 1) {
    text += ", " + count_text(context.trials, "trial") + " of each case";
  } else if (context.first_trial > 0) {
    text += fmt::format(", trial {}", context.first_trial);
  }
  return printable(text);
}

std::string totals_text(const Totals& totals, double seconds, size_t deselected) {
  std::string text = count_text(totals.passed, "") + "passed";
  const auto add = [&](size_t count, const char* word) {
    if (count > 0) text += ", " + count_text(count, "") + word;
  };
  add(totals.failed, "failed");
  add(totals.skipped, "skipped");
  add(totals.interrupted, "interrupted");
  add(totals.not_run, "not run");
  add(deselected, "deselected");
  return text + " in " + duration_text(seconds);
}

std::string count_text(size_t count, const std::string& singular) {
  return whole_text(static_cast<int64_t>(count)) + " " + singular +
         (count == 1 || singular.empty() ? "" : "s");
}

}  // namespace warpmark
