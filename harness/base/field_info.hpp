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

  const char* name;
  const char* says;
  const char* since = "";
  const char* pattern = "";
  const char* words = "";
  std::optional<double> least, most;
  bool is_more = false;
  bool is_optional = false, is_present = true, is_nullable = false, is_known = true;
  bool is_left_out_empty = false, is_needed = false;
};

}  // namespace warpmark
