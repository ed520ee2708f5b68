#include "runtime/trivial_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/text.hpp"
#include "runtime/trivial_element.hpp"

namespace warpmark {
namespace {

/// Elements compared at once: the first few refute most answers; the later pieces stay in cache.
constexpr size_t kFirstPiece = 64;
constexpr size_t kPiece = 8192;

// An answer that passes 16 trials is not passing by luck (1 in 65536 for a coin). Large cases get
// fewer trials: few answers pass one of them by luck, and evaluating them takes long.
constexpr uint64_t kMostTrials = 16;
constexpr uint64_t kLeastTrials = 2;
constexpr uint64_t kElementsOfAllTrials = uint64_t{1} << 22;

// The most elements of an input for which the reference is evaluated without one of them: a sum of
// more has rounding errors of that size.
constexpr int64_t kMostDropped = 1 << 16;

// Rounds to so many bits of significand.
double with_bits(double value, int bits) {
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(std::ldexp(part, bits)), exponent - bits)
                              : value;
}

constexpr int kBitsOfTf32 = 11;

// The bits that an answer keeps of each value; 0: it changes values in another way.
int bits_of(TrivialAnswer answer) {
  switch (answer) {
    case TrivialAnswer::low_precision:
      return 8;
    case TrivialAnswer::float16:
      return 11;
    case TrivialAnswer::float32:
      return 24;
    default:
      return 0;
  }
}

bool is_float_array(const Array& array) {
  return is_single_number(array.dtype()) && array.dtype().kind == DTypeKind::floating;
}

// A function of a file may take `rng`: its parameters are not known here.
bool uses_rng(const NumpyText& value) {
  return value.function || has_word(value.text, "rng");
}

bool uses_rng(const Plan& plan) {
  const auto scalar = [](const Scalar& one) { return uses_rng(one.value); };
  const auto buffer = [](const Buffer& one) { return one.value && uses_rng(*one.value); };
  return std::ranges::any_of(plan.scalars, scalar) || std::ranges::any_of(plan.buffers, buffer);
}

template <typename Value>
std::span<Value> piece_of(std::span<Value> all, size_t begin, size_t count) {
  return all.size() <= 1 ? all : all.subspan(begin, count);
}

ComparisonRule rule_of_piece(const ComparisonRule& rule, size_t begin, size_t count) {
  return {rule.kind, rule.nan, piece_of(rule.ulp, begin, count), piece_of(rule.rtol, begin, count),
          piece_of(rule.atol, begin, count)};
}

uint64_t fingerprint(const Expectation& expectation, const Shape& shape) {
  const auto& bytes = expectation.reference.bytes;
  const std::hash<std::string_view> hash;
  const uint64_t of_bytes = hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return hash(std::to_string(of_bytes) + std::string(expectation.reference.dtype.name) +
              shape_text(shape));
}

uint64_t elements_of(const CaseInputs& inputs) {
  uint64_t elements = 0;
  for (const auto& [name, array] : inputs.arrays) elements += static_cast<uint64_t>(array.size());
  return elements;
}

}  // namespace

std::vector<TrivialCheck::Candidate> TrivialCheck::candidates(const ReadyCase& ready,
                                                              const Buffer& buffer,
                                                              const DType& dtype, size_t count,
                                                              const Expectation& expectation) {
  std::vector<Candidate> all;
  const auto add_values = [&](TrivialAnswer answer, std::vector<std::byte> bytes) {
    // The earlier name is the better one.
    for (const Candidate& earlier : all) {
      if (earlier.input.empty() && earlier.bytes == bytes) return;
    }
    all.push_back({answer, "", std::move(bytes)});
  };
  // The poison of an `out` that is left unwritten never passes.
  if (buffer.direction == ArgumentKind::inout) {
    all.push_back({TrivialAnswer::unwritten, buffer.name, {}});
  }
  add_values(TrivialAnswer::zeros, element_bytes(dtype, 0));
  add_values(TrivialAnswer::ones, element_bytes(dtype, 1));
  for (const auto& [name, array] : ready.inputs.arrays) {
    if (name == buffer.name || !is_single_number(array.dtype())) continue;
    if (static_cast<size_t>(array.size()) < count) continue;
    all.push_back({TrivialAnswer::copy, name, {}});
  }
  for (auto& value :
       likely_constants({expectation.reference.dtype, expectation.reference.bytes}, dtype)) {
    add_values(TrivialAnswer::constant, std::move(value));
  }
  if (dtype.kind == DTypeKind::floating) {
    add_values(TrivialAnswer::nan, element_bytes(dtype, std::numeric_limits<double>::quiet_NaN()));
  }
  return all;
}

