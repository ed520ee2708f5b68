// The columns of a database's table, by the tables of members (base/json_fields.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/field_info.hpp"
#include "base/record_table.hpp"

namespace warpmark {

struct RecordColumn {
  enum class Kind : uint8_t {
    text,  ///< "" is NULL
    digits,
    integer,  ///< also true and false
    number,
    list  ///< as JSON
  };
  std::string name;
  std::vector<std::string> path;  ///< names of members, the record's first; an index in a list
  Kind kind;
  FieldInfo field;
  std::string says;  ///< the field's sentence, with those of the objects that it is the first of
};

namespace record_table {

// The type inside of an optional, or the type itself.
template <typename T>
struct Inside {
  using Type = T;
};
template <typename T>
struct Inside<std::optional<T>> {
  using Type = T;
};

template <typename T>
constexpr RecordColumn::Kind column_kind(const FieldInfo& field) {
  using Kind = RecordColumn::Kind;
  if (field.is_digits) return Kind::digits;
  if constexpr (Worded<T> || std::same_as<T, std::string>) {
    return Kind::text;
  } else if constexpr (std::is_integral_v<T>) {
    return Kind::integer;
  } else if constexpr (std::is_floating_point_v<T>) {
    return Kind::number;
  } else {
    return Kind::list;
  }
}

template <typename T>
constexpr bool kIsScalar = Worded<T> || std::is_arithmetic_v<T> || std::same_as<T, std::string>;

// The text that a column has after the sentence of its field.
template <typename T>
std::string kind_text(RecordColumn::Kind kind) {
  if (kind == RecordColumn::Kind::digits) return "Its digits.";
  if (kind == RecordColumn::Kind::list) return "As JSON.";
  std::string all;
  if constexpr (Worded<T>) {
    for (const std::string_view word : words(T()))
      all += (all.empty() ? "" : ", ") + std::string(word);
    all += ".";
  }
  return all;
}

// `path`, `prefix` and `says` are of the object that T is.
template <typename T>
void add_columns(const std::vector<std::string>& path, const std::string& prefix, std::string says,
                 std::vector<RecordColumn>& columns) {
  T object;
  each_field(object, [&](const FieldInfo& field, auto&& member) {
    using Member = typename Inside<std::remove_cvref_t<decltype(member)>>::Type;
    if (!field.is_column && (!kIsScalar<Member> || field.has_no_column || field.is_unrecorded))
      return;
    std::vector<std::string> deeper = path;
    deeper.emplace_back(field.name);
    const auto add_text = [&](const std::string& text) {
      says += (says.empty() || text.empty() ? "" : " ") + text;
    };
    add_text(field.says);
    if constexpr (Listed<Member>) {
      add_columns<Member>(deeper, prefix + field.column_name, says, columns);
    } else if constexpr (!RecordPart<Member>) {
      const std::string name =
          prefix + (*field.column_name != '\0' ? field.column_name : field.name);
      if constexpr (kIsArray<Member>) {
        for (size_t i = 0; i < std::tuple_size_v<Member>; ++i) {
          deeper.push_back(std::to_string(i));
          columns.push_back({name + "_" + "xyz"[i], deeper,
                             column_kind<typename Member::value_type>(field), field, says});
          deeper.pop_back();
        }
      } else {
        const RecordColumn::Kind kind = column_kind<Member>(field);
        add_text(kind_text<Member>(kind));
        columns.push_back({name, deeper, kind, field, says});
      }
    }
    says.clear();
  });
}

}  // namespace record_table

/// The columns for the records of such objects.
template <Listed Object>
std::vector<RecordColumn> record_columns() {
  std::vector<RecordColumn> columns;
  record_table::add_columns<Object>({}, "", "", columns);
  return columns;
}

}  // namespace warpmark
