#include "cli/draft/draft_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {
namespace {

std::string plain_type(std::string_view type) {
  std::vector<std::string> words;
  for (const std::string& word : split(trim(type), ' ')) {
    if (!word.empty() && word != "const" && word != "volatile" && word != "__restrict__") {
      words.push_back(word);
    }
  }
  return join(words, " ");
}

bool has_word(std::string_view text, std::string_view wanted) {
  const std::vector<std::string> words = split(text, ' ');
  return std::ranges::find(words, wanted) != words.end();
}

// Sets the dtype of a value or an element, as far as a suite knows one; else it is given as bytes.
void read_element(std::string_view type, const DraftTypes& types, KernelParameter& parameter) {
  parameter.dtype = dtype_of_c_type(type);
  if (parameter.dtype) return;
  const std::string name = plain_type(type);
  if (const auto vector = vector_of_c_type(name)) {
    parameter.dtype = vector->dtype;
    parameter.members = vector->count;
    return;
  }
  parameter.structs = types.structs(name);
  if (!parameter.structs.empty()) parameter.dtype = parameter.structs.back().dtype;
}

void read_pointer(std::string_view type, const DraftTypes& types, KernelParameter& parameter) {
  const size_t star = type.find('*');
  const size_t second = type.find('*', star + 1);
  parameter.role = ParameterRole::array;
  if (type.find('(') != std::string_view::npos) {
    parameter.obstacle = "is a pointer to a function";
  } else if (second != std::string_view::npos) {
    parameter.role = ParameterRole::pointers;
    if (type.find('*', second + 1) != std::string_view::npos) {
      parameter.obstacle = "points to pointers to pointers";
    }
  }
  const std::string_view pointee = type.substr(0, star);
  parameter.is_const = has_word(pointee, "const");
  read_element(pointee, types, parameter);
}

void read_value(std::string_view type, const DraftTypes& types, KernelParameter& parameter) {
  const std::string name = plain_type(type);
  const std::string last = name.substr(name.rfind(':') + 1);  // npos + 1 is 0
  if (dtype_of_c_type(type) || !types.is_enum(last)) return read_element(type, types, parameter);
  parameter.is_enum = true;
  for (const DType& dtype : all_dtypes()) {
    if (dtype.kind == DTypeKind::signed_integer && dtype.bytes == parameter.bytes) {
      parameter.dtype = dtype;
    }
  }
}

// A texture or surface: to the compiler a handle is an integer, and the calls tell the rest.
void read_image(const std::vector<ImageCall>& calls, KernelParameter& parameter) {
  const ImageCall* call = nullptr;
  for (const ImageCall& one : calls) {
    if (one.function.starts_with("surf") != (parameter.role == ParameterRole::surface)) continue;
    const bool names = std::ranges::find(one.arguments, parameter.name) != one.arguments.end();
    if (call == nullptr || names) call = &one;
    if (names && !one.element.empty()) break;
  }
  parameter.image_axes = 2;
  parameter.dtype = find_dtype("float32");
  if (call == nullptr) return;
  if (call->function.find("Layered") != std::string::npos ||
      call->function.find("Cubemap") != std::string::npos) {
    parameter.obstacle = "is a layered image or a cube map";
    return;
  }
  parameter.image_axes =
      static_cast<size_t>(call->function[call->function.find_first_of("123")] - '0');
  if (const auto vector = vector_of_c_type(call->element)) {
    parameter.dtype = vector->dtype;
    parameter.members = vector->count;
  } else if (const auto dtype = dtype_of_c_type(call->element)) {
    parameter.dtype = dtype;
  }
}

KernelParameter parameter_of(const EntryParameter& known, const DeclaredParameter* written,
                             size_t index, const SourceFacts& facts) {
  KernelParameter parameter;
  parameter.is_found = written != nullptr && !written->name.empty();
  parameter.name = parameter.is_found ? written->name : fmt::format("arg{}", index);
  parameter.type = known.type;
  parameter.bytes = known.bytes;
  const bool is_texture = written != nullptr && has_word(written->type, "cudaTextureObject_t");
  const bool is_surface = written != nullptr && has_word(written->type, "cudaSurfaceObject_t");
  if (is_texture || is_surface) {
    parameter.role = is_texture ? ParameterRole::texture : ParameterRole::surface;
    read_image(facts.image_calls, parameter);
  } else if (plain_type(known.type).starts_with("CUtensorMap") &&
             known.type.find('*') == std::string::npos) {
    parameter.role = ParameterRole::tensor_map;
    parameter.dtype = find_dtype("float32");
  } else if (known.type.find('*') != std::string::npos) {
    read_pointer(known.type, facts.types, parameter);
  } else if (!known.type.empty()) {
    read_value(known.type, facts.types, parameter);
  }
  return parameter;
}

size_t dimensions_of(std::string_view text) {
  const auto asks_for = [&](char dimension) {
    for (const char* what : {"tid.", "ctaid.", "ntid.", "nctaid."}) {
      if (text.find(fmt::format("%{}{}", what, dimension)) != std::string_view::npos) return true;
    }
    return false;
  };
  return asks_for('z') ? 3 : asks_for('y') ? 2 : 1;
}

// True if the text uses an array of dynamic shared memory, whose size the launch gives.
bool uses_dynamic_shared(std::string_view ptx, std::string_view text) {
  constexpr std::string_view kMark = ".extern .shared";
  for (size_t at = ptx.find(kMark); at != std::string_view::npos; at = ptx.find(kMark, at + 1)) {
    const size_t end = ptx.find_first_of("[;", at);
    if (end == std::string_view::npos) return false;
    const size_t begin = ptx.find_last_of(" \t", end);
    if (text.find(ptx.substr(begin + 1, end - begin - 1)) != std::string_view::npos) return true;
  }
  return false;
}

// Axes of the boxes that the text copies: "cp.async.bulk.tensor.2d.shared…".
size_t axes_of_boxes(std::string_view text) {
  constexpr std::string_view kMark = "bulk.tensor.";
  const size_t at = text.find(kMark);
  const char axes = at == std::string_view::npos ? '2' : text[at + kMark.size()];
  return axes >= '1' && axes <= '5' ? static_cast<size_t>(axes - '0') : 2;
}

}  // namespace

