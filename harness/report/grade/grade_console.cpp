#include "report/grade/grade_console.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

constexpr size_t kNameWidth = 32;  // a longer name moves its own line only
constexpr size_t kLogLines = 40;   // the first errors of a compiler are those to mend

// Text of a submission.
std::string quoted(std::string_view text, std::string_view margin) {
  return behind_margin(text, margin, kLogLines);
}

// Sentences, as wide as the terminal but no wider than one reads with ease. The first line stands
// two columns in, the others four.
std::string sentences(const ConsoleStyle& style, std::string_view text) {
  const size_t width = std::clamp<size_t>(style.width, 40, 100);
  const std::vector<std::string> lines = wrapped(printable(trim(text)), width - 4);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) out += (i == 0 ? "  " : "    ") + lines[i] + "\n";
  return out;
}

std::string lost_lines(const ConsoleStyle& style, const StudentView& view, size_t i) {
  std::string out;
  for (const LostPart& part : lost_parts(view.result(), view.result().cases[i], view.words()[i])) {
    const std::string text = plain_text(part);
    out += part.kind == LostPart::Kind::why ? sentences(style, text) : quoted(text, "    ");
  }
  return out;
}

void put(std::ostream& out, const ConsoleStyle& style, const std::string& lines) {
  out << (style.for_runner ? without_commands(lines) : lines);
}

Colour colour_of(GradeWord word) {
  if (word == GradeWord::pass) return Colour::green;
  return word == GradeWord::not_launched ? Colour::dim : Colour::red;
}

std::string of_text(double points, double max_points) {
  return points_text(points) + " of " + points_text(max_points);
}

// "wrong         1.67 of 5   odd sizes": a line for each case.
std::string case_lines(const ConsoleStyle& style, const StudentView& view) {
  const std::vector<GradedCase>& cases = view.result().cases;
  size_t width = 0;
  for (const GradedCase& one : cases) {
    width = std::max(width, case_points_text(one).size());
  }
  std::string lines;
  for (size_t i = 0; i < cases.size(); ++i) {
    const GradeWord word = view.words()[i];
    lines += "  " + coloured(style, colour_of(word), fmt::format("{:<12}", to_text(word))) + "  " +
             padded(case_points_text(cases[i]), width) + "  " + case_title(cases[i]);
    if (cases[i].visibility == Visibility::hidden) lines += " (hidden)";
    lines += "\n";
  }
  return lines;
}

class ClassTable {
 public:
  ClassTable(const ConsoleStyle& style, const std::vector<GradeResult>& results)
      : style_(style), results_(results), names_(case_names(results)) {
    for (const GradeResult& result : results) {
      name_width_ = std::max(name_width_, columns(in_one_line(result.student)));
      state_width_ = std::max(state_width_, state_title(result.state).size());
      points_width_ = std::max(points_width_, points_of(result).size());
    }
    name_width_ = std::min(name_width_, kNameWidth);
  }

  std::string text() const {
    std::string lines =
        coloured(style_, Colour::dim,
                 padded("student", name_width_) + "  " + padded("state", state_width_) + "  " +
                     padded("points", points_width_, true) + "  cases") +
        "\n";
    for (const GradeResult& result : results_) {
      const Colour colour = result.state == GradeState::graded ? Colour::plain
                            : has_points(result)               ? Colour::red
                                                               : Colour::yellow;
      lines +=
          padded(in_one_line(result.student), name_width_) + "  " +
          coloured(style_, colour, padded(std::string(state_title(result.state)), state_width_)) +
          "  " + padded(points_of(result), points_width_, true) + letters(result) + "\n";
    }
    return lines + legend();
  }

 private:
  std::string points_of(const GradeResult& result) const {
    return has_points(result) ? of_text(result.final_points(), result.max_points) : "-";
  }

