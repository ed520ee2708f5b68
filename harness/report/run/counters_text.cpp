#include "report/run/counters_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "compiler/kernel_name.hpp"
#include "report/page/figure_text.hpp"
#include "report/run/case_text.hpp"
#include "runtime/step_names.hpp"
#include "worker/counters.hpp"

namespace warpmark {
namespace {

double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct Kind {
  std::string_view name, title;
};
constexpr std::array kCached = {
    Kind{"global_load", "global load"},         Kind{"global_store", "global store"},
    Kind{"global_atomic", "global atomic"},     Kind{"async_global_load", "async. load"},
    Kind{"async_global_store", "async. store"}, Kind{"local_load", "local load"},
    Kind{"local_store", "local store"},         Kind{"texture_load", "texture load"},
    Kind{"surface_load", "surface load"},       Kind{"surface_store", "surface store"},
    Kind{"surface_atomic", "surface atomic"},
};
constexpr std::array kBanked = {
    Kind{"shared_load", "shared load"},           Kind{"shared_store", "shared store"},
    Kind{"shared_atomic", "shared atomic"},       Kind{"async_shared_load", "shared, async."},
    Kind{"async_shared_store", "shared, async."},
};
constexpr std::string_view kClasses[] = {
#define CLASS(name) #name,
#include "warpmark/counters.def"
};

class Block {
 public:
  using Launches = std::vector<nlohmann::ordered_json>;

  Block(std::string title, const Launches& launches, const ConsoleStyle& style)
      : title_(std::move(title)),
        launches_(launches),
        style_(style),
        sums_(sum_counters(launches)) {}

  std::string text() {
    out_ = coloured(style_, Colour::bold, title_) + "\n";
    launches();
    instructions();
    accesses(kCached, "sectors", "used", [&](const Kind& kind, int64_t sectors) {
      return ratio(of(kind, "unique_bytes"), sectors) / 32;
    });
    accesses(kBanked, "wavefronts", "excess", [&](const Kind& kind, int64_t wavefronts) {
      const int64_t ideal = of(kind, "ideal_wavefronts");
      return ratio(wavefronts - ideal, ideal);
    });
    rest();
    return out_;
  }

 private:
  int64_t of(std::string_view name) const { return counter_value(sums_, name); }
  int64_t of(const Kind& kind, std::string_view measure) const {
    return of(fmt::format("{}_{}", kind.name, measure));
  }

  void line(std::string_view title, const std::string& text) {
    out_ += fmt::format("  {:<14}  {}\n", title, text);
  }

  // Launches with equal text, such as those of a loop, share one line.
  void launches() {
    std::vector<std::pair<std::string, size_t>> alike;
    for (const nlohmann::ordered_json& launch : launches_) {
      const std::string text = launch_text(launch);
      const auto known =
          std::ranges::find_if(alike, [&](const auto& one) { return one.first == text; });
      if (known != alike.end()) {
        ++known->second;
      } else {
        alike.emplace_back(text, 1);
      }
    }
    for (const auto& [text, count] : alike) {
      line("launch", count == 1 ? text : fmt::format("{} times {}", count, text));
    }
  }

  static std::string launch_text(const nlohmann::ordered_json& launch) {
    const auto kernel = launch.find("kernel");
    const auto occupancy = launch.find("occupancy");
    const auto number = [](const nlohmann::ordered_json& json, const char* key) {
      const auto found = json.find(key);
      return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
    };
    std::string text = kernel != launch.end() && kernel->is_string()
                           ? printable(readable_symbol(kernel->get<std::string>()))
                           : std::string("kernel");
    const int64_t blocks = number(launch, "blocks");
    if (blocks > 0) {
      text += fmt::format(", {} of {} threads", count_text(static_cast<size_t>(blocks), "block"),
                          whole_text(number(launch, "threads") / blocks));
    }
    if (occupancy != launch.end() && occupancy->is_object()) {
      const auto limit = occupancy->find("limited_by");
      const int64_t registers = number(*occupancy, "registers");
      text += fmt::format(
          "; occupancy {} (by {}; {})",
          percent_text(ratio(number(*occupancy, "warps"), number(*occupancy, "most_warps"))),
          limit != occupancy->end() && limit->is_string() ? printable(limit->get<std::string>())
                                                          : std::string("?"),
          registers > 0 ? fmt::format("{} registers a thread", registers)
                        : std::string("registers are not known"));
    }
    return text;
  }

