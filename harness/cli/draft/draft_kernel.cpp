#include "cli/draft/draft_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {
namespace {

// True if a source declares an enumeration of this name, which the compiler's types do not show.
bool declares_enum(std::string_view source, std::string_view name) {
  const std::vector<SourceToken> tokens = source_tokens(source);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != "enum") continue;
    const bool scoped = tokens[i + 1].text == "class" || tokens[i + 1].text == "struct";
    const size_t at = i + (scoped ? 2 : 1);
    if (at < tokens.size() && tokens[at].text == name) return true;
  }
  return false;
}

// "float4" gives 4 members of float32.
void read_vector(std::string_view type, KernelParameter& parameter) {
  struct Known {
    std::string_view type, dtype;
    size_t members;
  };
  // bfloat16 is no dtype: its bits are given as an integer.
  constexpr Known kKnown[] = {{"__half2", "float16", 2},        {"__nv_bfloat16", "uint16", 1},
                              {"__nv_bfloat162", "uint16", 2},  {"cuComplex", "float32", 2},
                              {"cuFloatComplex", "float32", 2}, {"cuDoubleComplex", "float64", 2}};
  for (const Known& known : kKnown) {
    if (type != known.type) continue;
    parameter.dtype = find_dtype(known.dtype);
    parameter.members = known.members;
    return;
  }
  if (type.size() < 2 || type.back() < '1' || type.back() > '4') return;
  const std::string_view name = type.substr(0, type.size() - 1);
  if (name == "longlong" || name == "ulonglong") {
    parameter.dtype = find_dtype(name == "longlong" ? "int64" : "uint64");
  } else if (name == "char" || name == "short" || name == "int" || name == "long" ||
             name == "uchar" || name == "ushort" || name == "uint" || name == "float" ||
             name == "double") {
    parameter.dtype = dtype_of_c_type(name);
  } else if (name == "ulong") {
    parameter.dtype = find_dtype("uint64");
  } else {
    return;
  }
  parameter.members = static_cast<size_t>(type.back() - '0');
}

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
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

void read_pointer(std::string_view type, KernelParameter& parameter) {
  const size_t star = type.find('*');
  const std::string_view pointee = type.substr(0, star);
  if (type.find('(') != std::string_view::npos) {
    parameter.obstacle = "is a pointer to a function";
  } else if (type.find('*', star + 1) != std::string_view::npos) {
    parameter.obstacle = "points to pointers";
  }
  parameter.is_array = true;
  parameter.is_const = has_word(pointee, "const");
  parameter.dtype = dtype_of_c_type(pointee);
  if (!parameter.dtype) read_vector(plain_type(pointee), parameter);
}

void read_value(std::string_view type, const std::vector<std::string_view>& sources,
                KernelParameter& parameter) {
  parameter.dtype = dtype_of_c_type(type);
  if (parameter.dtype) return;
  const std::string name = plain_type(type);
  const std::string last = name.substr(name.rfind(':') + 1);  // npos + 1 is 0
  const bool is_enum = std::any_of(sources.begin(), sources.end(), [&](std::string_view source) {
    return declares_enum(source, last);
  });
  if (!is_enum) {
    parameter.obstacle = fmt::format("is a `{}` by value", printable(name));
    return;
  }
  for (const DType& dtype : all_dtypes()) {
    if (dtype.kind == DTypeKind::signed_integer && dtype.bytes == parameter.bytes) {
      parameter.dtype = dtype;
    }
  }
}

const DeclaredKernel* declaration(const std::vector<DeclaredKernel>& declared,
                                  const std::string& called, size_t parameters) {
  const std::string plain = called.substr(0, called.find('<'));
  const std::string name = plain.substr(plain.rfind(':') + 1);
  for (const DeclaredKernel& one : declared) {
    if (one.name == name && one.parameters.size() == parameters) return &one;
  }
  return nullptr;
}

KernelParameter parameter_of(const EntryParameter& known, const DeclaredParameter* written,
                             size_t index, const std::vector<std::string_view>& sources) {
  KernelParameter parameter;
  parameter.is_found = written != nullptr && !written->name.empty();
  parameter.name = parameter.is_found ? written->name : fmt::format("arg{}", index);
  parameter.type = known.type;
  parameter.bytes = known.bytes;
  // To the compiler a handle is an integer.
  for (const char* handle : {"cudaTextureObject_t", "cudaSurfaceObject_t"}) {
    if (written != nullptr && has_word(written->type, handle)) {
      parameter.obstacle = fmt::format("is a `{}`", handle);
      return parameter;
    }
  }
  if (known.type.empty()) {
    parameter.obstacle = "has a type that the compiler does not report";
  } else if (known.type.find('*') != std::string::npos) {
    read_pointer(known.type, parameter);
  } else {
    read_value(known.type, sources, parameter);
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

DraftKernel draft_kernel(const Entry& entry, const CompileResult& made,
                         const std::vector<std::string_view>& sources) {
  DraftKernel kernel;
  kernel.entry = entry.called();
  kernel.bounds = entry.bounds;
  std::vector<DeclaredKernel> declared;
  for (const std::string_view source : sources) {
    for (DeclaredKernel& one : declared_kernels(source)) declared.push_back(std::move(one));
  }
  const DeclaredKernel* written = declaration(declared, kernel.entry, entry.parameters.size());
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    kernel.parameters.push_back(parameter_of(
        entry.parameters[i], written == nullptr ? nullptr : &written->parameters[i], i, sources));
  }
  const std::string_view text = entry_text(made.ptx, entry.name);
  kernel.dimensions = dimensions_of(text);
  kernel.has_dynamic_shared = uses_dynamic_shared(made.ptx, text);
  return kernel;
}

std::string guessed_instance(const DeclaredKernel& kernel) {
  const std::vector<SourceToken> tokens = source_tokens(kernel.text);
  std::vector<std::string> arguments;
  std::vector<std::string> words;  // of a parameter
  int nested = 0;
  bool has_default = false;
  for (size_t i = 1; i < tokens.size() && tokens[0].text == "template"; ++i) {
    const std::string& text = tokens[i].text;
    if (text == "<" && nested++ == 0) continue;
    if (text == ">") --nested;
    if (nested > 1 && text == "<") return "";  // a template of templates
    if (text == "=") has_default = true;
    if (nested > 0 && text != ",") {
      if (!has_default) words.push_back(text);
      continue;
    }
    if (has_default) break;
    if (words.empty()) return "";
    const std::string& kind = words.front();
    const bool is_integer = kind == "int" || kind == "unsigned" || kind == "size_t" ||
                            kind == "uint32_t" || kind == "int32_t" || kind == "long" ||
                            kind == "int64_t" || kind == "uint64_t" || kind == "short";
    if (kind == "typename" || kind == "class") {
      arguments.emplace_back("float");
    } else if (kind == "bool") {
      arguments.emplace_back("true");
    } else if (is_integer) {
      arguments.emplace_back("32");
    } else {
      return "";
    }
    words.clear();
    if (nested == 0) break;
  }
  return arguments.empty() ? "" : kernel.name + "<" + join(arguments, ", ") + ">";
}

}  // namespace warpmark
