#include "compiler/toolkit_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "compiler/compiler_log.hpp"
#include "compiler/refusal.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {

namespace {

// A part of names that a header declares. The first that fits counts.
struct Declared {
  std::string_view part, header;
};
constexpr std::array kDeclared = {
    Declared{"bfloat16", "cuda_bf16.h"},
    Declared{"half", "cuda_fp16.h"},
    Declared{"fp8", "cuda_fp8.h"},
    Declared{"fp6", "cuda_fp6.h"},
    Declared{"fp4", "cuda_fp4.h"},
    Declared{"curand", "curand_kernel.h"},
    Declared{"cooperative_groups", "cooperative_groups.h"},
    Declared{"nvcuda", "mma.h"},
    Declared{"wmma", "mma.h"},
    Declared{"__pipeline_", "cuda_pipeline.h"},
    Declared{"cuFloatComplex", "cuComplex.h"},
    Declared{"cuDoubleComplex", "cuComplex.h"},
    Declared{"cuComplex", "cuComplex.h"},
};
// Names of the toolkit without such a beginning; `half` is a word that other code may use, too.
constexpr std::array<std::string_view, 2> kHalves = {"half", "half2"};

bool begins_as_of_toolkit(std::string_view name) {
  return name.starts_with("__") || name.starts_with("nv_") || name.starts_with("cu") ||
         name.starts_with("make_");
}

std::string hint_at(std::string_view name, std::string_view header) {
  return fmt::format("`{}` is declared by a header: write `#include <{}>`", printable(name),
                     header);
}

}  // namespace

std::string header_of(std::string_view name) {
  const bool known = begins_as_of_toolkit(name) || name == "cooperative_groups" ||
                     name.starts_with("nvcuda") || name.starts_with("wmma") ||
                     std::ranges::find(kHalves, name) != kHalves.end();
  if (!known) return "";
  for (const Declared& one : kDeclared) {
    if (name.find(one.part) != std::string_view::npos) return std::string(one.header);
  }
  return "";
}

std::string hint_at_missing_header(const std::string& log) {
  for (const std::string& error : source_errors(log)) {
    const std::string name = undefined_name(error);
    if (const std::string header = header_of(name); !header.empty()) return hint_at(name, header);
  }
  // The error about a missing namespace has no name, but the source line quoted below it has.
  const size_t error = log.find("error: name must be a namespace name");
  if (error == std::string::npos) return "";
  const size_t line = std::min(log.find('\n', error), log.size() - 1) + 1;
  const std::string quoted = log.substr(line, log.find('\n', line) - line);
  for (const SourceToken& token : source_tokens(quoted)) {
    if (const std::string header = header_of(token.text); !header.empty()) {
      return hint_at(token.text, header);
    }
  }
  return "";
}

std::string hint_at_toolkit_header(const std::string& log, const std::vector<std::string>& folders,
                                   std::string_view source) {
  // A header may also complain of how it is used: an assertion of a template, for example.
  const std::string error = first_error_alone(log);
  const bool for_cpu = error.find(" in JIT mode") != std::string::npos ||
                       error.find("open source file") != std::string::npos;
  const std::string file = first_error_in(log).file;
  const bool toolkit = std::ranges::any_of(
      folders, [&](const std::string& folder) { return file.starts_with(folder + "/"); });
  if (!for_cpu || !toolkit) return "";
  // Headers of the libraries that also have code for the CPU.
  std::vector<std::string> included;
  for (const SourceToken& token : source_tokens(source)) {
    if (token.kind != TokenKind::header) continue;
    if (token.text.starts_with("cub/") || token.text.starts_with("thrust/")) {
      included.push_back(fmt::format("`<{}>`", printable(token.text)));
    }
  }
  const std::string what =
      included.empty() ? std::string("a header of the toolkit") : join(included, ", ");
  return fmt::format(
      "{} {} code for the CPU, which NVRTC refuses: include what kernels use alone, such as "
      "`<cub/block/block_reduce.cuh>`, or write `compiler: nvcc` in the suite, which compiles all "
      "of it where nvcc is installed",
      what, included.size() > 1 ? "have" : "has");
}

std::string first_error_alone(const std::string& log) {
  const std::vector<std::string> errors = source_errors(log);
  return errors.empty() ? log : errors.front();
}

}  // namespace warpmark
