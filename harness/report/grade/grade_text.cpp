#include "report/grade/grade_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/characters.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "report/page/style.hpp"
#include "report/page/text_line.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {
namespace {

// Numbers as "#", but for those of lines: which elements and how many differ from case to case.
std::string numbers_hidden(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto digit = [&](size_t at) { return at < text.size() && is_digit(text[at]); };
    const bool signed_one = (text[i] == '-' || text[i] == '+') && digit(i + 1);
    if ((!digit(i) && !signed_one) || out.ends_with("ine ") || out.ends_with("lines ")) {
      // The rest of a line's number, too.
      do {
        out += text[i++];
      } while (digit(i) && out.back() >= '0' && out.back() <= '9');
      continue;
    }
    ++i;
    while (digit(i) || (i < text.size() && (text[i] == '.' || text[i] == 'e') &&
                        (digit(i + 1) || (i + 2 < text.size() && digit(i + 2))))) {
      i += text[i] == 'e' ? 2 : 1;
    }
    out += '#';
    // "1 element", "3 elements".
    if (text.substr(i).starts_with(" elements")) {
      out += " element";
      i += 9;
    }
  }
  return out;
}

// The lines of a text after its first stand further in: none looks like the start of another item.
std::string indented(std::string_view text) {
  return join(split(trim(text), '\n'), "\n  ");
}

// The facts behind a verdict, for staff who have to explain it.
std::string staff_facts(const GradedItem& item) {
  std::string text = count_text(item.trials, "trial");
  if (item.trial) text += fmt::format(", trial {} failed", *item.trial);
  if (item.error) text += fmt::format(", worst error {:.4g}", *item.error);
  if (item.bound) text += fmt::format(", bound {:.4g}", *item.bound);
  return text + ", " + duration_text(item.seconds);
}

}  // namespace

bool has_points(const GradeResult& result) {
  return result.state != GradeState::grader_error;
}

std::string total_text(const GradeResult& result) {
  if (!has_points(result)) return "not graded";
  const double open = result.open_points();
  return fmt::format("{} of {} points{}", points_text(result.final_points()),
                     points_text(result.max_points),
                     open > 0 ? fmt::format(", {} open", points_text(open)) : "");
}

std::vector<std::string> adjustment_texts(const GradeResult& result) {
  std::vector<std::string> lines;
  if (result.adjustments.empty()) return lines;
  lines.push_back(fmt::format("cases: {} points", points_text(result.points)));
  for (const GradeAdjustment& one : result.adjustments) {
    lines.push_back(fmt::format("{}: {}{} points{}", in_one_line(one.name),
                                one.points > 0 ? "+" : "", points_text(one.points),
                                one.reason.empty() ? "" : ", " + in_one_line(one.reason)));
  }
  return lines;
}

namespace {

// One of texts that are in the order of the enumeration's values.
template <Worded Enum, size_t count>
std::string_view text_for(Enum value, const std::array<std::string_view, count>& texts) {
  static_assert(count == words(Enum()).size());
  return texts[static_cast<size_t>(value)];
}

}  // namespace

std::string_view state_title(GradeState state) {
  return text_for(
      state, words_are("graded", "not accepted", "does not compile", "compiling went past a limit",
                       "crashed the compiler", "grader error"));
}

std::string message_text(const GradeResult& result) {
  const std::string_view message = trim(result.message);
  if (!message.empty()) return std::string(message);
  return std::string(text_for(
      result.state,
      words_are("", "There is no kernel to grade in what was handed in.",
                "The compiler did not accept the file. Its log says where and why.",
                "Compiling the file took more time or memory than is allowed.",
                "The compiler crashed on the file.",
                "The grader could not judge this submission. That is not your fault and costs you "
                "no points. The course's staff can grade it again.")));
}

