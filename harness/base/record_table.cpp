#include "base/record_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace warpmark {

namespace record_table {

void require_bounds(const RecordField& record, const FieldInfo& field, double number) {
  const double least = field.least.value_or(-std::numeric_limits<double>::infinity());
  if (field.most && !(number >= least && number <= *field.most))
    throw record.wrong(fmt::format("must be from {} to {}", least, *field.most));
  if (field.is_more && number <= least)
    throw record.wrong(fmt::format("must be more than {}", least));
  if (number >= least) return;
  throw record.wrong(least == 0 ? "must not be negative"
                                : fmt::format("must be {} or more", least));
}

Error wrong_size(const RecordField& record, size_t size) {
  return record.wrong(fmt::format("must have {}", counted(size, "element")));
}

std::vector<std::string> words_of(std::string_view all) {
  return all.empty() ? std::vector<std::string>() : split(std::string(all), ',');
}

RecordJson text_schema(const FieldInfo& field) {
  if (*field.words != '\0') return enum_schema({}, field);
  RecordJson schema = {{"type", "string"}};
  if (*field.pattern != '\0') schema["pattern"] = field.pattern;
  if (field.is_optional) schema["minLength"] = 1;
  return schema;
}

RecordJson number_schema(const char* type, const FieldInfo& field) {
  RecordJson schema = {{"type", type}};
  // Whole bounds as such: 0 and not 0.0.
  const auto put = [&](const char* key, double bound) {
    schema[key] = static_cast<int64_t>(bound);
  };
  if (field.least) put(field.is_more ? "exclusiveMinimum" : "minimum", *field.least);
  if (field.most) put("maximum", *field.most);
  return schema;
}

RecordJson list_schema(RecordJson elements, const FieldInfo& field) {
  RecordJson schema = {{"type", "array"}, {"items", std::move(elements)}};
  if (field.is_optional) schema["minItems"] = 1;
  return schema;
}

RecordJson enum_schema(std::vector<std::string> words, const FieldInfo& field) {
  for (std::string& word : words_of(field.words)) words.push_back(std::move(word));
  return {{"enum", std::move(words)}};
}

RecordJson map_schema(RecordJson values, const FieldInfo& field) {
  RecordJson schema = {{"type", "object"}};
  if (*field.words != '\0') schema["propertyNames"] = enum_schema({}, field);
  schema["additionalProperties"] = std::move(values);
  return schema;
}

void add_property(RecordJson& object, const FieldInfo& field, RecordJson kind, bool nullable) {
  const bool is_new = *field.since != '\0';
  if (!field.is_optional && !is_new) object["required"].push_back(field.name);
  if (nullable && kind.contains("type")) {
    kind["type"] = RecordJson::array({kind["type"], "null"});
  } else if (nullable && kind.contains("enum")) {
    kind["enum"].push_back(nullptr);
  } else if (nullable) {
    kind = {{"oneOf", RecordJson::array({{{"type", "null"}}, std::move(kind)})}};
  }
  std::string says = field.says;
  if (is_new) {
    if (!says.empty()) says += " ";
    says += fmt::format("Absent in records from before {}.", field.since);
  }
  RecordJson property = RecordJson::object();
  if (!says.empty()) property["description"] = says;
  property.update(kind);
  object["properties"][field.name] = std::move(property);
}

}  // namespace record_table

RecordJson schema_document(const std::string& name, const std::string& title,
                           const std::string& about, RecordJson rest) {
  RecordJson document = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                         {"$id", fmt::format("https://warpmark.invalid/schema/{}.json", name)},
                         {"title", title}};
  if (!about.empty()) document["description"] = about;
  document.update(rest);
  return document;
}

RecordJson Seconds::json() const {
  return std::isfinite(value) && value >= 0 ? value : 0;
}

void Seconds::read(const RecordField& record, const FieldInfo&) {
  read_record(record, value, FieldInfo("").at_least(0));
}

RecordJson Seconds::schema(const FieldInfo&) const {
  return record_table::number_schema("number", FieldInfo("").at_least(0));
}

template <typename T>
void AnyNumber<T>::read(const RecordField& record, const FieldInfo& field) {
  const std::string plain = record.plain();
  if (plain == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (plain == "inf" || plain == "-inf") {
    value = (plain == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
  } else {
    read_record(record, value, field);
  }
}

template <typename T>
RecordJson AnyNumber<T>::schema(const FieldInfo& field) const {
  return {{"oneOf", RecordJson::array(
                        {record_schema(value, true, field), {{"enum", {"nan", "inf", "-inf"}}}})}};
}

template struct AnyNumber<double>;
template struct AnyNumber<std::optional<double>>;

}  // namespace warpmark
