#include "codegen/kernel_keys.hpp"

#include <algorithm>

namespace warpmark::codegen {

using plugin::Failure;
using plugin::Json;

namespace {

constexpr const char* kText = R"({"type": "string", "pattern": "[^ \\t\\n]"})";
constexpr const char* kCode = R"({"allOf": [{"$ref": "#/definitions/generatedText"}]})";
constexpr const char* kName = R"({"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"})";
constexpr const char* kRange = R"({"$ref": "#/definitions/elementRange"})";
constexpr const char* kTune = R"({"$ref": "#/definitions/tune"})";
constexpr const char* kTuneBlocks = R"({"$ref": "#/definitions/tuneWithBlocks"})";

constexpr KernelKey kPreamble = {"preamble", "CUDA C++ before the kernel.", kText};
constexpr KernelKey kDefine = {"define", "", ""}, kOptions = {"options", "", ""},
                    kArch = {"arch", "", ""};
constexpr KernelKey kKernelName = {"name", "The kernel's name, for profilers.", kName};
constexpr KernelKey kMap = {"map", "An expression over `i`, `n` and the inputs.", kCode, true};
constexpr KernelKey kNeutral = {"neutral",
                                "The neutral element; the named operations have their own.", kCode};

constexpr const char* kDefinitions = R"({
  "generatedText": {"type": ["string", "number"], "pattern": "[^ \\t\\n]"},
  "tuneNumber": {"type": ["integer", "string"], "pattern": "^[0-9]+$", "minimum": 1}})";

const std::vector<KernelKey>& range_keys() {
  constexpr const char* kArithmetic = R"({"allOf": [{"$ref": "#/definitions/arithmetic"}]})";
  static const std::vector<KernelKey> kKeys = {
      {"start", "The first index (arithmetic); default 0.", kArithmetic},
      {"stop", "The end, which is not included (arithmetic); default: the size of the first array.",
       kArithmetic},
      {"step", "The step from one index to the next (arithmetic); default 1.", kArithmetic}};
  return kKeys;
}

std::vector<KernelKey> tune_keys(bool has_blocks) {
  constexpr const char* kNumber = R"({"allOf": [{"$ref": "#/definitions/tuneNumber"}]})";
  std::vector<KernelKey> keys = {
      {"block", "Threads of a block, a multiple of 32.", kNumber},
      {"vectors", "Vectors of each array that a thread has in flight.", kNumber}};
  if (has_blocks) keys.push_back({"blocks", "The largest number of blocks.", kNumber});
  return keys;
}

constexpr const char* kNamedReductions =
    R"({"anyOf": [{"required": ["neutral"]}, {"properties": {"reduce": {
           "description": "These need no `neutral`.",
           "enum": ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean",
                    "variance"]}}}]})";

std::vector<KernelKey> reduction_keys() {
  return {
      {"parameters",
       "The kernel's parameters, as in C: the suite's arguments in their order, with the same "
       "names. One is the result.",
       kText, true},
      kMap,
      {"reduce",
       "An associative expression over `a` and `b`; or `sum`, `prod`, `max`, `min`, `any`, "
       "`all`, `argmax`, `argmin`, `mean`, `variance`.",
       kText, true},
      kNeutral,
      {"accumulate",
       "The C++ type in which values are combined; default: the type of the result, but for a "
       "few names that of the first input or `bool`.",
       kText},
      {"commutative", "`false` keeps the order of the elements.",
       R"({"enum": [true, false, "true", "false"], "default": true})"},
      {"finish",
       "An expression over `total` and `count`: what the result is made of; default: `total`, "
       "and for `mean` and `variance` what they divide.",
       kCode},
      {"index", "An input array of integers: `i` takes its values.", kName},
      {"axis",
       "Reduces an array of two axes along one: 0 gives a value for each column, 1 for each row; "
       "or the name of an axis of the suite.",
       R"({"type": ["integer", "string"], "pattern": "^([01]|[A-Za-z_][A-Za-z0-9_]*)$",
             "minimum": 0, "maximum": 1})"},
      kPreamble,
      kDefine,
      kOptions,
      kArch,
      kKernelName,
      {"range", "", kRange},
      {"tune", "", kTuneBlocks}};
}

