#include "report/run/tolerance_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/run/case_text.hpp"

namespace warpmark {

void ToleranceNotes::add(const std::string& suite, const std::string& case_id,
                         const std::string& output, const std::string& bound) {
  if (bound.empty()) return;
  const auto same = std::ranges::find_if(
      notes_, [&](const Note& note) { return note.suite == suite && note.output == output; });
  if (same != notes_.end() && !all_) {
    ++same->more;
  } else {
    notes_.push_back({suite, case_id, output, bound});
  }
}

std::vector<std::string> ToleranceNotes::lines() const {
  std::vector<std::string> lines;
  for (const Note& note : notes_) {
    const std::string more = note.more > 0 ? " and " + count_text(note.more, "more case") : "";
    lines.push_back(
        fmt::format("tolerance of `{}` in {}{}: {}", note.output, note.case_id, more, note.bound));
  }
  return lines;
}

}  // namespace warpmark
