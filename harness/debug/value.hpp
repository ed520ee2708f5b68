// Values of a stopped thread, and their texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "debug/thread_view.hpp"
#include "debug/value_type.hpp"

namespace warpmark::debugging {

/// A value, with its place if it has one. The bytes of what lies in memory are read when they are
/// needed: an array may be large.
struct Value {
  struct Place {
    uint32_t space = WARPMARK_DEBUG_GENERIC;
    uint64_t address = 0;
  };
  TypePointer type;
  std::optional<Place> place;
  std::vector<std::byte> bytes;  ///< of a value without a place
};

/// The value's bytes. Throws a usage error, as all functions here, if they cannot be read.
std::vector<std::byte> bytes_of(const Value& value, const ThreadView& thread);
/// Numbers, for conditions and arithmetic: an integer, boolean or address; or a real one.
int64_t integer_of(const Value& value, const ThreadView& thread);
double real_of(const Value& value, const ThreadView& thread);
Value integer_value(int64_t number);
Value unsigned_value(uint64_t number, uint64_t bytes);
Value real_value(double number);
Value boolean_value(bool yes);

/// The value of a variable; nothing if it is optimised out.
std::optional<Value> value_of(const Variable& variable, const ThreadView& thread);
/// The address of a place as a pointer has it.
uint64_t address_of(const Value::Place& place, const ThreadView& thread);
/// Elements and members. `element` takes a pointer, too.
Value element(const Value& array, int64_t index, const ThreadView& thread);
Value slice(const Value& array, int64_t begin, int64_t end, const ThreadView& thread);
Value member(const Value& record, const std::string& name, const ThreadView& thread);
Value dereference(const Value& pointer, const ThreadView& thread);
/// The value that a reference refers to; any other value as it is.
Value referred(const Value& value, const ThreadView& thread);

/// How numbers are written: with hexadecimal digits are integers, and the bits of real numbers.
enum class Digits : uint8_t { decimal, hexadecimal };
/// As a debugger shows it: 1.5, 'a', 0x7f… (x + 3), {x = 1, y = 2}; arrays as NumPy: [0 1 2 ... 9].
std::string to_text(const Value& value, const ThreadView& thread, Digits digits = Digits::decimal);

}  // namespace warpmark::debugging
