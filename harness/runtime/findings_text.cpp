#include "runtime/findings_text.hpp"

#include <fmt/format.h>

#include <map>

#include "base/characters.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

// More different ones than a person reads at once.
constexpr size_t kMostLines = 8;

// The message before it names a thread, without numbers: which element it was differs by threads.
std::string gist(const std::string& message) {
  std::string text;
  for (const char c : message.substr(0, message.find(" by thread"))) {
    const bool digit = is_digit(c);
    if (!digit || text.empty() || text.back() != '#') text += digit ? '#' : c;
  }
  return text;
}

}  // namespace

std::string report_text(const nlohmann::ordered_json& report, const char* name) {
  const auto found = report.find(name);
  return found != report.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

std::string findings_text(const std::vector<nlohmann::ordered_json>& reports) {
  struct Group {
    std::string message;
    size_t others = 0;
  };
  std::vector<Group> groups;
  std::map<std::string, size_t> known;
  for (const auto& report : reports) {
    if (!report.is_object()) continue;
    std::string message = report_text(report, "message");
    if (message.empty()) continue;
    const auto line = report.find("line");
    const bool has_line = line != report.end() && line->is_number_unsigned();
    // Without a line only the same words are the same mistake.
    const std::string place =
        has_line ? report_text(report, "file") + ":" + line->dump() + " " + gist(message) : message;
    const auto [at, is_new] =
        known.emplace(report_text(report, "kind") + " " + place, groups.size());
    if (is_new) {
      groups.push_back({std::move(message), 0});
    } else {
      ++groups[at->second].others;
    }
  }
  std::vector<std::string> lines;
  size_t left = 0;
  for (const Group& one : groups) {
    if (lines.size() == kMostLines) {
      left += 1 + one.others;
      continue;
    }
    lines.push_back(one.message);
    if (one.others > 0) lines.back() += fmt::format(" ({} more like it)", one.others);
  }
  if (left > 0) lines.push_back(fmt::format("and {} more; --journal has them all", left));
  return join(lines, "\n");
}

}  // namespace warpmark
