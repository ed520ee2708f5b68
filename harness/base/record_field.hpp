// A value of a JSON record that knows its place, so that errors can name it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/words.hpp"

namespace warpmark {

/// Refers to the record and its place, which must outlive it. A value of the wrong type throws a
/// usage error: "run.jsonl:7: error: `measurement/bytes` must be a number, not a text".
class RecordField {
 public:
  /// `schema` is the file that says what the record has; the error for a missing member names it.
  RecordField(const nlohmann::ordered_json& record, const Position& where,
              const char* schema = "schema/outcome.json")
      : value_(&record), where_(&where), schema_(schema) {}

  RecordField member(const char* name) const;
  /// Returns nothing if the member is absent or null.
  std::optional<RecordField> find(const char* name) const;

  std::string text() const;
  bool boolean() const;
  int64_t integer() const;
  /// One from 0 on, which may be more than an int64_t.
  uint64_t natural() const;
  double number() const;
  std::vector<double> numbers() const;
  std::vector<std::string> texts() const;
  std::vector<RecordField> elements() const;
  /// The names and values of an object, in their order.
  std::vector<std::pair<std::string, RecordField>> members() const;
  /// A text, number or boolean as a text.
  std::string plain() const;
  const nlohmann::ordered_json& json() const { return *value_; }

  /// The enumerator of which the text is the word.
  template <Worded Enum>
  Enum word() const {
    const std::string given = text();
    std::vector<std::string> known;
    for (const Enum one : each_value<Enum>()) {
      if (given == to_text(one)) return one;
      known.emplace_back(to_text(one));
    }
    throw wrong("must be one of " + join(known, ", ") + ", not `" + printable(given) + "`");
  }

  /// An error with this message about the value.
  Error wrong(const std::string& what) const;

 private:
  /// A part of this one.
  RecordField part(const nlohmann::ordered_json& value, std::string path) const;
  Error mistyped(std::string_view wanted) const;
  std::string path_to(std::string_view name) const;

  const nlohmann::ordered_json* value_;
  const Position* where_;
  const char* schema_;
  std::string path_;  ///< "measurement/series/0"; "" for the record itself
};

}  // namespace warpmark
