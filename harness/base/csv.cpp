#include "base/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"

namespace warpmark {

CsvReader::CsvReader(std::string_view text, std::string file)
    : rest_(without_byte_order_mark(text)), file_(std::move(file)) {
  const std::string_view first = rest_.substr(0, rest_.find_first_of("\r\n"));
  const auto count = [&](char c) { return std::ranges::count(first, c); };
  for (const char c : {';', '\t'}) {
    if (count(c) > count(separator_)) separator_ = c;
  }
}

bool CsvReader::next(std::vector<std::string>& fields) {
  while (!rest_.empty()) {
    where_ = line_;
    fields.clear();
    do {
      fields.emplace_back(trim(field()));
    } while (accept(separator_));
    accept('\r');
    accept('\n');
    ++line_;
    if (std::ranges::any_of(fields, [](const auto& one) { return !one.empty(); })) return true;
  }
  return false;
}

bool CsvReader::accept(char c) {
  if (rest_.empty() || rest_.front() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

std::string CsvReader::field() {
  std::string value;
  if (!accept('"')) {
    value = rest_.substr(0, rest_.find_first_of(std::string("\r\n") + separator_));
    rest_.remove_prefix(value.size());
    return value;
  }
  while (true) {
    if (rest_.empty()) throw usage_error("a quoted field has no end", where());
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '"' && !accept('"')) break;
    if (c == '\n') ++line_;
    value += c;
  }
  // Text after the closing quote belongs to no field.
  rest_.remove_prefix(
      std::min(rest_.find_first_of(std::string("\r\n") + separator_), rest_.size()));
  return value;
}

std::string CsvRow::get(const std::string& column) const {
  const auto found = fields.find(column);
  return found == fields.end() ? "" : found->second;
}

std::vector<CsvRow> read_table(const std::filesystem::path& file,
                               const std::vector<std::string>& required,
                               const std::vector<std::string>& optional) {
  const std::string text = read_file(file);
  CsvReader reader(text, display_path(file));
  std::vector<std::string> columns, fields;
  if (!reader.next(columns)) throw usage_error("the table is empty", reader.where());
  std::vector<std::string> known = required;
  known.insert(known.end(), optional.begin(), optional.end());
  for (std::string& column : columns) {
    column = lower_case(column);
    if (std::ranges::find(known, column) != known.end()) continue;
    const std::string near = nearest(column, known);
    throw usage_error(
        fmt::format("unknown column `{}`", printable(column)), reader.where(),
        near.empty() ? "columns: " + join(known, ", ") : fmt::format("did you mean `{}`?", near));
  }
  for (const std::string& column : required) {
    if (std::ranges::find(columns, column) != columns.end()) continue;
    throw usage_error(fmt::format("the table has no column `{}`", column), reader.where(),
                      "its first line names the columns: " + join(known, ", "));
  }
  std::vector<CsvRow> rows;
  while (reader.next(fields)) {
    if (fields.size() > columns.size()) {
      throw usage_error(fmt::format("the row has {} fields, and the table has {} columns",
                                    fields.size(), columns.size()),
                        reader.where(), "quote a text that has a comma");
    }
    CsvRow row;
    row.where = reader.where();
    for (size_t i = 0; i < fields.size(); ++i) row.fields[columns[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace warpmark