// The candidates for complex numbers and structs that need no number of that type.
std::vector<TrivialCheck::Candidate> TrivialCheck::composed_candidates(const ReadyCase& ready,
                                                                       const Buffer& buffer,
                                                                       const DType& dtype,
                                                                       size_t count) {
  std::vector<Candidate> all;
  if (buffer.direction == ArgumentKind::inout) {
    all.push_back({TrivialAnswer::unwritten, buffer.name, {}});
  }
  all.push_back({TrivialAnswer::zeros, "", std::vector<std::byte>(dtype.bytes)});
  for (const auto& [name, array] : ready.inputs.arrays) {
    if (name == buffer.name || !(array.dtype() == dtype)) continue;
    if (static_cast<size_t>(array.size()) >= count) all.push_back({TrivialAnswer::copy, name, {}});
  }
  return all;
}

bool TrivialCheck::survives_in_parts(Candidate& candidate, const ReadyCase& ready,
                                     const DType& dtype, size_t count,
                                     const std::vector<PartExpectation>& parts) {
  std::vector<std::byte> zeros;
  std::span<const std::byte> elements;
  if (candidate.input.empty()) {
    zeros.resize(count * dtype.bytes);
    elements = zeros;
  } else {
    const Array& input = ready.inputs.arrays.at(candidate.input);
    if (static_cast<size_t>(input.size()) < count) return false;
    elements = input.bytes().first(count * dtype.bytes);
  }
  std::vector<std::byte> own;
  return std::ranges::all_of(parts, [&](const PartExpectation& part) {
    const TypedBytes actual{part.leaf.dtype, part_bytes(dtype, elements, part.leaf, own)};
    const Expectation& wanted = part.expectation;
    const TypedBytes expected{wanted.reference.dtype, wanted.reference.bytes};
    if (!compare(actual, expected, wanted.rule(), std::nullopt).passed()) return false;
    const ComparisonRule exact{ToleranceKind::exact, wanted.nan};
    candidate.by_tolerance =
        candidate.by_tolerance || (wanted.kind != ToleranceKind::exact &&
                                   !compare(actual, expected, exact, std::nullopt).passed());
    return true;
  });
}

bool TrivialCheck::survives(Candidate& candidate, const ReadyCase& ready, const DType& dtype,
                            size_t count, const Expectation& expectation) {
  piece_.resize(kPiece * dtype.bytes);
  if (!candidate.input.empty()) {
    const Array& input = ready.inputs.arrays.at(candidate.input);
    // Random values may have given the input another size in another trial.
    if (static_cast<size_t>(input.size()) < count) return false;
    return passes(candidate, copy_of({input.dtype(), input.bytes()}, dtype), dtype, count,
                  expectation);
  }
  for (size_t i = 0; i < std::min(count, kPiece); ++i) {
    std::memcpy(piece_.data() + i * dtype.bytes, candidate.bytes.data(), dtype.bytes);
  }
  return passes(
      candidate, [](size_t, size_t) {}, dtype, count, expectation);
}

TrivialCheck::MakePiece TrivialCheck::copy_of(const TypedBytes& from, const DType& dtype) {
  return [this, from, &dtype](size_t begin, size_t length) {
    const size_t width = from.dtype.bytes;
    const auto piece = from.bytes.subspan(begin * width, length * width);
    if (from.dtype == dtype) {
      std::ranges::copy(piece, piece_.begin());
    } else {
      cast_elements({from.dtype, piece}, dtype, piece_.data());
    }
  };
}

