#include "debug/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"

namespace warpmark::debugging {
namespace {

using Kind = ValueType::Kind;

// NumPy shortens arrays of more than a thousand elements; a debugger does so sooner.
constexpr uint64_t kMostShown = 200, kEdge = 3;
constexpr int kMostTextDepth = 8;

[[noreturn]] void refuse(const std::string& why) {
  throw usage_error(why, {});
}

uint64_t raw_of(const std::vector<std::byte>& bytes) {
  uint64_t raw = 0;
  std::memcpy(&raw, bytes.data(), std::min(bytes.size(), sizeof raw));
  return raw;
}

double half_to_double(uint64_t raw) {
  const double sign = (raw & 0x8000) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(raw >> 10 & 31);
  const auto fraction = static_cast<double>(raw & 1023);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

int64_t signed_of(uint64_t raw, uint64_t bytes, bool is_signed) {
  if (bytes == 0 || bytes >= 8) return static_cast<int64_t>(raw);
  const auto shift = static_cast<int>(64 - bytes * 8);
  raw <<= shift;
  return is_signed ? static_cast<int64_t>(raw) >> shift : static_cast<int64_t>(raw >> shift);
}

double real_from(const std::vector<std::byte>& bytes) {
  const uint64_t raw = raw_of(bytes);
  if (bytes.size() == 8) return std::bit_cast<double>(raw);
  if (bytes.size() == 4) return std::bit_cast<float>(static_cast<uint32_t>(raw));
  return half_to_double(raw);
}

std::string real_text(const std::vector<std::byte>& bytes) {
  const uint64_t raw = raw_of(bytes);
  if (bytes.size() == 4) return fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(raw)));
  return fmt::format("{}", real_from(bytes));
}

// How a value is written: its digits, and how many values it lies in.
struct Manner {
  Digits digits = Digits::decimal;
  int depth = 0;
  Manner inside() const { return {digits, depth + 1}; }
};

std::string text_at(const Value& value, const ThreadView& thread, Manner manner);

std::string array_text(const Value& value, const ThreadView& thread, Manner manner) {
  const uint64_t count = value.type->count;
  const bool whole = count <= kMostShown;
  std::string text = "[";
  for (uint64_t i = 0; i < count; ++i) {
    if (!whole && i == kEdge) {
      text += " ...";
      i = count - kEdge;
    }
    if (i > 0) text += ' ';
    text += text_at(element(value, static_cast<int64_t>(i), thread), thread, manner.inside());
  }
  return text + "]";
}

std::string record_text(const Value& value, const ThreadView& thread, Manner manner) {
  std::string text = "{";
  for (const ValueType::Member& one : value.type->members) {
    if (text.size() > 1) text += ", ";
    text += one.name + " = " + text_at(member(value, one.name, thread), thread, manner.inside());
  }
  return text + "}";
}

std::string hexadecimal_text(const std::vector<std::byte>& bytes) {
  return fmt::format("{:#x}", raw_of(bytes));
}

std::string integer_text(const Value& value, const ThreadView& thread) {
  const ValueType& type = *value.type;
  const int64_t number = integer_of(value, thread);
  const auto known =
      std::ranges::find_if(type.names, [&](const auto& one) { return one.second == number; });
  if (known != type.names.end()) return fmt::format("{} ({})", known->first, number);
  if (!type.is_signed && type.bytes >= 8) return fmt::format("{}", static_cast<uint64_t>(number));
  if (type.name == "char" && number >= ' ' && number <= '~')
    return fmt::format("{} '{}'", number, static_cast<char>(number));
  return fmt::format("{}", number);
}

std::string text_at(const Value& value, const ThreadView& thread, Manner manner) {
  if (manner.depth > kMostTextDepth) return "...";
  const ValueType& type = *value.type;
  const bool in_hexadecimal = manner.digits == Digits::hexadecimal;
  if (type.reference) return text_at(referred(value, thread), thread, manner.inside());
  switch (type.kind) {
    case Kind::array:
      return array_text(value, thread, manner);
    case Kind::record:
      return record_text(value, thread, manner);
    case Kind::boolean:
      return integer_of(value, thread) != 0 ? "true" : "false";
    case Kind::real:
      return in_hexadecimal ? hexadecimal_text(bytes_of(value, thread))
                            : real_text(bytes_of(value, thread));
    case Kind::pointer: {
      const auto address = static_cast<uint64_t>(integer_of(value, thread));
      const std::string label = thread.pointer_text(address, type.target ? type.target->bytes : 0);
      return fmt::format("{:#x}{}", address, label.empty() ? "" : " (" + label + ")");
    }
    case Kind::integer:
      return in_hexadecimal ? hexadecimal_text(bytes_of(value, thread))
                            : integer_text(value, thread);
    case Kind::unknown:
      break;
  }
  const std::vector<std::byte> bytes = bytes_of(value, thread);
  if (bytes.empty()) return "<of a type that is not known>";
  std::string text = "0x";
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
    text += fmt::format("{:02x}", std::to_integer<unsigned>(*byte));
  return text;
}

}  // namespace

