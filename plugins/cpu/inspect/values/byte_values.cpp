#include "inspect/values/byte_values.hpp"

#include <bit>

#include "memory/init_bits.hpp"

namespace warpmark::cpu {

bool ByteValues::defined(std::uint64_t bytes) const {
  return bits == nullptr || all_set(bits, from, bytes);
}

ByteValues ByteValues::behind(std::uint64_t by) const {
  ByteValues values = *this;
  values.from += by;
  values.key += by;
  return values;
}

std::uint64_t ByteValues::undefined_bits(std::uint64_t at, std::uint32_t bytes) const {
  const unsigned set = eight_bits(bits, from + at, size);
  std::uint64_t undefined = 0;
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    if ((set >> byte & 1) != 0) continue;
    const std::uint8_t part = partial == nullptr ? 0xff : partial->get(key + at + byte);
    undefined |= std::uint64_t{part} << (8 * byte);
  }
  return undefined;
}

Definedness ByteValues::read(std::uint64_t at, std::uint32_t bytes, Space space,
                             std::uint32_t statement) const {
  Definedness defined = Definedness::make(undefined_bits(at, bytes), space, statement);
  if (defined.incomplete() && origins != nullptr && !origins->empty()) {
    const auto byte = static_cast<std::uint64_t>(std::countr_zero(defined.undefined)) / 8;
    const std::uint32_t origin = origins->get(key + at + byte);
    if ((origin & Definedness::kKept) != 0) defined.origin = origin & ~Definedness::kKept;
  }
  return defined;
}

void ByteValues::write(std::uint64_t at, std::uint32_t bytes, const Definedness& defined) const {
  // Other threads' bits lie in the same bytes; who stores undefined values is serialized.
  if (shared && defined.incomplete()) return;
  behind(at).define(bytes);
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    const auto part = static_cast<std::uint8_t>(defined.undefined >> (8 * byte) & 0xff);
    if (part == 0 || (part != 0xff && partial == nullptr)) continue;
    set_bits<false>(bits, from + at + byte, 1);
    if (partial != nullptr) partial->set(key + at + byte, part);
    if (origins != nullptr) origins->set(key + at + byte, defined.origin | Definedness::kKept);
  }
}

void ByteValues::copy(const ByteValues& source, std::uint64_t bytes) const {
  if (shared) return;  // the same
  copy_bits(bits, from, source.bits, source.from, bytes);
  if (partial != nullptr && source.partial != nullptr)
    partial->copy(key, *source.partial, source.key, bytes);
  if (origins != nullptr && source.origins != nullptr)
    origins->copy(key, *source.origins, source.key, bytes);
  else if (origins != nullptr)
    origins->forget(key, bytes);
}

void ByteValues::define(std::uint64_t bytes) const {
  if (bits == nullptr) return;
  if (shared)
    share_bits(bits, from, bytes);
  else
    set_bits(bits, from, bytes);
}

void ByteValues::undefine(std::uint64_t bytes) const {
  set_bits<false>(bits, from, bytes);
  partial->forget(key, bytes);
  origins->forget(key, bytes);
}

void ByteValues::set_origin(std::uint64_t bytes, const Definedness& defined) const {
  for (std::uint64_t byte = 0; byte < bytes; ++byte) {
    if (!all_set(bits, from + byte, 1))
      origins->set(key + byte, defined.origin | Definedness::kKept);
  }
}

}  // namespace warpmark::cpu
