#include "runtime/trivial_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

#include "base/text.hpp"
#include "runtime/trivial_element.hpp"

namespace warpmark {
namespace {

/// Elements compared at once: the first few refute most answers; the later pieces stay in cache.
constexpr size_t kFirstPiece = 64;
constexpr size_t kPiece = 8192;

// A coin that falls the same way in 16 trials is none (1 in 65536). Large cases get fewer trials:
// what one of them lets pass by luck is rare, and evaluating them takes long.
constexpr uint64_t kMostTrials = 16;
constexpr uint64_t kLeastTrials = 2;
constexpr uint64_t kElementsOfAllTrials = uint64_t{1} << 22;

// A function of a file may take it: its parameters are not known here.
bool uses_rng(const NumpyText& value) {
  return value.function || has_word(value.text, "rng");
}

bool uses_rng(const Plan& plan) {
  const auto scalar = [](const Scalar& one) { return uses_rng(one.value); };
  const auto buffer = [](const Buffer& one) { return one.value && uses_rng(*one.value); };
  return std::any_of(plan.scalars.begin(), plan.scalars.end(), scalar) ||
         std::any_of(plan.buffers.begin(), plan.buffers.end(), buffer);
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
  // The poison of an `out` that nobody writes passes nowhere.
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

// Of complex numbers and structs: what needs no number of their own.
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
    // Random values may have given it another size in another trial.
    if (static_cast<size_t>(input.size()) < count) return false;
    const TypedBytes elements{input.dtype(), input.bytes()};
    return passes(candidate, elements, dtype, count, expectation);
  }
  for (size_t i = 0; i < std::min(count, kPiece); ++i) {
    std::memcpy(piece_.data() + i * dtype.bytes, candidate.bytes.data(), dtype.bytes);
  }
  return passes(candidate, std::nullopt, dtype, count, expectation);
}

bool TrivialCheck::passes(Candidate& candidate, const std::optional<TypedBytes>& input,
                          const DType& dtype, size_t count, const Expectation& expectation) {
  const ComparisonRule rule = expectation.rule();
  const ComparisonRule exact{ToleranceKind::exact, rule.nan};
  const ReferenceValue& reference = expectation.reference;
  size_t length = kFirstPiece;
  for (size_t begin = 0; begin < count; begin += length, length = kPiece) {
    length = std::min(length, count - begin);
    TypedBytes actual{dtype, std::span(piece_).first(length * dtype.bytes)};
    if (input) {
      const size_t width = input->dtype.bytes;
      const TypedBytes from{input->dtype, input->bytes.subspan(begin * width, length * width)};
      if (from.dtype == dtype) {
        actual = from;
      } else {
        cast_elements(from, dtype, piece_.data());
      }
    }
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
      judged_.push_back({expected.output, fingerprint(expectation, shape), count});
      output = {dtype, is_number ? candidates(ready, buffer, dtype, count, expectation)
                                 : composed_candidates(ready, buffer, dtype, count)};
    }
    std::erase_if(output.candidates, [&](Candidate& candidate) {
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
    for (const Candidate& candidate : output.candidates) {
      const bool is_value = candidate.answer == TrivialAnswer::zeros ||
                            candidate.answer == TrivialAnswer::ones ||
                            candidate.answer == TrivialAnswer::constant;
      if (is_value && has_value) continue;
      has_value = has_value || is_value;
      std::string detail = candidate.answer == TrivialAnswer::copy ? candidate.input : "";
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
