// Conversion of structs to JSON objects. Each struct lists its members once, in a table from which
// writing and reading, and of records the schema, the columns of a database and the page come.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/field_info.hpp"
#include "base/hex.hpp"

namespace warpmark {

/// A value, or JSON's null. `Json` is nlohmann::json, or ordered_json where records want an order.
template <typename Json, typename Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The object that `object` is in JSON. Its table of members is a function beside it, a line each:
///     template <typename Visit>
///     void each_field(Position& where, const Visit& visit) {
///       visit("file", where.file);
///       visit({"line", "From 1; 0 if unknown."}, where.line);
///       …
template <typename Json, typename Object>
Json json_of(Object object) {
  Json json = Json::object();
  each_field(object, [&](const FieldInfo& field, auto&& value) {
    if constexpr (requires { value.has_value(); }) {
      json[field.name] = json_or_null<Json>(value);
    } else {
      json[field.name] = std::move(value);
    }
  });
  return json;
}

/// Converts back the JSON that json_of made of an object. Throws an exception of nlohmann-json if a
/// member is missing or of another kind.
template <typename Object>
Object object_from(const nlohmann::json& json) {
  Object object;
  each_field(object, [&](const FieldInfo& field, auto&& value) {
    const nlohmann::json& member = json.at(field.name);
    if constexpr (requires { value.has_value(); }) {
      if (!member.is_null()) member.get_to(value.emplace());
    } else {
      member.get_to(value);
    }
  });
  return object;
}

/// Lists the members of a struct that JSON calls as C++ does, in the struct's namespace:
///     WARPMARK_FIELDS(Position, file, line, column)
#define WARPMARK_FIELDS(Type, ...)                                         \
  template <typename Visit>                                                \
  void each_field(Type& object, const Visit& visit) {                      \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(WARPMARK_FIELD, __VA_ARGS__)) \
  }
#define WARPMARK_FIELD(member) visit(#member, object.member);

/// A struct whose members each_field lists.
template <typename Object>
concept Listed = requires(Object& object) {
  each_field(object, [](const FieldInfo&, auto&&) {});
};

/// nlohmann-json finds these two for members of members, and for elements. Enumerations are numbers
/// to it. A namespace inside this one says `using warpmark::to_json;`, and so for from_json.
template <typename Json, Listed Object>
requires nlohmann::detail::is_basic_json<Json>::value void to_json(Json& json,
                                                                   const Object& object) {
  json = json_of<Json>(object);
}
template <Listed Object>
void from_json(const nlohmann::json& json, Object& object) {
  object = object_from<Object>(json);
}

/// Bytes that JSON has as hexadecimal digits: `Hex image{unit.image}; visit("image", image);`.
struct Hex {
  std::string& bytes;
};
template <typename Json>
requires nlohmann::detail::is_basic_json<Json>::value void to_json(Json& json, const Hex& hex) {
  json = to_hex(hex.bytes);
}
inline void from_json(const nlohmann::json& json, Hex& hex) {
  hex.bytes = from_hex(json.get_ref<const std::string&>());
}

}  // namespace warpmark
