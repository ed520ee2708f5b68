#include "runtime/comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"
#include "runtime/element.hpp"
#include "runtime/element_text.hpp"

namespace warpmark {
namespace {

/// The verdict on one element. `Magnitude` holds any |x − e| of the dtype.
template <typename Magnitude>
struct Judgement {
  bool right = false;
  MismatchKind kind = MismatchKind::value;  ///< if wrong
  bool finite = true;                       ///< `error` and `bound` mean something
  Magnitude error{};
  Magnitude bound{};
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

/// Any value is right: only unwritten elements are wrong.
template <typename Output>
class AnyJudge {
 public:
  using Magnitude = Unsigned128;

  explicit AnyJudge(const ComparisonRule& /*rule*/) {}

  bool equal_bytes_are_right() const {
    return false;
  }  // the bytes are always equal, because the output is compared with itself

  Judgement<Magnitude> operator()(Output /*x*/, Output /*e*/, size_t /*index*/) const {
    return {.right = true};
  }
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
  using Magnitude =
      std::conditional_t<std::is_same_v<Output, double> || std::is_integral_v<Expected>,
                         long double, double>;

  explicit RealJudge(const ComparisonRule& rule)
      : kind_(rule.kind), nan_(rule.nan), ulp_(rule.ulp), rtol_(rule.rtol), atol_(rule.atol) {}

  /// True if an output that equals its reference bit by bit needs no closer look. No finite value
  /// makes a long double overflow, so that a bound that is good at one value is good at all.
  bool equal_bytes_are_right() const {
    if (nan_ == NanPolicy::forbid) return false;
    if (ulp_.varies() || rtol_.varies() || atol_.varies()) return false;
    return good(bound_at<long double>(1.0, 0), 0);
  }

  Judgement<Magnitude> operator()(Output output, Expected reference, size_t index) const {
    const auto x = number(output);
    if (kind_ == ToleranceKind::close) return judge(x, number(reference), index);
    return judge(x, rounded(reference), index);
  }

  /// |x − r| / spacing(r); "" if r is not finite.
  static std::string ulp_text(Output output, Expected reference) {
    const long double r = rounded(reference);
    if (!std::isfinite(r)) return "";
    const long double error = std::fabs(static_cast<long double>(number(output)) - r);
    return real_text(error / spacing<Output>(static_cast<double>(r)));
  }

 private:
  static auto rounded(Expected reference) {
    if constexpr (std::is_integral_v<Expected>) {
      return rounded_to<Output>(reference);
    } else {
      return rounded_to<Output>(number(reference));
    }
  }

  template <typename X, typename E>
  Judgement<Magnitude> judge(X x, E e, size_t index) const {
    if (!std::isfinite(x) || !std::isfinite(e)) [[unlikely]] {
      if (std::isnan(x) || std::isnan(e)) {
        const bool right = std::isnan(x) && std::isnan(e) && nan_ == NanPolicy::equal;
        return {.right = right, .kind = MismatchKind::nan, .finite = false};
      }
      return {.right = x == e, .kind = MismatchKind::infinity, .finite = false};
    }
    return within<Magnitude>(x, e, index);
  }

  template <typename Wide, typename X, typename E>
  Judgement<Magnitude> within(X x, E e, size_t index) const {
    const Wide error = std::fabs(static_cast<Wide>(x) - static_cast<Wide>(e));
    const Wide bound = bound_at<Wide>(e, index);
    if (!good(bound, index)) [[unlikely]] {
      // The sum of finite parts may be more than a double holds, but never more than a long double
      // does.
      if constexpr (!std::is_same_v<Wide, long double>) {
        if (std::isinf(bound)) return within<long double>(x, e, index);
      }
      return {.kind = MismatchKind::bound,
              .error = static_cast<Magnitude>(error),
              .bound = static_cast<Magnitude>(bound)};
    }
    if (!(error <= bound)) {
      return {.error = static_cast<Magnitude>(error), .bound = static_cast<Magnitude>(bound)};
    }
    return {.right = true};
  }

