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

constexpr const char* kPairStyle = R"css(
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
.pair>div{min-width:0}
.pair pre{overflow:auto;max-height:40rem;margin:.3rem 0;
font:.8em/1.4 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.pair pre span{display:block;padding:0 .4rem;white-space:pre;min-height:1.4em;min-width:max-content}
.pair pre .same{background:var(--same)}
.pair pre b{display:inline-block;min-width:3ch;margin-right:1ch;text-align:right;font-weight:400;color:var(--faint)}
:root{--same:#fbe3b5}@media (prefers-color-scheme:dark){:root{--same:#5a4415}}
)css";

std::string marked_source(const std::string& text, const std::vector<LineRange>& lines) {
  std::string html = "<pre>";
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const bool same = std::any_of(lines.begin(), lines.end(), [number](const LineRange& range) {
      return range.first <= number && number <= range.second;
    });
    html += fmt::format("<span{}><b>{}</b>{}</span>", same ? " class=\"same\"" : "", number,
                        html_text(in_one_line(line)));
  }
  return html + "</pre>";
}

std::string whole_percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string side_by_side(const Similarity& all, const SimilarPair& pair, size_t number) {
  const auto column = [&](size_t i, double share, const std::vector<LineRange>& lines) {
    return fmt::format("<div><b>{}</b> <span class=\"remark\">{} of {} fingerprints</span>{}</div>",
                       html_text(in_one_line(all.sources[i].student)), whole_percent(share),
                       all.prints[i], marked_source(all.sources[i].text, lines));
  };
  return fmt::format(
             "<details id=\"pair-{}\"><summary>{} and {}: {}</summary>\n<div class=\"pair\">",
             number, html_text(in_one_line(all.sources[pair.a].student)),
             html_text(in_one_line(all.sources[pair.b].student)),
             counted(pair.shared, "shared fingerprint")) +
         column(pair.a, pair.share_a, pair.lines_a) + column(pair.b, pair.share_b, pair.lines_b) +
         "</div></details>\n";
}

std::string pair_table(const Similarity& all) {
  std::string table =
      "<div class=\"scroll\"><table><thead><tr><th class=\"number\">shared</th><th>student</th>"
      "<th class=\"number\">of it</th><th>student</th><th class=\"number\">of it</th><th "
      "class=\"number\">compiled</th></tr></thead>"
      "\n<tbody>";
  for (size_t i = 0; i < std::min(all.pairs.size(), kMostPairs); ++i) {
    const SimilarPair& pair = all.pairs[i];
    const std::string shared = i < kMostSideBySide
                                   ? fmt::format("<a href=\"#pair-{}\">{}</a>", i, pair.shared)
                                   : std::to_string(pair.shared);
    table += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        shared, html_text(in_one_line(all.sources[pair.a].student)), whole_percent(pair.share_a),
        html_text(in_one_line(all.sources[pair.b].student)), whole_percent(pair.share_b),
        pair.ptx_shared == 0
            ? ""
            : fmt::format("{}, {}", pair.ptx_shared, whole_percent(pair.ptx_share)));
  }
  return table + "</tbody></table></div>\n";
}

}  // namespace

std::string similarity_page(const Similarity& similarity, const std::string& title) {
  const std::string heading = "Similar submissions to " + title;
  std::string page = html_head(heading, kPairStyle);
  page += "<h1>" + html_text(heading) + "</h1>\n";
  page += fmt::format(
      "<p class=\"lead\">For staff. {}, {}. Names, numbers, comments, layout and the order of "
      "functions do not count, nor what the template has or many have. This says which pairs to "
      "read, not who copied: no points depend on it.</p>\n",
      counted(similarity.sources.size(), "submission"), counted(similarity.pairs.size(), "pair"));
  if (!similarity.pairs.empty()) page += pair_table(similarity);
  if (similarity.pairs.size() > kMostPairs) {
    page += fmt::format("<p class=\"remark\">And {} more, in JSON.</p>\n",
                        similarity.pairs.size() - kMostPairs);
  }
  if (!similarity.too_short.empty()) {
    std::vector<std::string> names;
    for (const size_t i : similarity.too_short) {
      names.push_back(in_one_line(similarity.sources[i].student));
    }
    page += fmt::format(
        "<h2>Too short to tell: {}</h2>\n<p class=\"remark\">Beside what the template has or many "
        "have, too little is left to tell a copy from another solution: {}</p>\n",
        names.size(), html_text(join(names, ", ")));
  }
  if (!similarity.pairs.empty()) page += "<h2>Side by side</h2>\n";
  for (size_t i = 0; i < std::min(similarity.pairs.size(), kMostSideBySide); ++i) {
    page += side_by_side(similarity, similarity.pairs[i], i);
  }
  return without_commands(page + "</body>\n</html>\n");
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
