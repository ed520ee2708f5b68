#include "runtime/composites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.hpp"
#include "runtime/judge.hpp"

namespace warpmark {

namespace {

constexpr double kUsed = 0.8;            // of sectors
constexpr double kSectors = 1.25;        // times the baseline's
constexpr double kConflicts = 0.05;      // of wavefronts
constexpr double kWavefronts = 2;        // times the baseline's: more do not count
constexpr double kSpan = 2;              // times the baseline's
constexpr double kActive = 0.5;          // of a warp's lanes
constexpr double kGrowth = 1.25;         // times that of the work
constexpr double kInstructionsMost = 2;  // times the baseline's
constexpr double kLanes = 32;

using Measured = std::vector<MeasuredComposite>;

constexpr std::string_view kSpanInstructions = "ptx_span_instructions";
constexpr std::string_view kThreadInstructions = "ptx_thread_instructions";
constexpr std::string_view kWarpInstructions = "ptx_warp_instructions";

// Memory behind caches, by all kinds of accesses.
constexpr std::string_view kCached[] = {
    "global_load",  "global_store", "global_atomic", "async_global_load", "async_global_store",
    "texture_load", "surface_load", "surface_store", "surface_atomic"};
constexpr std::string_view kShared[] = {"shared_load", "shared_store", "shared_atomic",
                                        "async_shared_load", "async_shared_store"};

double value(const CounterSums& counters, std::string_view name) {
  return static_cast<double>(counter_value(counters, name));
}

template <size_t Count>
double sum(const CounterSums& counters, const std::string_view (&kinds)[Count],
           std::string_view measure) {
  double all = 0;  // in a sandbox the numbers are untrusted: their sum must not overflow
  for (const std::string_view kind : kinds) {
    all += value(counters, fmt::format("{}_{}", kind, measure));
  }
  return all;
}

// The number of an amount in a resolved plan.
double double_of(const Amount& amount) {
  const auto* whole = std::get_if<int64_t>(&amount);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(amount);
}

// How nearly a measure meets its threshold: 1 and more where it does.
double met(double part, double whole) {
  if (whole == 0) return kMetByFar;
  return whole > 0 ? std::min(part / whole, kMetByFar) : 0;
}

// A multiple, as of the baseline's; nothing is no multiple of nothing.
std::string times_text(double own, double other) {
  if (own == other) return "1 ×";
  return other > 0 ? fmt::format("{:.3g} ×", own / other) : "∞ ×";
}

// Rounds to one decimal place; a value below its bound must not be printed as one that reaches it.
double below(double value, double bound) {
  const double rounded = std::round(10 * value) / 10;
  return rounded < bound ? rounded : std::floor(10 * value) / 10;
}

// A kernel that does not run in parallel has few requests, and perfect ones. If even the baseline
// cannot use half of its lanes, because there is too little work, no kernel has to.
void measure_parallel(const CompositeRuns& runs, Measured& all) {
  const double span = value(runs.own, kSpanInstructions);
  const double most = value(runs.baseline, kSpanInstructions);
  MeasuredComposite& spans = all.emplace_back(MeasuredComposite{
      "parallel", "span",
      fmt::format("a block executes {} as many instructions one after the other as one of the "
                  "baseline ({:g} × at most)",
                  times_text(span, most), kSpan),
      met(kSpan * most, span), ""});
  if (span > kSpan * most) {
    spans.broken = fmt::format(
        "not parallel: a block of it executes {:.0f} instructions one after the other, "
        "one of the baseline {:.0f}; {:g} times as many at most: share the work among "
        "all threads",
        span, most, kSpan);
  }
  const double lanes = value(runs.own, kThreadInstructions);
  const double warps = value(runs.own, kWarpInstructions);
  const double others = value(runs.baseline, kWarpInstructions);
  double least = kActive * kLanes;
  if (runs.compared && others > 0)
    least = std::min(least, value(runs.baseline, kThreadInstructions) / others);
  MeasuredComposite& active = all.emplace_back(MeasuredComposite{
      "parallel", "lanes",
      fmt::format("on average {:.1f} of the {:g} lanes of a warp are active ({:.3g} at least)",
                  warps == 0 ? 0 : lanes / warps, kLanes, least),
      met(lanes, least * warps), ""});
  if (lanes < least * warps) {
    active.broken = fmt::format(
        "not parallel: on average {:.1f} of the {:g} lanes of a warp are active, {:g} "
        "at least: let neighbouring threads take the same branches",
        warps == 0 ? 0 : below(lanes / warps, least), kLanes, least);
  }
}

void measure_sectors(const char* composite, const CompositeRuns& runs, Measured& all) {
  const double own = sum(runs.own, kCached, "sectors");
  const double baseline = sum(runs.baseline, kCached, "sectors");
  MeasuredComposite& sectors = all.emplace_back(
      MeasuredComposite{composite, "sectors",
                        fmt::format("it moves {} as many sectors as the baseline ({:g} × at most)",
                                    times_text(own, baseline), kSectors),
                        met(kSectors * baseline, own), ""});
  if (own <= kSectors * baseline) return;
  sectors.broken = fmt::format(
      "not {}: it moves {:.0f} sectors of 32 bytes, the baseline {:.0f}; {:g} times as "
      "many at most",
      composite, own, baseline, kSectors);
}

// The unique bytes of each request count as whole sectors: no arrangement of its lanes saves the
// rest of the last sector, at a ragged end or for a value that all lanes read.
void measure_coalesced(const CompositeRuns& runs, Measured& all) {
  const double moved = sum(runs.own, kCached, "sectors");
  const double needed = sum(runs.own, kCached, "ideal_sectors");
  const double others = sum(runs.baseline, kCached, "sectors");
  // A tile with a border cannot use all that it moves: as much of the baseline's share is asked for.
  double least = kUsed;
  std::string of;
  if (runs.compared && others > 0) {
    const double share = sum(runs.baseline, kCached, "ideal_sectors") / others;
    if (share < 1) of = fmt::format(" (the baseline needs {:.1f} %)", 100 * share);
    least *= std::min(share, 1.0);
  }
  const bool nothing = moved == 0 && others == 0;
  if (!nothing) {
    MeasuredComposite& used = all.emplace_back(MeasuredComposite{
        "coalesced", "share",
        fmt::format("its requests need {:.1f} % of the sectors that they move ({:.4g} % at least)",
                    moved == 0 ? 0 : 100 * needed / moved, 100 * least),
        moved == 0 ? 0 : met(needed, least * moved), ""});
    if (needed < least * moved || moved == 0) {
      used.broken = fmt::format(
          "not coalesced: its requests need {:.1f} % of the sectors of 32 bytes that they "
          "move, {:.4g} % at least{}: let neighbouring threads access neighbouring elements",
          moved == 0 ? 0 : below(100 * needed / moved, 100 * least), 100 * least, of);
    }
  }
  measure_sectors("coalesced", runs, all);
}

constexpr std::string_view kPad =
    "pad the rows of the array in shared memory by one element, or change which thread takes which";

// A warp of a block that is narrower than 32 threads lies over several rows of it. No padding keeps
// each access of such a warp free of conflicts: rows of 17 elements for 16 x 16 threads, the
// textbook's, cost a second pass where the rows of a warp meet. So only the conflicts within a row
// of threads count, which padding can avoid; if a row fills a warp these are all. Passes of
// needless accesses would hide the conflicts of needed ones, so at most twice the passes that the
// baseline needs are counted.
void measure_conflict_free(const CompositeRuns& runs, Measured& all) {
  const double wavefronts = sum(runs.own, kShared, "wavefronts");
  const double ideal = sum(runs.own, kShared, "ideal_wavefronts");
  const double excess = sum(runs.own, kShared, "row_excess");
  const double needed = sum(runs.baseline, kShared, "ideal_wavefronts");
  const bool nothing = sum(runs.own, kCached, "sectors") == 0 && needed == 0;
  if (nothing && excess == 0) return;
  if (sum(runs.own, kShared, "requests") == 0) {
    all.push_back({"conflict_free", "conflicts", "it does not use shared memory", 0,
                   "not conflict_free: it does not use shared memory"});
  } else if (needed > 0 && kWavefronts * needed < ideal) {
    const double most = std::floor(kConflicts * kWavefronts * needed);
    MeasuredComposite& conflicts = all.emplace_back(MeasuredComposite{
        "conflict_free", "conflicts",
        fmt::format("{:.0f} passes over shared memory are for bank conflicts ({:.0f} at most)",
                    excess, most),
        met(most, excess), ""});
    if (excess > most) {
      conflicts.broken = fmt::format(
          "not conflict_free: {:.0f} passes over shared memory are for bank conflicts, "
          "{:.0f} at most, which are {:g} % of {:g} times the {:.0f} that the baseline "
          "needs: {}",
          excess, most, 100 * kConflicts, kWavefronts, needed, kPad);
    }
  } else {
    MeasuredComposite& conflicts = all.emplace_back(MeasuredComposite{
        "conflict_free", "conflicts",
        fmt::format("{:.1f} % of the passes over shared memory are for bank conflicts ({:g} % at "
                    "most)",
                    wavefronts == 0 ? 0 : 100 * excess / wavefronts, 100 * kConflicts),
        met(kConflicts * wavefronts, excess), ""});
    if (excess > kConflicts * wavefronts) {
      conflicts.broken = fmt::format(
          "not conflict_free: {:.1f} % of the passes over shared memory are for bank "
          "conflicts, {:g} "
          "% at most: {}",
          -below(-100 * excess / wavefronts, -100 * kConflicts), 100 * kConflicts, kPad);
    }
  }
  measure_sectors("conflict_free", runs, all);
}

void measure_tiled(const Amount& most, const CompositeRuns& runs, Measured& all) {
  const double loads = value(runs.own, "global_load_sectors") +
                       value(runs.own, "async_global_load_sectors") +
                       value(runs.own, "texture_load_sectors");
  MeasuredComposite& tiled = all.emplace_back(MeasuredComposite{
      "tiled", "loads",
      fmt::format("its loads move {:.0f} sectors ({:.0f} at most)", loads, double_of(most)),
      met(double_of(most), loads), ""});
  if (loads <= double_of(most)) return;
  tiled.broken = fmt::format(
      "not tiled: its loads move {:.0f} sectors of 32 bytes, {:.0f} at "
      "most: load each tile into shared memory once, and use it there",
      loads, double_of(most));
}

void measure_work(const Amount& work, const CompositeRuns& runs, Measured& all) {
  const double own = value(runs.own, kThreadInstructions);
  const double baseline = value(runs.baseline, kThreadInstructions);
  MeasuredComposite& instructions = all.emplace_back(MeasuredComposite{
      "work_efficient", "instructions",
      fmt::format("its threads execute {} as many instructions as those of the baseline ({:g} × at "
                  "most)",
                  times_text(own, baseline), kInstructionsMost),
      met(kInstructionsMost * baseline, own), ""});
  if (own > kInstructionsMost * baseline) {
    instructions.broken = fmt::format(
        "not work_efficient: its threads execute {:.0f} instructions, those of the "
        "baseline {:.0f}; {:g} times as many at most",
        own, baseline, kInstructionsMost);
  }
  const double growth = own / value(*runs.smaller, kThreadInstructions);
  const double wanted = double_of(work) / double_of(*runs.smaller_work);
  MeasuredComposite& growths = all.emplace_back(MeasuredComposite{
      "work_efficient", "growth",
      fmt::format("where the work grows {:.3g} times, its instructions grow {:.3g} times ({:.3g} "
                  "times at most)",
                  wanted, growth, kGrowth * wanted),
      met(kGrowth * wanted, growth), ""});
  if (growth <= kGrowth * wanted) return;
  growths.broken = fmt::format(
      "not work_efficient: where the work grows {:.3g} times, its instructions grow "
      "{:.3g} times; {:.3g} times at most",
      wanted, growth, kGrowth * wanted);
}

}  // namespace

std::vector<std::string> composite_counters() {
  std::vector<std::string> names = {std::string(kSpanInstructions),
                                    std::string(kThreadInstructions),
                                    std::string(kWarpInstructions)};
  for (const std::string_view kind : kCached) {
    for (const char* measure : {"sectors", "ideal_sectors"}) {
      names.push_back(fmt::format("{}_{}", kind, measure));
    }
  }
  for (const std::string_view kind : kShared) {
    for (const char* measure : {"requests", "wavefronts", "ideal_wavefronts", "row_excess"}) {
      names.push_back(fmt::format("{}_{}", kind, measure));
    }
  }
  return names;
}

Measured measure_composites(const PlanComposites& asked, const CompositeRuns& runs) {
  Measured all;
  if (asked.any()) measure_parallel(runs, all);
  if (asked.coalesced) measure_coalesced(runs, all);
  if (asked.conflict_free) measure_conflict_free(runs, all);
  if (asked.tiled) measure_tiled(*asked.tiled, runs, all);
  if (asked.work_efficient) measure_work(*asked.work_efficient, runs, all);
  return all;
}

Measured judge_composites(const PlannedCase& planned, const CompositeRuns& runs, Outcome& outcome) {
  Measured measured = measure_composites(planned.plan.composites, runs);
  std::vector<std::string> texts;
  Nearness nearness{1, ""};
  for (const MeasuredComposite& one : measured) {
    if (one.broken.empty()) continue;
    texts.push_back(one.broken);
    if (one.met < nearness.share) nearness = {one.met, one.composite};
  }
  if (!texts.empty()) {
    fail(outcome, FailureKind::counter,
         verdict_error(join(texts, "\n"), planned.positions.find("/expect")));
    outcome.nearness = nearness;
  } else if (planned.compares_counters) {
    outcome.counted = CountedRuns{runs.own, runs.baseline};
  }
  return measured;
}

}  // namespace warpmark