  // One for each case, blank where the result has none of that name; no blanks at the end.
  std::string letters(const GradeResult& result) const {
    std::string text = "  ";
    for (const std::string& name : names_) {
      const GradedCase* one = find_case(result, name);
      if (one == nullptr) {
        text += ' ';
      } else {
        text += coloured(style_, colour_of(one->word()), std::string(1, word_letter(one->word())));
      }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  std::string legend() const {
    if (names_.empty()) return "";
    std::vector<std::string> cases, letters;
    for (size_t i = 0; i < names_.size(); ++i) {
      const GradedCase* one = nullptr;
      for (const GradeResult& result : results_) one = one ? one : find_case(result, names_[i]);
      cases.push_back(fmt::format("{} {}", i + 1, one ? case_title(*one) : in_one_line(names_[i])));
    }
    for (const GradeWord word : kGradeWords) {
      letters.push_back(fmt::format("{} {}", word_letter(word), to_text(word)));
    }
    return "\ncases: " + join(cases, ", ") + "\n       " + join(letters, ", ") + "\n";
  }

  const ConsoleStyle& style_;
  const std::vector<GradeResult>& results_;
  std::vector<std::string> names_;
  size_t name_width_ = 7, state_width_ = 5, points_width_ = 6;  // of the heads
};

}  // namespace

void print_grade(std::ostream& out, const ConsoleStyle& style, const StudentView& view) {
  const GradeResult& result = view.result();
  const Colour colour = !has_points(result)                                 ? Colour::yellow
                        : result.final_points() >= result.max_points - 1e-9 ? Colour::green
                                                                            : Colour::red;
  std::string text = coloured(style, Colour::bold, in_one_line(result.student)) + ": " +
                     coloured(style, colour, total_text(result));
  if (result.state != GradeState::graded && has_points(result)) {
    text += fmt::format(" ({})", state_title(result.state));
  }
  put(out, style, text + "\n");
  if (style.verbosity == Verbosity::quiet) return;
  for (const std::string& line : adjustment_texts(result)) put(out, style, "  " + line + "\n");

  const std::string message = message_text(result);
  text = message.empty() ? "" : "\n" + sentences(style, message);
  if (!trim(result.log).empty()) text += "\nThe compiler says:\n" + quoted(result.log, "  | ");
  if (result.state == GradeState::graded) {
    if (!result.cases.empty()) text += "\n" + case_lines(style, view);
    for (size_t i = 0; i < result.cases.size(); ++i) {
      const GradedCase& one = result.cases[i];
      const std::string lost = lost_lines(style, view, i);
      if (lost.empty()) continue;
      text += "\n" + coloured(style, Colour::red, "LOST") + " " +
              of_text(one.max_points - one.points, one.max_points) + " points: " + case_title(one) +
              "\n" + lost;
    }
    const std::vector<std::string> lines = credit_lines(result);
    if (!lines.empty()) text += "\n";
    for (const std::string& line : lines) text += sentences(style, line);
  }
  put(out, style, text);
}

namespace {

// A line for each case whose points are neither given nor lost, for whoever has to see to it.
std::string open_lines(const ConsoleStyle& style, const std::vector<GradeResult>& results) {
  std::string text;
  for (const std::string& name : case_names(results)) {
    size_t count = 0;
    const GradedCase* open = nullptr;
    for (const GradeResult& result : results) {
      const GradedCase* one = find_case(result, name);
      if (one == nullptr || one->open.empty()) continue;
      open = one;
      ++count;
    }
    if (open == nullptr) continue;
    text += fmt::format("{} {}: {} points are open for {}: {}\n",
                        coloured(style, Colour::yellow, "OPEN"), in_one_line(name),
                        points_text(open->max_points), counted(count, "submission"),
                        in_one_line(open->open));
  }
  return text;
}

}  // namespace

void print_grades(std::ostream& out, const ConsoleStyle& style,
                  const std::vector<GradeResult>& results) {
  std::string text;
  if (style.verbosity != Verbosity::quiet && !results.empty()) {
    text = ClassTable(style, results).text() + "\n";
    for (const GradeResult& result : results) {
      std::vector<std::string> flags = result.flags;
      if (result.context.no_sandbox) flags.emplace_back("graded without a sandbox");
      if (flags.empty()) continue;
      text += coloured(style, Colour::yellow, "FLAGGED") + " " + in_one_line(result.student) +
              ": " + in_one_line(join(flags, ", ")) + "\n";
    }
    for (const GradeResult& result : results) {
      if (has_points(result)) continue;
      text += coloured(style, Colour::yellow, "NOT GRADED") + " " + in_one_line(result.student);
      const std::string_view staff = trim(result.staff);
      text += (staff.empty() ? "" : ": " + in_one_line(staff)) + "\n";
    }
    text += open_lines(style, results);
  }
  put(out, style, text + totals_text(class_totals(results)) + "\n");
}

}  // namespace warpmark
