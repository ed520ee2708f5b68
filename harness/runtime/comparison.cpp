#include "runtime/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "runtime/element.hpp"
#include "runtime/element_text.hpp"

namespace warpmark {
namespace {

/// What one element came to. `Magnitude` holds any |x − e| of the dtype.
template <typename Magnitude>
struct Judgement {
  bool right = false;
  MismatchKind kind = MismatchKind::value;  ///< if wrong
  bool finite = true;                       ///< `error` and `bound` mean something
  Magnitude error = 0;
  Magnitude bound = 0;
};

/// One value for all elements, or one for each.
class Bounds {
 public:
  explicit Bounds(std::span<const double> values)
      : values_(values.empty() ? &kZero : values.data()), step_(values.size() > 1 ? 1 : 0) {}
  double operator[](size_t index) const { return values_[index * step_]; }
  bool varies() const { return step_ != 0; }

 private:
  static constexpr double kZero = 0;
  const double* values_;
  size_t step_;
};

template <typename Output, typename Expected>
class IntegerJudge {
 public:
  using Magnitude = Unsigned128;

  explicit IntegerJudge(const ComparisonRule& /*rule*/) {}

  bool equal_bytes_are_right() const { return true; }

  Judgement<Magnitude> operator()(Output x, Expected e, size_t /*index*/) const {
    if (std::cmp_equal(x, e)) return {.right = true};
    return {.error = std::cmp_less(x, e) ? difference(e, x) : difference(x, e)};
  }

 private:
  // Modulo 2^128 the sign extensions cancel out, and greater − less is less than 2^65.
  static Magnitude difference(auto greater, auto less) {
    return static_cast<Magnitude>(greater) - static_cast<Magnitude>(less);
  }
};

class BoolJudge {
 public:
  using Magnitude = Unsigned128;

  explicit BoolJudge(const ComparisonRule& /*rule*/) {}

  bool equal_bytes_are_right() const { return false; }  // a 2 on both sides is no bool

  Judgement<Magnitude> operator()(BoolByte x, BoolByte e, size_t /*index*/) const {
    const int wanted = e.byte != 0 ? 1 : 0;
    if (x.byte == wanted) return {.right = true};
    return {.error = static_cast<Magnitude>(std::abs(x.byte - wanted))};
  }
};

template <typename Output, typename Expected>
class RealJudge {
 public:
  // Wider than the output, so that |x − e| and the bound round beyond the output's own digits.
  using Magnitude = std::conditional_t<std::is_same_v<Output, double>, long double, double>;

  explicit RealJudge(const ComparisonRule& rule)
      : kind_(rule.kind), nan_(rule.nan), ulp_(rule.ulp), rtol_(rule.rtol), atol_(rule.atol) {}

  /// Whether an output that equals its reference bit by bit needs no closer look: bounds grow with
  /// |e|, so that a good bound at the greatest value is good everywhere.
  bool equal_bytes_are_right() const {
    if (!std::is_same_v<Output, Expected> || nan_ == NanPolicy::forbid) return false;
    if (ulp_.varies() || rtol_.varies() || atol_.varies()) return false;
    return good(bound_at(greatest(), 0), 0);
  }

  Judgement<Magnitude> operator()(Output output, Expected reference, size_t index) const {
    const auto x = number(output);
    const auto e = number(reference);
    if (kind_ == ToleranceKind::close) return judge(x, e, index);
    return judge(x, rounded_to<Output>(e), index);
  }

 private:
  template <typename X, typename E>
  Judgement<Magnitude> judge(X x, E e, size_t index) const {
    if (!std::isfinite(x) || !std::isfinite(e)) [[unlikely]] {
      if (std::isnan(x) || std::isnan(e)) {
        const bool right = std::isnan(x) && std::isnan(e) && nan_ == NanPolicy::equal;
        return {.right = right, .kind = MismatchKind::nan, .finite = false};
      }
      return {.right = x == e, .kind = MismatchKind::infinity, .finite = false};
    }
    const Magnitude error = std::fabs(static_cast<Magnitude>(x) - static_cast<Magnitude>(e));
    const Magnitude bound = bound_at(e, index);
    if (!good(bound, index)) [[unlikely]] {
      return {.kind = MismatchKind::bound, .error = error, .bound = bound};
    }
    if (!(error <= bound)) return {.error = error, .bound = bound};
    return {.right = true};
  }

