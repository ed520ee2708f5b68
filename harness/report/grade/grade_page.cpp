#include "report/grade/grade_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/class_controls.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_blocks.hpp"
#include "report/grade/grade_style.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/item_analysis.hpp"
#include "report/page/html.hpp"
#include "report/page/style.hpp"
#include "report/page/text_line.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {
namespace {

std::string cell_text(GradeWord word) {
  if (word == GradeWord::pass) return "✓";
  if (word == GradeWord::not_launched) return "–";
  return std::string(1, static_cast<char>(word_letter(word) - 'a' + 'A'));
}

// How a case went over the class.
struct CaseTotals {
  std::string name;
  double max_points = 0;
  bool hidden = false;
  double share = 0;  ///< mean share of the points; 0 for submissions that did not compile
  size_t graded = 0;
};

class GradePage {
 public:
  explicit GradePage(const std::vector<GradeResult>& results)
      : results_(results), totals_(class_totals(results)) {
    for (const std::string& name : case_names(results)) cases_.push_back(totals_of(name));
    order_.resize(results.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    const auto rank = [&](size_t i) {
      return has_points(results[i]) ? results[i].final_points() : -1.0;
    };
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return rank(a) > rank(b); });
  }

  std::string text() {
    head();
    warnings();
    tiles();
    histogram();
    heat_map();
    page_ += items_table(analyse_items(results_));
    students();
    context();
    page_ += words_footer();
    return std::move(page_);
  }

 private:
  void add(const std::string& text) {
    page_ += text;
    page_ += '\n';
  }

  CaseTotals totals_of(const std::string& name) const {
    CaseTotals totals;
    totals.name = name;
    for (const GradeResult& result : results_) {
      const GradedCase* one = find_case(result, name);
      if (one == nullptr) continue;
      totals.max_points = one->max_points;
      totals.hidden = one->visibility == Visibility::hidden;
      if (!has_points(result) || !one->open.empty()) continue;
      ++totals.graded;
      if (one->max_points > 0) totals.share += one->points / one->max_points;
    }
    if (totals.graded > 0) totals.share /= static_cast<double>(totals.graded);
    return totals;
  }

  void head() {
    std::string title = "Grades";
    if (!results_.empty()) {
      const GradeResult& first = results_.front();
      title += " of " + (first.title.empty() ? first.assignment : first.title);
    }
    page_ += html_head(title, kGradeStyle);
    add("<h1>" + html_text(title) + "</h1>");
    add("<p class=\"lead\">For staff: this page shows what is hidden from students. Made by "
        "<code>warpmark grade</code></p>");
  }

  // Warns of results that say nothing of a student, and of a missing sandbox.
  void warnings() {
    std::vector<std::string> names;
    size_t no_sandbox = 0;
    for (const GradeResult& result : results_) {
      if (!has_points(result)) names.push_back(in_one_line(result.student));
      no_sandbox += result.context.no_sandbox ? 1 : 0;
    }
    if (no_sandbox > 0) {
      add(fmt::format(
          "<div class=\"banner bad\"><b>Graded without a sandbox: {}.</b> Nothing confined "
          "the submitted code; do not trust these results.</div>",
          count_text(no_sandbox, "submission")));
    }
    if (names.empty()) return;
    add(
        fmt::format("<div class=\"banner\"><b>Not graded: {}.</b> The grader is to blame, which "
                    "costs nobody a point: grade again.\n{}</div>",
                    count_text(names.size(), "submission"), html_text(join(names, ", "))));
  }

