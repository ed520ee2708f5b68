// Conversion of structs to JSON objects. Each struct lists its members once, for writing and
// reading.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace warpmark {

/// A value, or JSON's null. `Json` is nlohmann::json, or ordered_json where records want an order.
template <typename Json, typename Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The object that `object` is in JSON. Its list of members is a function beside it:
///     template <typename Visit>
///     void each_field(Position& where, const Visit& visit) {
///       visit("file", where.file);
///       …
template <typename Json, typename Object>
Json json_of(Object object) {
  Json json = Json::object();
  each_field(object, [&](const char* name, auto& value) {
    if constexpr (requires { value.has_value(); }) {
      json[name] = json_or_null<Json>(value);
    } else {
      json[name] = std::move(value);
    }
  });
  return json;
}

/// Converts back the JSON that json_of made of an object. Throws an exception of nlohmann-json if a
/// member is missing or of another kind.
template <typename Object>
Object object_from(const nlohmann::json& json) {
  Object object;
  each_field(object, [&](const char* name, auto& value) {
    const nlohmann::json& member = json.at(name);
    if constexpr (requires { value.has_value(); }) {
      if (!member.is_null()) member.get_to(value.emplace());
    } else {
      member.get_to(value);
    }
  });
  return object;
}

}  // namespace warpmark
