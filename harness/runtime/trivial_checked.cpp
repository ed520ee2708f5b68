#include "runtime/trivial_checked.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "runtime/expectation.hpp"
#include "runtime/output_checks.hpp"
#include "runtime/trivial_element.hpp"

namespace warpmark {

namespace {

using Results = std::map<std::string, Array>;

// The results of a kernel that is right wherever a reference gives the values.
Results right_results(Interpreter& python, const ReadyCase& ready) {
  const Plan& plan = ready.planned.plan;
  const PythonScope scope = reference_scope(plan, ready.inputs);
  Results results;
  for (const Buffer& buffer : plan.buffers) {
    const DType& dtype = ready.inputs.dtypes.at(buffer.name);
    const auto input = ready.inputs.arrays.find(buffer.name);
    if (buffer.direction == ArgumentKind::in) {
      results.emplace(buffer.name, input->second);
    } else {
      results.emplace(buffer.name, Array(dtype, buffer_shape(buffer, ready.inputs)));
    }
  }
  for (const Expected& expected : plan.expected) {
    const Array& result = results.at(expected.output);
    for (const PartExpectation& part : evaluate_expectation(python, ready.planned, scope, expected,
                                                            result.dtype(), result.shape())) {
      const ReferenceValue& wanted = part.expectation.reference;
      const DType& dtype = part.leaf.dtype;
      const auto count = static_cast<size_t>(element_count(part.shape));
      std::vector<std::byte> cast(count * dtype.bytes);
      cast_elements({wanted.dtype, wanted.bytes}, dtype, cast.data());
      set_part(result.dtype(), result.bytes(), part.leaf, cast);
    }
  }
  return results;
}

// Returns false if the output cannot hold the answer.
bool write(const TrivialChecked::Answer& answer, const Buffer& buffer, const CaseInputs& inputs,
           const Array& result) {
  const auto fill = [&](double value) {
    if (!is_single_number(result.dtype())) {
      // For complex numbers and structs only zeros can be written as bytes.
      std::ranges::fill(result.bytes(), std::byte{0});
      return value == 0;
    }
    const std::vector<std::byte> element = element_bytes(result.dtype(), value);
    for (size_t at = 0; at < result.nbytes(); at += element.size()) {
      std::memcpy(result.bytes().data() + at, element.data(), element.size());
    }
    return true;
  };
  switch (answer.answer) {
    case TrivialAnswer::zeros:
      return fill(0);
    case TrivialAnswer::ones:
      return fill(1);
    case TrivialAnswer::nan:
      return result.dtype().kind == DTypeKind::floating &&
             fill(std::numeric_limits<double>::quiet_NaN());
    case TrivialAnswer::unwritten:
    case TrivialAnswer::copy: {
      const std::string& from = answer.input.empty() ? buffer.name : answer.input;
      const auto input = inputs.arrays.find(from);
      // The poison of an `out` that is left unwritten never passes.
      if (input == inputs.arrays.end() || input->second.size() < result.size()) return false;
      const size_t bytes = static_cast<size_t>(result.size()) * input->second.dtype().bytes;
      const DType& dtype = input->second.dtype();
      if (!is_single_number(dtype) || !is_single_number(result.dtype())) {
        if (!(dtype == result.dtype())) return false;
        std::ranges::copy(input->second.bytes().first(bytes), result.bytes().begin());
        return true;
      }
      cast_elements({input->second.dtype(), input->second.bytes().first(bytes)}, result.dtype(),
                    result.bytes().data());
      return true;
    }
    case TrivialAnswer::constant:
    case TrivialAnswer::stale:
    case TrivialAnswer::low_precision:
    case TrivialAnswer::float16:
    case TrivialAnswer::float32:
    case TrivialAnswer::tf32:
    case TrivialAnswer::one_percent:
    case TrivialAnswer::dropped:
    case TrivialAnswer::one_wrong:
      break;
  }
  return false;
}

}  // namespace

void TrivialChecked::begin(const ReadyCase& ready, const std::vector<const Buffer*>& outputs) {
  begun_ = true;
  for (const Buffer* output : outputs) {
    const auto count = static_cast<size_t>(element_count(buffer_shape(*output, ready.inputs)));
    if (count > 0) outputs_.push_back({output->name, count});
  }
  if (outputs_.empty()) return;
  answers_ = {
      {TrivialAnswer::unwritten, ""}, {TrivialAnswer::zeros, ""}, {TrivialAnswer::ones, ""}};
  for (const auto& [name, array] : ready.inputs.arrays) {
    const bool is_output = std::ranges::any_of(
        outputs, [&name = name](const Buffer* output) { return output->name == name; });
    // For the only output its own values equal the answer `unwritten`.
    if (!is_output || outputs.size() > 1) answers_.push_back({TrivialAnswer::copy, name});
  }
  answers_.push_back({TrivialAnswer::nan, ""});
}

void TrivialChecked::look(const ReadyCase& ready) {
  const std::vector<const Buffer*> outputs = checked_outputs(ready.planned.plan);
  if (outputs.empty()) return;
  require_checks(python_, ready.planned);
  if (!begun_) begin(ready, outputs);
  if (answers_.empty()) return;
  const Results results = right_results(python_, ready);
  std::erase_if(answers_, [&](const Answer& answer) {
    return !std::ranges::all_of(outputs, [&](const Buffer* output) {
      return write(answer, *output, ready.inputs, results.at(output->name));
    }) || !failed_checks(python_, ready.planned, ready.inputs, results).empty();
  });
  const auto is_value = [](const Answer& one) {
    return one.answer == TrivialAnswer::zeros || one.answer == TrivialAnswer::ones;
  };
  if (std::ranges::count_if(answers_, is_value) > 1) {
    std::erase_if(answers_, [](const Answer& one) { return one.answer == TrivialAnswer::ones; });
  }
}

}  // namespace warpmark
