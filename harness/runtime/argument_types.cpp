#include "runtime/argument_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "driver/image.hpp"
#include "runtime/argument_order.hpp"
#include "runtime/struct_layout.hpp"
#include "runtime/tensor_maps.hpp"

namespace warpmark {

namespace {

std::string without_qualifiers(std::string_view type) {
  std::vector<std::string> words;
  for (const std::string& word : split(trim(type), ' ')) {
    if (!word.empty() && word != "const" && word != "volatile" && word != "__restrict__")
      words.push_back(word);
  }
  return join(words, " ");
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Elements of one type that make up a C++ type, as far as they are known.
struct ElementsOfType {
  DType dtype;
  uint32_t count = 1;
};

// The elements of "float", "float4" or a struct of the suite; `type` may have a namespace.
std::optional<ElementsOfType> elements_of_c_type(const std::string& type, const Plan& plan) {
  const std::string name = without_qualifiers(type);
  if (const auto dtype = dtype_of_c_type(name)) return ElementsOfType{*dtype};
  if (const auto vector = vector_of_c_type(name))
    return ElementsOfType{vector->dtype, vector->count};
  for (const PlanType& known : plan.types) {
    // Demanglers and people differ in blanks: "Pair<float, 4>".
    const std::string wanted = without_blanks(known.name), given = without_blanks(name);
    if (given == wanted || given.ends_with("::" + wanted)) return ElementsOfType{known.dtype};
  }
  return std::nullopt;
}

// The elements of "float const*", as far as they are known.
std::optional<ElementsOfType> pointee(const std::string& type, const Plan& plan) {
  const size_t star = type.find('*');
  if (star == std::string::npos || type.find('*', star + 1) != std::string::npos) {
    return std::nullopt;
  }
  return elements_of_c_type(type.substr(0, star), plan);
}

bool is_pointer(const std::string& type) {
  return type.find('*') != std::string::npos || type.find('&') != std::string::npos;
}

// "float (*)(float)"; "float (*) [16]" points to an array.
bool points_to_function(const std::string& type) {
  return type.find("*)(") != std::string::npos;
}

// Elements may be read as another type of the same size and class; bytes may be read as any type.
bool elements_agree(const DType& given, const ElementsOfType& elements) {
  const DType& wanted = elements.dtype;
  // A vector may be one element as a whole, such as a float2 for a complex number.
  const bool composed = given.kind == DTypeKind::complex || given.kind == DTypeKind::record;
  if (elements.count > 1 && composed && given.bytes == wanted.bytes * elements.count) return true;
  if (given == wanted || (wanted.bytes == 1 && wanted.kind != DTypeKind::boolean)) return true;
  return is_integer(given) && is_integer(wanted) && given.bytes == wanted.bytes;
}

std::string parameter_name(const EntryParameter& parameter) {
  return parameter.type.empty() ? fmt::format("{} bytes", parameter.bytes)
                                : fmt::format("`{}`", parameter.type);
}

class SignatureCheck {
 public:
  SignatureCheck(const PlannedCase& planned) : plan_(planned.plan), positions_(planned.positions) {}

  void check(const LaunchStep& launch, const Entry& entry) {
    const size_t given = launch.arguments.size();
    const size_t wanted = entry.parameters.size();
    if (given != wanted) {
      throw verdict_error(fmt::format("{} takes {} argument{}, and the suite gives {}{}{}",
                                      entry.text(), wanted, wanted == 1 ? "" : "s", given,
                                      given > 0 ? ": " : "", join(launch.arguments, ", ")),
                          positions_.find("/arguments"),
                          "list the arguments in the order of the kernel's parameters");
    }
    for (size_t i = 0; i < given; ++i) {
      const std::string& name = launch.arguments[i];
      const Scalar* scalar = plan_.find_scalar(name);
      if (scalar != nullptr && scalar->null) {
        check_null(*scalar, entry.parameters[i], entry);
      } else if (scalar != nullptr && scalar->tensor_map) {
        check_tensor_map(*scalar, entry.parameters[i], entry, positions_);
      } else if (points_to_function(entry.parameters[i].type)) {
        throw function_wanted(name, entry.parameters[i], entry);
      } else if (const Buffer* buffer = plan_.find_buffer(name)) {
        check_buffer(*buffer, entry.parameters[i], entry);
      } else if (scalar != nullptr) {
        check_scalar(*scalar, entry.parameters[i], entry);
      }
    }
  }

  // A variable has the type that the source gives it.
  void check(const Buffer& buffer, const VariableFacts& variable) {
    if (variable.symbol.empty()) {
      throw verdict_error(fmt::format("the kernel's source has no variable `{}`", buffer.symbol),
                          positions_.find(buffer.at));
    }
    const std::string type = variable.type.substr(0, variable.type.find('['));
    const std::optional<ElementsOfType> elements = elements_of_c_type(type, plan_);
    if (!buffer.dtype && !elements) {
      throw verdict_error(
          fmt::format(
              "the dtype of the variable `{}` is not known{}", buffer.symbol,
              variable.type.empty() ? "" : fmt::format(": it is {}", printable(variable.type))),
          positions_.find(buffer.at), "give it with `dtype:`, as in `dtype: float32`");
    }
    const DType dtype = buffer.dtype ? *buffer.dtype : elements->dtype;
    if (elements && !elements_agree(dtype, *elements)) {
      throw verdict_error(fmt::format("the variable `{}` is given as {}, and it is {}",
                                      buffer.symbol, dtype.name, printable(variable.type)),
                          positions_.find(buffer.at), "leave `dtype` out to take the variable's");
    }
    types_.dtypes.try_emplace(buffer.name, dtype);
    types_.symbols.try_emplace(buffer.name, variable.symbol);
  }

  ArgumentTypes take() { return std::move(types_); }

 private:
  // Only the module knows the address of a function.
  Error function_wanted(const std::string& name, const EntryParameter& parameter,
                        const Entry& entry) const {
    const Buffer* buffer = plan_.find_buffer(name);
    const Scalar* scalar = plan_.find_scalar(name);
    const std::string at = buffer != nullptr ? buffer->at : scalar != nullptr ? scalar->at : "";
    return verdict_error(
        fmt::format("argument `{}`: the kernel takes a pointer to a function, {}, and a suite has "
                    "none to give: {}",
                    name, parameter_name(parameter), entry.text()),
        positions_.find(at),
        "let a template argument of `entry` or a macro of `define` choose the function, or a "
        "number "
        "that the kernel switches on");
  }

  Error misfit(const std::string& name, const std::string& at, const EntryParameter& parameter,
               const Entry& entry, const std::string& what, const std::string& hint) const {
    return verdict_error(fmt::format("argument `{}` is {}, and the kernel takes {}: {}", name, what,
                                     parameter_name(parameter), entry.text()),
                         positions_.find(at), hint);
  }

  void check_image(const Buffer& buffer, const EntryParameter& parameter, const Entry& entry) {
    const char* what = buffer.image->surface ? "surface" : "texture";
    if (parameter.bytes != sizeof(uint64_t) || is_pointer(parameter.type)) {
      throw misfit(buffer.name, buffer.at, parameter, entry, fmt::format("a {}", what),
                   fmt::format("its parameter is a cuda{}Object_t",
                               buffer.image->surface ? "Surface" : "Texture"));
    }
    if (!buffer.dtype) {
      throw verdict_error(fmt::format("the {} `{}` needs a dtype: its parameter has no elements",
                                      what, buffer.name),
                          positions_.find(buffer.at), "add it, as in `dtype: float32`");
    }
    if (!image_format(*buffer.dtype)) {
      throw verdict_error(fmt::format("no {} has elements of {}", what, buffer.dtype->name),
                          positions_.find(buffer.at),
                          "they are integers of 8, 16 or 32 bits, float16 or float32");
    }
    const bool real = buffer.dtype->kind == DTypeKind::floating;
    if (buffer.image->linear && !real && !buffer.image->read_normalized) {
      throw verdict_error(fmt::format("the texture `{}` of {} cannot be interpolated", buffer.name,
                                      buffer.dtype->name),
                          positions_.find(buffer.at), "add `read: normalized`, or a float dtype");
    }
    if (buffer.image->read_normalized && buffer.dtype->bytes > 2) {
      throw verdict_error(fmt::format("{} is not read normalized: integers of 8 and 16 bits are",
                                      buffer.dtype->name),
                          positions_.find(buffer.at));
    }
    types_.dtypes.try_emplace(buffer.name, *buffer.dtype);
  }

  void check_buffer(const Buffer& buffer, const EntryParameter& parameter, const Entry& entry) {
    if (buffer.image) return check_image(buffer, parameter, entry);
    const bool by_value = !parameter.type.empty() && !is_pointer(parameter.type) &&
                          elements_of_c_type(parameter.type, plan_).has_value();
    if (parameter.bytes != 8 || by_value) {
      throw misfit(buffer.name, buffer.at, parameter, entry, "an array",
                   "a number is given with `scalar:`");
    }
    if (!buffer.pointers.empty()) {
      types_.dtypes.try_emplace(buffer.name, *find_dtype("uint64"));
      return;
    }
    const std::optional<ElementsOfType> element = pointee(parameter.type, plan_);
    const std::optional<DType> dtype = buffer.dtype ? buffer.dtype
                                       : element    ? std::optional(element->dtype)
                                                    : std::nullopt;
    if (!dtype) throw unknown_dtype(buffer.name, buffer.at, parameter);
    if (element && !elements_agree(*dtype, *element)) {
      throw misfit(buffer.name, buffer.at, parameter, entry,
                   fmt::format("an array of {}", dtype->name),
                   fmt::format("its elements must be {}; leave `dtype` out to take the kernel's",
                               element->dtype.name));
    }
    types_.dtypes.try_emplace(buffer.name, *dtype);
    if (const auto elements = pointed_elements(parameter.type)) {
      const auto [known, first] = types_.elements.try_emplace(buffer.name, *elements);
      if (*elements == 0 || known->second == 0)
        known->second = 0;
      else
        known->second = std::max(known->second, *elements);
    }
  }

  void check_null(const Scalar& scalar, const EntryParameter& parameter, const Entry& entry) {
    const bool by_value = !parameter.type.empty() && !is_pointer(parameter.type);
    if (parameter.bytes != sizeof(void*) || by_value) {
      throw misfit(scalar.name, scalar.at, parameter, entry, "a null pointer",
                   "a number is given with `scalar:`");
    }
    types_.dtypes.try_emplace(scalar.name, *find_dtype("uint64"));
    types_.counts.try_emplace(scalar.name, 1);
  }

  void check_scalar(const Scalar& scalar, const EntryParameter& parameter, const Entry& entry) {
    if (is_pointer(parameter.type)) {
      throw misfit(scalar.name, scalar.at, parameter, entry, "a scalar",
                   "an array is given with `in:`, `inout:` or `out:`");
    }
    const std::optional<ElementsOfType> type = elements_of_c_type(parameter.type, plan_);
    const std::optional<DType> dtype = scalar.dtype ? scalar.dtype
                                       : type       ? std::optional(type->dtype)
                                                    : std::nullopt;
    if (!dtype) throw unknown_dtype(scalar.name, scalar.at, parameter);
    const auto is_real = [](const DType& one) {
      return one.kind == DTypeKind::floating || one.kind == DTypeKind::complex;
    };
    const bool plain = type && type->count == 1 && type->dtype.kind != DTypeKind::record;
    const bool kinds_differ = plain && is_real(type->dtype) != is_real(*dtype);
    const size_t count = parameter.bytes / dtype->bytes;
    const bool is_wanted = !scalar.count || *scalar.count == count;
    const bool fits = is_wanted && (plain ? dtype->bytes == parameter.bytes
                                          : count * dtype->bytes == parameter.bytes);
    if (!fits || count == 0 || kinds_differ) {
      throw misfit(scalar.name, scalar.at, parameter, entry,
                   fmt::format("of dtype {} ({} byte{})", dtype->name, dtype->bytes,
                               dtype->bytes == 1 ? "" : "s"),
                   "leave `dtype` out to take the kernel's");
    }
    for (const FieldPointer& pointer : scalar.points_to) {
      if (offset_of_pointer(*dtype, pointer.field)) continue;
      throw verdict_error(
          fmt::format("`{}` has no field `{}` that is a pointer", scalar.name, pointer.field),
          positions_.find(pointer.at),
          "`types` describes it, as in `Params: {x: float *, n: int32}`");
    }
    const auto [known, first] = types_.dtypes.try_emplace(scalar.name, *dtype);
    const size_t& counted = types_.counts.try_emplace(scalar.name, count).first->second;
    if (first || (known->second == *dtype && counted == count)) return;
    throw misfit(scalar.name, scalar.at, parameter, entry,
                 fmt::format("{} to another step", known->second.name),
                 "give each of them a separate argument");
  }

  Error unknown_dtype(const std::string& name, const std::string& at,
                      const EntryParameter& parameter) const {
    return verdict_error(
        fmt::format("the dtype of argument `{}` is not known: the kernel's parameter is {}", name,
                    parameter_name(parameter)),
        positions_.find(at), "give it with `dtype:`, as in `dtype: float32`");
  }

  const Plan& plan_;
  const PositionMap& positions_;
  ArgumentTypes types_;
};

}  // namespace

std::optional<uint64_t> pointed_elements(std::string_view type) {
  size_t end = type.find_last_of("*&");
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view behind = trim(type.substr(end + 1));
  if (behind.starts_with(")")) {
    // Type of an array, "float (*) [32]"; functions have their parameters there.
    behind = trim(behind.substr(1));
    end = type.rfind('(', end);
    if (!behind.starts_with("[") || end == std::string_view::npos) return std::nullopt;
  } else if (!without_qualifiers(behind).empty()) {
    return std::nullopt;
  }
  const std::string element = without_qualifiers(type.substr(0, end));
  if (element.ends_with("*")) return sizeof(void*);
  if (const auto dtype = dtype_of_c_type(element)) return dtype->bytes;
  const auto vector = vector_of_c_type(element);
  return vector ? uint64_t{vector->dtype.bytes} * vector->count : 0;
}

namespace {

// The struct as the compiler lays it out must be the one that the suite describes.
void check_layout(const PlanType& type, const LayoutFacts& facts, const PositionMap& positions) {
  const auto difference = layout_difference(type.name, type.dtype, facts);
  if (!difference) return;
  throw verdict_error(difference->text, positions.find("/types/" + type.name), difference->hint);
}

}  // namespace

ArgumentTypes argument_types(const PlannedCase& planned, const Signatures& compiled) {
  SignatureCheck check(planned);
  const std::vector<PlanType>& structs = planned.plan.types;
  for (size_t i = 0; i < std::min(structs.size(), compiled.layouts.size()); ++i) {
    check_layout(structs[i], compiled.layouts[i], planned.positions);
  }
  size_t variable = 0;
  for (const Buffer& buffer : planned.plan.buffers) {
    if (!buffer.symbol.empty()) check.check(buffer, compiled.variables.at(variable++));
  }
  const std::vector<size_t> of_launch = planned.plan.kernels().of_launch;
  size_t next = 0;
  for (const Step& step : planned.plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    try {
      check.check(*launch, compiled.kernels.at(of_launch[next++]));
    } catch (const Error& error) {
      const std::string order = misplaced_arguments(planned, *launch);
      if (order.empty()) throw;
      throw verdict_error(error.message(), error.where(), order);
    }
  }
  ArgumentTypes types = check.take();
  // Buffers that only copies touch have no parameter to take a type from.
  for (const Buffer& buffer : planned.plan.buffers) {
    if (types.dtypes.contains(buffer.name)) continue;
    if (!buffer.pointers.empty()) {
      types.dtypes.try_emplace(buffer.name, *find_dtype("uint64"));
      continue;
    }
    if (!buffer.dtype) {
      throw verdict_error(fmt::format("no kernel takes `{}`, so it needs a dtype", buffer.name),
                          planned.positions.find(buffer.at));
    }
    types.dtypes.try_emplace(buffer.name, *buffer.dtype);
  }
  return types;
}

}  // namespace warpmark
