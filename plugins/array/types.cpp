#include "types.hpp"

#include <algorithm>
#include <utility>

namespace warpmark::array {

std::optional<Type> type_named(std::string_view name) {
  static const std::vector<std::pair<std::string_view, Type>> kTypes = {
      {"bool", kBool},
      {"bool_", kBool},
      {"int8", kInt8},
      {"int16", {Category::integer, true, 2}},
      {"int32", kInt32},
      {"int64", kInt64},
      {"uint8", {Category::integer, false, 1}},
      {"uint16", {Category::integer, false, 2}},
      {"uint32", {Category::integer, false, 4}},
      {"uint64", {Category::integer, false, 8}},
      {"float16", kFloat16},
      {"float32", kFloat32},
      {"float64", kFloat64}};
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::string name_of(const Type& type) {
  if (type.weak) return type.kind == Category::real ? "Python float" : "Python int";
  const std::string bits = std::to_string(8 * type.bytes);
  switch (type.kind) {
    case Category::boolean:
      return "bool";
    case Category::integer:
      return (type.is_signed ? "int" : "uint") + bits;
    case Category::real:
      break;
  }
  return "float" + bits;
}

std::string value_type(const Type& type) {
  static const char* const kNames[] = {"char", "short", "int", "long long"};
  switch (type.kind) {
    case Category::boolean:
      return "bool";
    case Category::real:
      return type.bytes == 8 ? "double" : "float";
    case Category::integer:
      break;
  }
  const int log2 = type.bytes == 8 ? 3 : type.bytes / 2;
  const std::string sign = type.is_signed ? (log2 == 0 ? "signed " : "") : "unsigned ";
  return sign + kNames[log2];
}

std::string memory_type(const Type& type) {
  return type == kFloat16 ? "__half" : value_type(type);
}

Type strong(const Type& type) {
  Type same = type;
  same.weak = false;
  return same;
}

namespace {

// float16 holds all of int8 and uint8, float32 all of 16 bits.
Type real_for_integer(const Type& integer) {
  return integer.bytes == 1 ? kFloat16 : integer.bytes == 2 ? kFloat32 : kFloat64;
}

Type promoted(const Type& a, const Type& b) {
  if (a.kind == Category::boolean) return b;
  if (b.kind == Category::boolean) return a;
  if (a.kind != b.kind) {
    const Type& real = a.kind == Category::real ? a : b;
    const Type least = real_for_integer(a.kind == Category::real ? b : a);
    return real.bytes >= least.bytes ? real : least;
  }
  if (a.kind == Category::real || a.is_signed == b.is_signed) return a.bytes >= b.bytes ? a : b;
  const Type& with_sign = a.is_signed ? a : b;
  const Type& without = a.is_signed ? b : a;
  if (with_sign.bytes > without.bytes) return with_sign;
  if (without.bytes == 8) return kFloat64;
  return {Category::integer, true, 2 * without.bytes};
}

}  // namespace

Type result_type(const std::vector<Type>& types) {
  std::optional<Type> result;
  std::optional<Category> weak;
  for (const Type& type : types) {
    if (type.weak) {
      weak = weak ? std::max(*weak, type.kind) : type.kind;
    } else {
      result = result ? promoted(*result, type) : type;
    }
  }
  if (!weak) return *result;
  const Type python = *weak == Category::real ? kWeakFloat : kWeakInt;
  if (!result) return python;
  return *weak > result->kind ? strong(python) : *result;
}

Type real_type(const Type& type) {
  if (type.weak) return kFloat64;
  switch (type.kind) {
    case Category::boolean:
      return kFloat16;
    case Category::integer:
      return real_for_integer(type);
    case Category::real:
      break;
  }
  return type;
}

bool same_kind(const Type& from, const Type& to) {
  if (from.kind == Category::integer && to.kind == Category::integer)
    return from.is_signed <= to.is_signed;
  return from.kind <= to.kind;
}

bool holds(const Type& type, int64_t value) {
  if (type.kind == Category::real) return true;
  if (type.kind == Category::boolean) return value == 0 || value == 1;
  if (type.bytes == 8) return type.is_signed || value >= 0;
  const int64_t values = int64_t{1} << (8 * type.bytes);
  return type.is_signed ? value >= -values / 2 && value < values / 2 : value >= 0 && value < values;
}

}  // namespace warpmark::array
