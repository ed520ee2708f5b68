#include "base/record_field.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_of(const Json& value) {
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "true or false";
  if (value.is_number()) return "a number";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return "null";
}

bool fits_int64(const Json& value) {
  if (!value.is_number_integer()) return false;
  return !value.is_number_unsigned() ||
         value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

}  // namespace

std::string RecordField::path_to(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}/{}", path_, name);
}

RecordField RecordField::part(const Json& value, std::string path) const {
  RecordField field(value, *where_, schema_);
  field.path_ = std::move(path);
  return field;
}

RecordField RecordField::member(const char* name) const {
  if (!value_->is_object()) throw mistyped("an object");
  const auto found = value_->find(name);
  if (found == value_->end()) {
    throw usage_error(fmt::format("the record has no `{}`", path_to(name)), *where_,
                      fmt::format("{} says what a record has", schema_));
  }
  return part(*found, path_to(name));
}

std::optional<RecordField> RecordField::find(const char* name) const {
  if (!value_->is_object()) throw mistyped("an object");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return part(*found, path_to(name));
}

std::vector<std::pair<std::string, RecordField>> RecordField::members() const {
  if (!value_->is_object()) throw mistyped("an object");
  std::vector<std::pair<std::string, RecordField>> all;
  for (const auto& [name, value] : value_->items())
    all.emplace_back(name, part(value, path_to(name)));
  return all;
}

std::string RecordField::text() const {
  if (!value_->is_string()) throw mistyped("a text");
  return value_->get<std::string>();
}

bool RecordField::boolean() const {
  if (!value_->is_boolean()) throw mistyped("true or false");
  return value_->get<bool>();
}

int64_t RecordField::integer() const {
  if (!fits_int64(*value_)) throw mistyped("an integer");
  return value_->get<int64_t>();
}

uint64_t RecordField::natural() const {
  if (value_->is_number_unsigned()) return value_->get<uint64_t>();
  if (integer() < 0) throw wrong("must not be negative");
  return static_cast<uint64_t>(integer());
}

double RecordField::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) throw mistyped("a number");
  return value_->get<double>();
}

std::vector<double> RecordField::numbers() const {
  if (!value_->is_array()) throw mistyped("a list");
  std::vector<double> numbers;
  numbers.reserve(value_->size());
  for (size_t i = 0; i < value_->size(); ++i) {
    const Json& element = (*value_)[i];
    // The path of an element takes longer than the number, and there are thousands of them.
    if (!element.is_number()) elements()[i].number();
    numbers.push_back(element.get<double>());
  }
  return numbers;
}

std::vector<std::string> RecordField::texts() const {
  std::vector<std::string> texts;
  for (const RecordField& element : elements()) texts.push_back(element.text());
  return texts;
}

std::vector<RecordField> RecordField::elements() const {
  if (!value_->is_array()) throw mistyped("a list");
  std::vector<RecordField> fields;
  fields.reserve(value_->size());
  for (size_t i = 0; i < value_->size(); ++i) {
    fields.push_back(part((*value_)[i], path_to(std::to_string(i))));
  }
  return fields;
}

std::string RecordField::plain() const {
  if (value_->is_string()) return value_->get<std::string>();
  if (value_->is_number() || value_->is_boolean()) return value_->dump();
  throw mistyped("a text or a number");
}

Error RecordField::wrong(const std::string& what) const {
  return usage_error(
      path_.empty() ? "the record " + what : fmt::format("`{}` {}", printable(path_), what),
      *where_);
}

Error RecordField::mistyped(std::string_view wanted) const {
  const std::string_view kind = kind_of(*value_);
  return wrong(
      kind == wanted || (wanted == "an integer" && kind == "a number")
          ? fmt::format("must be {}, not {}", wanted, printable(value_->dump().substr(0, 40)))
          : fmt::format("must be {}, not {}", wanted, kind));
}

}  // namespace warpmark
