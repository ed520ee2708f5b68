#include "suite/key_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/characters.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"

namespace warpmark {

using Json = nlohmann::ordered_json;

namespace {

std::string quoted(const std::string& key) {
  return "`" + key + "`";
}

// YAML reads some words as truth or as numbers.
Json word_value(const std::string& word) {
  if (word == "true" || word == "false") return word == "true";
  if (std::ranges::all_of(word, is_digit)) return std::stoi(word);
  return word;
}

// A schema for each of them, which are keys with blanks between.
std::string required(const std::vector<std::string>& all) {
  Json schemas = Json::array();
  for (const std::string& keys : all) schemas.push_back({{"required", split(keys, ' ')}});
  return json_line(schemas);
}

}  // namespace

KeyForm KeyForm::of(std::string_view definition) {
  const char* folder = definition[0] == '#' ? "" : "#/definitions/";
  return fmt::format(R"({{"$ref": "{}{}"}})", folder, definition);
}

KeyForm KeyForm::like(const std::string& pattern) {
  return json_line(Json{{"type", "string"}, {"pattern", pattern}});
}

KeyForm KeyForm::words(std::vector<std::string> all) {
  KeyForm form;
  form.words_ = std::move(all);
  return form;
}

KeyForm KeyForm::number(Number kind, double least, double most) {
  KeyForm form;
  form.number_ = kind;
  form.least_ = least;
  form.most_ = most;
  return form;
}

KeyForm KeyForm::keys(KeyTableOf table) {
  KeyForm form;
  form.table_ = std::move(table);
  return form;
}

KeyForm KeyForm::any_of(std::vector<KeyForm> forms) {
  KeyForm form;
  form.forms_ = std::move(forms);
  return form;
}

KeyForm KeyForm::list_of(KeyForm form, size_t least, size_t most) {
  if (form.shape_ != Shape::one) form = any_of({form});
  form.shape_ = Shape::list;
  form.least_count_ = least;
  form.most_count_ = most;
  return form;
}

KeyForm KeyForm::by_name(const KeyForm& of, size_t least, size_t most) {
  KeyForm form = list_of(of, least, most);
  form.shape_ = Shape::by_name;
  return form;
}

double KeyForm::read_number(const YamlNode& node, const std::string& what) const {
  const Expression expression = read_expression(node, what);
  const ArithmeticValue value = expression.evaluate({});
  const auto* integer = std::get_if<int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  if (integer == nullptr && real == nullptr) {
    throw usage_error(fmt::format("{} must be a number, and is {}", what, to_text(value)),
                      expression.where());
  }
  const double number = integer != nullptr ? static_cast<double>(*integer) : *real;
  // A NaN fails each comparison.
  const bool is_in =
      number <= most_ && (number_ == Number::above ? number > least_ : number >= least_);
  if (is_in && (number_ != Number::whole || number == std::floor(number))) return number;
  const std::string bounds =
      number_ == Number::whole
          ? fmt::format("a whole number from {:.0f} to {:.0f}", least_, most_)
          : fmt::format("{} {:.15g} {} {:.15g}", number_ == Number::from ? "from" : "more than",
                        least_, number_ == Number::from ? "to" : "and at most", most_);
  throw usage_error(fmt::format("{} must be {}, and is {:.15g}", what, bounds, number),
                    node.content);
}

Json KeyForm::value_schema() const {
  if (!schema_.empty()) return parse_json(schema_);
  if (table_) return table_().schema();
  if (!words_.empty()) {
    Json all = Json::array();
    for (const std::string& word : words_) all.push_back(word_value(word));
    return {{"enum", std::move(all)}};
  }
  if (forms_.size() == 1) return forms_.front().schema("");
  if (!forms_.empty()) {
    Json all = Json::array();
    for (const KeyForm& form : forms_) all.push_back(form.schema(""));
    return {{"anyOf", std::move(all)}};
  }
  const auto bound = [](double value) { return static_cast<int64_t>(value); };
  const bool is_whole = number_ == Number::whole;
  Json one = {{"type", is_whole ? Json{"integer", "string", "number"} : Json{"number", "string"}},
              {"minLength", 1},
              {number_ == Number::above ? "exclusiveMinimum" : "minimum", bound(least_)}};
  if (is_whole) one["multipleOf"] = 1;
  one["maximum"] = bound(most_);
  return one;
}

Json KeyForm::schema(const char* says) const {
  Json value = value_schema();
  const bool is_map = shape_ == Shape::by_name;
  if (shape_ != Shape::one) {
    Json all = {{"type", is_map ? "object" : "array"}};
    if (least_count_ > 0) all[is_map ? "minProperties" : "minItems"] = least_count_;
    if (most_count_ > 0) all[is_map ? "maxProperties" : "maxItems"] = most_count_;
    if (is_unique_) all["uniqueItems"] = true;
    if (is_map) all["propertyNames"] = {{"pattern", names_}};
    all[is_map ? "additionalProperties" : "items"] = std::move(value);
    value = std::move(all);
  }
  const bool has_more = *says != '\0' || *standard_ != '\0';
  // JSON Schema ignores members beside a reference.
  if (has_more && value.contains("$ref")) value = {{"allOf", Json::array({std::move(value)})}};
  if (*says != '\0') {
    Json all = {{"description", says}};
    value.erase("description");
    all.update(value);
    value = std::move(all);
  }
  if (*standard_ != '\0') value["default"] = parse_json(standard_);
  return value;
}

KeyTable& KeyTable::never_both(const std::vector<std::string>& pairs) {
  return rules(R"({"not": {"anyOf": )" + required(pairs) + "}}");
}
KeyTable& KeyTable::one_of(const std::vector<std::string>& keys) {
  return rules(R"({"oneOf": )" + required(keys) + "}");
}
KeyTable& KeyTable::some_of(const std::vector<std::string>& keys) {
  return rules(R"({"anyOf": )" + required(keys) + "}");
}

KeyTable KeyTable::with(const KeyTable& more) const {
  KeyTable table = *this;
  table.keys_.insert(table.keys_.end(), more.keys_.begin(), more.keys_.end());
  return table;
}

std::vector<std::string> KeyTable::names() const {
  std::vector<std::string> all;
  for (const Key& key : keys_) all.emplace_back(key.name);
  return all;
}

const KeyForm& KeyTable::form(std::string_view key) const {
  return std::ranges::find(keys_, key, &Key::name)->form;
}

Json KeyTable::schema() const {
  Json needed = Json::array(), properties = Json::object();
  for (const Key& key : keys_) {
    if (key.form.is_needed()) needed.push_back(key.name);
    properties[key.name] = key.form.schema(key.says);
  }
  Json map = Json::object();
  if (*about_ != '\0') map["description"] = about_;
  map["type"] = "object";
  if (!needed.empty()) map["required"] = std::move(needed);
  map["additionalProperties"] = false;
  for (const std::string& rule : rules_) map.update(parse_json(rule));
  map["properties"] = std::move(properties);
  return map;
}

KeyedMap::KeyedMap(const YamlNode& node, const std::string& what, const KeyTable& table)
    : node_(node), table_(table) {
  require_map(node, what, table.names());
  std::vector<std::string> lacks;
  for (const Key& key : table.keys()) {
    if (key.form.is_needed() && node.find(key.name) == nullptr) lacks.push_back(quoted(key.name));
  }
  if (lacks.empty()) return;
  throw usage_error(fmt::format("{} needs {}", what, join(lacks, " and ")), node.where,
                    table.hint());
}

std::optional<Located> KeyedMap::text(const std::string& key) const {
  const YamlNode* node = find(key);
  return node != nullptr ? std::optional(read_text(*node, quoted(key))) : std::nullopt;
}

std::optional<Expression> KeyedMap::expression(const std::string& key) const {
  const YamlNode* node = find(key);
  return node != nullptr ? std::optional(read_expression(*node, quoted(key))) : std::nullopt;
}

std::vector<Expression> KeyedMap::expressions(const std::string& key) const {
  const YamlNode* node = find(key);
  return node != nullptr ? read_expressions(*node, quoted(key)) : std::vector<Expression>();
}

std::optional<bool> KeyedMap::truth(const std::string& key) const {
  const YamlNode* node = find(key);
  return node != nullptr ? std::optional(read_truth(*node, quoted(key))) : std::nullopt;
}

std::optional<std::string> KeyedMap::word(const std::string& key) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  return read_word(*node, quoted(key), table_.form(key).words());
}

}  // namespace warpmark