  template <typename Wide, typename E>
  Wide bound_at(E e, size_t index) const {
    switch (kind_) {
      case ToleranceKind::exact:
        return 0;
      case ToleranceKind::ulp:
        return std::max(static_cast<Wide>(ulp_[index]) *
                            static_cast<Wide>(spacing<Output>(static_cast<double>(e))),
                        static_cast<Wide>(atol_[index]));
      case ToleranceKind::close:
      case ToleranceKind::from_float64:  // its bounds are those of close by now
        break;
    }
    return static_cast<Wide>(atol_[index]) +
           static_cast<Wide>(rtol_[index]) * std::fabs(static_cast<Wide>(e));
  }

  /// Each part must be good: a negative atol must not hide behind a greater rtol · |e|.
  template <typename Wide>
  bool good(Wide bound, size_t index) const {
    if (!std::isfinite(bound) || !(bound >= 0)) return false;
    if (kind_ == ToleranceKind::ulp) return ulp_[index] >= 0 && atol_[index] >= 0;
    return kind_ != ToleranceKind::close || (rtol_[index] >= 0 && atol_[index] >= 0);
  }

  ToleranceKind kind_;
  NanPolicy nan_;
  Bounds ulp_, rtol_, atol_;
};

/// Finds the bits of the poison that an element still has.
template <typename Element>
class PoisonFinder {
 public:
  /// All bits of an element.
  static constexpr uint64_t kAll = ~uint64_t{0} >> (64 - 8 * sizeof(Element));
  static constexpr unsigned kPieceBits = sizeof(Element) > 2 ? 16 : 8;

  explicit PoisonFinder(std::optional<std::byte> poison) : active_(poison.has_value()) {
    if (poison) std::memset(&pattern_, static_cast<int>(*poison), sizeof pattern_);
  }

  /// The bits of the pieces that a store may have left out.
  uint64_t left_at(const std::byte* array, size_t index) const {
    if (!active_) return 0;
    const uint64_t differs = uint64_t{load_element<Bits>(array, index)} ^ uint64_t { pattern_ };
    uint64_t left = 0;
    for (uint64_t piece = kPiece; piece != 0; piece = (piece << kPieceBits) & kAll) {
      if ((differs & piece) == 0) left |= piece;
    }
    return left;
  }

  bool is_among(const std::byte* array, size_t begin, size_t end) const {
    if (!active_) return false;
    Bits found = 0;  // as wide as the elements, so that the loop becomes vector instructions
    for (size_t i = begin; i < end; ++i) {
      found |= static_cast<Bits>(load_element<Bits>(array, i) == pattern_);
    }
    return found != 0;
  }

  /// The element that another poison in the bits `left` would have given: each of these bits is the
  /// opposite.
  static Element with_other_poison(const std::byte* array, size_t index, uint64_t left) {
    const auto bits = static_cast<Bits>(load_element<Bits>(array, index) ^ left);
    return std::bit_cast<Element>(bits);
  }

 private:
  using Bits = std::conditional_t<
      sizeof(Element) == 1, uint8_t,
      std::conditional_t<sizeof(Element) == 2, uint16_t,
                         std::conditional_t<sizeof(Element) == 4, uint32_t, uint64_t>>>;
  static constexpr uint64_t kPiece = (uint64_t{1} << kPieceBits) - 1;
  bool active_;
  Bits pattern_{};
};

/// A wrong element, before it becomes text.
template <typename Magnitude>
struct Wrong {
  size_t index{};
  Judgement<Magnitude> judgement;
};

/// Compares by error / bound, then by error; an error over a bound of 0 is infinitely large.
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

template <typename Output, typename Expected, typename Judge>
Mismatch told_with_ulp(const Wrong<typename Judge::Magnitude>& wrong, const TypedBytes& actual,
                       const TypedBytes& expected) {
  Mismatch text = mismatch(wrong, actual, expected);
  if constexpr (requires { Judge::ulp_text(Output{}, Expected{}); }) {
    if (text.kind == MismatchKind::value) {
      const size_t index = expected.count() == 1 ? 0 : wrong.index;
      text.ulp = Judge::ulp_text(load_element<Output>(actual.bytes.data(), wrong.index),
                                 load_element<Expected>(expected.bytes.data(), index));
    }
  }
  return text;
}

/// Elements compared byte by byte at once, before any is looked at alone: a few KiB, in cache.
constexpr size_t kBlock = 1024;

/// The part of a comparison that some of the elements make.
template <typename Magnitude>
struct Tally {
  Comparison counts;
  std::optional<Wrong<Magnitude>> worst;
  std::vector<Wrong<Magnitude>> listed;  ///< the first ones, up to kMostListed

