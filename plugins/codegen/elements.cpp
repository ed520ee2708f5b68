#include "codegen/elements.hpp"

namespace warpmark::codegen {

int64_t ElementsKernel::elements_of_block() const {
  return tuning.block * layout.width * (has_vectors() ? tuning.vectors : 1);
}

SourceText ElementsKernel::source(const plugin::Json& kernel, const std::string& prelude) const {
  const auto add = [](SourceText& text, const std::string& lines, const std::string& at) {
    if (at.empty()) {
      text.add(lines);
    } else {
      text.add_from(lines, at);
    }
  };
  std::vector<std::string> types;
  for (const Parameter& parameter : parameters) {
    types.push_back(expanded_type(parameter.element, kernel));
  }
  SourceText text = begin_source(kernel, vector_prelude() + prelude, types);
  if (has_vectors()) text.add(size_assertions(layout));
  text.add("// What happens to the element of one index.");
  add(text,
      "__device__ __forceinline__ void warpmark_operation(const long long i, "
      "const long long n, " +
          device_parameters(layout) + operation_parameters + ") {",
      parameters_at);
  add(text, operation, operation_at);
  text.add("\n;\n}\n");  // an empty line, were the last one to end in a backslash
  add(text,
      "__global__ void __launch_bounds__(" + std::to_string(tuning.block) + ") " + name + "(" +
          kernel_parameters(layout) + range.parameters() + ") {",
      parameters_at);
  if (!body.empty()) {
    text.add(body);
    return text;
  }
  if (!range.given) text.add("  const long long warpmark_count = n;");
  text.add(has_vectors() ? vector_body() : plain_body());
  return text;
}

// One element a thread.
std::string ElementsKernel::plain_body() const {
  return "  const long long warpmark_at = blockIdx.x * " + std::to_string(tuning.block) +
         "ll + threadIdx.x;\n"
         "  if (warpmark_at < warpmark_count) {\n"
         "    const long long warpmark_i = " +
         range.index("warpmark_at") +
         ";\n"
         "    warpmark_operation(warpmark_i, n, " +
         arguments_from_memory(layout, "warpmark_i") + ");\n  }\n}\n";
}

// Whole vectors where all arrays start at a boundary; else one element after the other, as far
// apart as there are threads in a block, so that a warp's accesses stay together.
std::string ElementsKernel::vector_body() const {
  const std::string width = std::to_string(layout.width);
  const std::string count = std::to_string(tuning.vectors);
  const std::string block = std::to_string(tuning.block);
  std::string vectors_ok = alignment_test(layout, range.given ? "warpmark_start" : "");
  if (range.has_step) vectors_ok = "warpmark_step == 1 && " + vectors_ok;
  const std::string start = range.given ? "warpmark_start + " : "";
  std::string declared, loads, stores;
  for (const Access& access : layout.accesses) {
    if (!access.lane) continue;
    const std::string& array = access.parameter.name;
    const std::string place = text_of({array, " + ", start, "warpmark_place"});
    const std::string operand = vectors_of(access.parameter) + "[warpmark_v]";
    declared += text_of({"    ", access.parameter.element, " ", vectors_of(access.parameter), "[",
                         count, "][", width, "];\n"});
    if (access.loads) {
      loads += text_of({"        warpmark::load<", width, ">(", operand, ", ", place, ");\n"});
    }
    if (access.stores) {
      stores += text_of({"        warpmark::store<", width, ">(", place, ", ", operand, ");\n"});
    }
  }
  const std::string each_vector =
      "#pragma unroll\n"
      "    for (int warpmark_v = 0; warpmark_v < " +
      count +
      "; ++warpmark_v) {\n"
      "      const long long warpmark_place = warpmark_first + warpmark_v * " +
      std::to_string(tuning.block * layout.width) + ";\n";
  return "  if (" + vectors_ok +
         ") {\n"
         "    const long long warpmark_first = (blockIdx.x * " +
         std::to_string(tuning.block * tuning.vectors) + "ll + threadIdx.x) * " + width + ";\n" +
         declared + each_vector + "      if (warpmark_place + " + width +
         " <= warpmark_count) {\n" + loads + "      }\n    }\n" + each_vector +
         "      if (warpmark_place + " + width +
         " <= warpmark_count) {\n"
         "#pragma unroll\n"
         "        for (int warpmark_k = 0; warpmark_k < " +
         width +
         "; ++warpmark_k) {\n"
         "          const long long warpmark_i = " +
         start +
         "warpmark_place + warpmark_k;\n"
         "          warpmark_operation(warpmark_i, n, " +
         arguments_from_vectors(layout, "warpmark_i", "[warpmark_v][warpmark_k]") +
         ");\n        }\n" + stores +
         "      } else {\n"
         "#pragma unroll 1\n"
         "        for (long long warpmark_at = warpmark_place; warpmark_at < warpmark_count; "
         "++warpmark_at) {\n"
         "          const long long warpmark_i = " +
         start +
         "warpmark_at;\n"
         "          warpmark_operation(warpmark_i, n, " +
         arguments_from_memory(layout, "warpmark_i") +
         ");\n        }\n      }\n    }\n"
         "  } else {\n"
         "#pragma unroll 4\n"
         "    for (int warpmark_k = 0; warpmark_k < " +
         std::to_string(layout.width * tuning.vectors) +
         "; ++warpmark_k) {\n"
         "      const long long warpmark_at = blockIdx.x * " +
         std::to_string(elements_of_block()) + "ll + warpmark_k * " + block +
         " + threadIdx.x;\n"
         "      if (warpmark_at < warpmark_count) {\n"
         "        const long long warpmark_i = " +
         range.index("warpmark_at") +
         ";\n"
         "        warpmark_operation(warpmark_i, n, " +
         arguments_from_memory(layout, "warpmark_i") + ");\n      }\n    }\n  }\n}\n";
}

}  // namespace warpmark::codegen
