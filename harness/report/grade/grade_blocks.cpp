#include "report/grade/grade_blocks.hpp"

#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/html.hpp"
#include "report/pictures/pictures.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

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

// A paragraph of case.html: plain text, then code, then HTML.
Json paragraph(const char* kind, std::string_view before, std::string_view code = "",
               const std::string& prose = "") {
  return {{"kind", kind}, {"before", before}, {"code", code}, {"prose", prose}};
}

Json part_values(const LostPart& part) {
  const bool placed = !part.place.empty();
  switch (part.kind) {
    case LostPart::Kind::why:
      return paragraph("why", "", part.place, (placed ? ": " : "") + html_prose(part.text));
    case LostPart::Kind::detail:
      return {{"detail", part.text}};
    case LostPart::Kind::reproduce:
      return paragraph("again", "Try it yourself: ", part.text);
    case LostPart::Kind::facts:
      return paragraph("remark", part.text);
    case LostPart::Kind::note:
      break;
  }
  return placed ? paragraph("hint", "Grader: ", part.place, ": " + html_text(part.text))
                : paragraph("hint", "Grader: " + part.text);
}

// Those of the first items that failed, each in its own way.
std::vector<Picture> pictures_of(const GradeResult& result, const GradedCase& one) {
  constexpr size_t kMost = 2;
  std::vector<Picture> pictures;
  for (const GradedItem& item : one.items) {
    if (item.word == GradeWord::pass || same_before(result, one.name, item).item != nullptr)
      continue;
    std::vector<Picture> more = pictures_of_findings(item.evidence, kMost);
    for (Picture& picture : pictures_of_counters(item.evidence, kMost))
      more.push_back(std::move(picture));
    for (Picture& picture : more) {
      if (pictures.size() < kMost) pictures.push_back(std::move(picture));
    }
  }
  return pictures;
}

}  // namespace

std::string heat_class(const GradedCase& one, GradeWord word) {
  if (word == GradeWord::not_launched || !one.open.empty()) return "none";
  if (is_full(one)) return "h4";
  const double share = one.points / one.max_points;
  if (share >= 2.0 / 3) return "h3";
  if (share >= 1.0 / 3) return "h2";
  return share > 0 ? "h1" : "h0";
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

Json case_values(const GradeResult& result, const GradedCase& one, GradeWord word, bool for_staff) {
  const bool hidden = one.visibility == Visibility::hidden;
  const bool ran = word != GradeWord::not_launched;
  Json parts = Json::array();
  for (const LostPart& part : item_parts(result, one, for_staff)) {
    parts.push_back(part_values(part));
  }
  const bool explained = !parts.empty();
  for (const std::string& line : credit_lines(one)) {
    parts.push_back(paragraph("credit", "", "", html_prose(line)));
  }
  if (word != GradeWord::pass) {
    // The badge says "not launched" already.
    if (!explained && ran) parts.push_back(paragraph("why", word_text(word)));
    if (hidden && !for_staff && ran) {
      parts.push_back(paragraph("remark", "This case is hidden: what it runs is not shown."));
    }
    const auto passed = std::ranges::count(one.items, GradeWord::pass, &GradedItem::word);
    if (passed > 0) {
      const auto count = static_cast<size_t>(passed);
      parts.push_back(paragraph("remark", count_text(count, "item") + " of this case passed."));
    }
    if (ran && !trim(one.hint).empty()) {
      parts.push_back(paragraph("hint", "Hint: ", "", html_prose(trim(one.hint))));
    }
  }
  return {{"outcome", outcome_class(one, word)},
          {"word", to_text(word)},
          {"name", case_title(one)},
          {"points", case_points_text(one)},
          {"hidden", hidden},
          {"parts", std::move(parts)},
          {"pictures", picture_values(pictures_of(result, one))}};
}

std::string cell_text(GradeWord word) {
  if (word == GradeWord::pass) return "✓";
  if (word == GradeWord::not_launched) return "–";
  return std::string(1, static_cast<char>(word_letter(word) - 'a' + 'A'));
}

Json word_values() {
  Json words = Json::array();
  for (const GradeWord word : kGradeWords) {
    const bool is_letter = word != GradeWord::pass && word != GradeWord::not_launched;
    words.push_back({{"word", to_text(word)},
                     {"meaning", word_text(word)},
                     {"letter", is_letter ? cell_text(word) : ""}});
  }
  return words;
}

}  // namespace warpmark
