#include "report/run/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/run/case_text.hpp"
#include "report/run/failure_cause.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostLines = 50;

// The way from `folder` to a file in it; "" for a file elsewhere.
std::string within(const fs::path& folder, const fs::path& file) {
  const fs::path way = file.lexically_relative(folder);
  return way.empty() || *way.begin() == ".." ? "" : way.string();
}

// GitHub shows an annotation at a line of a change only if its file is named from the root of the
// checkout, and a step may run in any folder of it.
std::string from_checkout(const std::string& file) {
  const char* variable = std::getenv("GITHUB_WORKSPACE");
  if (variable == nullptr || *variable == '\0') return file;
  std::error_code code;
  const fs::path workspace = fs::path(variable).lexically_normal();
  const fs::path whole = fs::absolute(file, code).lexically_normal();
  if (code) return file;  // the working directory is gone
  std::string named = within(workspace, whole);
  // The variable may go through a link, which the working directory never does. A link to a file is
  // kept where it can be: its own place may be outside.
  if (named.empty()) named = within(fs::weakly_canonical(workspace, code), whole);
  if (named.empty()) {
    named = within(fs::weakly_canonical(workspace, code), fs::weakly_canonical(whole, code));
  }
  return named.empty() ? file : named;
}

// As GitHub's own toolkit escapes a command's message, and more in its properties.
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
  const auto found = std::find(words.begin(), words.end(), word);
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

std::string annotation(const Position& where, std::string_view title, std::string_view text,
                       std::string_view level) {
  std::string properties;
  if (where.known()) {
    properties += " file=" + escaped(from_checkout(where.file), true) + ",";
    if (where.line > 0) properties += fmt::format("line={},", where.line);
    if (where.column > 0) properties += fmt::format("col={},", where.column);
  } else {
    properties += " ";
  }
  return fmt::format("::{}{}title={}::{}", level, properties, escaped(title, true),
                     escaped(text, false));
}

std::string annotation(const Error& error, std::string_view level) {
  std::string text = error.message();
  if (!error.hint().empty()) text += "\nhint: " + error.hint();
  return annotation(error.where(), "warpmark", text, level);
}

void AnnotationList::add(std::string line) {
  if (++count_ <= kMostLines) lines_.push_back(std::move(line));
}

void AnnotationList::write(std::ostream& out) const {
  for (const std::string& line : lines_) out << line << "\n";
  if (count_ > lines_.size()) {
    out << "::error title=warpmark::" << count_ - lines_.size() << " more\n";
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
  const Outcome& outcome = ended.outcome;
  if (outcome.verdict != Verdict::failed) return;
  const std::string cause = failure_cause(outcome);
  const auto known = std::find_if(causes_.begin(), causes_.end(), [&](const Cause& one) {
    return !cause.empty() && one.key == cause;
  });
  if (known != causes_.end()) {
    ++known->more;
    return;
  }
  causes_.push_back(
      {cause, outcome.where, outcome.case_id, failure_text(outcome, ended.reproduce)});
}

void Annotations::finish(const RunEnd&) {
  stopped_.reset();
  AnnotationList list;
  for (const Cause& one : causes_) {
    list.add(annotation(one.where, cases_title(one.first_case, one.more), one.text));
  }
  list.write(out_);
}

}  // namespace warpmark