bool TrivialCheck::passes(Candidate& candidate, const MakePiece& make, const DType& dtype,
                          size_t count, const Expectation& expectation) {
  const ComparisonRule rule = expectation.rule();
  const ComparisonRule exact{ToleranceKind::exact, rule.nan};
  const ReferenceValue& reference = expectation.reference;
  size_t length = kFirstPiece;
  for (size_t begin = 0; begin < count; begin += length, length = kPiece) {
    length = std::min(length, count - begin);
    make(begin, length);
    const TypedBytes actual{dtype, std::span(piece_).first(length * dtype.bytes)};
    const size_t width = reference.dtype.bytes;
    const TypedBytes expected{reference.dtype,
                              reference.bytes.subspan(begin * width, length * width)};
    if (!compare(actual, expected, rule_of_piece(rule, begin, length), std::nullopt).passed()) {
      return false;
    }
    if (!candidate.by_tolerance && rule.kind != ToleranceKind::exact) {
      candidate.by_tolerance = !compare(actual, expected, exact, std::nullopt).passed();
    }
  }
  return true;
}

void TrivialCheck::add_nearly_right(const ReadyCase& ready, const DType& dtype,
                                    Output& output) const {
  const auto is_wide = [](const DType& one) {
    return one.kind != DTypeKind::floating || one.bytes >= sizeof(float);
  };
  const auto& arrays = ready.inputs.arrays;
  const bool all_wide =
      std::ranges::all_of(arrays, [&](const auto& array) { return is_wide(array.second.dtype()); });
  if (!nearly_right_ || dtype.kind != DTypeKind::floating || !is_wide(dtype) || !all_wide) return;
  output.candidates.push_back({TrivialAnswer::low_precision, "", {}});
  output.candidates.push_back({TrivialAnswer::float16, "", {}});
  const bool is_double = dtype.bytes == sizeof(double);
  if (is_double) output.candidates.push_back({TrivialAnswer::float32, "", {}});
  if (!is_double) output.candidates.push_back({TrivialAnswer::tf32, "", {}});
  output.candidates.push_back({TrivialAnswer::one_percent, "", {}});
  output.candidates.push_back({TrivialAnswer::one_wrong, "", {}});
  for (const auto& [name, array] : arrays) {
    if (is_float_array(array) && array.size() > 1 && array.size() <= kMostDropped)
      output.candidates.push_back({TrivialAnswer::dropped, name, {}});
  }
}

// An answer that equals the reference is right, and no finding.
bool TrivialCheck::survives_nearly(Candidate& candidate, const ReadyCase& ready,
                                   const Expected& expected, const DType& dtype, const Shape& shape,
                                   const Expectation& expectation) {
  const auto count = static_cast<size_t>(element_count(shape));
  candidate.by_tolerance = false;
  piece_.resize(kPiece * dtype.bytes);
  if (candidate.answer == TrivialAnswer::dropped || candidate.answer == TrivialAnswer::tf32)
    return passes_with_other_inputs(candidate, ready, expected, dtype, shape, expectation);
  if (candidate.answer == TrivialAnswer::one_wrong) {
    candidate.by_tolerance = true;
    return count > 1 && passes_with_one_wrong(dtype, count, expectation);
  }
  const int bits = bits_of(candidate.answer);
  const auto change = [&](size_t begin, size_t length) {
    change_expected(expectation.reference, begin, length, dtype, [bits](double value) {
      return bits > 0 ? with_bits(value, bits) : 1.01 * value;
    });
  };
  return passes(candidate, change, dtype, count, expectation) && candidate.by_tolerance;
}

// Puts the expected values, each changed, into the piece.
void TrivialCheck::change_expected(const ReferenceValue& reference, size_t begin, size_t length,
                                   const DType& dtype,
                                   const std::function<double(double)>& change) {
  const DType wide = find_dtype("float64").value();
  const size_t width = reference.dtype.bytes;
  std::vector<double> values(length);
  cast_elements({reference.dtype, reference.bytes.subspan(begin * width, length * width)}, wide,
                reinterpret_cast<std::byte*>(values.data()));
  for (double& value : values) value = change(value);
  cast_elements({wide, std::as_bytes(std::span(values))}, dtype, piece_.data());
}

