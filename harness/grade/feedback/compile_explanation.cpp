#include "grade/feedback/compile_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/text.hpp"
#include "compiler/declared_kernels.hpp"
#include "compiler/host_code.hpp"
#include "compiler/signature.hpp"
#include "compiler/source_tokens.hpp"
#include "compiler/toolkit_headers.hpp"

namespace warpmark {

namespace {

// A compiler's message may quote a whole line of the source.
constexpr size_t kLongestMessage = 240;

struct CompilerError {
  int line = 0;         ///< 0 if unknown
  std::string file;     ///< file of the line, as the compiler calls it
  bool at_end = false;  ///< at the end of the file
  std::string text;
};

// "x.cu(3): error: expected a ";"" → {3, …}: the first line of the log that has an error.
std::optional<CompilerError> first_error(std::string_view log) {
  for (const std::string& line : split(log, '\n')) {
    // The compiler reports a missing brace at the end of the source, which has no line.
    for (const std::string_view mark :
         {"): error: ", "): catastrophic error: ", "At end of source: error: ",
          "At end of source: catastrophic error: "}) {
      const size_t at = line.find(mark);
      if (at == std::string::npos) continue;
      CompilerError error;
      error.text = trim(std::string_view(line).substr(at + mark.size()));
      error.at_end = mark.front() == 'A';
      if (error.at_end) return error;
      if (const size_t open = line.rfind('(', at); open != std::string::npos) {
        std::from_chars(line.data() + open + 1, line.data() + at, error.line);
        error.file = line.substr(0, open);
      }
      return error;
    }
  }
  return std::nullopt;
}

// Returns the text between the first two double quotes.
std::string quoted_name(const std::string& text) {
  const size_t begin = text.find('"');
  if (begin == std::string::npos) return "";
  const size_t end = text.find('"', begin + 1);
  return end == std::string::npos ? "" : printable(text.substr(begin + 1, end - begin - 1));
}

std::string capped(const std::string& text) {
  if (text.size() <= kLongestMessage) return printable(text);
  return printable(text.substr(0, kLongestMessage)) + "…";
}

// Explains a header that is not found; headers of the machine are not available to anybody.
std::string missing_header(const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute() || std::ranges::find(path, "..") != path.end()) {
    return fmt::format(
        "`{}` leads out of the folder of what you handed in, and nothing outside of it can be "
        "included: lay the header beside the file, and write its name alone",
        name);
  }
  if (path.extension() == ".cu") {
    return fmt::format(
        "`{}` is no header, and a .cu file cannot be included: put what several files need into a "
        "header, such as util.cuh",
        name);
  }
  return fmt::format(
      "the header `{}` is not there: submissions may include only what the "
      "assignment says",
      name);
}

// " at line 3", and of which file, if it is not the only one.
std::string place_of(const CompilerError& error, const SubmittedNames& names) {
  if (error.line <= 0) return error.at_end ? " at the end of the file" : "";
  for (const std::string& header : names.headers) {
    if (error.file == header)
      return fmt::format(" at line {} of {}", error.line, printable(header));
  }
  return names.several ? fmt::format(" at line {} of {}", error.line, printable(names.file))
                       : fmt::format(" at line {}", error.line);
}

// NVRTC's commonest errors in words for beginners; "" for others.
std::string in_plain_words(const std::string& error) {
  const std::string name = capped(quoted_name(error));
  const auto says = [&](std::string_view what) { return error.find(what) != std::string::npos; };
  if (says("identifier") && says("is undefined")) {
    if (const std::string header = header_of(name); !header.empty()) {
      return fmt::format("`{}` is declared by `<{}>`, which must be included", name, header);
    }
    return fmt::format("`{}` is not known: is it misspelt, or not declared before it is used?",
                       name);
  }
  if (says("expected a \";\"")) {
    return "a `;` is missing, here or at the end of the line before";
  }
  if (says("comment unclosed")) return "a comment is not closed: its `*/` is missing";
  if (says("missing closing quote")) return "a closing quote is missing";
  if (says("the #endif") || says("#endif")) return "an `#endif` is missing";
  if (says("expected a \"}\"")) return "a `}` is missing";
  if (says("expected a \")\"")) return "a `)` is missing";
  if (says("could not open source file") || says("cannot open source file")) {
    return missing_header(name);
  }
  if (says("must be a modifiable lvalue")) {
    return "something is assigned to that cannot be changed, such as an element of a `const` array";
  }
  if (says("calling a __host__ function") || says("host functions are not allowed")) {
    return "a function without `__device__` is one for the CPU, which a kernel cannot call";
  }
  if (says("has no member") && (says("\"uint3\"") || says("\"dim3\""))) {
    return "`threadIdx`, `blockIdx`, `blockDim` and `gridDim` have the members `x`, `y` and `z`, "
           "in "
           "small letters";
  }
  if (says("must have a constant value")) {
    return "the size of an array must be known when the kernel is compiled: write a number or a "
           "`constexpr`, and no variable such as `blockDim.x`";
  }
  if (says("cannot be assigned to an entity of type") && error.ends_with("*\"")) {
    return "a number is assigned to a pointer: to store it where the pointer leads write to an "
           "element, as by `result[i] = …`";
  }
  if (says("already been declared") || says("already been defined") || says("redefinition")) {
    return "a name is declared twice";
  }
  return "";
}

// Returns the first line of the compiler's message if no line in it looks like an error; else the
// reason.
std::string first_line(const std::string& said, const std::string& reason) {
  const size_t log = said.find('\n');
  if (log == std::string::npos) return reason;
  const std::string text(trim(split(trim(std::string_view(said).substr(log)), '\n').front()));
  return text.empty() ? reason : text;
}

// The line of the file for which a compiler refused it; 0 if it has given none.
int64_t refused_line(const Outcome& outcome) {
  if (!outcome.error) return 0;
  const std::string& said = outcome.error->message();
  const bool refused = said.substr(0, said.find('\n')).ends_with(" does not compile");
  return refused ? outcome.error->where().line : 0;
}

std::string wanted_kernel(const ExplainContext& context) {
  if (context.plan == nullptr) return "";
  for (const Step& step : context.plan->steps) {
    if (const auto* launch = std::get_if<LaunchStep>(&step)) return launch->entry;
  }
  return "";
}

// One parameter as a person writes it, and what decides whether two fit each other.
struct Parameter {
  std::string text;
  bool pointer = false;
  std::optional<DType> dtype;  ///< of the number, or of the array's elements
};

Parameter parameter_of(const std::string& text) {
  Parameter out;
  out.text = text;
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (word != "const" && word != "__restrict__" && word != "restrict" && word != "volatile" &&
        !word.empty()) {
      words.push_back(word);
    }
    word.clear();
  };
  for (const char c : text) {
    if (c == '*' || c == '&' || c == '[') {
      out.pointer = true;
      end_word();
      if (c == '[') break;
    } else if (c == ' ') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  // The last word is the name, unless the type takes it: "unsigned int", "float".
  for (size_t take = words.size(); take > 0 && !out.dtype; --take) {
    const std::vector<std::string> type(words.begin(), words.begin() + static_cast<long>(take));
    out.dtype = dtype_of_c_type(join(type, " "));
  }
  return out;
}

std::vector<Parameter> parameters_of(const std::string& signature) {
  std::vector<Parameter> out;
  for (const std::string& text : parameter_types(signature).value_or(std::vector<std::string>{})) {
    out.push_back(parameter_of(text));
  }
  return out;
}

// True if the harness would accept one for the other: sizes and kinds, as far as they are known.
bool fits(const Parameter& wanted, const Parameter& given) {
  if (wanted.pointer != given.pointer) return false;
  if (!wanted.dtype) return true;
  // The elements of an array may have a type that a macro names; a value of an unknown type, such
  // as a struct, is never an argument that the grader passes.
  if (!given.dtype) return wanted.pointer || wanted.text == given.text;
  const auto is_real = [](const DType& dtype) { return dtype.kind == DTypeKind::floating; };
  return wanted.dtype->bytes == given.dtype->bytes &&
         is_real(*wanted.dtype) == is_real(*given.dtype);
}

// Returns the kinds of arguments of a plan whose kernel is not at hand.
std::vector<Parameter> parameters_of(const Plan& plan) {
  std::vector<Parameter> out;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    for (const std::string& name : launch->arguments) {
      const Buffer* buffer = plan.find_buffer(name);
      const Scalar* scalar = plan.find_scalar(name);
      const auto dtype = buffer != nullptr   ? buffer->dtype
                         : scalar != nullptr ? scalar->dtype
                                             : std::nullopt;
      const std::string type = dtype ? std::string(dtype->c_name) : "";
      Parameter parameter;
      parameter.pointer = buffer != nullptr;
      parameter.dtype = dtype;
      const std::string_view what = buffer != nullptr ? "an array, " : "a number, ";
      const std::string_view star = buffer != nullptr ? "*" : "";
      parameter.text =
          type.empty() ? fmt::format("{}{}", what, name) : fmt::format("{} {}{}", type, star, name);
      if (scalar != nullptr && scalar->tensor_map) {
        parameter.text = "const __grid_constant__ CUtensorMap " + name;
      }
      out.push_back(parameter);
    }
    break;
  }
  return out;
}

