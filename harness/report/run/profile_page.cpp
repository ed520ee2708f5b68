// Profiles as a page that loads nothing and runs no script.
#include <fmt/format.h>

#include "report/page/html.hpp"
#include "report/page/style.hpp"
#include "report/run/counters_text.hpp"
#include "report/run/profile.hpp"

namespace warpmark {
namespace {

constexpr const char* kProfileStyle = R"css(
body{max-width:none}
pre{background:var(--panel);padding:.8rem 1rem;border-radius:8px;overflow-x:auto;font-size:.85em;
line-height:1.45}
table.profile{font-size:.85em}
table.profile th,table.profile td{padding:.1rem .55rem}
table.profile tbody tr{border-bottom:0}
table.profile td.number{color:var(--ink)}
table.profile td.line{color:var(--faint);text-align:right;user-select:none}
table.profile td.source{white-space:pre;font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
table.profile td.marks{color:var(--bad);font-weight:600}
tr.heat1 td.source{box-shadow:inset 4px 0 0 #f0c04a66}
tr.heat2 td.source{box-shadow:inset 4px 0 0 #e69f00}
tr.heat3 td.source{box-shadow:inset 4px 0 0 #d55e00;background:#d55e0018}
tr.idle td.source{color:var(--faint)}
)css";

// How much of something a line has: 5 %, 15 %, 40 %.
int heat_of(double share) {
  return share >= 0.4 ? 3 : share >= 0.15 ? 2 : share >= 0.05 ? 1 : 0;
}

std::string row(const ProfiledLine& line) {
  const int heat = heat_of(line.most_share);
  std::string out =
      fmt::format("<tr class=\"{}\"><td class=\"line\">{}</td><td class=\"marks\">{}</td>",
                  line.counters.empty() ? std::string("idle")
                  : heat > 0            ? fmt::format("heat{}", heat)
                                        : std::string("ran"),
                  line.number, line.marks);
  for (const std::string& cell : profile_cells(line)) {
    out += "<td class=\"number\">" + html_text(cell) + "</td>";
  }
  return out + "<td class=\"source\">" + html_text(line.text) + "</td></tr>\n";
}

}  // namespace

std::string profile_page(const std::vector<CaseProfile>& profiles) {
  std::string out = html_head("Warpmark profile", kProfileStyle);
  out +=
      "<h1>Profile</h1>\n<p class=\"lead\">What each line of the source executes and moves, "
      "counted "
      "exactly by the device that executed it.</p>\n<nav>";
  for (size_t i = 0; i < profiles.size(); ++i) {
    out += fmt::format("<a href=\"#case{}\">{}</a>", i, html_text(profiles[i].outcome.case_id));
  }
  out += "</nav>\n<pre>" + html_text(kProfileLegend) + "</pre>\n";
  for (size_t i = 0; i < profiles.size(); ++i) {
    const CaseProfile& profile = profiles[i];
    out += fmt::format("<h2 id=\"case{}\">{}</h2>\n", i, html_text(profile.outcome.case_id));
    if (profile.outcome.verdict != Verdict::passed) {
      out += "<p class=\"remark\">" + html_text(to_text(profile.outcome.verdict)) + ": " +
             html_text(profile.outcome.reason) + "</p>\n";
    }
    if (!profile.remark.empty()) {
      out += "<p class=\"remark\">" + html_text(profile.remark) + "</p>\n";
      continue;
    }
    out += "<pre>" + html_text(counters_text(profile.outcome, ConsoleStyle{})) + "</pre>\n";
    for (const ProfiledFile& file : profile.files) {
      out += "<h3><code>" + html_text(file.name) +
             "</code></h3>\n<div class=\"scroll\"><table "
             "class=\"profile\"><thead><tr><th class=\"number\">line</th><th></th>";
      for (const std::string& title : profile_titles()) {
        out += "<th class=\"number\">" + html_text(title) + "</th>";
      }
      out += file.known ? "<th></th>" : "<th>a header: its text is not at hand</th>";
      out += "</tr></thead><tbody>\n";
      for (const ProfiledLine& line : file.lines) out += row(line);
      out += "</tbody></table></div>\n";
    }
  }
  return out + "</body></html>\n";
}

}  // namespace warpmark
