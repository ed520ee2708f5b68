#include "grade/submission/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/submission/student_name.hpp"

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
                                "moodle id",       "moodle_id",     "gradescope",
                                "participant"};

// Those of one platform's id. Any of them may be the course's own `id` where the roster has none of
// these columns.
std::vector<std::string> columns_of(PlatformId::Kind kind) {
  switch (kind) {
    case PlatformId::Kind::canvas:
      return {"canvas id", "canvas_id", "canvas"};
    case PlatformId::Kind::moodle:
      return {"identifier", "moodle id", "moodle_id", "moodle", "participant"};
    case PlatformId::Kind::gradescope:
      return {"gradescope", "sid", "student id", "id number", "sis user id"};
    case PlatformId::Kind::email:
      return {"email", "email address", "e-mail"};
    case PlatformId::Kind::github:
      break;
  }
  return {"github", "github_username", "github username"};
}

constexpr std::array kNames = {"student", "name", "full name", "roster_identifier"};
constexpr std::array kFirst = {"first name", "firstname", "first"};
constexpr std::array kLast = {"last name", "lastname", "last", "surname", "family name"};

template <size_t N>
bool is_one_of(const std::array<const char*, N>& known, const std::string& name) {
  return std::ranges::find(known, name) != known.end();
}

// A name's letters and digits alone, and all that is not ASCII.
std::string key_of(std::string_view text) {
  std::string key;
  for (const char c : lower_case(trim(text))) {
    const bool kept =
        (c >= 'a' && c <= 'z') || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
    if (kept) key += c;
  }
  return key;
}

// An id as it is compared: platforms write "Participant 1001" and "1001" for the same. Nothing else
// is left out, because "a-b" and "ab" may be two.
std::string key_of_id(std::string_view text) {
  constexpr std::string_view kParticipant = "participant ";
  std::string key = lower_case(trim(text));
  if (key.starts_with(kParticipant)) key.erase(0, kParticipant.size());
  return key;
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
  // Moodle's worksheet of blind marking has "Participant 5001", and no names.
  for (size_t i = 0; i < header.size() && !columns.name; ++i) {
    const bool blind = lower_case(trim(header[i])) == "identifier";
    if (blind && (!columns.first || !columns.last)) columns.name = i;
  }
  if (!columns.name && (!columns.first || !columns.last)) {
    throw usage_error("the roster has no column `student`", where,
                      "its first line names the columns: `student` (or `name`, or `first name` and "
                      "`last name`), and what platforms know: `id`, `email`, `login` …");
  }
  return columns;
}

}  // namespace

std::vector<std::string> name_keys(std::string_view name) {
  std::vector<std::string> keys = {key_of(name)};
  const std::string text(trim(name));
  const size_t comma = text.find(','), blank = text.rfind(' ');
  if (comma != std::string::npos)
    keys.push_back(key_of(text.substr(comma + 1)) + key_of(text.substr(0, comma)));
  else if (blank != std::string::npos)
    keys.push_back(key_of(text.substr(blank + 1)) + key_of(text.substr(0, blank)));
  return keys;
}

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
  std::vector<int> lines;  // by row
  const auto at = [&](std::optional<size_t> column) {
    return column && *column < fields.size() ? std::string(trim(fields[*column])) : std::string();
  };
  while (csv.next(fields)) {
    const std::string full =
        at(columns.first) + (at(columns.first).empty() ? "" : " ") + at(columns.last);
    const std::string student = columns.name ? at(columns.name) : full;
    // Lines of Canvas before the students: assignments whose grades are posted by hand, and points.
    const bool names_nobody =
        student.empty() && roster.names_.empty() &&
        std::ranges::all_of(columns.unique, [&](size_t column) { return at(column).empty(); });
    if (student == "Points Possible" || names_nobody) continue;
    if (student.empty()) throw usage_error("the row has no name of a student", csv.where());
    const size_t row = roster.names_.size();
    std::set<std::string> keys;
    for (const std::string& name : {student, full}) {
      for (std::string& key : name_keys(name)) {
        if (!key.empty()) keys.insert(std::move(key));
      }
    }
    for (const std::string& key : keys) roster.by_name_[key].push_back(row);
    for (const size_t column : columns.unique) {
      const std::string value = at(column), key = key_of_id(value);
      if (key.empty()) continue;
      const std::string header = lower_case(trim(roster.columns_[column]));
      const auto [known, fresh] = roster.by_id_[header].try_emplace(key, row);
      if (!fresh) {
        throw usage_error(
            fmt::format("`{}` is on line {}, too", printable(value), lines[known->second]),
            csv.where(), "list each student once");
      }
      // A login is often what stands before the @.
      if (const size_t sign = key.find('@'); sign != std::string::npos)
        roster.by_login_[key.substr(0, sign)].insert(row);
    }
    roster.names_.push_back(student);
    roster.fields_.push_back(fields);
    lines.push_back(csv.where().line);
  }
  if (roster.names_.empty()) throw usage_error("the roster has no student", {file, 1, 1});
  roster.set_students(lines, file);
  return roster;
}