std::string line_for(size_t index, const std::vector<Parameter>& wanted,
                     const std::vector<Parameter>& given) {
  const std::string number = fmt::format("\n  parameter {}: ", index + 1);
  if (index >= wanted.size()) {
    return number + fmt::format("`{}` is one too many", capped(given[index].text));
  }
  const std::string& text = wanted[index].text;
  if (index >= given.size()) return number + fmt::format("`{}` is missing", text);
  if (fits(wanted[index], given[index])) return number + fmt::format("`{}` fits", text);
  const bool kinds = wanted[index].pointer != given[index].pointer;
  const char* remark = !kinds                  ? ""
                       : wanted[index].pointer ? " (an array, so with a `*`)"
                                               : " (a single number, so without a `*`)";
  return number +
         fmt::format("wanted is `{}`{}, given is `{}`", text, remark, capped(given[index].text));
}

// The variable of the plan that a message is about; null if it is about none.
const Buffer* blamed_variable(const std::string& said, const ExplainContext& context) {
  if (context.plan == nullptr || said.find("variable") == std::string::npos) return nullptr;
  for (const Buffer& buffer : context.plan->buffers) {
    if (!buffer.symbol.empty() && said.find("`" + buffer.symbol + "`") != std::string::npos) {
      return &buffer;
    }
  }
  return nullptr;
}