// Makes all elements wrong at the same time; an element that passes so passes alone, too.
bool TrivialCheck::passes_with_one_wrong(const DType& dtype, size_t count,
                                         const Expectation& expectation) {
  const ReferenceValue& reference = expectation.reference;
  double greatest = 0;
  const auto each_piece = [&](const auto& look) {
    bool found = false;
    for (size_t begin = 0; begin < count && !found; begin += kPiece)
      found = look(begin, std::min(kPiece, count - begin));
    return found;
  };
  each_piece([&](size_t begin, size_t length) {
    change_expected(reference, begin, length, dtype, [&greatest](double value) {
      if (std::isfinite(value)) greatest = std::max(greatest, std::abs(value));
      return value;
    });
    return false;
  });
  return each_piece([&](size_t begin, size_t length) {
    change_expected(reference, begin, length, dtype, [greatest](double value) {
      return std::isfinite(value) ? value + 2 * greatest + 1 : 0;
    });
    const TypedBytes actual{dtype, std::span(piece_).first(length * dtype.bytes)};
    const size_t width = reference.dtype.bytes;
    const TypedBytes expected{reference.dtype,
                              reference.bytes.subspan(begin * width, length * width)};
    const ComparisonRule rule = rule_of_piece(expectation.rule(), begin, length);
    return compare(actual, expected, rule, std::nullopt).wrong < length;
  });
}

CaseInputs TrivialCheck::other_inputs(const Candidate& candidate, const CaseInputs& given) {
  CaseInputs inputs = given;
  for (auto& [name, array] : inputs.arrays) {
    const bool is_dropped = candidate.answer == TrivialAnswer::dropped;
    if (is_dropped ? name != candidate.input : !is_float_array(array)) continue;
    Array other(array.dtype(), array.shape());
    if (is_dropped) {
      const auto kept = array.bytes().first(array.nbytes() - array.dtype().bytes);
      std::ranges::copy(kept, other.bytes().begin());
    } else {
      const DType wide = find_dtype("float64").value();
      std::vector<double> values(static_cast<size_t>(array.size()));
      cast_elements({array.dtype(), array.bytes()}, wide,
                    std::as_writable_bytes(std::span(values)).data());
      for (double& value : values) value = with_bits(value, kBitsOfTf32);
      cast_elements({wide, std::as_bytes(std::span(values))}, other.dtype(), other.bytes().data());
    }
    array = other;
  }
  return inputs;
}

bool TrivialCheck::passes_with_other_inputs(Candidate& candidate, const ReadyCase& ready,
                                            const Expected& expected, const DType& dtype,
                                            const Shape& shape, const Expectation& expectation) {
  const CaseInputs inputs = other_inputs(candidate, ready.inputs);
  Expected plain = expected;  // the tolerance is that of the right inputs
  plain.tolerance = {};
  try {
    const auto parts = evaluate_expectation(
        python_, ready.planned, reference_scope(ready.planned.plan, inputs), plain, dtype, shape);
    const ReferenceValue& answer = parts.front().expectation.reference;
    const TypedBytes elements{answer.dtype, answer.bytes};
    return passes(candidate, copy_of(elements, dtype), dtype,
                  static_cast<size_t>(element_count(shape)), expectation) &&
           candidate.by_tolerance;
  } catch (const Error& error) {
    // A reference may raise without an element, for example for a matrix that has no inverse then.
    if (error.code() != ExitCode::verdict) throw;
    return false;
  }
}