  template <typename E>
  Magnitude bound_at(E e, size_t index) const {
    switch (kind_) {
      case ToleranceKind::exact:
        return 0;
      case ToleranceKind::ulp:
        return static_cast<Magnitude>(ulp_[index]) * spacing<Output>(e);
      case ToleranceKind::close:
        break;
    }
    return static_cast<Magnitude>(atol_[index]) +
           static_cast<Magnitude>(rtol_[index]) * std::fabs(static_cast<Magnitude>(e));
  }

  /// Each part counts: a negative atol must not hide behind a greater rtol · |e|.
  bool good(Magnitude bound, size_t index) const {
    if (!std::isfinite(bound) || !(bound >= 0)) return false;
    return kind_ != ToleranceKind::close || (rtol_[index] >= 0 && atol_[index] >= 0);
  }

  static auto greatest() {
    if constexpr (std::is_same_v<Output, Float16>) {
      return 65504.0F;
    } else {
      return std::numeric_limits<Output>::max();
    }
  }

  ToleranceKind kind_;
  NanPolicy nan_;
  Bounds ulp_, rtol_, atol_;
};

/// Finds elements whose every byte is the poison.
template <typename Element>
class PoisonFinder {
 public:
  explicit PoisonFinder(std::optional<std::byte> poison) : active_(poison.has_value()) {
    std::memset(&pattern_, poison ? static_cast<int>(*poison) : 0, sizeof pattern_);
  }

  bool is_at(const std::byte* array, size_t index) const {
    return active_ && load_element<Bits>(array, index) == pattern_;
  }

  bool is_among(const std::byte* array, size_t begin, size_t end) const {
    if (!active_) return false;
    Bits found = 0;  // as wide as the elements, so that the loop becomes vector instructions
    for (size_t i = begin; i < end; ++i) {
      found |= static_cast<Bits>(load_element<Bits>(array, i) == pattern_ ? 1 : 0);
    }
    return found != 0;
  }

