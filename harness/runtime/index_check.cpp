#include "runtime/index_check.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "runtime/element.hpp"

namespace warpmark {
namespace {

struct Stray {
  int64_t place = 0;
  std::string value;
};

// The first value that is no index of so many elements. Only integers are looked at.
std::optional<Stray> first_stray(const Array& indices, int64_t elements) {
  const DTypeKind kind = indices.dtype().kind;
  if (kind != DTypeKind::signed_integer && kind != DTypeKind::unsigned_integer) {
    return std::nullopt;
  }
  return with_element_type(indices.dtype(), [&](auto type) -> std::optional<Stray> {
    using Index = decltype(type);
    if constexpr (std::is_integral_v<Index>) {
      for (int64_t i = 0; i < indices.size(); ++i) {
        const auto value = load_element<Index>(indices.bytes().data(), static_cast<size_t>(i));
        // A negative one is a large one.
        if (static_cast<uint64_t>(value) >= static_cast<uint64_t>(elements)) {
          return Stray{i, fmt::format("{}", value)};
        }
      }
    }
    return std::nullopt;
  });
}

}  // namespace

void check_indices(const ReadyCase& ready) {
  const Plan& plan = ready.planned.plan;
  if (plan.fault || plan.report || plan.compile_error) return;
  for (const Access& access : plan.accesses) {
    const auto indices = ready.inputs.arrays.find(access.indices);
    const Buffer* buffer = plan.find_buffer(access.buffer);
    if (indices == ready.inputs.arrays.end() || buffer == nullptr) continue;
    const int64_t elements = element_count(buffer_shape(*buffer, ready.inputs));
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
