#include "debug/value_type.hpp"

#include <map>

namespace warpmark::debugging {

namespace {

TypePointer number_type(ValueType::Kind kind, const std::string& name, uint64_t bytes,
                        bool is_signed) {
  auto type = std::make_shared<ValueType>();
  type->kind = kind;
  type->name = name;
  type->bytes = bytes;
  type->is_signed = is_signed;
  return type;
}

}  // namespace

TypePointer integer_type(const std::string& name, uint64_t bytes, bool is_signed) {
  return number_type(ValueType::Kind::integer, name, bytes, is_signed);
}

TypePointer real_type(const std::string& name, uint64_t bytes) {
  return number_type(ValueType::Kind::real, name, bytes, true);
}

TypePointer boolean_type() {
  return number_type(ValueType::Kind::boolean, "bool", 1, false);
}

TypePointer unknown_type(const std::string& name, uint64_t bytes) {
  return number_type(ValueType::Kind::unknown, name, bytes, false);
}

TypePointer pointer_to(const TypePointer& target) {
  auto type = std::make_shared<ValueType>();
  type->kind = ValueType::Kind::pointer;
  type->name = (target ? target->name : "void") + " *";
  type->bytes = 8;
  type->target = target;
  return type;
}

TypePointer array_of(const TypePointer& element, uint64_t count) {
  auto type = std::make_shared<ValueType>();
  type->kind = ValueType::Kind::array;
  // The outermost dimension is written first.
  const std::string own = "[" + std::to_string(count) + "]";
  const size_t bracket = element->name.find('[');
  type->name = bracket == std::string::npos ? element->name + " " + own
                                            : std::string(element->name).insert(bracket, own);
  type->bytes = element->bytes * count;
  type->element = element;
  type->count = count;
  return type;
}

TypePointer type_of_dtype(const std::string& dtype) {
  static const std::map<std::string, TypePointer> kTypes = {
      {"bool", boolean_type()},
      {"int8", integer_type("int8_t", 1, true)},
      {"uint8", integer_type("uint8_t", 1, false)},
      {"int16", integer_type("short", 2, true)},
      {"uint16", integer_type("unsigned short", 2, false)},
      {"int32", integer_type("int", 4, true)},
      {"uint32", integer_type("unsigned int", 4, false)},
      {"int64", integer_type("long long", 8, true)},
      {"uint64", integer_type("unsigned long long", 8, false)},
      {"float16", real_type("half", 2)},
      {"float32", real_type("float", 4)},
      {"float64", real_type("double", 8)},
  };
  const auto found = kTypes.find(dtype);
  if (found != kTypes.end()) return found->second;
  return unknown_type(dtype, 0);
}

}  // namespace warpmark::debugging
