// Pairs of submissions as a page and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "grade/similarity/similarity.hpp"
#include "report/page/html.hpp"
#include "report/page/text_line.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostPairs = 200;      // in the table
constexpr size_t kMostSideBySide = 50;  // sources may have 64 KiB each

Json line_values(const std::string& text, const std::vector<LineRange>& lines) {
  Json values = Json::array();
  for (const std::string& line : split(text, '\n')) {
    const int number = static_cast<int>(values.size()) + 1;
    const bool same = std::ranges::any_of(lines, [number](const LineRange& range) {
      return range.first <= number && number <= range.second;
    });
    values.push_back({{"same", same}, {"number", number}, {"text", in_one_line(line)}});
  }
  return values;
}

std::string whole_percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Json pair_values(const Similarity& all, size_t index) {
  const SimilarPair& pair = all.pairs[index];
  const bool beside = index < kMostSideBySide;
  const auto side = [&](size_t i, double share, const std::vector<LineRange>& lines) {
    Json values = {{"student", in_one_line(all.sources[i].student)},
                   {"share", whole_percent(share)},
                   {"prints", all.prints[i]}};
    if (beside) values["lines"] = line_values(all.sources[i].text, lines);
    return values;
  };
  std::string compiled;
  if (pair.ptx_shared > 0) {
    compiled = fmt::format("{}, {}", pair.ptx_shared, whole_percent(pair.ptx_share));
  }
  return {{"index", index},
          {"beside", beside},
          {"shared", pair.shared},
          {"shared_text", counted(pair.shared, "shared fingerprint")},
          {"a", side(pair.a, pair.share_a, pair.lines_a)},
          {"b", side(pair.b, pair.share_b, pair.lines_b)},
          {"compiled", compiled}};
}

}  // namespace

std::string similarity_page(const Similarity& similarity, const std::string& title) {
  Json pairs = Json::array();
  for (size_t i = 0; i < std::min(similarity.pairs.size(), kMostPairs); ++i) {
    pairs.push_back(pair_values(similarity, i));
  }
  std::vector<std::string> names;
  for (const size_t i : similarity.too_short) {
    names.push_back(in_one_line(similarity.sources[i].student));
  }
  const size_t more = similarity.pairs.size() - pairs.size();
  return without_commands(
      html_page("grade/similarity/similarity",
                {{"title", "Similar submissions to " + title},
                 {"submissions", counted(similarity.sources.size(), "submission")},
                 {"pair_count", counted(similarity.pairs.size(), "pair")},
                 {"more", more > 0 ? std::to_string(more) : ""},
                 {"too_short", join(names, ", ")},
                 {"too_short_count", names.size()},
                 {"pairs", std::move(pairs)}}));
}

std::string similarity_json(const Similarity& similarity, const std::string& assignment) {
  Json pairs = Json::array(), too_short = Json::array();
  for (const SimilarPair& pair : similarity.pairs) {
    pairs.push_back(
        {{"students", {similarity.sources[pair.a].student, similarity.sources[pair.b].student}},
         {"shared", pair.shared},
         {"shares", {pair.share_a, pair.share_b}},
         {"lines", {pair.lines_a, pair.lines_b}},
         {"ptx_shared", pair.ptx_shared},
         {"ptx_share", pair.ptx_share}});
  }
  for (const size_t i : similarity.too_short) too_short.push_back(similarity.sources[i].student);
  return json_document(strict_json({{"similarity", 1},
                                    {"assignment", assignment},
                                    {"submissions", similarity.sources.size()},
                                    {"pairs", std::move(pairs)},
                                    {"too_short", std::move(too_short)}}));
}

}  // namespace warpmark