 private:
  using Bits = std::conditional_t<
      sizeof(Element) == 1, uint8_t,
      std::conditional_t<sizeof(Element) == 2, uint16_t,
                         std::conditional_t<sizeof(Element) == 4, uint32_t, uint64_t>>>;
  bool active_;
  Bits pattern_ = 0;
};

/// A wrong element, before it becomes text.
template <typename Magnitude>
struct Wrong {
  size_t index = 0;
  Judgement<Magnitude> judgement;
};

/// By error / bound, then by error; a bound of 0 is exceeded infinitely.
template <typename Magnitude>
bool worse(const Judgement<Magnitude>& one, const Judgement<Magnitude>& other) {
  if constexpr (std::is_floating_point_v<Magnitude>) {
    const Magnitude ratio = one.error / one.bound;
    const Magnitude other_ratio = other.error / other.bound;
    if (ratio != other_ratio) return ratio > other_ratio;
  }
  return one.error > other.error;
}

std::string magnitude_text(Unsigned128 value) {
  return decimal_text(value);
}
std::string magnitude_text(double value) {
  return real_text(value);
}
std::string magnitude_text(long double value) {
  return real_text(value);
}

template <typename Magnitude>
Mismatch mismatch(const Wrong<Magnitude>& wrong, const TypedBytes& actual,
                  const TypedBytes& expected) {
  const Judgement<Magnitude>& judgement = wrong.judgement;
  return {.kind = judgement.kind,
          .index = wrong.index,
          .actual = element_text(actual, wrong.index),
          .expected = element_text(expected, expected.count() == 1 ? 0 : wrong.index),
          .error = judgement.finite ? magnitude_text(judgement.error) : "",
          .bound = judgement.finite ? magnitude_text(judgement.bound) : ""};
}

/// Elements compared byte by byte at once, before any is looked at alone: a few KiB, in cache.
constexpr size_t kBlock = 1024;

template <typename Output, typename Expected, typename Judge>
Comparison compare_as(const TypedBytes& actual, const TypedBytes& expected,
                      const ComparisonRule& rule, std::optional<std::byte> poison) {
  using Magnitude = typename Judge::Magnitude;
  const Judge judge(rule);
  const PoisonFinder<Output> poisoned(poison);
  const std::byte* const x = actual.bytes.data();
  const std::byte* const e = expected.bytes.data();
  const size_t count = actual.count();
  const size_t step = expected.count() == 1 ? 0 : 1;
  const bool by_bytes =
      std::is_same_v<Output, Expected> && step == 1 && judge.equal_bytes_are_right();
  Comparison result;
  result.elements = count;
  std::optional<Wrong<Magnitude>> first, worst;

  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t end = std::min(begin + kBlock, count);
    const size_t offset = begin * sizeof(Output);
    if (by_bytes && std::memcmp(x + offset, e + offset, (end - begin) * sizeof(Output)) == 0 &&
        !poisoned.is_among(x, begin, end)) {
      continue;
    }
    for (size_t i = begin; i < end; ++i) {
      Judgement<Magnitude> judgement =
          judge(load_element<Output>(x, i), load_element<Expected>(e, i * step), i);
      if (judgement.right) [[likely]] {
        if (poisoned.is_at(x, i)) ++result.doubtful;
        continue;
      }
      ++result.wrong;
      // A bad bound says nothing of the element, so it cannot call it unwritten.
      if (judgement.kind != MismatchKind::bound && poisoned.is_at(x, i)) {
        ++result.unwritten;
        judgement.kind = MismatchKind::unwritten;
      }
      if (!first) first = {i, judgement};
      if (judgement.kind == MismatchKind::value && (!worst || worse(judgement, worst->judgement))) {
        worst = {i, judgement};
      }
    }
  }
  if (first) result.first = mismatch(*first, actual, expected);
  if (worst) result.worst = mismatch(*worst, actual, expected);
  return result;
}

bool is_integer(const DType& dtype) {
  return dtype.kind == DTypeKind::signed_integer || dtype.kind == DTypeKind::unsigned_integer;
}

void require_whole(const TypedBytes& array, std::string_view what) {
  if (array.bytes.size() % array.dtype.bytes == 0) return;
  throw internal_error("comparison: " + std::to_string(array.bytes.size()) + " bytes of " +
                       std::string(what) + " are no whole number of " +
                       std::string(array.dtype.name) + " elements");
}

void require_count(size_t given, size_t count, std::string_view what) {
  if (given == count || given == 1) return;
  throw internal_error("comparison: " + std::to_string(given) + " elements of " +
                       std::string(what) + " for an output of " + std::to_string(count));
}

void require_fit(const TypedBytes& actual, const TypedBytes& expected, const ComparisonRule& rule) {
  const DType& output = actual.dtype;
  const DType& reference = expected.dtype;
  const bool same_kind =
      output.kind == reference.kind || (is_integer(output) && is_integer(reference));
  if (!same_kind || reference.bytes < output.bytes) {
    throw internal_error("comparison: an output of " + std::string(output.name) +
                         " cannot be compared with a reference of " + std::string(reference.name));
  }
  require_whole(actual, "the output");
  require_whole(expected, "the reference");
  require_count(expected.count(), actual.count(), "the reference");
  if (!rule.ulp.empty()) require_count(rule.ulp.size(), actual.count(), "ulp");
  if (!rule.rtol.empty()) require_count(rule.rtol.size(), actual.count(), "rtol");
  if (!rule.atol.empty()) require_count(rule.atol.size(), actual.count(), "atol");
}

}  // namespace

std::string_view to_text(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::value:
      return "value";
    case MismatchKind::nan:
      return "nan";
    case MismatchKind::infinity:
      return "infinity";
    case MismatchKind::bound:
      return "bound";
    case MismatchKind::unwritten:
      return "unwritten";
  }
  return "unknown";
}

Comparison compare(const TypedBytes& actual, const TypedBytes& expected, const ComparisonRule& rule,
                   std::optional<std::byte> poison) {
  require_fit(actual, expected, rule);
  return with_element_type(actual.dtype, [&](auto output) {
    using Output = decltype(output);
    return with_element_type(expected.dtype, [&](auto reference) -> Comparison {
      using Expected = decltype(reference);
      if constexpr (std::is_same_v<Output, BoolByte> && std::is_same_v<Expected, BoolByte>) {
        return compare_as<Output, Expected, BoolJudge>(actual, expected, rule, poison);
      } else if constexpr (sizeof(Expected) >= sizeof(Output) && kIsReal<Output> &&
                           kIsReal<Expected>) {
        return compare_as<Output, Expected, RealJudge<Output, Expected>>(actual, expected, rule,
                                                                         poison);
      } else if constexpr (sizeof(Expected) >= sizeof(Output) && std::is_integral_v<Output> &&
                           std::is_integral_v<Expected>) {
        return compare_as<Output, Expected, IntegerJudge<Output, Expected>>(actual, expected, rule,
                                                                            poison);
      } else {
        throw internal_error("comparison: dtypes that do not fit were let through");
      }
    });
  });
}

}  // namespace warpmark
