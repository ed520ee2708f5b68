// Records by the tables of their members (base/json_fields.hpp): JSON both ways, and the schema.
#pragma once

#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_fields.hpp"
#include "base/record_field.hpp"
#include "base/words.hpp"

namespace warpmark {

using RecordJson = nlohmann::ordered_json;

/// A member that is another value in records than in memory: a table makes one of it on its line,
/// as `Seconds{item.seconds}`.
template <typename T>
concept RecordPart = requires(T part, const RecordField& field, const FieldInfo& of) {
  { part.json() } -> std::same_as<RecordJson>;
  part.read(field, of);
  { part.schema(of) } -> std::same_as<RecordJson>;
};

namespace record_table {

template <typename T>
constexpr bool kIsOptional = requires(T& value) {
  value.has_value();
}
|| std::is_pointer_v<T>;
template <typename T>
constexpr bool kIsList = requires(T& value) {
  value.push_back(*value.begin());
}
&&!std::same_as<T, std::string>;
template <typename T>
constexpr bool kIsArray = requires {
  std::tuple_size<T>::value;
  typename T::value_type;
};
template <typename T>
constexpr bool kIsMap = requires {
  typename T::mapped_type;
};

/// Throws unless the number is one that the field may be.
void require_bounds(const RecordField& record, const FieldInfo& field, double number);
/// The error about a list that does not have so many elements.
Error wrong_size(const RecordField& record, size_t size);
/// `all` is text with commas between.
std::vector<std::string> words_of(std::string_view all);

// Schemas without their descriptions.
RecordJson text_schema(const FieldInfo& field);
RecordJson number_schema(const char* type, const FieldInfo& field);
RecordJson list_schema(RecordJson elements, const FieldInfo& field);
RecordJson enum_schema(std::vector<std::string> words, const FieldInfo& field);
RecordJson map_schema(RecordJson values, const FieldInfo& field);
/// Adds a member to the schema of an object, to which `kind` is the schema without description.
void add_property(RecordJson& object, const FieldInfo& field, RecordJson kind, bool nullable);

}  // namespace record_table

template <typename T>
bool is_empty(const T& value) {
  if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (record_table::kIsOptional<T> || std::is_arithmetic_v<T>) {
    return !value;
  } else {
    return false;
  }
}

/// Which members of objects are written: those of records, or also those that are unrecorded.
enum class RecordScope : uint8_t { record, message };

/// The value as JSON; of an object that has a table its record.
template <typename T>
RecordJson record_json(const T& value, RecordScope scope = RecordScope::record) {
  if constexpr (std::same_as<T, RecordJson>) {
    return value;
  } else if constexpr (RecordPart<T>) {
    return value.json();
  } else if constexpr (Listed<T>) {
    RecordJson json = RecordJson::object();
    // Writing changes nothing: a table is of members that can be read, too.
    each_field(const_cast<T&>(value), [&](const FieldInfo& field, auto&& member) {
      if (field.is_unrecorded && scope == RecordScope::record) return;
      if (!field.is_present || (field.is_left_out_empty && is_empty(member))) return;
      json[field.name] =
          field.is_known ? record_json(std::as_const(member), scope) : RecordJson(nullptr);
    });
    return json;
  } else if constexpr (Worded<T>) {
    return to_text(value);
  } else if constexpr (record_table::kIsOptional<T>) {
    return value ? record_json(*value, scope) : RecordJson(nullptr);
  } else if constexpr (record_table::kIsMap<T>) {
    RecordJson object = RecordJson::object();
    for (const auto& [name, mapped] : value) object[name] = record_json(mapped, scope);
    return object;
  } else if constexpr (record_table::kIsList<T> || record_table::kIsArray<T>) {
    RecordJson list = RecordJson::array();
    for (const auto& element : value) list.push_back(record_json(element, scope));
    return list;
  } else {
    return value;
  }
}

/// Reads what record_json made. Throws a usage error that names the member which is missing or
/// wrong. An object's `check_record(record, object)`, if there is one, comes last.
template <typename T>
void read_record(const RecordField& record, T&& value, const FieldInfo& field = "") {
  using Read = std::remove_cvref_t<T>;
  if constexpr (std::same_as<Read, RecordJson>) {
    value = record.json();
  } else if constexpr (RecordPart<Read>) {
    value.read(record, field);
  } else if constexpr (Listed<Read>) {
    each_field(value, [&](const FieldInfo& each, auto&& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      const bool may_lack = each.is_optional || each.is_nullable || each.is_unrecorded ||
                            *each.since != '\0' || record_table::kIsOptional<Member>;
      if (each.is_needed || !may_lack) record.member(each.name);
      if (!may_lack) return read_record(record.member(each.name), member, each);
      if (const auto found = record.find(each.name)) read_record(*found, member, each);
    });
    if constexpr (requires { check_record(record, value); }) check_record(record, value);
  } else if constexpr (Worded<Read>) {
    value = record.word<Read>();
  } else if constexpr (record_table::kIsOptional<Read>) {
    read_record(record, value.emplace(), field);
  } else if constexpr (record_table::kIsMap<Read>) {
    for (const auto& [name, mapped] : record.members()) read_record(mapped, value[name]);
  } else if constexpr (record_table::kIsArray<Read>) {
    const std::vector<RecordField> elements = record.elements();
    if (elements.size() != value.size()) throw record_table::wrong_size(record, value.size());
    for (size_t i = 0; i < value.size(); ++i) read_record(elements[i], value[i]);
  } else if constexpr (std::same_as<Read, std::vector<double>>) {
    value = record.numbers();
  } else if constexpr (record_table::kIsList<Read>) {
    for (const RecordField& element : record.elements()) read_record(element, value.emplace_back());
  } else if constexpr (std::same_as<Read, std::string>) {
    value = record.text();
  } else if constexpr (std::same_as<Read, bool>) {
    value = record.boolean();
  } else if constexpr (std::is_floating_point_v<Read>) {
    record_table::require_bounds(record, field, record.number());
    value = record.number();
  } else {
    static_assert(std::is_integral_v<Read>);
    const auto number = [&] {
      if constexpr (std::is_unsigned_v<Read>) return record.natural();
      if constexpr (std::is_signed_v<Read>) return record.integer();
    }();
    record_table::require_bounds(record, field, static_cast<double>(number));
    if (!std::in_range<Read>(number)) throw record.wrong("is too large");
    value = static_cast<Read>(number);
  }
}

/// The JSON schema of what record_json makes of such values. A `closed` one allows no other members.
template <typename T>
RecordJson record_schema(const T& example, bool closed, const FieldInfo& field = "") {
  if constexpr (std::same_as<T, RecordJson>) {
    return RecordJson::object();
  } else if constexpr (RecordPart<T>) {
    return example.schema(field);
  } else if constexpr (Listed<T>) {
    RecordJson object = {{"type", "object"}, {"required", RecordJson::array()}};
    if (closed) object["additionalProperties"] = false;
    object["properties"] = RecordJson::object();
    each_field(const_cast<T&>(example), [&](const FieldInfo& each, auto&& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      if (each.is_unrecorded) return;
      const bool nullable =
          each.is_nullable || (record_table::kIsOptional<Member> && !each.is_optional);
      record_table::add_property(object, each, record_schema(std::as_const(member), closed, each),
                                 nullable);
    });
    return object;
  } else if constexpr (Worded<T>) {
    std::vector<std::string> words;
    for (const T value : each_value<T>()) words.emplace_back(to_text(value));
    return record_table::enum_schema(std::move(words), field);
  } else if constexpr (record_table::kIsOptional<T>) {
    return record_schema(std::remove_cvref_t<decltype(*example)>(), closed, field);
  } else if constexpr (record_table::kIsMap<T>) {
    return record_table::map_schema(record_schema(typename T::mapped_type(), closed), field);
  } else if constexpr (record_table::kIsList<T>) {
    return record_table::list_schema(record_schema(typename T::value_type(), closed), field);
  } else if constexpr (record_table::kIsArray<T>) {
    RecordJson list =
        record_table::list_schema(record_schema(typename T::value_type(), closed), FieldInfo(""));
    list["minItems"] = list["maxItems"] = std::tuple_size_v<T>;
    return list;
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    return record_table::text_schema(field);
  } else if constexpr (std::same_as<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return record_table::number_schema("number", field);
  } else {
    static_assert(std::is_integral_v<T>);
    FieldInfo bounds = field;
    if (std::is_unsigned_v<T> && !bounds.least) bounds.at_least(0);
    return record_table::number_schema("integer", bounds);
  }
}

/// The head of schema/NAME.json with the rest of it.
RecordJson schema_document(const std::string& name, const std::string& title,
                           const std::string& about, RecordJson rest);

// --- members that are another value in records ---

/// In other messages than records it is the value itself.
template <typename Json, RecordPart Part>
requires nlohmann::detail::is_basic_json<Json>::value void to_json(Json& json, const Part& part) {
  json = part.value;
}
template <RecordPart Part>
void from_json(const nlohmann::json& json, Part& part) {
  json.get_to(part.value);
}

/// A value that is written, and follows from the others: reading demands one of its type.
template <typename T>
struct Computed {
  T value;
  RecordJson json() const { return record_json(value); }
  void read(const RecordField& record, const FieldInfo& field) {
    if constexpr (!std::same_as<T, std::string_view>) read_record(record, T(), field);
  }
  RecordJson schema(const FieldInfo& field) const { return record_schema(value, true, field); }
};
template <typename T>
Computed(T) -> Computed<T>;

/// A value that is the same in all records: their type, or their version.
template <typename T>
struct Constant {
  T value;
  RecordJson json() const { return value; }
  void read(const RecordField& record, const FieldInfo&) {
    if (record.json() != json()) {
      throw record.wrong("must be " + json().dump() + ", not " + record.plain());
    }
  }
  RecordJson schema(const FieldInfo&) const { return {{"const", value}}; }
};
template <typename T>
Constant(T) -> Constant<T>;

/// Wall clock. One that went wrong must not make the record invalid: it becomes 0.
struct Seconds {
  double& value;
  RecordJson json() const;
  void read(const RecordField& record, const FieldInfo& field);
  RecordJson schema(const FieldInfo& field) const;
};

/// A number that JSON need not have: a record has texts for NaN and infinities (strict_json).
template <typename T>
struct AnyNumber {
  T& value;
  bool empty() const { return false; }
  RecordJson json() const { return record_json(value); }
  void read(const RecordField& record, const FieldInfo& field);
  RecordJson schema(const FieldInfo& field) const;
};
template <typename T>
AnyNumber(T&) -> AnyNumber<T>;

/// One of two words.
struct Either {
  bool& value;
  const char *yes, *no;
  RecordJson json() const { return value ? yes : no; }
  void read(const RecordField& record, const FieldInfo&) { value = record.text() == yes; }
  RecordJson schema(const FieldInfo& field) const {
    return record_table::enum_schema({yes, no}, field);
  }
};

/// Pairs as an object.
template <typename T>
struct ByName {
  std::vector<std::pair<std::string, T>>& pairs;
  bool empty() const { return pairs.empty(); }
  RecordJson json() const {
    RecordJson object = RecordJson::object();
    for (const auto& [name, value] : pairs) object[name] = record_json(value);
    return object;
  }
  void read(const RecordField& record, const FieldInfo&) {
    for (const auto& [name, value] : record.members())
      read_record(value, pairs.emplace_back(name, T()).second);
  }
  RecordJson schema(const FieldInfo& field) const {
    FieldInfo of_value = field;
    of_value.words = "";
    return record_table::map_schema(record_schema(T(), true, of_value), field);
  }
};
template <typename T>
ByName(std::vector<std::pair<std::string, T>>&) -> ByName<T>;

/// Pairs, or a map, as a list of objects with two members.
template <typename Pairs>
struct NamedValues {
  Pairs& value;
  const char* second = "value";  ///< the member beside `name`
  bool empty() const { return value.empty(); }
  RecordJson json() const {
    RecordJson list = RecordJson::array();
    for (const auto& [name, of] : value)
      list.push_back({{"name", name}, {second, record_json(of)}});
    return list;
  }
  void read(const RecordField& record, const FieldInfo&) {
    for (const RecordField& element : record.elements()) {
      std::string name = element.member("name").text();
      typename Pairs::value_type::second_type of{};
      read_record(element.member(second), of);
      value.insert(value.end(), {std::move(name), std::move(of)});
    }
  }
  RecordJson schema(const FieldInfo& field) const {
    RecordJson pair = {{"type", "object"}, {"required", {"name", second}}};
    pair["properties"] = {
        {"name", {{"type", "string"}}},
        {second, record_schema(typename Pairs::value_type::second_type{}, false)}};
    return record_table::list_schema(std::move(pair), field);
  }
};
template <typename Pairs>
NamedValues(Pairs&, const char* = "value") -> NamedValues<Pairs>;

}  // namespace warpmark