Json schema_of(const std::vector<KernelKey>& keys) {
  Json schema = {{"properties", Json::object()}};
  for (const KernelKey& key : keys) {
    if (key.needed) schema["required"].push_back(key.name);
    if (*key.form == '\0') continue;
    Json property = Json::object();
    if (*key.says != '\0') property["description"] = key.says;
    property.update(Json::parse(key.form));
    schema["properties"][key.name] = std::move(property);
  }
  return schema;
}

Json map_of(const char* about, const std::vector<KernelKey>& keys) {
  Json schema = {{"description", about}, {"type", "object"}, {"additionalProperties", false}};
  schema.update(schema_of(keys));
  return schema;
}

}  // namespace

const std::vector<KernelKeys>& all_kernel_keys() {
  static const std::vector<KernelKeys> kAll = {
      {"elementwise",
       {{"parameters",
         "The kernel's parameters, as in C: the suite's arguments in their order, with the same "
         "names.",
         kText, true},
        {"operation",
         "CUDA C++ for one element, as in `z[i] = a * x[i]`; `i` is its index, `n` the number of "
         "elements.",
         kCode, true},
        kPreamble,
        kDefine,
        kOptions,
        kArch,
        kKernelName,
        {"range", "", kRange},
        {"tune", "", kTune}}},
      {"reduction", reduction_keys(), kNamedReductions},
      {"array",
       {{"expression",
         "Assignments to whole arrays with NumPy's meaning, as in `z[::-1] = np.where(x > 0, a * "
         "x, 0)`; one on each line.",
         kText, true},
        {"shapes",
         "Shapes of inputs whose values do not show them, by name: arithmetic over axes, one for "
         "each extent.",
         R"({"type": "object", "propertyNames": {"$ref": "#/definitions/name"},
             "additionalProperties": {"anyOf": [
                 {"$ref": "#/definitions/arithmetic"},
                 {"type": "array", "items": {"$ref": "#/definitions/arithmetic"}}]}})"},
        kOptions,
        kArch,
        kKernelName,
        {"tune", "", kTune}}},
      {"scan",
       {{"parameters",
         "The kernel's parameters, as in C: the suite's arguments in their order, with the same "
         "names. One is the output.",
         kText, true},
        kMap,
        {"reduce",
         "An associative expression over `a` and `b`; or `sum`, `prod`, `max`, `min`, `any`, "
         "`all`.",
         kText, true},
        kNeutral,
        {"accumulate",
         "The C++ type in which values are combined; default: the type of the output.", kText},
        {"exclusive", "`true`: the value at an element does not include the element.",
         R"({"enum": [true, false, "true", "false"], "default": false})"},
        {"segment",
         "An expression over `i`, `n` and the inputs that is true where a segment begins, as in "
         "`keys[i] != keys[i - 1]`; the first element begins one.",
         kCode},
        kPreamble,
        kDefine,
        kOptions,
        kArch,
        kKernelName,
        {"tune", "", kTune}},
       R"({"anyOf": [{"required": ["neutral"]}, {"properties": {"reduce": {
           "description": "These need no `neutral`.",
           "enum": ["sum", "prod", "max", "min", "any", "all"]}}}]})"}};
  return kAll;
}

void require_keys(const Json& which, const std::string& plugin, const std::string& changes) {
  const auto& all = all_kernel_keys();
  const auto of = std::ranges::find_if(all, [&](const auto& one) { return one.plugin == plugin; });
  std::vector<const char*> names;
  for (const KernelKey& key : of->keys) names.push_back(key.name);
  plugin::only_keys(which.at("kernel"), names);
  if (which.contains("launch")) {
    throw Failure("/launch", "`" + plugin + "` chooses the launch geometry itself",
                  "leave `launch` out; " + changes);
  }
}

Json kernel_definitions() {
  constexpr const char* kTuning = "Settings of the generated launch.";
  Json all = Json::parse(kDefinitions);
  all["elementRange"] =
      map_of("The indices of the elements; default: all of the first array.", range_keys());
  all["tune"] = map_of(kTuning, tune_keys(false));
  all["tuneWithBlocks"] = map_of(kTuning, tune_keys(true));
  for (const KernelKeys& one : all_kernel_keys()) {
    Json schema = Json::parse(one.rules);
    schema.update(schema_of(one.keys));
    for (const KernelKey& key : one.keys) schema["propertyNames"]["enum"].push_back(key.name);
    all[one.plugin + std::string("Kernel")] = std::move(schema);
  }
  return all;
}

}  // namespace warpmark::codegen
