#include "runtime/inputs.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/narrow_float.hpp"
#include "python/contents.hpp"
#include "python/conversion.hpp"
#include "python/function.hpp"
#include "python/tensors.hpp"
#include "runtime/element.hpp"
#include "runtime/float16.hpp"
#include "suite/companions.hpp"
#include "suite/contents.hpp"

namespace warpmark {

namespace {

PythonValue python_value(const ArithmeticValue& value) {
  return std::visit(
      [](const auto& held) -> PythonValue {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::vector<int64_t>>) {
          throw internal_error("an axis is a tuple");
        } else {
          return held;
        }
      },
      value);
}

bool is_axis(const Plan& plan, const std::string& name) {
  for (const PlanAxis& axis : plan.point) {
    if (axis.name == name) return true;
  }
  return false;
}

// True if a scalar that is an axis differs from the axis's number: a float has its dtype's width,
// and a whole number may be too great for a float.
bool is_other_than_axis(const Plan& plan, const std::string& name, const ScalarValue& scalar) {
  const auto axis = std::ranges::find(plan.point, name, &PlanAxis::name);
  if (axis == plan.point.end() || scalar.dtype.kind != DTypeKind::floating) return false;
  const auto* whole = std::get_if<int64_t>(&axis->value);
  if (whole == nullptr) return true;
  return with_element_type(scalar.dtype, [&](auto type) {
    using Element = decltype(type);
    if constexpr (kIsReal<Element>) {
      return number(load_element<Element>(scalar.bytes.data(), 0)) != number(*whole);
    }
    return false;
  });
}

PythonScope axes_scope(const Plan& plan) {
  PythonScope scope;
  for (const PlanAxis& axis : plan.point) scope.set_value(axis.name, python_value(axis.value));
  const auto* devices = plan.devices ? std::get_if<int64_t>(&*plan.devices) : nullptr;
  if (devices != nullptr) scope.set_value("devices", *devices);
  return scope;
}

}  // namespace

Value evaluate(Interpreter& python, const NumpyText& text, const PositionMap& positions,
               const PythonScope& scope) {
  const PythonExpression written = expression_from(text.text, positions.find(text.at));
  if (!text.function) return evaluate(python, written, scope, ExitCode::verdict);
  const std::filesystem::path folder = std::filesystem::path(positions.find("").file).parent_path();
  const PythonFunction function = python_function(written, folder);
  return text.tensors ? call_with_tensors(python, function, scope, ExitCode::verdict)
                      : call(python, function, scope, ExitCode::verdict);
}

CaseInputs evaluate_inputs(Interpreter& python, const PlannedCase& planned, ArgumentTypes types,
                           GeneratorKey key, Array::Access others) {
  const Plan& plan = planned.plan;
  CaseInputs inputs{std::move(types), {}, {}, {}};
  PythonScope scope = axes_scope(plan);
  const auto value_of = [&](const std::string& name, const NumpyText& text) {
    key.argument = name;
    scope.set_generator(key);
    return evaluate(python, text, planned.positions, scope);
  };
  // Scalars first: they are cheap, and arrays may be sized by them.
  for (const Scalar& scalar : plan.scalars) {
    const auto dtype = inputs.dtypes.find(scalar.name);
    if (dtype == inputs.dtypes.end()) continue;   // no kernel takes it as an argument
    if (scalar.integer || scalar.null) continue;  // add_integers
    ScalarValue value{dtype->second, scalar_bytes(value_of(scalar.name, scalar.value),
                                                  dtype->second, inputs.counts.at(scalar.name))};
    if (!is_axis(plan, scalar.name)) scope.set_scalar(scalar.name, value.dtype, value.bytes);
    inputs.scalars.emplace(scalar.name, std::move(value));
  }
  for (const Buffer& buffer : plan.buffers) {
    if (!buffer.pointers.empty()) {
      // The worker, which knows the addresses, puts them in.
      inputs.arrays.emplace(buffer.name, Array(*find_dtype("uint64"),
                                               {static_cast<int64_t>(buffer.pointers.size())}));
      continue;
    }
    if (!buffer.value) continue;
    const DType& dtype = inputs.dtypes.at(buffer.name);
    Array array = to_array(value_of(buffer.name, *buffer.value), dtype, std::nullopt, others);
    if (!buffer.contents.empty()) {
      const Position where = planned.positions.find(buffer.value->at);
      array = contents_of(python, buffer.contents, is_real_only(buffer.contents), array.shape(),
                          dtype, key, expression_from(buffer.value->text, where));
    }
    if (!is_axis(plan, buffer.name)) scope.set_array(buffer.name, array);
    inputs.arrays.emplace(buffer.name, std::move(array));
  }
  return inputs;
}