// Puts an id behind each name that two students have.
void Roster::set_students(const std::vector<int>& lines, const std::string& file) {
  std::map<std::string, std::vector<size_t>> rows;
  for (size_t row = 0; row < names_.size(); ++row) rows[key_of(names_[row])].push_back(row);
  students_ = names_;
  for (const auto& [key, same] : rows) {
    if (same.size() == 1) continue;
    for (const size_t row : same) {
      const std::string id = any_id(row);
      if (id.empty()) {
        throw usage_error(
            fmt::format("`{}` is on line {}, too", printable(names_[same[1]]), lines[same[0]]),
            {file, lines[same[1]], 1},
            "list each student once; two students with one name each need an id, as in "
            "the column `id` or `email`");
      }
      students_[row] += " (" + id + ")";
    }
  }
  for (size_t row = 0; row < students_.size(); ++row) {
    names_in_results_.push_back(student_name(students_[row]));
    by_name_in_results_.emplace(names_in_results_.back(), row);
  }
}

std::optional<size_t> Roster::row_in_results(const std::string& student) const {
  const auto found = by_name_in_results_.find(student);
  return found == by_name_in_results_.end() ? std::nullopt : std::optional(found->second);
}

std::string Roster::any_id(size_t row) const {
  const std::vector<std::string>& fields = fields_[row];
  for (size_t i = 0; i < columns_.size() && i < fields.size(); ++i) {
    const std::string_view value = trim(fields[i]);
    if (!value.empty() && is_one_of(kUnique, lower_case(trim(columns_[i]))))
      return std::string(value);
  }
  return "";
}

bool Roster::has_column(const std::vector<std::string>& columns) const {
  return std::ranges::any_of(columns,
                             [&](const std::string& name) { return by_id_.contains(name); });
}

bool Roster::is_test_student(size_t row) const {
  return key_of(names_.at(row)) == "studenttest" && has_column({"sis user id"}) &&
         value(row, {"sis user id"}).empty();
}

std::optional<size_t> Roster::row_with(const std::string& column, std::string_view id) const {
  const auto known = by_id_.find(column);
  if (known == by_id_.end()) return std::nullopt;
  const auto found = known->second.find(key_of_id(id));
  return found == known->second.end() ? std::nullopt : std::optional(found->second);
}

Roster::Match Roster::match_of(const std::set<size_t>& rows) {
  return {rows.size() == 1 ? std::optional(*rows.begin()) : std::nullopt, rows.size() > 1};
}

Roster::Match Roster::find(const std::vector<PlatformId>& ids,
                           const std::vector<std::string>& names) const {
  std::set<size_t> rows;
  std::vector<std::string> searched;  // columns in which one of these ids would stand
  for (const PlatformId& id : ids) {
    std::vector<std::string> columns = columns_of(id.kind);
    if (!has_column(columns)) columns = {"id"};
    for (const std::string& column : columns) {
      if (const auto row = row_with(column, id.value)) rows.insert(*row);
    }
    searched.insert(searched.end(), columns.begin(), columns.end());
  }
  if (!rows.empty()) return match_of(rows);
  const auto has_other_id = [&](size_t row) {
    return std::ranges::any_of(
        searched, [&](const std::string& column) { return !value(row, {column}).empty(); });
  };
  for (const std::string& name : names) {
    for (const std::string& key : name_keys(name)) {
      const auto found = by_name_.find(key);
      if (found == by_name_.end()) continue;
      for (const size_t row : found->second) {
        if (!has_other_id(row)) rows.insert(row);
      }
    }
  }
  return match_of(rows);
}

Roster::Match Roster::find_any(const std::string& text) const {
  const auto label = std::ranges::find(students_, text);
  if (label != students_.end()) return {static_cast<size_t>(label - students_.begin()), false};
  std::set<size_t> rows;
  for (const auto& [column, values] : by_id_) {
    if (const auto row = row_with(column, text)) rows.insert(*row);
  }
  const auto login = by_login_.find(key_of_id(text));
  if (rows.empty() && login != by_login_.end()) rows = login->second;
  if (rows.empty()) return find({}, {text});
  return match_of(rows);
}

std::optional<size_t> Roster::github_user(std::string_view user) const {
  for (const std::string& column : columns_of(PlatformId::Kind::github)) {
    if (const auto row = row_with(column, user)) return row;
  }
  return std::nullopt;
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

}  // namespace warpmark
