// A history of benches for a person, as a page, for documentation, and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/page/style.hpp"
#include "results/bench_history.hpp"

namespace warpmark {

/// The runs, then each point: those that changed first.
std::string history_text(const BenchHistory& history, const ConsoleStyle& style);

/// The same as Markdown, with the points that did not change in a block to unfold.
std::string history_markdown(const BenchHistory& history);

/// One page that loads nothing and runs no script: what changed, the newest first, then a small picture
/// of each point.
std::string history_page(const BenchHistory& history);

/// As schema/history.json says.
nlohmann::ordered_json history_json(const BenchHistory& history);

}  // namespace warpmark
