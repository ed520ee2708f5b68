// Plans of all shipped suites against golden files; WARPMARK_UPDATE_GOLDEN=1 rewrites them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "plan/plugin_loader.hpp"
#include "support/plan_reader.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

const fs::path kSuites = fs::path(WARPMARK_SOURCE_DIR) / "suites";
const fs::path kGolden = fs::path(WARPMARK_SOURCE_DIR) / "tests/plan";

fs::path golden_file(std::string suite) {
  std::replace(suite.begin(), suite.end(), '/', '.');
  return kGolden / (suite + ".json");
}

using Json = nlohmann::ordered_json;

using Lines = std::vector<std::string>;

// A long text's lines that are not those of another one with as many lines: "line 3": "…". False if
// these are most of it.
bool add_lines(const Json& base, const Json& value, const std::string& at, Json& into) {
  const Lines old = split(base.get<std::string>(), '\n'),
              lines = split(value.get<std::string>(), '\n');
  if (old.size() != lines.size() || lines.size() < 4) return false;
  Json differing = Json::object();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (old[i] != lines[i]) differing["line " + std::to_string(i + 1)] = lines[i];
  }
  if (differing.size() > lines.size() / 2) return false;
  into[at] = differing;
  return true;
}

// Where `value` differs from `base`: its parts by their JSON pointers, null for what it has not, and
// "3…" for the elements from there on of lists with different lengths.
void add_differences(const Json& base, const Json& value, const std::string& at, Json& into) {
  if (base == value) return;
  if (base.is_object() && value.is_object()) {
    for (const auto& [key, part] : value.items()) {
      if (base.contains(key)) {
        add_differences(base[key], part, at + "/" + key, into);
      } else {
        into[at + "/" + key] = part;
      }
    }
    for (const auto& [key, part] : base.items()) {
      if (!value.contains(key)) into[at + "/" + key] = nullptr;
    }
  } else if (base.is_array() && value.is_array()) {
    const size_t both = std::min(base.size(), value.size());
    for (size_t i = 0; i < both; ++i) {
      add_differences(base[i], value[i], at + "/" + std::to_string(i), into);
    }
    if (base.size() == value.size()) return;
    Json& rest = into[at + "/" + std::to_string(both) + "…"] = Json::array();
    for (size_t i = both; i < value.size(); ++i) rest.push_back(value[i]);
  } else if (!base.is_string() || !value.is_string() || !add_lines(base, value, at, into)) {
    into[at] = value;
  }
}

constexpr size_t kShown = 4;  // of what is alike, for who reads a change; a digest has the others

// Tells whether the elements differ in less than half of their text.
bool alike(const Json& one, const Json& other) {
  Json differences = Json::object();
  if (one.is_object()) add_differences(one, other, "", differences);
  return !differences.empty() && json_line(differences).size() < json_line(other).size() / 2;
}

// Puts a digest in the place of a list's elements from the fifth that is like the one before: twenty
// launches in a row are alike.
Json abbreviated(const Json& json) {
  Json out = json.is_array() ? Json::array() : Json::object();
  if (json.is_object()) {
    for (const auto& [key, part] : json.items()) out[key] = abbreviated(part);
    return out;
  }
  if (!json.is_array()) return json;
  for (size_t i = 0; i < json.size(); ++i) {
    if (i < kShown || !alike(json[i - 1], json[i])) {
      out.push_back(abbreviated(json[i]));
      continue;
    }
    Json rest = Json::array();
    for (; i < json.size(); ++i) rest.push_back(json[i]);
    out.push_back({{"more", rest.size()}, {"sha256", sha256_hex(json_line(rest))}});
  }
  return out;
}

// The plans of a suite are long and alike: a golden file has the first in full, where some others
// differ from it, and a digest of each of the rest, which `warpmark plan` prints. A generated source
// that an earlier one has, too, is not repeated.
class Abbreviated {
 public:
  std::string text_of(const Plan& plan) {
    Json whole = to_json(plan);
    if (++plans_ > kShown) {
      return json_wrapped({{"case", plan.case_id}, {"sha256", sha256_hex(json_line(whole))}});
    }
    for (Json& unit : whole["units"]) {
      if (!unit.contains("source")) continue;
      const auto [first, is_new] = sources_.try_emplace(unit["source"], plan.case_id);
      if (!is_new) unit["source"] = "as in " + first->second;
    }
    if (first_.is_null()) {
      first_ = std::move(whole);
      return json_wrapped(abbreviated(first_));
    }
    Json differences = Json::object();
    add_differences(first_, whole, "", differences);
    differences.erase("/case");
    return json_wrapped({{"case", plan.case_id}, {"but", abbreviated(differences)}});
  }

 private:
  Json first_;
  size_t plans_ = 0;
  std::map<std::string, std::string> sources_;  ///< the first case with each
};

// A JSON array of the plans of every case, check's and then bench's own.
std::string plans_of(const std::shared_ptr<const Suite>& suite, PluginLoader& plugins) {
  std::string text;
  std::set<std::string> seen;
  Abbreviated abbreviated;
  for (const Purpose purpose : {Purpose::check, Purpose::bench}) {
    for (const Case& one : cases(suite, {}, purpose)) {
      if (!seen.insert(one.id).second) continue;
      const std::string plan = abbreviated.text_of(make_plan(one, plugins).plan);
      text += (text.empty() ? "[\n" : ",\n") + plan;
    }
  }
  return text + "\n]\n";
}

TEST(GoldenPlans, AreWhatShippedSuitesMake) {
  PluginLoader plugins({fs::path(WARPMARK_BINARY_DIR) / "lib/warpmark"});
  std::set<fs::path> expected;
  for (const fs::path& file : find_suites({kSuites})) {
    SCOPED_TRACE(file);
    const auto suite = load_suite(file);
    const fs::path golden = golden_file(suite->name);
    expected.insert(golden);
    const std::string plans = plans_of(suite, plugins);
    if (std::getenv("WARPMARK_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, plans);
    ASSERT_TRUE(fs::exists(golden)) << "run once with WARPMARK_UPDATE_GOLDEN=1";
    EXPECT_EQ(read_file(golden), plans) << "WARPMARK_UPDATE_GOLDEN=1 accepts the change";
  }
  for (const auto& entry : fs::directory_iterator(kGolden)) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_TRUE(expected.count(entry.path())) << entry.path() << " has no suite any more";
  }
}

TEST(GoldenPlans, SurviveTheirJsonForm) {
  PluginLoader plugins({fs::path(WARPMARK_BINARY_DIR) / "lib/warpmark"});
  for (const fs::path& file : find_suites({kSuites})) {
    for (const Case& one : cases(load_suite(file))) {
      const Plan plan = make_plan(one, plugins).plan;
      EXPECT_EQ(plan_from_json(nlohmann::ordered_json::parse(describe(plan))), plan) << one.id;
    }
  }
}

}  // namespace
}  // namespace warpmark
