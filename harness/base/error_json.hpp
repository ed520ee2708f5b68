// Errors and places as processes of ours hand them to each other.
#pragma once

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_fields.hpp"

namespace warpmark {

/// The members of a place in JSON, here and in records.
template <typename Visit>
void each_field(Position& where, const Visit& visit) {
  visit("file", where.file);
  visit(FieldInfo("line").at_least(0).null_for_0(), where.line);
  visit(FieldInfo("column").at_least(0).null_for_0(), where.column);
}

nlohmann::json error_json(const Error& error);

/// Throws what nlohmann-json throws for what is none. The peer is not trusted: a code that no
/// `Error` of ours has reads as an internal error.
Error error_from(const nlohmann::json& json);

}  // namespace warpmark
