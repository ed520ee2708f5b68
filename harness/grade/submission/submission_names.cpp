#include "grade/submission/submission_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "grade/submission/student_name.hpp"

namespace warpmark {

namespace {

class RosterNames {
 public:
  RosterNames(std::vector<FoundEntry>& all, const Roster& roster) : all_(all), roster_(roster) {}

  // Returns the rows of whom there is something.
  std::set<size_t> name(std::vector<std::string>& unmatched) {
    std::set<size_t> rows;
    std::vector<const FoundEntry*> plain;
    std::map<const FoundEntry*, Roster::Match> matches;
    for (const FoundEntry& entry : all_) {
      const NamedStudent& student = entry.student;
      const Roster::Match match = student.of_platform() ? roster_.find(student.ids, student.names)
                                                        : roster_.find_any(student.shown);
      matches[&entry] = match;
      if (!student.of_platform() && !match.row && !match.several) plain.push_back(&entry);
    }
    const std::string prefix = github_prefix(plain);
    for (const FoundEntry* entry : plain) matches[entry].row = github_row(*entry, prefix);
    std::map<size_t, std::vector<const FoundEntry*>> same;
    for (const FoundEntry& entry : all_) {
      if (matches[&entry].row) same[*matches[&entry].row].push_back(&entry);
    }
    for (FoundEntry& entry : all_) {
      Roster::Match& match = matches[&entry];
      // By a name alone two people may fit one row, and then neither does.
      const bool shared =
          match.row && std::ranges::any_of(same[*match.row], [&](const FoundEntry* one) {
            return one->submission.ids != entry.submission.ids;
          });
      if (shared) {
        unmatched.push_back(fmt::format(
            "`{}` fits `{}` of the roster, and so does another submission: the roster needs the "
            "platform's ids; each is graded under the platform's name",
            printable(entry.submission.student), printable(roster_.students()[*match.row])));
        continue;
      }
      if (match.row) {
        entry.submission.student = roster_.name_in_results(*match.row);
        rows.insert(*match.row);
        continue;
      }
      unmatched.push_back(fmt::format(
          "`{}` {}, and is graded under that name", printable(entry.submission.student),
          match.several ? "fits several students of the roster" : "is not in the roster"));
    }
    return rows;
  }

 private:
  // The text before the user's name in the folders that GitHub Classroom clones, as "hw1-": the prefix
  // that leaves the most users of the roster.
  std::string github_prefix(const std::vector<const FoundEntry*>& entries) const {
    std::string best;
    size_t most = 0;
    std::set<std::string> prefixes;
    for (const FoundEntry* entry : entries) {
      const std::string& name = entry->student.shown;
      for (size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1))
        prefixes.insert(name.substr(0, dash + 1));
    }
    for (const std::string& prefix : prefixes) {  // a shorter one comes before those it begins
      const auto count =
          static_cast<size_t>(std::ranges::count_if(entries, [&](const FoundEntry* entry) {
            return github_row(*entry, prefix).has_value();
          }));
      if (count > most) best = prefix;
      most = std::max(most, count);
    }
    return best;
  }

  std::optional<size_t> github_row(const FoundEntry& entry, const std::string& prefix) const {
    const std::string_view name = entry.student.shown;
    if (prefix.empty() || !name.starts_with(prefix)) return std::nullopt;
    return roster_.github_user(name.substr(prefix.size()));
  }

  std::vector<FoundEntry>& all_;
  const Roster& roster_;
};

// Ids say that two are two. Where one of them has none, nobody can tell.
void tell_homonyms_apart(std::vector<FoundEntry>& all) {
  std::map<std::string, std::vector<FoundEntry*>> same;
  for (FoundEntry& entry : all) same[entry.submission.student].push_back(&entry);
  for (const auto& of_a_name : same) {
    const std::vector<FoundEntry*>& entries = of_a_name.second;
    const bool differ = std::ranges::any_of(entries, [&](const FoundEntry* one) {
      return !share_id(one->submission.ids, entries.front()->submission.ids);
    });
    if (entries.size() == 1 || !differ) continue;
    for (FoundEntry* one : entries) {
      if (!one->submission.ids.empty())
        one->submission.student += " (" + student_name(one->submission.ids.front().value) + ")";
    }
  }
}

}  // namespace

std::set<size_t> name_students(std::vector<FoundEntry>& all, const Roster* roster,
                               std::vector<std::string>& unmatched) {
  std::set<size_t> rows;
  if (roster != nullptr) rows = RosterNames(all, *roster).name(unmatched);
  tell_homonyms_apart(all);
  return rows;
}

}  // namespace warpmark
