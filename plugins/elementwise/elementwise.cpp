// The plugin `elementwise`: an operation on each element of arrays, written into a kernel.
#include <string>

#include "codegen/lexer.hpp"
#include "codegen/parameters.hpp"
#include "codegen/source.hpp"
#include "codegen/usage.hpp"
#include "codegen/vectors.hpp"
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;
using namespace warpmark::codegen;

// One vector a thread in blocks of 256 was the fastest of those tried on an H200: more in flight
// gains nothing where each thread ends after one.
constexpr Tuning kDefaults{256, 1, 0};

class Generator {
 public:
  explicit Generator(const Json& which)
      : which_(which),
        kernel_(which.at("kernel")),
        name_(kernel_name(which)),
        tuning_(read_tuning(kernel_, kDefaults)),
        operation_(required_text(kernel_, "operation")),
        expression_(operation_, "/kernel/operation", kernel_),
        parameters_(read_parameters(which, {"i", "n", name_})),
        range_(read_range(kernel_, first_array(parameters_))),
        layout_(lay_out(parameters_, expression_)) {
    check_outputs();
  }

  Json plan() const {
    Json plan = warpmark::plugin::plan_of_arguments(which_);
    plan["units"].push_back(source().unit(kernel_));
    Json arguments = Json::array();
    for (const Parameter& parameter : parameters_) arguments.push_back(parameter.name);
    range_.add_scalars(first_array(parameters_), plan, arguments);
    range_.add_accesses(first_array(parameters_), lanes_of(layout_), "operation", plan);
    Json blocks = range_.count;
    blocks["arithmetic"] = "max(1, ceil_div(" + range_.count.at("arithmetic").get<std::string>() +
                           ", " + std::to_string(elements_of_block()) + "))";
    plan["steps"].push_back({{"launch",
                              {{"unit", 0},
                               {"entry", name_},
                               {"grid", {blocks, 1, 1}},
                               {"block", {tuning_.block, 1, 1}},
                               {"arguments", arguments},
                               {"at", "/kernel"}}}});
    return plan;
  }

 private:
  void check_outputs() const {
    for (const Access& access : layout_.accesses) {
      const Parameter& parameter = access.parameter;
      const std::string name = "`" + parameter.name + "`";
      if (parameter.kind == "in" && access.usage.written) {
        throw Failure(parameter.pointer, name + " is an input, and `operation` writes it",
                      "an array that changes is `inout:`, or `out:` if nothing reads it before");
      }
      const bool output = parameter.kind == "out" || parameter.kind == "inout";
      if (output && access.usage.count == 0) {
        throw Failure(parameter.pointer,
                      text_of({name, " is an output, and `operation` has no ", name}),
                      "as in `" + parameter.name + "[i] = …`");
      }
    }
  }

  bool vectors() const { return layout_.width > 1; }
  int64_t elements_of_block() const {
    return tuning_.block * layout_.width * (vectors() ? tuning_.vectors : 1);
  }

  SourceText source() const {
    std::vector<std::string> types;
    for (const Parameter& parameter : parameters_) {
      types.push_back(expanded_type(parameter.element, kernel_));
    }
    SourceText text = begin_source(kernel_, vector_prelude(), types);
    if (vectors()) text.add(size_assertions(layout_));
    text.add("// What happens to the element of one index.");
    text.add_from(
        "__device__ __forceinline__ void warpmark_operation(const long long i, "
        "const long long n, " +
            device_parameters(layout_) + ") {",
        "/kernel/parameters");
    text.add_from(operation_, "/kernel/operation");
    text.add("\n;\n}\n");  // an empty line, were the last one to end in a backslash
    text.add_from("__global__ void __launch_bounds__(" + std::to_string(tuning_.block) + ") " +
                      name_ + "(" + kernel_parameters(layout_) + range_.parameters() + ") {",
                  "/kernel/parameters");
    if (!range_.given) text.add("  const long long warpmark_count = n;");
    text.add(vectors() ? vector_body() : plain_body());
    return text;
  }