std::string_view entry_text(std::string_view ptx, const std::string& symbol) {
  for (size_t at = ptx.find(".entry"); at != std::string_view::npos;) {
    const size_t next = ptx.find(".entry", at + 1);
    const std::string_view text = ptx.substr(at, next == std::string_view::npos ? next : next - at);
    const size_t name = text.find(symbol);
    const size_t end = name == std::string_view::npos ? name : name + symbol.size();
    if (name < text.find('(') && (end == text.size() || text[end] == '(')) return text;
    at = next;
  }
  return {};
}

DraftKernel draft_kernel(const Entry& entry, const CompileResult& made, const SourceFacts& facts) {
  DraftKernel kernel;
  kernel.entry = entry.called();
  kernel.symbol = entry.name;
  kernel.bounds = entry.bounds;
  const DeclaredKernel* written = facts.find(kernel.entry, entry.parameters.size());
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    kernel.parameters.push_back(parameter_of(
        entry.parameters[i], written == nullptr ? nullptr : &written->parameters[i], i, facts));
  }
  const std::string_view text = entry_text(made.ptx, entry.name);
  for (KernelParameter& parameter : kernel.parameters) {
    if (parameter.role == ParameterRole::tensor_map) parameter.image_axes = axes_of_boxes(text);
  }
  kernel.dimensions = dimensions_of(text);
  kernel.has_dynamic_shared = uses_dynamic_shared(made.ptx, text);
  return kernel;
}

std::vector<DraftStruct> DraftKernel::structs() const {
  std::vector<DraftStruct> all;
  for (const KernelParameter& parameter : parameters) {
    for (const DraftStruct& one : parameter.structs) {
      const bool is_known = std::ranges::any_of(
          all, [&](const DraftStruct& known) { return known.name == one.name; });
      if (!is_known) all.push_back(one);
    }
  }
  return all;
}

