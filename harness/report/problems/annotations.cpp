#include "report/problems/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostLines = 50;

// GitHub's own toolkit escapes a command's message so, and more in its properties.
std::string escaped(std::string_view text, bool property) {
  const std::string message = escape(printable(text), {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}});
  return property ? escape(message, {{':', "%3A"}, {',', "%2C"}}) : message;
}

// 128 bits that nobody who prints into the same log can guess.
std::string secret_word() {
  std::random_device random;
  return fmt::format("warpmark-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

const std::vector<std::string>& annotation_words() {
  static const std::vector<std::string> kWords = {"auto", "github", "off"};
  return kWords;
}

std::optional<AnnotationMode> annotation_mode(std::string_view word) {
  const std::vector<std::string>& words = annotation_words();
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return {};
  return static_cast<AnnotationMode>(found - words.begin());
}

bool read_by_runner() {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  return actions != nullptr && std::string_view(actions) == "true";
}

bool wants_annotations(AnnotationMode mode, bool json) {
  if (mode == AnnotationMode::automatic) return !json && read_by_runner();
  return mode == AnnotationMode::github;
}

std::string annotation(const Problem& problem) {
  std::string properties;
  if (problem.where.known()) {
    properties += " file=" + escaped(name_in_checkout(problem.where.file), true) + ",";
    if (problem.where.line > 0) properties += fmt::format("line={},", problem.where.line);
    if (problem.where.column > 0) properties += fmt::format("col={},", problem.where.column);
  } else {
    properties += " ";
  }
  return fmt::format("::{}{}title={}::{}", problem.is_warning ? "warning" : "error", properties,
                     escaped(problem.title, true), escaped(problem.text, false));
}

void write_annotations(std::ostream& out, const std::vector<Problem>& problems) {
  const size_t count = std::min(problems.size(), kMostLines);
  for (size_t i = 0; i < count; ++i) out << annotation(problems[i]) << "\n";
  if (count < problems.size()) {
    out << "::error title=warpmark::" << problems.size() - count << " more\n";
  }
  out.flush();
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
  failed_.add(ended);
}

void Annotations::finish(const RunEnd&) {
  stopped_.reset();
  write_annotations(out_, failed_.problems());
}

}  // namespace warpmark
