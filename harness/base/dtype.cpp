#include "base/dtype.hpp"

#include <algorithm>
#include <array>

#include "base/record_dtype.hpp"
#include "base/text.hpp"

namespace warpmark {

const std::vector<DType>& all_dtypes() {
  using enum DTypeKind;
  static const std::vector<DType> kTypes = {
      {"bool", boolean, 1, "bool"},
      {"int8", signed_integer, 1, "signed char"},
      {"int16", signed_integer, 2, "short"},
      {"int32", signed_integer, 4, "int"},
      {"int64", signed_integer, 8, "long long"},
      {"uint8", unsigned_integer, 1, "unsigned char"},
      {"uint16", unsigned_integer, 2, "unsigned short"},
      {"uint32", unsigned_integer, 4, "unsigned int"},
      {"uint64", unsigned_integer, 8, "unsigned long long"},
      {"float16", floating, 2, "__half"},
      {"float32", floating, 4, "float"},
      {"float64", floating, 8, "double"},
      {"bfloat16", floating, 2, "__nv_bfloat16"},
      {"float8_e4m3fn", floating, 1, "__nv_fp8_e4m3"},
      {"float8_e5m2", floating, 1, "__nv_fp8_e5m2"},
      {"complex64", complex, 8, "cuFloatComplex"},
      {"complex128", complex, 16, "cuDoubleComplex"},
  };
  return kTypes;
}

std::optional<DType> find_dtype(std::string_view name) {
  if (name.starts_with('{')) return read_record(name);
  for (const DType& type : all_dtypes()) {
    if (type.name == name) return type;
  }
  return std::nullopt;
}

std::optional<DType> dtype_of_c_type(std::string_view spelling) {
  // C's integer types are a bag of words in any order: count them.
  int longs = 0, shorts = 0, chars = 0, unsigneds = 0, signeds = 0, ints = 0;
  std::string other;
  for (const std::string& word : split(trim(spelling), ' ')) {
    if (word.empty() || word == "const" || word == "volatile" || word == "__restrict__") continue;
    if (word == "long")
      ++longs;
    else if (word == "short")
      ++shorts;
    else if (word == "char")
      ++chars;
    else if (word == "unsigned")
      ++unsigneds;
    else if (word == "signed")
      ++signeds;
    else if (word == "int")
      ++ints;
    else
      other += other.empty() ? word : " " + word;
  }
  const int integer_words = longs + shorts + chars + unsigneds + signeds + ints;
  if (integer_words > 0 && other.empty()) {
    const std::string_view prefix = unsigneds > 0 ? "uint" : "int";
    const std::string_view width = chars > 0 ? "8" : shorts > 0 ? "16" : longs > 0 ? "64" : "32";
    return find_dtype(std::string(prefix) + std::string(width));
  }
  if (integer_words > 0) return std::nullopt;
  if (other.ends_with("complex<float>")) return find_dtype("complex64");
  if (other.ends_with("complex<double>")) return find_dtype("complex128");
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kNames = {{
      {"float", "float32"},
      {"double", "float64"},
      {"bool", "bool"},
      {"__half", "float16"},
      {"half", "float16"},
      {"size_t", "uint64"},
      {"int8_t", "int8"},
      {"int16_t", "int16"},
      {"int32_t", "int32"},
      {"int64_t", "int64"},
      {"uint8_t", "uint8"},
      {"uint16_t", "uint16"},
      {"uint32_t", "uint32"},
      {"uint64_t", "uint64"},
      {"std::size_t", "uint64"},
      {"ptrdiff_t", "int64"},
      {"ssize_t", "int64"},
      {"uint", "uint32"},
      {"ushort", "uint16"},
      {"uchar", "uint8"},
      {"__nv_bfloat16", "bfloat16"},
      {"nv_bfloat16", "bfloat16"},
      {"__nv_fp8_e4m3", "float8_e4m3fn"},
      {"__nv_fp8_e5m2", "float8_e5m2"},
      {"cuFloatComplex", "complex64"},
      {"cuComplex", "complex64"},
      {"cuDoubleComplex", "complex128"},
      {"ulong", "uint64"},
  }};
  for (const auto& [name, dtype] : kNames) {
    if (other == name) return find_dtype(dtype);
  }
  return std::nullopt;
}

bool is_narrow_float(const DType& dtype) {
  return dtype.kind == DTypeKind::floating &&
         (dtype.name == "bfloat16" || dtype.name.starts_with("float8"));
}

uint32_t alignment_of(const DType& dtype) {
  return dtype.alignment != 0 ? dtype.alignment : dtype.bytes;
}

std::vector<Leaf> leaves_of(const DType& dtype) {
  if (dtype.kind == DTypeKind::complex) {
    const DType part = *find_dtype(dtype.bytes == 8 ? "float32" : "float64");
    return {{".real", part, 0, {}}, {".imag", part, part.bytes, {}}};
  }
  if (dtype.kind != DTypeKind::record) return {{"", dtype, 0, {}}};
  std::vector<Leaf> leaves;
  for (const Field& field : *dtype.fields) {
    for (Leaf leaf : leaves_of(field.dtype)) {
      leaf.path = "." + field.name + leaf.path;
      leaf.offset += field.offset;
      leaf.shape.insert(leaf.shape.begin(), field.shape.begin(), field.shape.end());
      leaves.push_back(std::move(leaf));
    }
  }
  return leaves;
}

std::optional<VectorType> vector_of_c_type(std::string_view spelling) {
  // CUDA C++ Programming Guide, "Built-in Vector Types": names, and alignments of their table.
  std::string_view name = trim(spelling);
  if (name == "__half2" || name == "half2") return VectorType{*find_dtype("float16"), 2, 4};
  if (name == "__nv_bfloat162") return VectorType{*find_dtype("bfloat16"), 2, 4};
  uint32_t alignment = 0;
  for (const auto& [suffix, bytes] : {std::pair("4_16a", 16U), std::pair("4_32a", 32U)}) {
    if (!name.ends_with(suffix)) continue;
    alignment = bytes;
    name.remove_suffix(4);
  }
  if (name.size() < 2 || name.back() < '1' || name.back() > '4') return std::nullopt;
  const auto count = static_cast<uint32_t>(name.back() - '0');
  name.remove_suffix(1);
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kMembers = {
      {{"char", "int8"},
       {"uchar", "uint8"},
       {"short", "int16"},
       {"ushort", "uint16"},
       {"int", "int32"},
       {"uint", "uint32"},
       {"long", "int64"},
       {"ulong", "uint64"},
       {"longlong", "int64"},
       {"ulonglong", "uint64"},
       {"float", "float32"},
       {"double", "float64"}}};
  for (const auto& [member, dtype] : kMembers) {
    if (name != member) continue;
    const DType element = *find_dtype(dtype);
    const uint32_t whole = element.bytes * count;
    if (alignment == 0) alignment = count == 3 ? element.bytes : std::min(whole, 16U);
    return VectorType{element, count, alignment};
  }
  return std::nullopt;
}

}  // namespace warpmark