  // One element a thread.
  std::string plain_body() const {
    return "  const long long warpmark_at = blockIdx.x * " + std::to_string(tuning_.block) +
           "ll + threadIdx.x;\n"
           "  if (warpmark_at < warpmark_count) {\n"
           "    const long long warpmark_i = " +
           range_.index("warpmark_at") +
           ";\n"
           "    warpmark_operation(warpmark_i, n, " +
           arguments_from_memory(layout_, "warpmark_i") + ");\n  }\n}\n";
  }

  // Whole vectors where all arrays start at a boundary; else one element after the other, as far
  // apart as there are threads in a block, so that a warp's accesses stay together.
  std::string vector_body() const {
    const std::string width = std::to_string(layout_.width);
    const std::string count = std::to_string(tuning_.vectors);
    const std::string block = std::to_string(tuning_.block);
    std::string vectors_ok = alignment_test(layout_, range_.given ? "warpmark_start" : "");
    if (range_.has_step) vectors_ok = "warpmark_step == 1 && " + vectors_ok;
    const std::string start = range_.given ? "warpmark_start + " : "";
    std::string declared, loads, stores;
    for (const Access& access : layout_.accesses) {
      if (!access.lane) continue;
      const std::string& name = access.parameter.name;
      const std::string place = text_of({name, " + ", start, "warpmark_place"});
      const std::string operand = text_of({"warpmark_", name, "[warpmark_v]"});
      declared += text_of(
          {"    ", access.parameter.element, " warpmark_", name, "[", count, "][", width, "];\n"});
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
        std::to_string(tuning_.block * layout_.width) + ";\n";
    return "  if (" + vectors_ok +
           ") {\n"
           "    const long long warpmark_first = (blockIdx.x * " +
           std::to_string(tuning_.block * tuning_.vectors) + "ll + threadIdx.x) * " + width +
           ";\n" + declared + each_vector + "      if (warpmark_place + " + width +
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
           arguments_from_vectors(layout_, "warpmark_i", "[warpmark_v][warpmark_k]") +
           ");\n        }\n" + stores +
           "      } else {\n"
           "#pragma unroll 1\n"
           "        for (long long warpmark_at = warpmark_place; warpmark_at < warpmark_count; "
           "++warpmark_at) {\n"
           "          const long long warpmark_i = " +
           start +
           "warpmark_at;\n"
           "          warpmark_operation(warpmark_i, n, " +
           arguments_from_memory(layout_, "warpmark_i") +
           ");\n        }\n      }\n    }\n"
           "  } else {\n"
           "#pragma unroll 4\n"
           "    for (int warpmark_k = 0; warpmark_k < " +
           std::to_string(layout_.width * tuning_.vectors) +
           "; ++warpmark_k) {\n"
           "      const long long warpmark_at = blockIdx.x * " +
           std::to_string(elements_of_block()) + "ll + warpmark_k * " + block +
           " + threadIdx.x;\n"
           "      if (warpmark_at < warpmark_count) {\n"
           "        const long long warpmark_i = " +
           range_.index("warpmark_at") +
           ";\n"
           "        warpmark_operation(warpmark_i, n, " +
           arguments_from_memory(layout_, "warpmark_i") + ");\n      }\n    }\n  }\n}\n";
  }

  const Json& which_;
  const Json& kernel_;
  std::string name_;
  Tuning tuning_;
  std::string operation_;
  Expression expression_;
  std::vector<Parameter> parameters_;
  Range range_;
  Layout layout_;
};

struct Elementwise {
  Json plan(const Json& which) const {
    warpmark::plugin::only_keys(which.at("kernel"), {"parameters", "operation", "preamble",
                                                     "define", "options", "name", "range", "tune"});
    if (which.contains("launch")) {
      throw Failure("/launch", "`elementwise` chooses the launch geometry itself",
                    "leave `launch` out; `kernel.tune: {block: …}` changes the block");
    }
    return Generator(which).plan();
  }
};

}  // namespace

WARPMARK_PLUGIN(elementwise, Elementwise);
