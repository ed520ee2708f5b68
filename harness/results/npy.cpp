#include "results/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {

static_assert(std::endian::native == std::endian::little);

namespace {

// NumPy's format description 1.0; what NumPy has no type for is written as its bits.
std::string descr(const DType& dtype) {
  if (is_narrow_float(dtype)) return descr(*find_dtype(dtype.bytes == 1 ? "uint8" : "uint16"));
  const char order = dtype.bytes == 1 ? '|' : '<';
  switch (dtype.kind) {
    case DTypeKind::boolean:
      return fmt::format("{}b{}", order, dtype.bytes);
    case DTypeKind::signed_integer:
      return fmt::format("{}i{}", order, dtype.bytes);
    case DTypeKind::unsigned_integer:
      return fmt::format("{}u{}", order, dtype.bytes);
    case DTypeKind::floating:
      return fmt::format("{}f{}", order, dtype.bytes);
    case DTypeKind::complex:
      return fmt::format("{}c{}", order, dtype.bytes);
    case DTypeKind::record:
      return fmt::format("|V{}", dtype.bytes);
  }
  return "";
}

}  // namespace

std::string npy_header(const DType& dtype, const Shape& shape) {
  constexpr size_t kBeforeText = 10;  // magic, version, length of the text
  constexpr size_t kAlignment = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                 descr(dtype), shape_text(shape));
  const size_t whole = (kBeforeText + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(whole - kBeforeText - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFFU);
  header += static_cast<char>(text.size() >> 8U & 0xFFU);
  return header + text;
}

void write_npy(const std::filesystem::path& path, const DType& dtype, const Shape& shape,
               std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string header = npy_header(dtype, shape);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw environment_error(
        fmt::format("cannot write {}: {}", display_path(path), std::strerror(errno)));
  }
}

}  // namespace warpmark