std::vector<std::byte> bytes_of(const Value& value, const ThreadView& thread) {
  if (!value.place) return value.bytes;
  auto bytes = thread.read(value.place->space, value.place->address, value.type->bytes);
  if (!bytes) {
    refuse(fmt::format("{} bytes at {:#x} cannot be read: they are in no allocation",
                       value.type->bytes, value.place->address));
  }
  return std::move(*bytes);
}

int64_t integer_of(const Value& value, const ThreadView& thread) {
  const ValueType& type = *value.type;
  if (type.reference) return integer_of(referred(value, thread), thread);
  if (type.kind == Kind::real) return static_cast<int64_t>(real_of(value, thread));
  if (type.kind == Kind::array && value.place)
    return static_cast<int64_t>(address_of(*value.place, thread));
  if (type.kind == Kind::array || type.kind == Kind::record)
    refuse("a value of the type `" + type.name + "` is no number");
  return signed_of(raw_of(bytes_of(value, thread)), type.bytes, type.is_signed);
}

uint64_t address_of(const Value::Place& place, const ThreadView& thread) {
  if (place.space == WARPMARK_DEBUG_SHARED) return thread.text().shared_window + place.address;
  if (place.space == WARPMARK_DEBUG_LOCAL || place.space == WARPMARK_DEBUG_PARAM)
    refuse("it lies in the thread's own memory, whose addresses mean nothing to others");
  return place.address;
}

double real_of(const Value& value, const ThreadView& thread) {
  if (value.type->reference) return real_of(referred(value, thread), thread);
  if (value.type->kind == Kind::real) return real_from(bytes_of(value, thread));
  const int64_t number = integer_of(value, thread);
  const bool is_large = !value.type->is_signed && value.type->bytes >= 8;
  return is_large ? static_cast<double>(static_cast<uint64_t>(number))
                  : static_cast<double>(number);
}

Value integer_value(int64_t number) {
  const bool is_short = number == static_cast<int32_t>(number);
  static const TypePointer kShort = integer_type("int", 4, true);
  static const TypePointer kLong = integer_type("long long", 8, true);
  Value value{is_short ? kShort : kLong, {}, std::vector<std::byte>(is_short ? 4 : 8)};
  std::memcpy(value.bytes.data(), &number, value.bytes.size());
  return value;
}

Value unsigned_value(uint64_t number, uint64_t bytes) {
  static const TypePointer kShort = integer_type("unsigned int", 4, false);
  static const TypePointer kLong = integer_type("unsigned long long", 8, false);
  Value value{bytes == 4 ? kShort : kLong, {}, std::vector<std::byte>(bytes == 4 ? 4 : 8)};
  std::memcpy(value.bytes.data(), &number, value.bytes.size());
  return value;
}

Value real_value(double number) {
  static const TypePointer kDouble = real_type("double", 8);
  Value value{kDouble, {}, std::vector<std::byte>(8)};
  std::memcpy(value.bytes.data(), &number, 8);
  return value;
}

