// Names and sizes of PTX types.
#include "ptx/types.hpp"

#include <array>

namespace warpmark::cpu {
namespace {

struct TypeRow {
  std::string_view name;
  Type type;
  std::uint32_t bytes;
};

constexpr std::array<TypeRow, 20> kTypes = {
    {{"pred", Type::pred, 0}, {"b8", Type::b8, 1},       {"u8", Type::u8, 1},
     {"s8", Type::s8, 1},     {"b16", Type::b16, 2},     {"u16", Type::u16, 2},
     {"s16", Type::s16, 2},   {"f16", Type::f16, 2},     {"bf16", Type::bf16, 2},
     {"b32", Type::b32, 4},   {"u32", Type::u32, 4},     {"s32", Type::s32, 4},
     {"f32", Type::f32, 4},   {"f16x2", Type::f16x2, 4}, {"bf16x2", Type::bf16x2, 4},
     {"b64", Type::b64, 8},   {"u64", Type::u64, 8},     {"s64", Type::s64, 8},
     {"f64", Type::f64, 8},   {"b128", Type::b128, 16}}};

}  // namespace

std::uint32_t bytes_of(Type type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.bytes;
  }
  return 0;
}

std::string_view name_of(Type type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.name;
  }
  return "";
}

Type type_named(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return Type::none;
}

bool is_integer(Type type) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::s8:
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::b64:
    case Type::u64:
    case Type::s64:
      return true;
    default:
      return false;
  }
}

bool is_floating(Type type) {
  switch (type) {
    case Type::f16:
    case Type::bf16:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::f64:
      return true;
    default:
      return false;
  }
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

}  // namespace warpmark::cpu
