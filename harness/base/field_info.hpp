// A line of a table of members (json_fields.hpp): all that is known of a member besides its value.
#pragma once

#include <optional>

namespace warpmark {

/// Name and facts of a member. Messages between processes need the name alone; the rest is for
/// records (base/record_table.hpp), for their schemas and for pages:
///     visit({"trials", "That were run."}, item.trials);
///     visit(FieldInfo("open", "Why it could not be measured.").if_set(), item.open);
struct FieldInfo {
  // A literal alone is a field.
  constexpr FieldInfo(const char* named, const char* sentence = "") : name(named), says(sentence) {}

  /// Left out of records while it is empty, so that records without it stay as they were.
  constexpr FieldInfo& if_set() { return is_optional = is_left_out_empty = true, *this; }
  /// Left out of records unless that holds; read where it is there.
  constexpr FieldInfo& when(bool holds) { return is_optional = true, is_present = holds, *this; }
  /// Records from before that month lack it.
  constexpr FieldInfo& from_month(const char* month) { return since = month, *this; }
  /// Null in records, or absent, while its value is unknown.
  constexpr FieldInfo& or_null(bool known = true) {
    return is_nullable = true, is_known = known, *this;
  }
  /// Only in messages between processes of ours; records lack it.
  constexpr FieldInfo& unrecorded() { return is_unrecorded = true, *this; }
  /// A null that a record must have.
  constexpr FieldInfo& needed() { return is_needed = true, *this; }
  constexpr FieldInfo& between(double low, double high) { return least = low, most = high, *this; }
  constexpr FieldInfo& at_least(double low) { return least = low, *this; }
  constexpr FieldInfo& more_than(double low) { return is_more = true, least = low, *this; }
  /// A regular expression of the text.
  constexpr FieldInfo& like(const char* expression) { return pattern = expression, *this; }
  /// All texts that it may be, with commas between; for an enumeration those that schemas allow
  /// besides its values.
  constexpr FieldInfo& one_of(const char* all) { return words = all, *this; }

  // --- the tables of a database (base/record_columns.hpp): a column for each text and number ---

  constexpr FieldInfo& no_column() { return has_no_column = true, *this; }
  /// The column's name, if it is another. Of an object the members become columns, with that in
  /// front of their names, and a list becomes one.
  constexpr FieldInfo& column(const char* named = "") {
    return is_column = true, column_name = named, *this;
  }
  /// A column without NULL.
  constexpr FieldInfo& in_each_row() { return is_in_each_row = true, *this; }
  /// A 0 is NULL there.
  constexpr FieldInfo& null_for_0() { return is_null_for_0 = true, *this; }
  /// Its digits as a text, for numbers over 2^63 - 1, which a database does not have.
  constexpr FieldInfo& as_digits() { return is_digits = true, *this; }

  const char* name;
  const char* says;
  const char* since = "";
  const char* pattern = "";
  const char* words = "";
  std::optional<double> least, most;
  bool is_more = false;
  bool is_optional = false, is_present = true, is_nullable = false, is_known = true;
  bool is_left_out_empty = false, is_needed = false, is_unrecorded = false;
  const char* column_name = "";
  bool is_column = false, has_no_column = false, is_in_each_row = false, is_null_for_0 = false,
       is_digits = false;
};

}  // namespace warpmark