// Explains a variable outside of the kernel that does not fit (argument_types, end_small_variable);
// "" for other messages.
std::string explain_variable(const Outcome& outcome, const ExplainContext& context) {
  const std::string said = outcome.error ? outcome.error->message() : outcome.message;
  const std::string line = said.substr(0, said.find('\n'));
  const Buffer* variable = blamed_variable(line, context);
  if (variable == nullptr) return "";
  const std::string_view type = variable->dtype ? variable->dtype->c_name : "";
  constexpr std::string_view kSmall = ", and the suite gives ";
  constexpr std::string_view kOther = ", and it is ";
  if (const size_t small = line.find(kSmall); small != std::string::npos) {
    const size_t name = line.find('`');
    return fmt::format("{}, the assignment needs {}.", line.substr(name, small - name),
                       line.substr(small + kSmall.size()));
  }
  if (const size_t other = line.find(kOther); other != std::string::npos) {
    return fmt::format(
        "The variable `{}` outside of the kernel has the type `{}`, the assignment needs {}.",
        variable->symbol, capped(line.substr(other + kOther.size())),
        type.empty() ? "another one" : fmt::format("`{}`", type));
  }
  return fmt::format(
      "The file has no variable `{}` that the grader can {}. Declare it outside of the kernel, "
      "with "
      "`{}`{}.",
      variable->symbol, variable->direction == ArgumentKind::out ? "read" : "set",
      variable->direction == ArgumentKind::in ? "__constant__" : "__device__",
      type.empty() ? "" : fmt::format(" and the type `{}`", type));
}

// The name in the source that is nearest to one that is not known, "index" for "idx"; "" for none.
std::string name_like(const std::string& error, const std::string& source) {
  if (error.find("is undefined") == std::string::npos) return "";
  const std::string name = quoted_name(error);
  if (name.size() < 2 || !header_of(name).empty()) return "";
  std::vector<std::string> names;
  std::string abbreviated;
  for (const SourceToken& token : source_tokens(source)) {
    if (token.kind != TokenKind::word || token.text == name) continue;
    names.push_back(token.text);
    size_t met = 0;
    for (const char c : token.text) met += met < name.size() && c == name[met] ? 1 : 0;
    if (abbreviated.empty() && met == name.size() && token.text.front() == name.front())
      abbreviated = token.text;
  }
  const std::string near = nearest(name, names);
  return near.empty() ? abbreviated : near;
}

}  // namespace