  void add(size_t index, const Judgement<Magnitude>& judgement) {
    if (listed.size() < kMostListed) listed.push_back({index, judgement});
    if (judgement.kind != MismatchKind::value) return;
    ++counts.by_value;
    if (!worst || worse(judgement, worst->judgement)) worst = {index, judgement};
  }

  /// Adds the tally of the elements that follow.
  void append(const Tally& next) {
    counts.wrong += next.counts.wrong;
    counts.unwritten += next.counts.unwritten;
    counts.in_part += next.counts.in_part;
    counts.narrow += next.counts.narrow;
    counts.doubtful += next.counts.doubtful;
    counts.by_value += next.counts.by_value;
    for (const Wrong<Magnitude>& one : next.listed) {
      if (listed.size() < kMostListed) listed.push_back(one);
    }
    if (next.worst && (!worst || worse(next.worst->judgement, worst->judgement)))
      worst = next.worst;
  }
};

/// Compares the elements of a range.
template <typename Output, typename Expected, typename Judge>
class Comparer {
 public:
  using Magnitude = typename Judge::Magnitude;

  Comparer(const TypedBytes& actual, const TypedBytes& expected, const ComparisonRule& rule,
           std::optional<std::byte> poison, const EarlierLaunch& earlier)
      : judge_(rule),
        poisoned_(poison),
        has_earlier_(!earlier.bytes.empty()),
        earlier_poisoned_(has_earlier_ ? std::optional(earlier.poison) : std::nullopt),
        x_(actual.bytes.data()),
        e_(expected.bytes.data()),
        before_(earlier.bytes.data()),
        step_(expected.count() == 1 ? 0 : 1),
        by_bytes_(std::is_same_v<Output, Expected> && step_ == 1 && !has_earlier_ &&
                  judge_.equal_bytes_are_right()) {}

  Tally<Magnitude> tally(Range range) const {
    Tally<Magnitude> found;
    for (size_t begin = range.begin; begin < range.end; begin += kBlock) {
      const size_t end = std::min(begin + kBlock, range.end);
      const size_t offset = begin * sizeof(Output);
      if (by_bytes_ && std::memcmp(x_ + offset, e_ + offset, (end - begin) * sizeof(Output)) == 0 &&
          !poisoned_.is_among(x_, begin, end)) {
        continue;
      }
      for (size_t i = begin; i < end; ++i) look_at(i, found);
    }
    return found;
  }

 private:
  using Finder = PoisonFinder<Output>;

  void look_at(size_t i, Tally<Magnitude>& found) const {
    const auto reference = load_element<Expected>(e_, i * step_);
    Judgement<Magnitude> judgement = judge_(load_element<Output>(x_, i), reference, i);
    const uint64_t left = poisoned_.left_at(x_, i);
    const uint64_t never = has_earlier_ ? left & earlier_poisoned_.left_at(before_, i) : 0;
    Comparison& counts = found.counts;
    if (judgement.right && never == 0) [[likely]] {
      if (left == 0 || has_earlier_) return;
      const bool whole = left == Finder::kAll;
      if (whole || judge_(Finder::with_other_poison(x_, i, left), reference, i).right) {
        ++counts.doubtful;
      }
      return;
    }
    ++counts.wrong;
    // The distance of a right element is not reported.
    if (judgement.right) judgement = {.finite = false};
    // A bad bound says nothing about the element, so the element cannot be called unwritten.
    const bool unwritten = has_earlier_ ? never != 0 : left == Finder::kAll;
    if (unwritten && judgement.kind != MismatchKind::bound) {
      ++counts.unwritten;
      if (left != Finder::kAll) ++counts.in_part;
      judgement.kind = MismatchKind::unwritten;
    } else if (Finder::kPieceBits > 8 && left != 0) {  // one byte may be so by chance
      ++counts.narrow;
    }
    found.add(i, judgement);
  }