Value boolean_value(bool yes) {
  static const TypePointer kBool = boolean_type();
  return {kBool, {}, {std::byte{static_cast<uint8_t>(yes ? 1 : 0)}}};
}

std::optional<Value> value_of(const Variable& variable, const ThreadView& thread) {
  switch (variable.place) {
    case Variable::Place::gone:
      return std::nullopt;
    case Variable::Place::memory:
      return Value{variable.type, Value::Place{variable.space, variable.address}, {}};
    case Variable::Place::constant:
      return Value{variable.type, {}, variable.constant};
    case Variable::Place::registers:
      break;
  }
  std::optional<std::vector<std::byte>> bytes = thread.read_register(variable.register_name);
  if (!bytes) return std::nullopt;
  bytes->resize(variable.type->bytes);
  return Value{variable.type, {}, std::move(*bytes)};
}

Value referred(const Value& value, const ThreadView& thread) {
  if (!value.type->reference || value.type->target == nullptr) return value;
  const uint64_t address = raw_of(bytes_of(value, thread));
  return {value.type->target, Value::Place{WARPMARK_DEBUG_GENERIC, address}, {}};
}

Value dereference(const Value& pointer, const ThreadView& thread) {
  if (pointer.type->kind == Kind::array) return element(pointer, 0, thread);
  if (pointer.type->kind != Kind::pointer || pointer.type->reference)
    refuse("`" + pointer.type->name + "` is no pointer");
  if (pointer.type->target == nullptr) refuse("a `void *` points to no type");
  const auto address = static_cast<uint64_t>(integer_of(pointer, thread));
  return {pointer.type->target, Value::Place{WARPMARK_DEBUG_GENERIC, address}, {}};
}

Value element(const Value& array, int64_t index, const ThreadView& thread) {
  if (array.type->reference) return element(referred(array, thread), index, thread);
  if (array.type->kind == Kind::pointer) {
    Value first = dereference(array, thread);
    first.place->address += static_cast<uint64_t>(index) * first.type->bytes;
    return first;
  }
  if (array.type->kind != Kind::array) refuse("`" + array.type->name + "` has no elements");
  const TypePointer& type = array.type->element;
  if (array.place) {
    Value::Place place = *array.place;
    place.address += static_cast<uint64_t>(index) * type->bytes;
    return {type, place, {}};
  }
  const uint64_t begin = static_cast<uint64_t>(index) * type->bytes;
  if (index < 0 || begin + type->bytes > array.bytes.size()) refuse("there is no such element");
  const auto from = array.bytes.begin() + static_cast<std::ptrdiff_t>(begin);
  return {type, {}, {from, from + static_cast<std::ptrdiff_t>(type->bytes)}};
}

Value slice(const Value& array, int64_t begin, int64_t end, const ThreadView& thread) {
  if (end < begin) refuse("a slice ends before it begins");
  Value first = element(array, begin, thread);
  if (!first.place) refuse("only what lies in memory has slices");
  first.type = array_of(first.type, static_cast<uint64_t>(end - begin));
  return first;
}

Value member(const Value& record, const std::string& name, const ThreadView& thread) {
  if (record.type->reference) return member(referred(record, thread), name, thread);
  for (const ValueType::Member& one : record.type->members) {
    if (one.name != name) continue;
    if (record.place)
      return {one.type, Value::Place{record.place->space, record.place->address + one.offset}, {}};
    if (one.offset + one.type->bytes > record.bytes.size()) break;
    const auto from = record.bytes.begin() + static_cast<std::ptrdiff_t>(one.offset);
    return {one.type, {}, {from, from + static_cast<std::ptrdiff_t>(one.type->bytes)}};
  }
  refuse("`" + record.type->name + "` has no member `" + name + "`");
}

std::string to_text(const Value& value, const ThreadView& thread, Digits digits) {
  return text_at(value, thread, {digits, 0});
}

}  // namespace warpmark::debugging
