#include "report/grade/grade_blocks.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/html.hpp"
#include "report/page/style.hpp"
#include "report/page/text_line.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {
namespace {

// Points are sums of fractions, which may miss the whole by a rounding.
bool is_full(const GradedCase& one) {
  return one.points >= one.max_points - 1e-9;
}

// "pass", "part", "lost": all points, some, none.
const char* outcome_class(const GradedCase& one, GradeWord word) {
  if (!one.open.empty()) return "part";
  if (word == GradeWord::pass && is_full(one)) return "pass";
  return one.points > 0 ? "part" : "lost";
}

std::string paragraph(const char* kind, std::string_view html) {
  return fmt::format("<p class=\"{}\">{}</p>\n", kind, html);
}

std::string number_text(double number) {
  return fmt::format("{:.4g}", number);
}

// The facts behind a verdict, for staff who have to explain it.
std::string staff_facts(const GradedItem& item) {
  std::vector<std::string> facts;
  facts.push_back(count_text(item.trials, "trial"));
  if (item.trial) facts.push_back(fmt::format("trial {} failed", *item.trial));
  if (item.error) facts.push_back("worst error " + number_text(*item.error));
  if (item.bound) facts.push_back("bound " + number_text(*item.bound));
  facts.push_back(duration_text(item.seconds));
  std::string text = paragraph("remark", html_text(join(facts, ", ")));
  if (!item.note.empty()) text += paragraph("hint", "Grader: " + html_text(item.note));
  return text;
}

std::string item_block(const GradedItem& item, bool for_staff) {
  const std::string place = "<code>" + html_text(place_text(item)) + "</code>";
  const std::string_view why = trim(item.explanation);
  std::string block =
      paragraph("why", place + ": " + html_prose(why.empty() ? word_text(item.word) : why));
  const std::string_view detail = trim(item.detail);
  if (!detail.empty()) block += "<pre class=\"detail\">" + html_text(detail) + "</pre>\n";
  if (!item.reproduce.empty()) {
    block += paragraph("again", "Try it yourself: <code>" + html_text(item.reproduce) + "</code>");
  }
  if (for_staff) block += staff_facts(item);
  return block;
}

}  // namespace

std::string adjustment_block(const GradeResult& result) {
  const std::vector<std::string> lines = adjustment_texts(result);
  if (lines.empty()) return "";
  std::string items;
  for (const std::string& line : lines) items += "<li>" + html_text(line) + "</li>";
  return "<ul class=\"sum\">" + items + "</ul>\n";
}

std::string heat_class(const GradedCase& one, GradeWord word) {
  if (word == GradeWord::not_launched || !one.open.empty()) return "none";
  if (is_full(one)) return "h4";
  const double share = one.points / one.max_points;
  if (share >= 2.0 / 3) return "h3";
  if (share >= 1.0 / 3) return "h2";
  return share > 0 ? "h1" : "h0";
}

std::string word_badge(const GradedCase& one, GradeWord word) {
  return fmt::format("<span class=\"badge {}\">{}</span>", outcome_class(one, word), to_text(word));
}

std::string html_prose(std::string_view text) {
  std::string out;
  std::string_view rest = text;
  for (size_t open = 0; (open = rest.find('`')) != std::string_view::npos;) {
    const size_t close = rest.find('`', open + 1);
    if (close == std::string_view::npos) break;
    out += html_text(rest.substr(0, open)) + "<code>" +
           html_text(rest.substr(open + 1, close - open - 1)) + "</code>";
    rest.remove_prefix(close + 1);
  }
  return out + html_text(rest);
}

std::string case_block(const GradeResult& result, const GradedCase& one, GradeWord word,
                       bool for_staff) {
  std::string block =
      fmt::format("<section class=\"case {}\">\n<h3>{}<span>{}</span>", outcome_class(one, word),
                  word_badge(one, word), html_text(one.name));
  block += fmt::format("<span class=\"points\">{}</span>", case_points_text(one));
  const bool hidden = one.visibility == Visibility::hidden;
  if (hidden) block += "<span class=\"remark\">hidden</span>";
  block += "</h3>\n";
  size_t passed = 0;
  std::string items;
  bool reproduced = false;
  std::vector<std::pair<EarlierItem, std::vector<const GradedItem*>>> again;
  for (const GradedItem& item : one.items) {
    if (item.word == GradeWord::pass) {
      ++passed;
      continue;
    }
    const EarlierItem earlier = same_before(result, one.name, item);
    if (earlier.item == nullptr) {
      items += item_block(item, for_staff);
      reproduced = reproduced || !item.reproduce.empty();
      continue;
    }
    if (for_staff && !item.note.empty()) {
      const std::string place = html_text(in_one_line(item.case_id));
      items += paragraph("hint",
                         fmt::format("Grader: <code>{}</code>: {}", place, html_text(item.note)));
    }
    if (again.empty() || again.back().first.item != earlier.item) again.push_back({earlier, {}});
    again.back().second.push_back(&item);
  }
  for (const auto& [earlier, alike] : again) {
    items += paragraph("why", html_prose(again_text(one, earlier, alike)));
    const std::string& command = alike.front()->reproduce;
    if (!reproduced && !command.empty()) {
      items += paragraph("again", "Try it yourself: <code>" + html_text(command) + "</code>");
      reproduced = true;
    }
  }
  block += items;
  for (const std::string& line : credit_lines(one)) block += paragraph("credit", html_prose(line));
  if (word != GradeWord::pass) {
    // The badge says "not launched" already.
    if (items.empty() && word != GradeWord::not_launched) {
      block += paragraph("why", html_text(word_text(word)));
    }
    if (hidden && !for_staff && word != GradeWord::not_launched) {
      block += paragraph("remark", "This case is hidden: what it runs is not shown.");
    }
    if (passed > 0) {
      block += paragraph("remark", count_text(passed, "item") + " of this case passed.");
    }
    if (word != GradeWord::not_launched && !trim(one.hint).empty()) {
      block += paragraph("hint", "Hint: " + html_prose(trim(one.hint)));
    }
  }
  return block + "</section>\n";
}

std::string log_block(std::string_view log, bool open) {
  if (trim(log).empty()) return "";
  return fmt::format(
      "<details{}><summary>What the compiler says</summary><pre>{}</pre></details>\n",
      open ? " open" : "", html_text(trim(log)));
}

std::string words_footer() {
  std::string footer = "<footer class=\"words\"><dl>\n";
  for (const GradeWord word : kGradeWords) {
    footer += fmt::format("<dt>{}</dt><dd>{}</dd>\n", to_text(word), html_text(word_text(word)));
  }
  return footer + "</dl></footer>\n</body>\n</html>\n";
}

}  // namespace warpmark
