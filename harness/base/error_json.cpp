#include "base/error_json.hpp"

namespace warpmark {

namespace {

ExitCode exit_code_from(const nlohmann::json& json) {
  for (const ExitCode code : {ExitCode::verdict, ExitCode::usage, ExitCode::environment}) {
    if (json.get<int>() == static_cast<int>(code)) return code;
  }
  return ExitCode::internal;
}

}  // namespace

nlohmann::json error_json(const Error& error) {
  return {{"code", static_cast<int>(error.code())},
          {"message", error.message()},
          {"where", json_of<nlohmann::json>(error.where())},
          {"hint", error.hint()}};
}

Error error_from(const nlohmann::json& json) {
  return {exit_code_from(json.at("code")), json.at("message"),
          object_from<Position>(json.at("where")), json.at("hint")};
}

}  // namespace warpmark