void DraftKernel::forget_struct(const std::string& name) {
  for (KernelParameter& parameter : parameters) {
    const bool has = std::ranges::any_of(parameter.structs,
                                         [&](const DraftStruct& one) { return one.name == name; });
    if (!has) continue;
    parameter.structs.clear();
    parameter.dtype.reset();
  }
}

std::vector<DraftConstant> draft_constants(const DraftKernel& kernel,
                                           const std::vector<VariableFacts>& variables,
                                           std::string_view ptx) {
  const std::string_view text = entry_text(ptx, kernel.symbol);
  std::vector<DraftConstant> constants;
  for (const VariableFacts& one : variables) {
    if (one.symbol.empty() || text.find(one.symbol) == std::string_view::npos) continue;
    const size_t open = one.type.find('[');
    const std::string element = plain_type(one.type.substr(0, open));
    DraftConstant made{one.name, {}, {}};
    for (const std::string& part :
         split(open == std::string::npos ? "" : one.type.substr(open), '[')) {
      if (const int64_t extent = std::atoll(part.c_str()); extent > 0) made.shape.push_back(extent);
    }
    const auto vector = vector_of_c_type(element);
    if (vector) made.shape.push_back(vector->count);
    const auto dtype = vector ? std::optional(vector->dtype) : dtype_of_c_type(element);
    if (!dtype) continue;
    made.dtype = *dtype;
    constants.push_back(std::move(made));
  }
  return constants;
}

namespace {

// The words of each parameter of a template, up to the first with a default; nothing for a template
// of templates or without a name.
std::optional<std::vector<std::vector<std::string>>> template_parameters(
    const std::vector<SourceToken>& tokens) {
  std::vector<std::vector<std::string>> parameters(1);
  int nested = 0;
  bool has_default = false;
  for (size_t i = 1; i < tokens.size() && tokens[0].text == "template"; ++i) {
    const std::string& text = tokens[i].text;
    if (text == "<" && nested++ == 0) continue;
    if (text == ">") --nested;
    if (nested > 1 && text == "<") return std::nullopt;
    if (text == "=") has_default = true;
    const bool ends = nested == 0 || (nested == 1 && text == ",");
    if (!ends) {
      if (!has_default) parameters.back().push_back(text);
      continue;
    }
    if (has_default) parameters.pop_back();
    if (has_default || nested == 0) break;
    parameters.emplace_back();
  }
  const bool is_empty = parameters.empty() || std::ranges::any_of(parameters, [](const auto& one) {
                          return one.empty();
                        });
  return is_empty ? std::nullopt : std::optional(parameters);
}

// The argument for a parameter of these words, with this value for integers.
std::string guessed_argument(const std::vector<std::string>& words, const std::string& integer) {
  const std::string& kind = words.front();
  if (kind == "typename" || kind == "class") return "float";
  if (kind == "bool") return "true";
  if (dtype_of_c_type(kind)) return integer;
  // A type of the source: an enumeration, or another name of an integer.
  std::string type;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "const") type += words[i];
  }
  if (type.empty()) type = kind;
  const auto dtype = dtype_of_c_type(type);
  return dtype && is_integer(*dtype) ? integer : "(" + type + ")0";
}

}  // namespace

std::vector<std::string> guessed_instances(const DeclaredKernel& kernel) {
  const auto parameters = template_parameters(source_tokens(kernel.template_head));
  std::vector<std::string> instances;
  for (const char* integer : {"32", "4", "1"}) {
    if (!parameters) break;
    std::vector<std::string> arguments;
    for (const auto& words : *parameters) arguments.push_back(guessed_argument(words, integer));
    const std::string instance = kernel.scope + kernel.name + "<" + join(arguments, ", ") + ">";
    if (instances.empty() || instances.back() != instance) instances.push_back(instance);
  }
  return instances;
}

}  // namespace warpmark