  // For a single submission the tiles would only repeat its points.
  void tiles() {
    if (results_.size() < 2) return;
    add("<div class=\"tiles\">");
    const auto tile = [&](const std::string& number, std::string_view what) {
      add(fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", number, what));
    };
    tile(std::to_string(totals_.submissions), "submissions");
    if (totals_.graded > 0) {
      tile(points_text(totals_.median),
           fmt::format("median of {}", points_text(totals_.max_points)));
      tile(points_text(totals_.mean), "mean");
      tile(std::to_string(totals_.full), "with full points");
    }
    const auto count = [&](const auto& condition) {
      return static_cast<size_t>(std::count_if(results_.begin(), results_.end(), condition));
    };
    const size_t not_run = count([](const GradeResult& result) {
      return has_points(result) && result.state != GradeState::graded;
    });
    const size_t flagged = count([](const GradeResult& result) { return !result.flags.empty(); });
    if (not_run > 0) tile(std::to_string(not_run), "did not compile or run");
    if (totals_.graded < totals_.submissions) {
      tile(std::to_string(totals_.submissions - totals_.graded), "not graded");
    }
    if (flagged > 0) tile(std::to_string(flagged), "flagged");
    add("</div>");
  }

  // With fewer than 8 submissions the histogram would only repeat the heat map.
  void histogram() {
    if (totals_.graded < 8 || totals_.max_points <= 0) return;
    std::array<size_t, 10> bars = {};
    for (const GradeResult& result : results_) {
      if (!has_points(result)) continue;
      const double share = std::clamp(result.final_points() / totals_.max_points, 0.0, 1.0);
      ++bars[std::min<size_t>(static_cast<size_t>(share * 10), 9)];
    }
    const size_t most = *std::max_element(bars.begin(), bars.end());
    add("<h2>Points</h2>");
    add("<div class=\"bars\">");
    for (const size_t bar : bars) {
      add(fmt::format("<div>{}<i style=\"height:{:.1f}%\"></i></div>",
                      bar == 0 ? "" : std::to_string(bar),
                      80.0 * static_cast<double>(bar) / static_cast<double>(most)));
    }
    add(fmt::format("</div>\n<div class=\"bar-ends\"><span>0</span><span>{} points</span></div>",
                    points_text(totals_.max_points)));
  }

  // True if there are more submissions than one screen shows at once.
  bool is_long() const { return results_.size() > 25; }

  void heat_map() {
    if (results_.empty() || cases_.empty()) return;
    add("<h2>Students and cases</h2>");
    if (is_long()) page_ += class_controls(results_);
    add(fmt::format("<div class=\"scroll{}\">", is_long() ? " tall" : ""));
    add("<table class=\"heat\">\n<thead><tr><th>student</th>"
        "<th class=\"number\">points</th>");
    for (const CaseTotals& one : cases_) {
      const std::string name = html_text(one.name);
      add(fmt::format(
          "<th class=\"name\" scope=\"col\" title=\"{0}, {2} points\"><span>{0}{1}</span></th>",
          name, one.hidden ? " (hidden)" : "", points_text(one.max_points)));
    }
    add("</tr></thead>\n<tbody class=\"by-points\">");
    for (const size_t i : order_) heat_row(i);
    if (is_long()) {
      // Without scripts, another order is another body: the style sheet shows one of them.
      add("</tbody>\n<tbody class=\"by-name\">");
      for (size_t i = 0; i < results_.size(); ++i) heat_row(i);
    }
    add("</tbody>\n<tfoot><tr><th scope=\"row\">mean share</th><td></td>");
    for (const CaseTotals& one : cases_) {
      add(one.graded == 0 ? "<td></td>" : fmt::format("<td>{:.0f} %</td>", 100 * one.share));
    }
    add("</tr></tfoot>\n</table></div>");
    legend();
  }

  void legend() {
    std::string heat, letters;
    const auto entry = [](std::string_view kind, std::string_view text, std::string_view meaning) {
      return fmt::format("<span><b class=\"{}\">{}</b>{}</span> ", kind, text, meaning);
    };
    heat += entry("h4", "✓", "all points");
    heat += entry("h3", "&nbsp;", "two thirds and more");
    heat += entry("h2", "&nbsp;", "a third and more");
    heat += entry("h1", "&nbsp;", "less");
    heat += entry("h0", "&nbsp;", "none");
    heat += entry("none", "–", "not launched");
    for (const GradeWord word : kGradeWords) {
      if (word == GradeWord::pass || word == GradeWord::not_launched) continue;
      letters += entry("letter", cell_text(word), to_text(word));
    }
    for (const std::string& line : {heat, letters}) add("<p class=\"legend\">" + line + "</p>");
  }

  void heat_row(size_t i) {
    const GradeResult& result = results_[i];
    const std::string name = html_text(result.student);
    std::string row = fmt::format(
        "<tr class=\"{3}\"><th scope=\"row\" title=\"{0}\"><a href=\"#student-{1}\">{0}</a></th>"
        "<td class=\"number\">{2}</td>",
        name, i, has_points(result) ? points_text(result.final_points()) : "–", shown_with(result));
    for (const CaseTotals& totals : cases_) {
      const GradedCase* one = find_case(result, totals.name);
      if (one == nullptr) {
        row += "<td></td>";
        continue;
      }
      const GradeWord word = one->word();
      row += fmt::format("<td class=\"cell {}\" title=\"{}: {}, {} points\">{}</td>",
                         has_points(result) ? heat_class(*one, word) : "none", html_text(one->name),
                         to_text(word), case_points_text(*one), cell_text(word));
    }
    add(row + "</tr>");
  }

  void students() {
    if (results_.empty()) return;
    add("<h2>Submissions</h2>");
    for (size_t i = 0; i < results_.size(); ++i) student(results_[i], i);
  }

  void student(const GradeResult& result, size_t i) {
    add(
        fmt::format("<details class=\"student {}\" id=\"student-{}\"{}><summary><b>{}</b>"
                    "<span class=\"points\">{}</span>{}</summary>\n<div class=\"inside\">",
                    shown_with(result), i, results_.size() == 1 ? " open" : "",
                    html_text(result.student), total_text(result), badges(result)));
    add(adjustment_block(result));
    const std::string message = message_text(result);
    if (!message.empty()) {
      add(fmt::format("<div class=\"banner{}\">{}</div>", has_points(result) ? " bad" : "",
                      html_prose(message)));
    }
    if (!trim(result.staff).empty()) {
      add("<p class=\"remark\">The grader says:</p>\n<pre>" + html_text(trim(result.staff)) +
          "</pre>");
    }
    page_ += log_block(result.log, false);
    std::vector<std::string> passed;
    for (const GradedCase& one : result.cases) {
      const GradeWord word = one.word();
      if (word == GradeWord::pass && credit_lines(one).empty()) {
        passed.push_back(fmt::format("{} ({})", html_text(one.name), points_text(one.points)));
      } else if (result.state == GradeState::graded || !has_points(result)) {
        page_ += case_block(result, one, word, true);
      }
    }
    if (!passed.empty()) add("<p class=\"remark\">Passed: " + join(passed, ", ") + "</p>");
    add(fmt::format("<p class=\"remark\">{}</p>\n</div></details>", facts(result)));
  }

  static std::string badges(const GradeResult& result) {
    std::string text;
    if (result.state != GradeState::graded) {
      text += fmt::format("<span class=\"badge {}\">{}</span> ",
                          has_points(result) ? "lost" : "flag", state_title(result.state));
    }
    for (const std::string& flag : result.flags) {
      text += "<span class=\"badge flag\">" + html_text(flag) + "</span> ";
    }
    return text;
  }

  static std::string facts(const GradeResult& result) {
    std::vector<std::string> parts;
    if (!result.file.empty()) parts.push_back("<code>" + html_text(result.file) + "</code>");
    if (!result.submission_sha256.empty()) {
      parts.push_back("SHA-256 <code>" + html_text(result.submission_sha256.substr(0, 16)) +
                      "…</code>");
    }
    parts.push_back("graded in " + duration_text(result.seconds));
    return join(parts, " · ");
  }

  // Results of another day may be of another program or device: each different value is listed
  // once.
  void context() {
    std::vector<std::pair<const char*, std::set<std::string>>> rows = {
        {"assignment", {}}, {"assignment SHA-256", {}},
        {"Warpmark", {}},   {"device", {}},
        {"driver", {}},     {"NVRTC", {}},
        {"sandbox", {}},    {"date", {}}};
    for (const GradeResult& result : results_) {
      const GradeContext& context = result.context;
      const std::string values[] = {result.assignment,
                                    context.assignment_sha256,
                                    context.warpmark,
                                    context.device,
                                    context.driver_version,
                                    context.nvrtc_version,
                                    context.no_sandbox ? "none" : join(context.sandbox, ", "),
                                    context.date};
      for (size_t i = 0; i < rows.size(); ++i) {
        if (!values[i].empty()) rows[i].second.insert(values[i]);
      }
    }
    std::string table;
    for (const auto& [name, values] : rows) {
      if (values.empty()) continue;
      std::string value = html_text(*values.begin());
      const bool dates = std::string_view(name) == "date";
      if (values.size() > 1) {
        value += dates ? " to " + html_text(*values.rbegin()) : "";
        for (auto next = std::next(values.begin()); !dates && next != values.end(); ++next) {
          value += "; " + html_text(*next);
        }
      }
      table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, value);
    }
    if (table.empty()) return;
    add("<h2>Graded with</h2>");
    add("<div class=\"scroll\"><table class=\"context\"><tbody>\n" + table +
        "</tbody></table></div>");
  }

  const std::vector<GradeResult>& results_;
  ClassTotals totals_;
  std::vector<CaseTotals> cases_;
  std::vector<size_t> order_;  ///< most points first, those without any last
  std::string page_;
};

}  // namespace

std::string grade_page(const std::vector<GradeResult>& results) {
  return without_commands(GradePage(results).text());
}

}  // namespace warpmark
