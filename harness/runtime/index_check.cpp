#include "runtime/index_check.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace warpmark {
namespace {

struct Stray {
  int64_t place = 0;
  std::string value;
};

// The first value that is no index of so many elements.
template <class Index>
std::optional<Stray> first_stray(const Array& indices, int64_t elements) {
  const std::byte* const bytes = indices.bytes().data();
  for (int64_t i = 0; i < indices.size(); ++i) {
    Index value;
    std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof(Index), sizeof(Index));
    // A negative one is a large one.
    if (static_cast<uint64_t>(value) >= static_cast<uint64_t>(elements)) {
      return Stray{i, fmt::format("{}", value)};
    }
  }
  return std::nullopt;
}

std::optional<Stray> first_stray(const Array& indices, int64_t elements) {
  const bool is_signed = indices.dtype().kind == DTypeKind::signed_integer;
  if (!is_signed && indices.dtype().kind != DTypeKind::unsigned_integer) return std::nullopt;
  switch (indices.dtype().bytes) {
    case 1:
      return is_signed ? first_stray<int8_t>(indices, elements)
                       : first_stray<uint8_t>(indices, elements);
    case 2:
      return is_signed ? first_stray<int16_t>(indices, elements)
                       : first_stray<uint16_t>(indices, elements);
    case 4:
      return is_signed ? first_stray<int32_t>(indices, elements)
                       : first_stray<uint32_t>(indices, elements);
    default:
      return is_signed ? first_stray<int64_t>(indices, elements)
                       : first_stray<uint64_t>(indices, elements);
  }
}

}  // namespace

void check_indices(const ReadyCase& ready) {
  const Plan& plan = ready.planned.plan;
  if (plan.fault || plan.report || plan.compile_error) return;
  for (const Access& access : plan.accesses) {
    const auto indices = ready.inputs.arrays.find(access.indices);
    const Buffer* buffer = plan.find_buffer(access.buffer);
    if (indices == ready.inputs.arrays.end() || buffer == nullptr) continue;
    int64_t elements = 1;
    for (const int64_t extent : buffer_shape(*buffer, ready.inputs)) elements *= extent;
    const std::optional<Stray> stray = first_stray(indices->second, elements);
    if (!stray) continue;
    throw verdict_error(
        fmt::format("`{}[{}]` is {}, which is no index of `{}`: it has {} element{}; {}",
                    access.indices, stray->place, stray->value, access.buffer, elements,
                    elements == 1 ? "" : "s", access.reason),
        ready.planned.positions.find(access.at),
        "indices are from 0 to the number of elements - 1");
  }
}

}  // namespace warpmark
