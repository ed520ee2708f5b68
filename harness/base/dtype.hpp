// The element types that kernels and NumPy share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

enum class DTypeKind : uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  complex,  ///< two floats of half the bytes
  record    ///< a struct
};

struct Field;

/// One element type: bool, int8 … int64, uint8 … uint64, float16, float32, float64, bfloat16,
/// float8_e4m3fn, float8_e5m2, complex64, complex128, or a struct of those.
struct DType {
  std::string_view name;  ///< NumPy's (or ml_dtypes') name, as in "float32"; for a struct its
                          ///< fields
  DTypeKind kind;
  uint32_t bytes;
  std::string_view c_name;  ///< CUDA C++, as in "float"; float16 is "__half"; "" for a struct
  const std::vector<Field>* fields = nullptr;  ///< fields of a struct; live as long as the program
  uint32_t alignment = 0;                      ///< alignment of a struct, in bytes; 0 is the
                                               ///< natural one

  friend bool operator==(const DType& a, const DType& b) { return a.name == b.name; }
};

/// A member of a struct.
struct Field {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;  ///< shape of an array; empty for one element
  uint32_t offset = 0;         ///< bytes
};

/// All dtypes that are not structs.
const std::vector<DType>& all_dtypes();

/// Finds a dtype by its name; nothing if there is none. A struct's name spells its fields in their
/// order: "{x:float32,position:float32[3],color:uint8[4]@4}", where @ is an alignment beyond that
/// of the type. They are laid out as C++ lays them out.
std::optional<DType> find_dtype(std::string_view name);

/// The alignment of the dtype in C++, in bytes.
uint32_t alignment_of(const DType& dtype);

/// True for floats that NumPy does not have: bfloat16 and those of 8 bits.
bool is_narrow_float(const DType& dtype);

/// True for integers, of which a bool is none.
inline bool is_integer(const DType& dtype) {
  return dtype.kind == DTypeKind::signed_integer || dtype.kind == DTypeKind::unsigned_integer;
}

/// True if an element is one number: neither complex nor a struct.
inline bool is_single_number(const DType& dtype) {
  return dtype.kind != DTypeKind::complex && dtype.kind != DTypeKind::record;
}

/// A part of an element that is compared separately: a whole number, each of the two parts of a
/// complex number, each field of a struct.
struct Leaf {
  std::string path;  ///< text after the array's name: "", ".real", ".position", ".inner.x"
  DType dtype;
  uint32_t offset = 0;         ///< bytes from the element's begin
  std::vector<int64_t> shape;  ///< shape of an array within the element
};
std::vector<Leaf> leaves_of(const DType& dtype);

/// A type of C++ that consists of several numbers of one type, such as float4.
struct VectorType {
  DType dtype;
  uint32_t count = 1;
  uint32_t alignment = 0;  ///< bytes
};
/// Finds a vector type by its name, "float4"; nothing for other types.
std::optional<VectorType> vector_of_c_type(std::string_view spelling);

/// Finds the dtype of a C++ type as a demangler or a person writes it ("unsigned int", "const
/// float", "long long", "__half"), LP64; nothing if it is not a scalar of ours.
std::optional<DType> dtype_of_c_type(std::string_view spelling);

}  // namespace warpmark