  Judge judge_;
  Finder poisoned_;
  bool has_earlier_;
  Finder earlier_poisoned_;
  const std::byte *x_, *e_, *before_;
  size_t step_;
  bool by_bytes_;
};

/// Elements for which a further thread is worth its start.
constexpr size_t kGrain = size_t{1} << 20;

template <typename Output, typename Expected, typename Judge>
Comparison compare_as(const TypedBytes& actual, const TypedBytes& expected,
                      const ComparisonRule& rule, std::optional<std::byte> poison,
                      const EarlierLaunch& earlier) {
  using Magnitude = typename Judge::Magnitude;
  const Comparer<Output, Expected, Judge> comparer(actual, expected, rule, poison, earlier);
  const std::vector<Range> ranges = ranges_of(actual.count(), kGrain);
  std::vector<Tally<Magnitude>> tallies(ranges.size());
  in_parallel(ranges, [&](size_t number, Range range) { tallies[number] = comparer.tally(range); });
  Tally<Magnitude> all;
  for (const Tally<Magnitude>& one : tallies) all.append(one);
  Comparison result = std::move(all.counts);
  result.elements = actual.count();
  const auto told = [&](const Wrong<Magnitude>& wrong) {
    return told_with_ulp<Output, Expected, Judge>(wrong, actual, expected);
  };
  std::ranges::transform(all.listed, std::back_inserter(result.next), told);
  if (!all.listed.empty()) {
    result.first = result.next.front();
    result.next.erase(result.next.begin());
  }
  if (all.worst) result.worst = told(*all.worst);
  return result;
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
  require_whole(actual, "the output");
  require_whole(expected, "the reference");
  require_count(expected.count(), actual.count(), "the reference");
  if (!rule.ulp.empty()) require_count(rule.ulp.size(), actual.count(), "ulp");
  if (!rule.rtol.empty()) require_count(rule.rtol.size(), actual.count(), "rtol");
  if (!rule.atol.empty()) require_count(rule.atol.size(), actual.count(), "atol");
}

void require_earlier(const TypedBytes& actual, std::optional<std::byte> poison,
                     const EarlierLaunch& earlier) {
  if (earlier.bytes.empty() || (poison && earlier.bytes.size() == actual.bytes.size())) return;
  throw internal_error("comparison: an earlier launch that is not of this output");
}

}  // namespace

Comparison compare_written(const TypedBytes& actual, std::byte poison,
                           const EarlierLaunch& earlier) {
  require_whole(actual, "the output");
  require_earlier(actual, poison, earlier);
  return with_element_type(actual.dtype, [&](auto output) {
    using Output = decltype(output);
    Comparison result =
        compare_as<Output, Output, AnyJudge<Output>>(actual, actual, {}, poison, earlier);
    if (result.first) result.first->expected.clear();
    for (Mismatch& one : result.next) one.expected.clear();
    return result;
  });
}

Comparison compare(const TypedBytes& actual, const TypedBytes& expected, const ComparisonRule& rule,
                   std::optional<std::byte> poison, const EarlierLaunch& earlier) {
  require_fit(actual, expected, rule);
  require_earlier(actual, poison, earlier);
  return with_element_type(actual.dtype, [&](auto output) {
    using Output = decltype(output);
    return with_element_type(expected.dtype, [&](auto reference) -> Comparison {
      using Reference = decltype(reference);
      constexpr bool kWide = sizeof(Reference) >= sizeof(Output);
      if constexpr (std::is_same_v<Output, BoolByte> && std::is_same_v<Reference, BoolByte>) {
        return compare_as<Output, Reference, BoolJudge>(actual, expected, rule, poison, earlier);
      } else if constexpr (!std::is_same_v<Output, Reference> &&
                           (kIsNarrow<Reference> ||
                            (kIsNarrow<Output> && !std::is_floating_point_v<Reference>))) {
        throw internal_error("comparison: a reference of " + std::string(expected.dtype.name) +
                             " for an output of " + std::string(actual.dtype.name));
      } else if constexpr (kIsReal<Output> &&
                           ((kIsReal<Reference> && kWide) || std::is_integral_v<Reference>)) {
        return compare_as<Output, Reference, RealJudge<Output, Reference>>(actual, expected, rule,
                                                                           poison, earlier);
      } else if constexpr (kWide && std::is_integral_v<Output> && std::is_integral_v<Reference>) {
        return compare_as<Output, Reference, IntegerJudge<Output, Reference>>(
            actual, expected, rule, poison, earlier);
      } else {
        throw internal_error("comparison: an output of " + std::string(actual.dtype.name) +
                             " cannot be compared with a reference of " +
                             std::string(expected.dtype.name));
      }
    });
  });
}

}  // namespace warpmark