Facts array_facts(const Plan& plan, const CaseInputs& inputs) {
  Facts facts;
  for (const Buffer& buffer : plan.buffers) {
    ArrayFacts array{{}, inputs.dtypes.at(buffer.name)};
    const auto found = inputs.arrays.find(buffer.name);
    if (found != inputs.arrays.end()) array.shape = found->second.shape();
    facts.arrays.emplace(buffer.name, std::move(array));
  }
  return facts;
}

Shape buffer_shape(const Buffer& buffer, const CaseInputs& inputs) {
  const auto input = inputs.arrays.find(buffer.name);
  if (input != inputs.arrays.end()) return input->second.shape();
  Shape shape;
  for (const Size& extent : buffer.shape) shape.push_back(resolved(extent));
  return shape;
}

namespace {

// A number as the bytes of a floating-point dtype, rounded once.
ScalarValue real_scalar(const DType& type, double value) {
  ScalarValue scalar{type, std::vector<std::byte>(type.bytes)};
  const auto put = [&](const auto& number) {
    std::memcpy(scalar.bytes.data(), &number, scalar.bytes.size());
  };
  if (type.bytes == 8)
    put(value);
  else if (type.bytes == 4)
    put(static_cast<float>(value));
  else if (type.name == "float16")
    put(to_float16(value).bits);
  else if (type.name == "bfloat16")
    put(to_narrow<BFloat16>(value).bits);
  else if (type.name == "float8_e5m2")
    put(to_narrow<Float8E5M2>(value).bits);
  else
    put(to_narrow<Float8E4M3>(value).bits);
  return scalar;
}

}  // namespace

void add_integers(const PlannedCase& resolved_case, CaseInputs& inputs) {
  for (const Scalar& scalar : resolved_case.plan.scalars) {
    const auto dtype = inputs.dtypes.find(scalar.name);
    if (dtype == inputs.dtypes.end()) continue;
    if (scalar.null) {
      inputs.scalars.emplace(scalar.name, ScalarValue{dtype->second, std::vector<std::byte>(8)});
      continue;
    }
    if (!scalar.integer) continue;
    const DType& type = dtype->second;
    const auto value = std::get<int64_t>(*scalar.integer);
    if (type.kind == DTypeKind::floating) {
      inputs.scalars.emplace(scalar.name, real_scalar(type, static_cast<double>(value)));
      continue;
    }
    // Converts to bits of the width, and back.
    const unsigned spare = 64 - 8 * type.bytes;
    const bool is_signed = type.kind == DTypeKind::signed_integer;
    const uint64_t bits = static_cast<uint64_t>(value) << spare;
    const bool holds = is_signed ? static_cast<int64_t>(bits) >> spare == value
                                 : value >= 0 && bits >> spare == static_cast<uint64_t>(value);
    const bool is_bool = type.kind == DTypeKind::boolean && (value == 0 || value == 1);
    if (!is_bool && (!is_integer(type) || !holds)) {
      throw verdict_error(fmt::format("the scalar `{}` is {}, which {} does not hold", scalar.name,
                                      value, type.name),
                          resolved_case.positions.find(scalar.at));
    }
    std::vector<std::byte> bytes(type.bytes);
    std::memcpy(bytes.data(), &value, bytes.size());  // little endian
    inputs.scalars.emplace(scalar.name, ScalarValue{type, std::move(bytes)});
  }
}