std::string explain_compile(const Outcome& outcome, const ExplainContext& context) {
  const std::string said = outcome.error ? outcome.error->message() : outcome.message;
  const auto error = first_error(said);
  if (!error) {
    const std::string wanted = wanted_kernel(context);
    if (said.starts_with("no kernel `") && !wanted.empty() && !context.source.empty()) {
      return explain_missing_kernel(context.source, wanted, context.wanted);
    }
    if (std::string text = explain_variable(outcome, context); !text.empty()) return text;
    // find_entry(): "`scale` names 2 kernels in x.cu: scale(float*), scale(double*)"
    if (said.starts_with('`') && said.find("` names ") != std::string::npos) {
      return "The file has several kernels of the wanted name: " + capped(outcome.reason) +
             ". Keep the one that the assignment asks for.";
    }
    if (said.find("CUDA_ERROR") != std::string::npos) return explain_driver(outcome);
    if (said.find("ptxas") != std::string::npos) {
      return "The file does not compile: the assembler refuses what the compiler made of it. Look "
             "for "
             "mistakes in inline assembly (`asm`), and for `__shared__` arrays that are too large.";
    }
    const std::string text = capped(first_line(said, outcome.reason));
    // A compiler of another language gives the line apart from its text.
    if (const int64_t line = refused_line(outcome); line > 0) {
      return fmt::format("The file does not compile. The first error is at line {}: {}.", line,
                         text);
    }
    return "The file does not compile: " + text + ".";
  }
  const std::vector<HostCode> host = find_host_code(context.source);
  const auto& headers = context.file.headers;
  const bool in_header = std::ranges::find(headers, error->file) != headers.end();
  const std::string kernel = wanted_kernel(context);
  const auto without_global = std::ranges::find_if(host, [&](const HostCode& one) {
    return one.kind == HostCodeKind::function && one.name == kernel && !kernel.empty();
  });
  if (!in_header && without_global != host.end() && is_host_code(host, error->line)) {
    return fmt::format(
        "The file does not compile as a kernel. Line {} begins `{}` without `__global__`: that "
        "makes it a function for the CPU. Write `__global__` before `void`.",
        without_global->line, kernel);
  }
  if (!in_header && is_host_code(host, error->line)) {
    if (const std::string text = explain_host_code(host); !text.empty()) {
      return "The file does not compile as a kernel. " + text;
    }
  }
  const std::string where = place_of(*error, context.file);
  const std::string plain = in_plain_words(error->text);
  if (const std::string meant = name_like(error->text, context.source); !meant.empty()) {
    return fmt::format("The file does not compile. The first error is{}: {} Is `{}` meant?", where,
                       plain, capped(meant));
  }
  if (plain.empty()) {
    return fmt::format("The file does not compile. The compiler's first error is{}: {}.", where,
                       capped(error->text));
  }
  return fmt::format("The file does not compile. The first error is{}: {}{}", where, plain,
                     plain.ends_with('?') ? "" : ".");
}

std::string explain_driver(const Outcome& outcome) {
  const std::string said = outcome.error ? outcome.error->message() : outcome.message;
  // A device that has no library of functions names the one that the kernel calls.
  constexpr std::string_view kBefore = "function '";
  constexpr std::string_view kAfter = "' has no body";
  const size_t end = said.find(kAfter);
  const size_t begin = end == std::string::npos ? end : said.rfind(kBefore, end);
  if (begin != std::string::npos) {
    const std::string name = said.substr(begin + kBefore.size(), end - begin - kBefore.size());
    const std::string written = name == "vprintf"        ? "printf"
                                : name == "__assertfail" ? "assert"
                                                         : name;
    return fmt::format(
        "The kernel calls `{}`, which the grader's device does not have. Take it out.",
        capped(written));
  }
  if (said.find("INVALID_PTX") != std::string::npos ||
      said.find("OUT_OF_MEMORY") != std::string::npos) {
    return "The grader's device could not load the compiled kernel: " + capped(outcome.reason) +
           ". Look for variables outside of the kernel that are far too large, and for inline "
           "assembly.";
  }
  return "The device could not run the kernel: " + capped(outcome.reason) +
         ". A kernel may want more shared memory, registers or threads than there are.";
}

std::string explain_signature(const Outcome& outcome, const ExplainContext& context) {
  if (std::string text = explain_variable(outcome, context); !text.empty()) return text;
  const std::string name = wanted_kernel(context);
  std::string given_text;
  for (const DeclaredKernel& kernel : declared_kernels(context.source)) {
    if (kernel.name == name) given_text = kernel.text;
  }
  std::vector<Parameter> wanted = parameters_of(context.wanted);
  if (wanted.empty() && context.plan != nullptr) wanted = parameters_of(*context.plan);
  const std::vector<Parameter> given = parameters_of(given_text);
  std::string text = fmt::format("The kernel{} has other parameters than the grader gives it.",
                                 name.empty() ? "" : " `" + name + "`");
  if (given_text.empty() || wanted.empty()) return text + " " + capped(outcome.reason) + ".";
  constexpr size_t kMostLines = 16;
  const size_t lines = std::min(std::max(wanted.size(), given.size()), kMostLines);
  for (size_t i = 0; i < lines; ++i) text += line_for(i, wanted, given);
  if (!context.wanted.empty()) {
    text += fmt::format("\nBegin it with `__global__ void {}`.", context.wanted);
  }
  return text;
}

}  // namespace warpmark
