#include "runtime/struct_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {
namespace {

// Describes the type that the compiler reports for a field; "" for a class: only its size is known.
std::string in_words(const FieldFacts& field) {
  using Kind = FieldFacts::Kind;
  const auto sized = [&](const char* what) {
    return fmt::format("{} of {} byte{}", what, field.bytes, field.bytes == 1 ? "" : "s");
  };
  switch (field.kind) {
    case Kind::boolean:
      return "a bool";
    case Kind::signed_integer:
      return sized("a signed integer");
    case Kind::unsigned_integer:
      return sized("an unsigned integer");
    case Kind::floating:
      return sized("a floating-point number");
    case Kind::character:
      return "a char";
    case Kind::enumeration:
      return sized("an enumeration");
    case Kind::pointer:
      return "a pointer";
    case Kind::other:
      break;
  }
  return "";
}

// Returns whether `dtype` fits the type that the compiler reports for a field. The compiler reports
// floats of 16 and 8 bits and complex numbers as classes.
bool is_described(const DType& dtype, const FieldFacts& field) {
  using Kind = FieldFacts::Kind;
  if (field.kind == Kind::other) return true;
  if (field.bytes != dtype.bytes) return false;
  const bool integer = is_integer(dtype);
  switch (field.kind) {
    case Kind::boolean:
      return dtype.kind == DTypeKind::boolean;
    case Kind::signed_integer:
      return dtype.kind == DTypeKind::signed_integer;
    case Kind::unsigned_integer:
      return dtype.kind == DTypeKind::unsigned_integer;
    case Kind::floating:
      return dtype.kind == DTypeKind::floating;
    default:
      return integer;
  }
}

}  // namespace

std::optional<LayoutDifference> layout_difference(const std::string& name, const DType& described,
                                                  const LayoutFacts& compiled) {
  constexpr const char* kHint = "describe every field, in the order of the source";
  if (!compiled.problem.empty()) {
    return LayoutDifference{fmt::format("the struct `{}` is not as the suite describes it: {}",
                                        name, printable(compiled.problem)),
                            ""};
  }
  const std::vector<Field>& fields = *described.fields;
  for (size_t i = 0; i < std::min(fields.size(), compiled.offsets.size()); ++i) {
    if (compiled.offsets[i] == fields[i].offset) continue;
    return LayoutDifference{
        fmt::format("the field `{}` of `{}` is at byte {} by the suite, and at byte {} by the "
                    "compiler",
                    fields[i].name, name, fields[i].offset, compiled.offsets[i]),
        kHint};
  }
  for (size_t i = 0; i < std::min(fields.size(), compiled.fields.size()); ++i) {
    if (is_described(fields[i].dtype, compiled.fields[i])) continue;
    return LayoutDifference{
        fmt::format("the field `{}` of `{}` is {} by the suite, and {} by the compiler",
                    fields[i].name, name, fields[i].dtype.name, in_words(compiled.fields[i])),
        ""};
  }
  if (compiled.bytes == described.bytes) return std::nullopt;
  return LayoutDifference{
      fmt::format("the struct `{}` has {} bytes by the suite, and {} by the compiler", name,
                  described.bytes, compiled.bytes),
      kHint};
}

}  // namespace warpmark