uint64_t buffer_bytes(const PlannedCase& ready, const CaseInputs& inputs) {
  int64_t total = 0;
  for (const Buffer& buffer : ready.plan.buffers) {
    const auto input = inputs.arrays.find(buffer.name);
    int64_t bytes = inputs.dtypes.at(buffer.name).bytes;
    bool overflows = false;
    bool empty = false;
    if (input != inputs.arrays.end()) {
      bytes = static_cast<int64_t>(input->second.nbytes());
    } else {
      for (const Size& extent : buffer.shape) {
        empty = empty || resolved(extent) == 0;
        overflows |= __builtin_mul_overflow(bytes, resolved(extent), &bytes);
      }
    }
    if (empty) continue;
    if (!overflows && !buffer.is_dense() && bytes != 0) {
      // Both numbers come from the suite's author: the result is checked like any other size.
      const Shape shape = buffer_shape(buffer, inputs);
      const int64_t element = inputs.dtypes.at(buffer.name).bytes;
      const int64_t row = (shape.empty() ? 1 : shape.back()) * element;
      int64_t lead = 0;
      if (buffer.pitch) {
        overflows |= __builtin_mul_overflow(bytes / row, resolved(*buffer.pitch), &bytes);
      }
      if (buffer.offset) {
        overflows |= __builtin_mul_overflow(element, resolved(*buffer.offset), &lead);
      }
      overflows |= __builtin_add_overflow(bytes, lead, &bytes);
    }
    if (overflows || __builtin_add_overflow(total, bytes, &total)) {
      throw verdict_error(
          fmt::format("the buffers up to `{}` take more than 2**63 bytes", buffer.name),
          ready.positions.find(buffer.at));
    }
  }
  return static_cast<uint64_t>(total);
}

PlacedArrays placed_arrays(const PlannedCase& ready, const CaseInputs& inputs) {
  PlacedArrays placed;
  for (const Buffer& buffer : ready.plan.buffers) {
    if (buffer.is_dense()) continue;
    const auto input = inputs.arrays.find(buffer.name);
    placed.emplace(
        buffer.name,
        PlacedArray(placement_of(buffer, buffer_shape(buffer, inputs), ready.positions),
                    input != inputs.arrays.end() ? std::optional(input->second) : std::nullopt));
  }
  return placed;
}

std::optional<uint64_t> offset_of_pointer(const DType& type, std::string_view field) {
  if (type.fields == nullptr) return std::nullopt;
  const size_t dot = field.find('.');
  const std::string_view name = field.substr(0, dot);
  for (const Field& one : *type.fields) {
    if (one.name != name || !one.shape.empty()) continue;
    if (dot == std::string_view::npos) {
      return one.dtype.name == "uint64" ? std::optional<uint64_t>(one.offset) : std::nullopt;
    }
    const auto inner = offset_of_pointer(one.dtype, field.substr(dot + 1));
    return inner ? std::optional(one.offset + *inner) : std::nullopt;
  }
  return std::nullopt;
}

PythonScope reference_scope(const Plan& plan, const CaseInputs& inputs) {
  PythonScope scope = axes_scope(plan);
  for (const auto& [name, scalar] : inputs.scalars) {
    if (plan.find_scalar(name) != nullptr && plan.find_scalar(name)->null) continue;
    // An axis that counts something stays a Python int; a value that the kernel gets as 0.1F must
    // be the same number here.
    if (!is_axis(plan, name) || is_other_than_axis(plan, name, scalar)) {
      scope.set_scalar(name, scalar.dtype, scalar.bytes);
    }
  }
  for (const auto& [name, array] : inputs.arrays) {
    const Buffer* buffer = plan.find_buffer(name);
    if (buffer != nullptr && !buffer->pointers.empty()) continue;  // addresses mean nothing
    if (!is_axis(plan, name)) scope.set_array(name, array);
  }
  if (!inputs.baseline.empty()) {
    ArrayMap left;
    for (const auto& [name, array] : inputs.baseline) left.arrays.emplace_back(name, array);
    scope.set_arrays(std::string(kBaselineName), std::move(left));
  }
  return scope;
}

}  // namespace warpmark
