// Names and sizes of PTX types.
#include "ptx/types.hpp"

#include <algorithm>
#include <iterator>

namespace warpmark::cpu {
namespace {

enum class Kind : std::uint8_t { other, bits, whole, with_sign, real };

struct TypeRow {
  std::string_view name;
  std::uint32_t bytes;
  Kind kind;
};

// In the order of Type.
constexpr TypeRow kTypes[] = {
    {"", 0, Kind::other},        {"pred", 0, Kind::other},    {"b8", 1, Kind::bits},
    {"u8", 1, Kind::whole},      {"s8", 1, Kind::with_sign},  {"b16", 2, Kind::bits},
    {"u16", 2, Kind::whole},     {"s16", 2, Kind::with_sign}, {"f16", 2, Kind::real},
    {"bf16", 2, Kind::real},     {"b32", 4, Kind::bits},      {"u32", 4, Kind::whole},
    {"s32", 4, Kind::with_sign}, {"f32", 4, Kind::real},      {"f16x2", 4, Kind::real},
    {"bf16x2", 4, Kind::real},   {"b64", 8, Kind::bits},      {"u64", 8, Kind::whole},
    {"s64", 8, Kind::with_sign}, {"f64", 8, Kind::real},      {"b128", 16, Kind::other}};
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::b128) + 1);

constexpr const TypeRow& row_of(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

std::uint32_t bytes_of(Type type) {
  return row_of(type).bytes;
}

std::string_view name_of(Type type) {
  return row_of(type).name;
}

Type type_named(std::string_view name) {
  const auto* const row = std::ranges::find(kTypes, name, &TypeRow::name);
  return row == std::end(kTypes) ? Type::none : static_cast<Type>(row - kTypes);
}

bool is_integer(Type type) {
  const Kind kind = row_of(type).kind;
  return kind == Kind::bits || kind == Kind::whole || kind == Kind::with_sign;
}

bool is_floating(Type type) {
  return row_of(type).kind == Kind::real;
}

bool is_signed(Type type) {
  return row_of(type).kind == Kind::with_sign;
}

}  // namespace warpmark::cpu
