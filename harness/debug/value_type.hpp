// Types of values in a kernel, as far as a debugger shows them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpmark::debugging {

struct ValueType;
using TypePointer = std::shared_ptr<const ValueType>;

struct ValueType {
  enum class Kind : uint8_t { unknown, boolean, integer, real, pointer, array, record };
  struct Member {
    std::string name;
    uint64_t offset = 0;  ///< bytes
    TypePointer type;
  };
  Kind kind = Kind::unknown;
  std::string name;  ///< as in the source: "unsigned int", "float *"
  uint64_t bytes = 0;
  bool is_signed = false;
  TypePointer target;           ///< of a pointer or reference; null: void
  TypePointer element;          ///< of an array
  uint64_t count = 0;           ///< elements of an array
  bool reference = false;       ///< a pointer that is written as what it points to
  std::vector<Member> members;  ///< of a record
  std::vector<std::pair<std::string, int64_t>> names;  ///< of the values of an enumeration
};

/// "int", "float" …, of NumPy's names of dtypes; of unknown kind for others.
TypePointer type_of_dtype(const std::string& dtype);
TypePointer integer_type(const std::string& name, uint64_t bytes, bool is_signed);
TypePointer real_type(const std::string& name, uint64_t bytes);
TypePointer boolean_type();
/// A type of which only the name and the size are known.
TypePointer unknown_type(const std::string& name, uint64_t bytes);
TypePointer pointer_to(const TypePointer& target);
TypePointer array_of(const TypePointer& element, uint64_t count);

}  // namespace warpmark::debugging
