// schema/suite.json, made of the tables of keys.
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.hpp"
#include "base/record_table.hpp"
#include "suite/output_check.hpp"
#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

using F = KeyForm;

constexpr const char* kText = R"({"type": ["string", "number", "boolean"], "not": {"const": ""}})";
constexpr const char* kNumberOrText = R"({"type": ["string", "number"], "not": {"const": ""}})";
constexpr const char* kMap = R"({"type": "object", "minProperties": 1,
                                "propertyNames": {"$ref": "#/definitions/name"}})";
constexpr const char* kBlocks = R"({
    "if": {"type": "array"}, "then": {"items": {"$ref": "#/definitions/blockOfStep"}},
    "else": {"required": ["block"]}})";
constexpr const char* kBlockOfStep = R"({
    "if": {"anyOf": [{"required": ["steps"]}, {"required": ["copy"]}, {"required": ["fill"]},
                     {"required": ["swap"]}]},
    "then": {"properties": {"steps": {"items": {"$ref": "#/definitions/blockOfStep"}}}},
    "else": {"required": ["block"]}})";
// Without `plugin`, too. Triton chooses blocks itself, and the compilers of Python know the entry.
constexpr const char* kSourceRules = R"({
    "if": {"properties": {"plugin": {"const": "source"}}},
    "then": {
      "required": ["launch"],
      "if": {"properties": {"launch": {"type": "object"}}},
      "then": {"properties": {"kernel": {"anyOf": [
          {"required": ["triton"]}, {"required": ["numba"]},
          {"required": ["entry"], "anyOf": [
              {"required": ["file"]}, {"required": ["source"]}, {"required": ["ptx"]},
              {"required": ["cubin"]}, {"required": ["fatbin"]}]}]}}},
      "allOf": [{
          "if": {"properties": {"kernel": {"required": ["triton"]}}},
          "else": {"properties": {"launch": {"$ref": "#/definitions/blocks"}}}}]}})";

KeyTable definitions() {
  std::vector<KeyForm> checks;
  for (const CheckForm& form : check_forms())
    checks.push_back(F::keys([&form]() -> const KeyTable& { return *form.keys; }));
  return file_definitions().with(std::vector<Key>{
      {"reportKind", "", F::words(report_kinds())},
      {"arithmetic",
       "Arithmetic: + - * // % **, comparison, min max ceil_div log2 ctype itemsize over axes, "
       "a.size, a.shape, a.nbytes, device.NAME.",
       kNumberOrText},
      {"numpy", "A NumPy expression; `rng` is the argument's own random generator.", kText},
      {"sizes", "One number or a list.", F::one_or_more(F::of("arithmetic"))},
      {"dimensions", "", F::any_of({F::of("arithmetic"), F::list_of(F::of("arithmetic"), 1, 3)})},
      {"python",
       "A NumPy expression, or `{function: FILE.py:NAME}`, called with the values that its "
       "parameters name; `{torch: FILE.py:NAME}` is called with tensors of PyTorch.",
       F::any_of({F::of("numpy"), F::keys(&function_keys)})},
      {"check", "One check.", F::any_of(std::move(checks))},
      {"tolerance", "",
       F::any_of({F::words({"exact", "from_float64"}), F::keys(&output_tolerance_keys)})},
      {"repeat",
       "How often the step runs: a number, or `{i: number}`, where `i` counts from 0 in the step's "
       "arithmetic.",
       F::any_of({F::of("arithmetic"), F::by_name(F::of("arithmetic"), 1, 1)})},
      {"swap", "Two arrays that exchange their names after each time.",
       F::list_of(F::text(), 2, 2)},
      {"step", "A launch, a copy, a fill, a list of steps, or a swap.",
       F::any_of({F::keys(&launch_step_keys), F::keys(&copy_step_keys), F::keys(&fill_step_keys),
                  F::keys(&group_step_keys), F::keys(&swap_step_keys)})},
      {"struct", "", F::by_name(F::of("field"), 1)},
      {"field", "",
       F::any_of({F::text(),
                  F::list_of(F::any_of({F::text(), R"({"type": "integer", "minimum": 1})"}), 2),
                  kMap})},
      {"blocks", "A launch, or each step that launches, gives its block.", kBlocks},
      {"blockOfStep", "", kBlockOfStep},
  });
}

}  // namespace

KeyTable file_definitions() {
  return KeyTable({
      {"text", "", kText},
      {"name", "", R"({"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"})"},
      {"axisValue", "", F::any_of({kNumberOrText, F::keys(&axis_value_keys)})},
      {"axes",
       "Axes by name; cases are their cartesian product, the first varying slowest. A zipped axis "
       "goes along with another.",
       F::by_name(F::any_of({F::list_of(F::of("axisValue")), F::keys(&axis_keys)}))},
  });
}

RecordJson suite_schema(const RecordJson& of_plugins) {
  constexpr std::string_view kKernel = "Kernel";
  RecordJson suite = suite_keys().schema();
  suite["properties"]["kernel"].erase("additionalProperties");  // plugins have others
  suite.update(parse_json(kSourceRules));
  suite["then"]["properties"]["kernel"]["propertyNames"]["enum"] = kernel_keys().names();
  suite["definitions"] = definitions().schema()["properties"];
  suite["definitions"].update(of_plugins);
  for (const auto& [name, kernel] : of_plugins.items()) {
    if (!name.ends_with(kKernel)) continue;
    const std::string plugin = name.substr(0, name.size() - kKernel.size());
    RecordJson rule = parse_json(R"({"if": {"required": ["plugin"]},
                                     "then": {"properties": {"launch": false}}})");
    rule["if"]["properties"]["plugin"]["const"] = plugin;
    rule["then"]["properties"]["kernel"]["$ref"] = "#/definitions/" + name;
    suite["allOf"].push_back(std::move(rule));
  }
  return schema_document("suite", "Warpmark suite",
                         "One kernel with its arguments, launch geometry and NumPy reference.",
                         std::move(suite));
}

}  // namespace warpmark