bool TrivialCheck::look(const ReadyCase& ready) {
  const Plan& plan = ready.planned.plan;
  const bool first = trials_ == 0;
  if (first) is_random_ = uses_rng(plan);
  const PythonScope scope = reference_scope(plan, ready.inputs);
  bool any = false;
  for (const Expected& expected : plan.expected) {
    const Buffer& buffer = *plan.find_buffer(expected.output);
    const DType& dtype = ready.inputs.dtypes.at(expected.output);
    const Shape shape = buffer_shape(buffer, ready.inputs);
    const auto count = static_cast<size_t>(element_count(shape));
    if (!first && outputs_[expected.output].candidates.empty()) continue;
    const std::vector<PartExpectation> parts =
        evaluate_expectation(python_, ready.planned, scope, expected, dtype, shape);
    if (count == 0) continue;
    const Expectation& expectation = parts.front().expectation;
    const bool is_number = is_single_number(dtype);
    Output& output = outputs_[expected.output];
    if (first) {
      judged_.push_back(
          {expected.output, fingerprint(expectation, shape), count, expectation.reason});
      output = {dtype, is_number ? candidates(ready, buffer, dtype, count, expectation)
                                 : composed_candidates(ready, buffer, dtype, count)};
      if (is_number) add_nearly_right(ready, dtype, output);
    }
    std::erase_if(output.candidates, [&](Candidate& candidate) {
      if (is_nearly_right(candidate.answer))
        return !survives_nearly(candidate, ready, expected, dtype, shape, expectation);
      return is_number ? !survives(candidate, ready, dtype, count, expectation)
                       : !survives_in_parts(candidate, ready, dtype, count, parts);
    });
    any = any || !output.candidates.empty();
  }
  checked_.look(ready);
  any = any || !checked_.answers().empty();
  for (const TrivialChecked::Output& output : checked_.outputs()) {
    const std::hash<std::string> hash;
    if (first) {
      judged_.push_back({output.name, hash(plan.case_id + " " + output.name), output.elements});
    }
  }
  ++trials_;
  if (!any || !is_random_ || trials_ >= kMostTrials) return false;
  return trials_ < kLeastTrials || (trials_ + 1) * elements_of(ready.inputs) < kElementsOfAllTrials;
}

std::vector<TrivialPass> TrivialCheck::passes() const {
  std::vector<TrivialPass> all;
  for (const Judged& judged : judged_) {
    const auto compared = outputs_.find(judged.output);
    if (compared == outputs_.end()) {
      for (const TrivialChecked::Answer& one : checked_.answers()) {
        all.push_back({judged.output, one.answer, one.input, false, judged.elements});
      }
      continue;
    }
    const Output& output = compared->second;
    bool has_value = false;  // zeros, ones or a constant: they are alike, and one is enough
    const bool is_loose = std::ranges::any_of(output.candidates, [](const Candidate& one) {
      return one.by_tolerance && !is_nearly_right(one.answer);
    });
    const bool is_coarse = std::ranges::any_of(output.candidates, [](const Candidate& one) {
      return one.answer == TrivialAnswer::low_precision;
    });
    for (const Candidate& candidate : output.candidates) {
      // A bound that accepts a bfloat16 accepts what has more bits.
      const bool has_more = candidate.answer > TrivialAnswer::low_precision &&
                            candidate.answer <= TrivialAnswer::tf32;
      if (is_coarse && has_more) continue;
      // A bound that accepts a kernel without any computation accepts these, too.
      if (is_loose && is_nearly_right(candidate.answer)) continue;
      const bool is_value = candidate.answer == TrivialAnswer::zeros ||
                            candidate.answer == TrivialAnswer::ones ||
                            candidate.answer == TrivialAnswer::constant;
      if (is_value && has_value) continue;
      has_value = has_value || is_value;
      const bool has_input =
          candidate.answer == TrivialAnswer::copy || candidate.answer == TrivialAnswer::dropped;
      std::string detail = has_input ? candidate.input : "";
      if (candidate.answer == TrivialAnswer::constant) {
        detail = element_text({output.dtype, candidate.bytes}, 0);
      }
      all.push_back({judged.output, candidate.answer, std::move(detail), candidate.by_tolerance,
                     judged.elements});
    }
  }
  return all;
}

}  // namespace warpmark
