#include "cli/draft/draft_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {
namespace {

// "n", "(n, 3)".
std::string shape_text(const std::vector<std::string>& shape) {
  return shape.size() == 1 ? shape.front() : "(" + join(shape, ", ") + ")";
}

bool is_pointer(const DraftField& field) {
  return field.type.ends_with('*');
}

const DraftStruct* find_struct(const std::vector<DraftStruct>& structs, const std::string& name) {
  const auto found = std::ranges::find(structs, name, &DraftStruct::name);
  return found == structs.end() ? nullptr : &*found;
}

// The field of a struct's dtype with its shape, a vector's as well.
const Field& field_of(const DraftStruct& of, const std::string& name) {
  return *std::ranges::find(*of.dtype.fields, name, &Field::name);
}

// "[[2, 2], [2, 2]]".
std::string nested_list(const std::string& value, const std::vector<int64_t>& shape) {
  std::string text = value;
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    text = fmt::format("[{}] * {}", text, *extent);
  }
  return text;
}

std::string tuple_of(const DraftStruct& of, const std::vector<DraftStruct>& structs,
                     const FieldValue& value, const std::string& path) {
  std::vector<std::string> values;
  for (const DraftField& field : of.fields) {
    const Field& known = field_of(of, field.name);
    std::string text = value(path + "." + field.name, field);
    if (text.empty()) {
      const DraftStruct* inner = find_struct(structs, field.type);
      text = inner != nullptr    ? tuple_of(*inner, structs, value, path + "." + field.name)
             : is_pointer(field) ? "0"
                                 : usual_value(known.dtype);
      text = nested_list(text, known.shape);
    }
    values.push_back(std::move(text));
  }
  return "(" + join(values, ", ") + (values.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string array_values(const DType& dtype, const std::vector<std::string>& shape) {
  const std::string text = shape_text(shape);
  switch (dtype.kind) {
    case DTypeKind::floating:
    case DTypeKind::complex:
      return fmt::format("rng.standard_normal({})", text);
    case DTypeKind::boolean:
      return fmt::format("rng.random({}) < 0.5", text);
    default:
      return fmt::format("rng.integers(0, 100, {}, np.{})", text, dtype.name);
  }
}

std::string usual_value(const DType& dtype) {
  switch (dtype.kind) {
    case DTypeKind::floating:
    case DTypeKind::complex:
      return "2";
    case DTypeKind::boolean:
      return "True";
    default:
      return "1";
  }
}

std::string array_values(const DraftStruct& of, const std::vector<DraftStruct>& structs,
                         const std::vector<std::string>& shape) {
  std::vector<std::string> values;
  for (const DraftField& field : of.fields) {
    const Field& known = field_of(of, field.name);
    std::vector<std::string> whole = shape;
    for (const int64_t extent : known.shape) whole.push_back(std::to_string(extent));
    const DraftStruct* inner = find_struct(structs, field.type);
    values.push_back(fmt::format("{}={}", field.name,
                                 inner != nullptr ? array_values(*inner, structs, whole)
                                 : is_pointer(field)
                                     ? fmt::format("np.zeros({}, np.uint64)", shape_text(whole))
                                     : array_values(known.dtype, whole)));
  }
  return "dict(" + join(values, ", ") + ")";
}

std::string struct_value(const DraftStruct& of, const std::vector<DraftStruct>& structs,
                         const FieldValue& value) {
  return tuple_of(of, structs, value, "");
}

}  // namespace warpmark
