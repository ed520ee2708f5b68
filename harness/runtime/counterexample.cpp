#include "runtime/counterexample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/text.hpp"
#include "runtime/element.hpp"

namespace warpmark {
namespace {

// One number of an element; its leaf may have several.
struct Part {
  const Leaf* leaf;
  const std::byte* bytes;
};

size_t numbers_of(const Leaf& leaf) {
  size_t count = 1;
  for (const int64_t extent : leaf.shape) count *= static_cast<size_t>(extent);
  return count;
}

bool is_real(const Part& part) {
  return part.leaf->dtype.kind == DTypeKind::floating;
}

double real(const Part& part) {
  return with_element_type(part.leaf->dtype, [&](auto type) -> double {
    if constexpr (kIsReal<decltype(type)>) {
      return static_cast<double>(number(load_element<decltype(type)>(part.bytes, 0)));
    } else {
      return 0;
    }
  });
}

double epsilon(const Part& part) {
  return with_element_type(part.leaf->dtype, [](auto type) -> double {
    if constexpr (kIsReal<decltype(type)>) {
      return std::ldexp(1, -FloatFormat<decltype(type)>::fraction);
    } else {
      return 0;
    }
  });
}

std::string text_of(const Part& part) {
  return with_element_type(part.leaf->dtype, [&](auto type) -> std::string {
    const auto value = load_element<decltype(type)>(part.bytes, 0);
    if constexpr (std::is_same_v<decltype(type), BoolByte>) {
      return value.byte != 0 ? "True" : "False";
    } else if constexpr (kIsReal<decltype(type)>) {
      return fmt::format("{}", number(value));
    } else {
      return std::to_string(value);
    }
  });
}

// The elements of buffers at one index, by their numbers.
class Elements {
 public:
  Elements(const std::map<std::string, Array>& results, const DType& dtype)
      : results_(results), leaves_(leaves_of(dtype)), bytes_(dtype.bytes) {}

  std::vector<Part> parts(const std::string& buffer, size_t index) const {
    const std::byte* element = results_.at(buffer).bytes().data() + index * bytes_;
    std::vector<Part> parts;
    for (const Leaf& leaf : leaves_) {
      for (size_t k = 0; k < numbers_of(leaf); ++k) {
        parts.push_back({&leaf, element + leaf.offset + k * leaf.dtype.bytes});
      }
    }
    return parts;
  }

  // "3", "{least: 3, greatest: 5}", "{x: [1, 2]}"
  std::string text(const std::string& buffer, size_t index) const {
    const std::byte* element = results_.at(buffer).bytes().data() + index * bytes_;
    std::vector<std::string> fields;
    for (const Leaf& leaf : leaves_) {
      std::vector<std::string> numbers;
      for (size_t k = 0; k < numbers_of(leaf); ++k) {
        numbers.push_back(text_of({&leaf, element + leaf.offset + k * leaf.dtype.bytes}));
      }
      const std::string value =
          leaf.shape.empty() ? numbers.front() : "[" + join(numbers, ", ") + "]";
      fields.push_back(leaf.path.empty() ? value : leaf.path.substr(1) + ": " + value);
    }
    const bool one = leaves_.size() == 1 && leaves_.front().path.empty();
    return one ? fields.front() : "{" + join(fields, ", ") + "}";
  }

 private:
  const std::map<std::string, Array>& results_;
  std::vector<Leaf> leaves_;
  size_t bytes_;
};

bool is_finite(const std::vector<Part>& parts) {
  return std::ranges::all_of(
      parts, [](const Part& part) { return !is_real(part) || std::isfinite(real(part)); });
}

double greatest(const std::vector<Part>& parts) {
  double most = 0;
  for (const Part& part : parts) {
    const double value = is_real(part) ? std::fabs(real(part)) : 0;
    if (std::isfinite(value)) most = std::max(most, value);
  }
  return most;
}

bool agree(const Part& left, const Part& right, double scale) {
  if (!is_real(left)) {
    return std::memcmp(left.bytes, right.bytes, left.leaf->dtype.bytes) == 0;
  }
  const double a = real(left), b = real(right);
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::fabs(a - b) <= std::sqrt(epsilon(left)) * scale;
}

// True if the claim holds for an element, or is not judged there.
bool holds(const Claim& claim, const Elements& elements, size_t index) {
  const std::vector<Part> left = elements.parts(claim.left.buffer, index);
  const std::vector<Part> right = elements.parts(claim.right.buffer, index);
  double scale = std::max(greatest(left), greatest(right));
  bool from_finite = true;
  for (const TrialValue& operand : claim.operands) {
    const std::vector<Part> parts = elements.parts(operand.buffer, index);
    from_finite = from_finite && is_finite(parts);
    scale = std::max(scale, greatest(parts));
  }
  bool to_finite = is_finite(left) && is_finite(right);
  for (const std::string& name : claim.between) {
    const std::vector<Part> parts = elements.parts(name, index);
    to_finite = to_finite && is_finite(parts);
    scale = std::max(scale, greatest(parts));
  }
  if (!claim.between.empty() && from_finite && !to_finite) return true;
  return std::ranges::equal(
      left, right, [&](const Part& one, const Part& other) { return agree(one, other, scale); });
}

}  // namespace

std::optional<std::string> counterexample(const Claim& claim,
                                          const std::map<std::string, Array>& results) {
  const Array& left = results.at(claim.left.buffer);
  const Elements elements(results, left.dtype());
  const auto count = static_cast<size_t>(left.size());
  for (size_t index = 0; index < count; ++index) {
    if (holds(claim, elements, index)) continue;
    const auto named = [&](const TrialValue& value, const char* is) {
      return value.text + is + elements.text(value.buffer, index);
    };
    std::vector<std::string> operands;
    std::string sides = named(claim.left, " is ");
    bool right_is_operand = false;
    for (const TrialValue& operand : claim.operands) {
      operands.push_back(named(operand, " = "));
      right_is_operand = right_is_operand || operand.buffer == claim.right.buffer;
    }
    if (!right_is_operand) sides += ", but " + named(claim.right, " is ");
    return sides + " for " + join(operands, ", ");
  }
  return std::nullopt;
}

}  // namespace warpmark
