// The JSON schemas of records, which schema/ has as files: made of the tables of their members.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace warpmark {

/// The head of schema/NAME.json with the rest of it.
nlohmann::ordered_json schema_document(const std::string& name, const std::string& title,
                                       const std::string& about, nlohmann::ordered_json rest);

nlohmann::ordered_json grade_schema();

}  // namespace warpmark
