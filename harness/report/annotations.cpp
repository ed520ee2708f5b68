#include "report/annotations.hpp"

#include <fmt/format.h>

#include <random>

#include "base/text.hpp"
#include "report/case_text.hpp"

namespace warpmark {
namespace {

constexpr size_t kMostLines = 50;

std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char character : printable(text)) {
    switch (character) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      case ':':
        out += property ? "%3A" : ":";
        break;
      case ',':
        out += property ? "%2C" : ",";
        break;
      default:
        out += character;
    }
  }
  return out;
}

// 128 bits that nobody who prints into the same log can guess.
std::string secret_word() {
  std::random_device random;
  return fmt::format("warpmark-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

std::string annotation(const Position& where, std::string_view title, std::string_view text) {
  std::string properties;
  if (where.known()) {
    properties += " file=" + escaped(where.file, true) + ",";
    if (where.line > 0) properties += fmt::format("line={},", where.line);
    if (where.column > 0) properties += fmt::format("col={},", where.column);
  } else {
    properties += " ";
  }
  return "::error" + properties + "title=" + escaped(title, true) + "::" + escaped(text, false);
}

CommandsStopped::CommandsStopped(std::ostream& out) : out_(out), word_(secret_word()) {
  out_ << "::stop-commands::" << word_ << std::endl;
}

CommandsStopped::~CommandsStopped() {
  try {
    // On a line of its own, whatever was printed last.
    out_ << "\n::" << word_ << "::" << std::endl;
  } catch (...) {  // a stream that throws is the program's to notice
  }
}

void Annotations::end_case(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  if (outcome.verdict != Verdict::failed || ++failures_ > kMostLines) return;
  lines_.push_back(
      annotation(outcome.where, outcome.case_id, failure_text(outcome, ended.reproduce)));
}

void Annotations::write(std::ostream& out) const {
  for (const std::string& line : lines_) out << line << "\n";
  if (failures_ > lines_.size()) {
    out << "::error title=warpmark::" << failures_ - lines_.size() << " more failures\n";
  }
  out.flush();
}

}  // namespace warpmark
