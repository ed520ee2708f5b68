// Profiles as a page that loads nothing and runs no script.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/page/html.hpp"
#include "report/page/style.hpp"
#include "report/run/counters_text.hpp"
#include "report/run/profile.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

// How much of something a line has: 5 %, 15 %, 40 %.
int heat_of(double share) {
  return share >= 0.4 ? 3 : share >= 0.15 ? 2 : share >= 0.05 ? 1 : 0;
}

Json file_values(const ProfiledFile& file) {
  Json lines = Json::array();
  for (const ProfiledLine& line : file.lines) {
    const int heat = heat_of(line.most_share);
    lines.push_back({{"kind", line.counters.empty() ? "idle"
                              : heat > 0            ? fmt::format("heat{}", heat)
                                                    : "ran"},
                     {"number", line.number},
                     {"marks", line.marks},
                     {"cells", profile_cells(line)},
                     {"text", line.text}});
  }
  return {{"name", file.name}, {"known", file.known}, {"lines", std::move(lines)}};
}

constexpr MostPictures kMost{2, 6};
// A page stays below 1 MB: further cases are named alone.
constexpr size_t kMostTableBytes = 450'000;
constexpr size_t kRowBytes = 260;  // of a line of a file, beside its text

size_t bytes_of(const CaseProfile& profile) {
  size_t bytes = 0;
  for (const ProfiledFile& file : profile.files) {
    for (const ProfiledLine& line : file.lines) bytes += kRowBytes + line.text.size();
  }
  return bytes;
}

}  // namespace

std::string profile_page(const std::vector<CaseProfile>& profiles, const Roofs& roofs) {
  Json cases = Json::array();
  size_t taken = 0;
  for (const CaseProfile& profile : profiles) {
    const Outcome& outcome = profile.outcome;
    Json remarks = Json::array(), files = Json::array();
    if (outcome.verdict != Verdict::passed) {
      remarks.push_back(std::string(to_text(outcome.verdict)) + ": " + outcome.reason);
    }
    std::string counters;
    const bool is_full = taken > kMostTableBytes;
    taken += bytes_of(profile);
    if (profile.remark.empty() && is_full) {
      remarks.push_back("The page is full: --case " + outcome.case_id + " shows this one.");
    } else if (profile.remark.empty()) {
      counters = counters_text(outcome, ConsoleStyle{});
      for (const ProfiledFile& file : profile.files) files.push_back(file_values(file));
    } else {
      remarks.push_back(profile.remark);
    }
    cases.push_back({{"number", cases.size()},
                     {"id", outcome.case_id},
                     {"remarks", std::move(remarks)},
                     {"counters", counters},
                     {"pictures", is_full ? Json::array()
                                          : picture_values(pictures_of_case(
                                                outcome.findings, outcome.counters, kMost, roofs))},
                     {"files", std::move(files)}});
  }
  return html_page("report/run/profile", {{"title", "Warpmark profile"},
                                          {"legend", kProfileLegend},
                                          {"titles", profile_titles()},
                                          {"cases", std::move(cases)}});
}

}  // namespace warpmark
