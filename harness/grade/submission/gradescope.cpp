#include "grade/submission/gradescope.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "base/date_time.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {

namespace fs = std::filesystem;
using Kind = PlatformId::Kind;

namespace {

// A number or a text; "" of all else.
std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? found->dump() : "";
}

// Keys are Ruby's symbols, ":name".
std::string text_of(const YAML::Node& map, const char* key) {
  const YAML::Node found = map[key];
  return found && found.IsScalar() ? found.Scalar() : "";
}

// When the work is due by the object of an assignment; nothing if that is not said.
std::optional<int64_t> due_of(const nlohmann::json& owner) {
  const auto assignment = owner.find("assignment");
  if (assignment == owner.end() || !assignment->is_object()) return std::nullopt;
  return parse_time(text_of(*assignment, "due_date"));
}

Submitter submitter(std::string name, std::initializer_list<PlatformId> ids) {
  Submitter one;
  one.name = std::move(name);
  for (const PlatformId& id : ids) {
    if (!id.value.empty()) one.ids.push_back(id);
  }
  return one;
}

}  // namespace

GradescopeSubmission read_gradescope_metadata(const fs::path& file) {
  const nlohmann::json json = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!json.is_object()) {
    throw usage_error(fmt::format("{} is no JSON object", display_path(file)), {},
                      "Gradescope writes it beside the folder `submission`");
  }
  GradescopeSubmission all;
  all.created_at = parse_time(text_of(json, "created_at"));
  const auto users = json.find("users");
  if (users == json.end() || !users->is_array()) return all;
  for (const nlohmann::json& user : *users) {
    if (!user.is_object()) continue;
    Submitter one = submitter(text_of(user, "name"), {{Kind::gradescope, text_of(user, "sid")},
                                                      {Kind::email, text_of(user, "email")},
                                                      {Kind::gradescope, text_of(user, "id")}});
    const auto due = due_of(user);
    if (due != due_of(json)) one.due = due;
    if (one.known()) all.submitters.push_back(std::move(one));
  }
  return all;
}

std::map<std::string, GradescopeSubmission> read_gradescope_export(const fs::path& file) {
  std::map<std::string, GradescopeSubmission> all;
  try {
    // Ruby writes aliases where something stands twice, which our own reader refuses.
    for (const auto& submission : YAML::LoadFile(file.string())) {
      GradescopeSubmission& entry = all[submission.first.Scalar()];
      if (!submission.second.IsMap()) continue;
      entry.created_at = parse_time(text_of(submission.second, ":created_at"));
      for (const YAML::Node& one : submission.second[":submitters"]) {
        if (!one.IsMap()) continue;
        Submitter found = submitter(
            text_of(one, ":name"),
            {{Kind::gradescope, text_of(one, ":sid")}, {Kind::email, text_of(one, ":email")}});
        if (found.known()) entry.submitters.push_back(std::move(found));
      }
    }
  } catch (const YAML::Exception& error) {
    throw usage_error("this is no YAML as Gradescope exports it: " + error.msg,
                      {display_path(file), error.mark.line + 1, error.mark.column + 1});
  }
  return all;
}

}  // namespace warpmark