  void instructions() {
    const int64_t threads = of("ptx_thread_instructions"), warps = of("ptx_warp_instructions");
    if (warps == 0) return;
    line("instructions",
         fmt::format("{} of threads, {} of warps; {:.1f} of 32 lanes active", whole_text(threads),
                     whole_text(warps), ratio(threads, warps)));
    std::vector<std::pair<int64_t, std::string_view>> classes;
    for (const std::string_view name : kClasses) {
      const int64_t count = of(fmt::format("ptx_{}_thread_instructions", name));
      if (count > 0) classes.emplace_back(count, name);
    }
    std::ranges::stable_sort(classes, std::ranges::greater{},
                             [](const auto& one) { return one.first; });
    std::string shares;
    for (const auto& [count, name] : classes) {
      if (!shares.empty()) shares += ", ";
      shares += fmt::format("{} {}", name, percent_text(ratio(count, threads)));
    }
    if (!shares.empty()) line("", shares);
    const int64_t each =
        ratio(warps, of("warps")) > 0 ? warps / std::max<int64_t>(1, of("warps")) : 0;
    line("longest warp",
         fmt::format("{} instructions, the mean warp {}",
                     whole_text(of("ptx_longest_warp_instructions")), whole_text(each)));
    if (of("ptx_branches") > 0) {
      line("branches",
           fmt::format("{}, {} of them divergent", whole_text(of("ptx_branches")),
                       percent_text(ratio(of("ptx_divergent_branches"), of("ptx_branches")))));
    }
    if (of("ptx_flops") > 0) line("flops", whole_text(of("ptx_flops")));
  }

  // A row for each kind of access that occurs: what its requests become, `units`, and how well.
  template <size_t Size, typename Share>
  void accesses(const std::array<Kind, Size>& kinds, const char* units, const char* quality,
                const Share& share) {
    std::string rows;
    const auto row = [](auto&&... cells) {
      return fmt::format("  {:<14}  {:>13}  {:>15}  {:>13}  {:>9}  {:>6}", cells...);
    };
    for (const Kind& kind : kinds) {
      const int64_t requests = of(kind, "requests"), count = of(kind, units);
      if (requests == 0) continue;
      rows +=
          row(kind.title, whole_text(requests), whole_text(of(kind, "bytes")), whole_text(count),
              fmt::format("{:.1f}", ratio(count, requests)), percent_text(share(kind, count))) +
          "\n";
    }
    if (rows.empty()) return;
    const std::string head = row("", "requests", "bytes asked", units, "a request", quality);
    out_ += coloured(style_, Colour::dim, head) + "\n" + rows;
  }

  void rest() {
    for (const Kind& kind : {kCached[2], kBanked[2]}) {
      const int64_t requests = of(kind, "requests");
      if (requests == 0) continue;
      line(kind.title,
           fmt::format("{} turns: {:.1f} lanes of a warp at one address",
                       whole_text(of(kind, "turns")), ratio(of(kind, "turns"), requests)));
    }
    const Kind constant{"constant_load", "constant load"};
    if (const int64_t requests = of(constant, "requests"); requests > 0) {
      line(constant.title,
           fmt::format("{} requests, {:.1f} different addresses each", whole_text(requests),
                       ratio(of(constant, "turns"), requests)));
    }
    if (const int64_t requests = of("prefetch_requests"); requests > 0) {
      line("prefetch", fmt::format("{} requests, {} sectors", whole_text(requests),
                                   whole_text(of("prefetch_sectors"))));
    }
    if (of("barriers") > 0)
      line("barriers", fmt::format("{} of warps", whole_text(of("barriers"))));
  }

  const std::string title_;
  const Launches& launches_;
  const ConsoleStyle& style_;
  CounterSums sums_;
  std::string out_;
};

}  // namespace

std::string percent_text(double share) {
  const bool small = share != 0 && share < 0.0995;
  return small ? fmt::format("{:.1f} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string counters_text(const Outcome& outcome, const ConsoleStyle& style) {
  if (sum_counters(outcome.counters).empty()) return "";  // none, or samples alone
  const std::vector<std::string> steps = step_names(outcome.counters);
  const auto title_of = [&](const std::string& step) {
    return fmt::format("{}, step `{}`", outcome.case_id, printable(step));
  };
  // Counters of a single step have the step in their title; those of several have a block for all
  // steps first, then one for each.
  if (steps.size() == 1) return Block(title_of(steps[0]), outcome.counters, style).text();
  const std::string all = steps.empty() ? "" : fmt::format(", all {} steps", steps.size());
  std::string text = Block(outcome.case_id + all, outcome.counters, style).text();
  for (const std::string& step : steps) {
    text += Block(title_of(step), launches_of_step(outcome.counters, step), style).text();
  }
  return text;
}

}  // namespace warpmark