std::string_view word_text(GradeWord word) {
  return text_for(
      word,
      words_are("Correct.",
                "It is not as this case asks: elements are wrong or got no value, an input was "
                "changed, an assertion does not hold, or the results are right and the way to them "
                "is not the one that was asked for.",
                "A thread used memory in a way that is not allowed: outside of an array, "
                "misaligned, before anything was written there, by a pointer that leads nowhere, "
                "or more than there is.",
                "Two threads used the same memory, one of them wrote to it, and nothing put them "
                "in order.",
                "Threads waited at a barrier, or in an operation of a warp, for others that did "
                "not come to it, or used it in a way that is not allowed.",
                "It took more instructions, time or memory than is allowed.", "Nothing ran.",
                "Some of its items pass."));
}

char word_letter(GradeWord word) {
  return text_for(word, words_are(".", "w", "m", "r", "b", "l", "-", "p")).front();
}

std::string place_text(const GradedItem& item) {
  std::string text = in_one_line(item.case_id);
  uint64_t before = item.trial.value_or(0);
  for (const DroppedTrial& one : item.dropped) {
    if (item.trial && one.trial < *item.trial) --before;
  }
  if (before > 0) text += fmt::format(" (after {} that passed)", count_text(before, "trial"));
  return text;
}

std::string_view first_sentence(std::string_view text) {
  const std::string_view whole = trim(text);
  const size_t end = whole.find(". ");
  return end == std::string_view::npos ? whole : whole.substr(0, end);
}

std::string cause_text(const GradedItem& item) {
  const bool values = item.word == GradeWord::wrong;
  return numbers_hidden(values ? trim(item.explanation) : first_sentence(item.explanation));
}

bool repeats(const GradedItem& earlier, const GradedItem& next) {
  if (earlier.word != next.word || earlier.word == GradeWord::pass) return false;
  // Nothing is known of it but its word, which says as much the first time.
  if (earlier.word == GradeWord::not_launched) {
    return next.explanation == earlier.explanation && next.detail == earlier.detail;
  }
  if (trim(earlier.explanation).empty() || trim(next.explanation).empty()) return false;
  return cause_text(earlier) == cause_text(next);
}

EarlierItem same_before(const GradeResult& result, std::string_view case_name,
                        const GradedItem& item) {
  for (const GradedCase& one : result.cases) {
    for (const GradedItem& earlier : one.items) {
      if (one.name == case_name && earlier.case_id == item.case_id) return {};
      if (repeats(earlier, item)) return {&one, &earlier};
    }
  }
  return {};
}

std::string again_text(const GradedCase& one, const EarlierItem& earlier,
                       const std::vector<const GradedItem*>& items) {
  constexpr size_t kNamed = 4;
  std::vector<std::string> names;
  for (const GradedItem* item : items) {
    if (names.size() < kNamed) names.push_back(in_one_line(item->case_id));
  }
  std::string text = join(names, ", ");
  if (items.size() > kNamed) text += fmt::format(" and {} more", items.size() - kNamed);
  text += fmt::format(": the same as {}", in_one_line(earlier.item->case_id));
  if (earlier.owner->name != one.name)
    text += fmt::format(" of `{}`", in_one_line(earlier.owner->name));
  return text + ".";
}

std::string plain_text(const LostPart& part) {
  if (part.kind == LostPart::Kind::reproduce) return "reproduce: " + part.text;
  return part.place.empty() ? part.text : part.place + ": " + part.text;
}

