#include "grade/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Headers, in lower case, of what one student alone has.
constexpr std::array kUnique = {"student id",      "sid",           "id",
                                "sis user id",     "sis login id",  "id number",
                                "email",           "email address", "e-mail",
                                "login",           "login id",      "username",
                                "user name",       "github",        "github_username",
                                "github username", "identifier",    "canvas",
                                "canvas id",       "canvas_id",     "moodle",
                                "moodle id",       "moodle_id",     "gradescope"};
constexpr std::array kNames = {"student", "name", "full name", "roster_identifier"};
constexpr std::array kFirst = {"first name", "firstname", "first"};
constexpr std::array kLast = {"last name", "lastname", "last", "surname", "family name"};

template <size_t N>
bool is_one_of(const std::array<const char*, N>& known, const std::string& name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

// A name's letters and digits alone, and all that is not ASCII.
std::string key_of(std::string_view text) {
  std::string key;
  for (const char c : lower_case(trim(text))) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (kept) key += c;
  }
  return key;
}

// "Ada King Lovelace" as it stands, and with its last word before the others.
std::vector<std::string> keys_of_name(std::string_view name) {
  std::vector<std::string> keys = {key_of(name)};
  const std::string text(trim(name));
  const size_t comma = text.find(','), blank = text.rfind(' ');
  if (comma != std::string::npos)
    keys.push_back(key_of(text.substr(comma + 1)) + key_of(text.substr(0, comma)));
  else if (blank != std::string::npos)
    keys.push_back(key_of(text.substr(blank + 1)) + key_of(text.substr(0, blank)));
  return keys;
}

struct Columns {
  std::optional<size_t> name, first, last;
  std::vector<size_t> unique;
};

Columns columns_of(const std::vector<std::string>& header, const Position& where) {
  Columns columns;
  for (size_t i = 0; i < header.size(); ++i) {
    const std::string name = lower_case(trim(header[i]));
    if (is_one_of(kNames, name) && (!columns.name || name == "student")) columns.name = i;
    if (is_one_of(kFirst, name)) columns.first = i;
    if (is_one_of(kLast, name)) columns.last = i;
    if (is_one_of(kUnique, name)) columns.unique.push_back(i);
  }
  if (!columns.name && (!columns.first || !columns.last)) {
    throw usage_error("the roster has no column `student`", where,
                      "its first line names the columns: `student` (or `name`, or `first name` and "
                      "`last name`), and what platforms know: `id`, `email`, `login` …");
  }
  return columns;
}

}  // namespace

Roster Roster::read(const fs::path& file) {
  return parse(read_file(file), display_path(file));
}

Roster Roster::parse(std::string_view text, const std::string& file) {
  CsvReader csv(text, file);
  std::vector<std::string> fields;
  if (!csv.next(fields)) throw usage_error("the roster is empty", {file, 1, 1});
  const Columns columns = columns_of(fields, csv.where());
  Roster roster;
  roster.columns_ = fields;
  std::map<std::string, int> lines;  // by key of what is unique
  const auto at = [&](std::optional<size_t> column) {
    return column && *column < fields.size() ? std::string(trim(fields[*column])) : std::string();
  };
  while (csv.next(fields)) {
    const std::string full =
        at(columns.first) + (at(columns.first).empty() ? "" : " ") + at(columns.last);
    const std::string student = columns.name ? at(columns.name) : full;
    if (student == "Points Possible") continue;  // Canvas's second line
    if (student.empty()) throw usage_error("the row has no name of a student", csv.where());
    const size_t row = roster.students_.size();
    std::set<std::string> keys;
    for (const std::string& name : {student, full}) {
      for (std::string& key : keys_of_name(name)) {
        if (!key.empty()) keys.insert(std::move(key));
      }
    }
    const auto take = [&](const std::string& value) {
      const std::string key = key_of(value);
      if (key.empty()) return;
      const auto [known, fresh] = lines.try_emplace(key, csv.where().line);
      if (!fresh && known->second != csv.where().line) {
        throw usage_error(fmt::format("`{}` is on line {}, too", printable(value), known->second),
                          csv.where(), "each student stands in the roster once");
      }
      keys.insert(key);
    };
    take(student);
    for (const size_t column : columns.unique) {
      const std::string value = at(column);
      take(value);
      // A login is often what stands before the @.
      if (const size_t sign = value.find('@'); sign != std::string::npos)
        keys.insert(key_of(value.substr(0, sign)));
    }
    for (const std::string& key : keys) roster.by_key_[key].push_back(row);
    roster.students_.push_back(student);
    roster.fields_.push_back(fields);
  }
  if (roster.students_.empty()) throw usage_error("the roster has no student", {file, 1, 1});
  return roster;
}

Roster::Match Roster::find(const std::vector<std::string>& names) const {
  bool several = false;
  for (const std::string& name : names) {
    std::set<size_t> rows;
    for (const std::string& key : keys_of_name(name)) {
      const auto found = by_key_.find(key);
      if (found != by_key_.end()) rows.insert(found->second.begin(), found->second.end());
    }
    if (rows.size() == 1) return {students_[*rows.begin()], false};
    several = several || rows.size() > 1;
  }
  return {"", several};
}

std::string Roster::value(size_t row, std::initializer_list<std::string_view> columns) const {
  const std::vector<std::string>& fields = fields_.at(row);
  for (const std::string_view name : columns) {
    for (size_t i = 0; i < columns_.size() && i < fields.size(); ++i) {
      if (lower_case(trim(columns_[i])) == name && !fields[i].empty()) return fields[i];
    }
  }
  return "";
}

std::optional<size_t> Roster::row_of(const std::string& student) const {
  auto found = std::find(students_.begin(), students_.end(), student);
  if (found == students_.end()) {
    found = std::find(students_.begin(), students_.end(), find({student}).student);
  }
  if (found == students_.end()) return std::nullopt;
  return static_cast<size_t>(found - students_.begin());
}

}  // namespace warpmark