std::vector<LostPart> item_parts(const GradeResult& result, const GradedCase& one, bool for_staff) {
  using Kind = LostPart::Kind;
  std::vector<LostPart> parts;
  std::vector<std::pair<EarlierItem, std::vector<const GradedItem*>>> again;
  bool reproduced = false;
  for (const GradedItem& item : one.items) {
    if (item.word == GradeWord::pass) continue;
    if (const EarlierItem earlier = same_before(result, one.name, item); earlier.item != nullptr) {
      if (for_staff && !item.note.empty()) {
        parts.push_back({Kind::note, item.note, in_one_line(item.case_id)});
      }
      if (again.empty() || again.back().first.item != earlier.item) again.push_back({earlier, {}});
      again.back().second.push_back(&item);
      continue;
    }
    const std::string_view why = trim(item.explanation);
    parts.push_back(
        {Kind::why, std::string(why.empty() ? word_text(item.word) : why), place_text(item)});
    const std::string_view detail = trim(item.detail);
    // An explanation may have all of it.
    const std::string told = in_one_line(why);
    const bool said = std::ranges::all_of(split(detail, '\n'), [&](const std::string& line) {
      return told.find(in_one_line(line)) != std::string::npos;
    });
    if (!said) parts.push_back({Kind::detail, std::string(detail)});
    if (!item.reproduce.empty()) parts.push_back({Kind::reproduce, item.reproduce});
    reproduced = reproduced || !item.reproduce.empty();
    if (!for_staff) continue;
    parts.push_back({Kind::facts, staff_facts(item)});
    if (!item.note.empty()) parts.push_back({Kind::note, item.note});
  }
  for (const auto& [earlier, items] : again) {
    parts.push_back({Kind::why, again_text(one, earlier, items)});
    // A command for each case.
    const std::string& command = items.front()->reproduce;
    if (!reproduced && !command.empty()) {
      parts.push_back({Kind::reproduce, command});
      reproduced = true;
    }
  }
  return parts;
}

std::vector<LostPart> lost_parts(const GradeResult& result, const GradedCase& one, GradeWord word) {
  using Kind = LostPart::Kind;
  if (word == GradeWord::pass) return {};
  if (result.state != GradeState::graded) {
    return {{Kind::why, "not launched: the message for the whole submission says why."}};
  }
  std::vector<LostPart> parts = item_parts(result, one);
  if (parts.empty()) {
    parts.push_back({Kind::why, fmt::format("{}: {}", to_text(word), word_text(word))});
  }
  const std::string_view hint = trim(one.hint);
  const bool ran = word != GradeWord::not_launched;
  if (ran && !hint.empty()) parts.push_back({Kind::why, fmt::format("hint: {}", hint)});
  return parts;
}

std::string lost_text(const GradeResult& result, const GradedCase& one, GradeWord word) {
  std::vector<std::string> lines;
  for (const LostPart& part : lost_parts(result, one, word)) {
    const bool further_in = part.kind != LostPart::Kind::why;
    lines.push_back((further_in ? "  " : "") + indented(plain_text(part)));
  }
  return join(lines, "\n");
}

std::vector<std::string> case_names(const std::vector<GradeResult>& results) {
  std::vector<std::string> names;
  for (const GradeResult& result : results) {
    for (const GradedCase& one : result.cases) {
      if (std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
    }
  }
  return names;
}

const GradedCase* find_case(const GradeResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.cases, name, &GradedCase::name);
  return found == result.cases.end() ? nullptr : &*found;
}

ClassTotals class_totals(const std::vector<GradeResult>& results) {
  ClassTotals totals;
  totals.submissions = results.size();
  std::vector<double> points;
  for (const GradeResult& result : results) {
    totals.max_points = std::max(totals.max_points, result.max_points);
    if (!has_points(result)) continue;
    points.push_back(result.final_points());
    totals.mean += result.final_points();
    // Points are sums of fractions, which may miss the whole by a rounding.
    if (result.final_points() >= result.max_points - 1e-9) ++totals.full;
  }
  totals.graded = points.size();
  if (points.empty()) return totals;
  std::ranges::sort(points);
  const size_t middle = points.size() / 2;
  totals.median =
      points.size() % 2 == 1 ? points[middle] : (points[middle - 1] + points[middle]) / 2;
  totals.mean /= static_cast<double>(points.size());
  return totals;
}

std::string totals_text(const ClassTotals& totals) {
  std::string text = count_text(totals.submissions, "submission");
  if (totals.graded > 0) {
    text += fmt::format(": {}with full points, median {}, mean {} of {} points",
                        count_text(totals.full, ""), points_text(totals.median),
                        points_text(totals.mean), points_text(totals.max_points));
  }
  const size_t rest = totals.submissions - totals.graded;
  if (rest > 0)
    text += fmt::format("{} {}not graded", totals.graded > 0 ? ";" : ":", count_text(rest, ""));
  return text;
}

}  // namespace warpmark
