#include "generator.hpp"

#include <algorithm>

#include "prelude.hpp"

namespace warpmark::codegen {

using plugin::Failure;
using plugin::Json;

namespace {

// Blocks for each of an H200's 132 multiprocessors, which are all there at once: four where one
// array is read (28 registers for float32), three where there are more of them (34). With 4 vectors
// of each array a thread that is 128 KiB in flight and more, of which 29 KiB cover the latency of
// its memory (4.8 TB/s for 0.8 us). Measured with 2^28 float32: sum 239.1 us with four, 239.7 with
// three, 240.9 with two; dot 483.9, 475.1 and 476.8 (tests/figures/generator_share.py).
Tuning defaults(const Layout& layout) {
  return {512, 4, layout.accesses.size() > 1 ? 396 : 528};
}

// Accumulators whose size only the compiler knows.
constexpr int64_t kMostBytes = 64;

std::vector<Parameter> inputs_of(const std::vector<Parameter>& parameters) {
  std::vector<Parameter> inputs;
  for (const Parameter& parameter : parameters) {
    if (parameter.kind != "out") inputs.push_back(parameter);
  }
  return inputs;
}

void check_map(const Layout& layout, const Expression& map, const Parameter& result) {
  for (const Access& access : layout.accesses) {
    if (!access.usage.written) continue;
    throw Failure(access.parameter.pointer,
                  "`" + access.parameter.name + "` is an input, and `map` writes it");
  }
  if (map.of(result.name).count > 0) {
    throw Failure("/kernel/map", "`map` has the result `" + result.name + "`",
                  "it maps the inputs to what is combined");
  }
}

}  // namespace

ReductionGenerator::ReductionGenerator(const Json& which)
    : which_(which),
      kernel_(which.at("kernel")),
      name_(kernel_name(which)),
      parameters_(read_parameters(which, {"i", "n", "accumulator", name_})),
      result_(result_of(parameters_, which)),
      operation_(read_operation(kernel_, result_)) {
  const std::vector<Parameter> inputs = inputs_of(parameters_);
  const Expression map(operation_.map, "/kernel/map", kernel_);
  layout_ = lay_out(inputs, map);
  check_map(layout_, map, result_);
  tuning_ = read_tuning(kernel_, defaults(layout_));
  range_ = read_range(kernel_, first_array(inputs));
}

int64_t ReductionGenerator::slot_words() const {
  const int64_t bytes =
      operation_.accumulator_bytes > 0 ? operation_.accumulator_bytes : kMostBytes;
  return (bytes + 3) / 4;
}

Json ReductionGenerator::plan() const {
  Json plan = warpmark::plugin::plan_of_arguments(which_);
  plan["units"].push_back(source().unit(kernel_));
  Json arguments = Json::array();
  for (const Parameter& parameter : parameters_) arguments.push_back(parameter.name);
  const std::vector<Parameter> inputs = inputs_of(parameters_);
  range_.add_scalars(first_array(inputs), plan, arguments);
  range_.add_accesses(first_array(inputs), lanes_of(layout_), "map", plan);
  // Scratch: a value of each block, and how many blocks have left theirs.
  plan["buffers"].push_back({{"name", "warpmark_partials"},
                             {"direction", "out"},
                             {"dtype", "uint32"},
                             {"shape", {tuning_.blocks * slot_words()}}});
  plan["buffers"].push_back({{"name", "warpmark_arrived"},
                             {"direction", "inout"},
                             {"dtype", "uint32"},
                             {"value", {{"numpy", "np.zeros(1, np.uint32)"}}}});
  arguments.push_back("warpmark_partials");
  arguments.push_back("warpmark_arrived");
  const int64_t of_block = tuning_.block * tuning_.vectors * layout_.width;
  Json blocks = range_.count;
  blocks["arithmetic"] = "max(1, min(" + std::to_string(tuning_.blocks) + ", ceil_div(" +
                         range_.count.at("arithmetic").get<std::string>() + ", " +
                         std::to_string(of_block) + ")))";
  plan["steps"].push_back({{"launch",
                            {{"unit", 0},
                             {"entry", name_},
                             {"grid", {blocks, 1, 1}},
                             {"block", {tuning_.block, 1, 1}},
                             {"arguments", arguments},
                             {"at", "/kernel"}}}});
  return plan;
}

std::string ReductionGenerator::range_arguments() const {
  std::string text = ", n";
  if (range_.given) text += ", warpmark_start";
  if (range_.has_step) text += ", warpmark_step";
  if (range_.given) text += ", warpmark_count";
  return text;
}

namespace {

// The suite's expression as what a function returns; a type that does not fit is reported at
// its line as well. The empty line is for an expression that ends in a backslash.
void add_returned(SourceText& text, const std::string& expression, const std::string& pointer) {
  for (const std::string& part : {std::string("  return static_cast<accumulator>("), expression}) {
    if (pointer.empty()) {
      text.add(part);
    } else {
      text.add_from(part, pointer);
    }
  }
  text.add("\n);");
}

// Names such as INFINITY and INT_MIN come from headers that a neutral element takes for granted.
bool names_a_limit(const std::string& neutral) {
  for (const char* name : {"INFINITY", "NAN", "_MAX", "_MIN", "HUGE_VAL"}) {
    if (neutral.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

// The suite's three expressions, as functions of their own.
void ReductionGenerator::add_operation(SourceText& text) const {
  const ReductionOperation& operation = operation_;
  text.add_from("using accumulator = " + operation.accumulator + ";", operation.accumulator_at);
  text.add("static_assert(__is_trivially_copyable(accumulator) && sizeof(accumulator) <= " +
           std::to_string(4 * slot_words()) +
           ",\n              \"an accumulator is copied by its bytes, and has " +
           std::to_string(kMostBytes) + " of them at the most\");");
  if (operation.neutral_given) {
    const std::string& neutral = operation.neutral_line;
    text.add_from("static_assert(" +
                      (operation.integer_accumulator
                           ? "warpmark::keeps<accumulator>(" + neutral + ")"
                           : "warpmark::converts<accumulator, decltype(" + neutral + ")>") +
                      ", \"the neutral element must be a value of the accumulator's type, " +
                      expanded_type(operation.accumulator, kernel_) + "\");",
                  "/kernel/neutral");
  }
  text.add("__device__ __forceinline__ accumulator warpmark_neutral() {");
  add_returned(text, operation.neutral, operation.neutral_given ? "/kernel/neutral" : "");
  text.add(
      "}\n"
      "struct warpmark_reduce {\n"
      "__device__ __forceinline__ accumulator operator()(const accumulator a, const "
      "accumulator b) const {");
  add_returned(text, operation.reduce, "/kernel/reduce");
  text.add("}\n};");
  text.add_from(
      "__device__ __forceinline__ accumulator warpmark_map(const long long i, "
      "const long long n, " +
          device_parameters(layout_) + ") {",
      "/kernel/parameters");
  add_returned(text, operation.map, "/kernel/map");
  text.add("}\n");
}

// Declares and loads `count` vectors of each array from `vector` on, an expression over warpmark_v,
// and maps their elements to `warpmark_value`.
std::string ReductionGenerator::values(const std::string& count, const std::string& vector) const {
  const std::string width = std::to_string(layout_.width);
  const std::string start = range_.given ? "warpmark_start + " : "";
  std::string declared, fast, slow;
  for (const Access& access : layout_.accesses) {
    if (!access.lane) continue;
    const std::string& name = access.parameter.name;
    const std::string lanes = "warpmark_" + name;
    declared +=
        text_of({"    ", access.parameter.element, " ", lanes, "[", count, "][", width, "];\n"});
    fast += text_of({"        warpmark::load<", width, ">(", lanes, "[warpmark_v], ", name, " + ",
                     start, "warpmark_place);\n"});
    slow += text_of({"          ", lanes, "[warpmark_v][warpmark_k] = ", name, "[",
                     range_.index("warpmark_place + warpmark_k"), "];\n"});
  }
  const std::string each_vector =
      "#pragma unroll\n"
      "    for (int warpmark_v = 0; warpmark_v < " +
      count +
      "; ++warpmark_v) {\n"
      "      const long long warpmark_place = (" +
      vector + ") * " + width + ";\n";
  const std::string each_element =
      "#pragma unroll\n"
      "        for (int warpmark_k = 0; warpmark_k < " +
      width + "; ++warpmark_k) {\n";
  std::string text = declared;
  if (!fast.empty()) {
    text += each_vector + "      if (warpmark_vectors) {\n" + fast + "      } else {\n" +
            each_element + slow + "        }\n      }\n    }\n";
  }
  text += "    accumulator warpmark_value[" + count + " * " + width + "];\n" + each_vector +
          each_element +
          "          const long long warpmark_i = " + range_.index("warpmark_place + warpmark_k") +
          ";\n"
          "          warpmark_value[warpmark_v * " +
          width + " + warpmark_k] = warpmark_map(warpmark_i, n, " +
          arguments_from_vectors(layout_, "warpmark_i", "[warpmark_v][warpmark_k]") +
          ");\n        }\n    }\n";
  return text;
}

// What one thread takes of the array: vectors, `tuning_.vectors` at once; those that are left one
// by one; then the elements that fill no vector.
std::string ReductionGenerator::thread_body() const {
  const std::string width = std::to_string(layout_.width);
  const std::string block = std::to_string(tuning_.block);
  const std::string tile = std::to_string(tuning_.block * tuning_.vectors);
  std::string text =
      "  const long long warpmark_whole = warpmark_count / " + width +
      ";\n"
      "  long long warpmark_base = blockIdx.x * " +
      tile +
      "ll;\n"
      "  for (; warpmark_base + " +
      tile + " <= warpmark_whole; warpmark_base += gridDim.x * " + tile + "ll) {\n" +
      values(std::to_string(tuning_.vectors),
             "warpmark_base + warpmark_v * " + block + " + threadIdx.x") +
      "    warpmark_total = warpmark_op(warpmark_total, warpmark::fold(warpmark_value, "
      "warpmark_op));\n  }\n"
      "#pragma unroll 1\n"
      "  for (long long warpmark_left = warpmark_base + threadIdx.x; warpmark_left < "
      "warpmark_whole && warpmark_left < warpmark_base + " +
      tile + "; warpmark_left += " + block + ") {\n" + values("1", "warpmark_left") +
      "    warpmark_total = warpmark_op(warpmark_total, warpmark::fold(warpmark_value, "
      "warpmark_op));\n  }\n";
  if (layout_.width > 1) {
    text += "  const long long warpmark_at = warpmark_whole * " + width +
            " + threadIdx.x;\n"
            "  if (blockIdx.x == 0 && warpmark_at < warpmark_count) {\n"
            "    const long long warpmark_i = " +
            range_.index("warpmark_at") +
            ";\n"
            "    warpmark_total = warpmark_op(warpmark_total, warpmark_map(warpmark_i, n, " +
            arguments_from_memory(layout_, "warpmark_i") + "));\n  }\n";
  }
  return text;
}

// Elements in a row, so that values are combined in the order of their index.
std::string ReductionGenerator::ordered_thread_body() const {
  const std::string block = std::to_string(tuning_.block);
  return "  const long long warpmark_threads = gridDim.x * " + block +
         "ll;\n"
         "  const long long warpmark_each = (warpmark_count + warpmark_threads - 1) / "
         "warpmark_threads;\n"
         "  const long long warpmark_first = (blockIdx.x * " +
         block +
         "ll + threadIdx.x) * warpmark_each;\n"
         "  for (long long warpmark_at = warpmark_first; warpmark_at < warpmark_count && "
         "warpmark_at < warpmark_first + warpmark_each; ++warpmark_at) {\n"
         "    const long long warpmark_i = " +
         range_.index("warpmark_at") +
         ";\n"
         "    warpmark_total = warpmark_op(warpmark_total, warpmark_map(warpmark_i, n, " +
         arguments_from_memory(layout_, "warpmark_i") + "));\n  }\n";
}

std::string ReductionGenerator::kernel_body() const {
  const std::string block = std::to_string(tuning_.block);
  const std::string words = std::to_string(slot_words());
  std::string names;
  for (const Access& access : layout_.accesses) {
    names += (names.empty() ? "" : ", ") + access.parameter.name;
  }
  const std::string call = "(" + names + range_arguments() + ")";
  std::string fast = alignment_test(layout_, range_.given ? "warpmark_start" : "");
  if (range_.has_step && !fast.empty()) fast = "warpmark_step == 1 && " + fast;
  const std::string thread =
      fast.empty() || !operation_.commutative
          ? "warpmark_thread<false>" + call
          : fast + " ? warpmark_thread<true>" + call + "\n      : warpmark_thread<false>" + call;
  const std::string store =
      result_.name + "[0] = static_cast<" + result_.element + ">(warpmark_total);";
  return "  const warpmark_reduce warpmark_op;\n"
         "  accumulator warpmark_total = " +
         thread +
         ";\n"
         "  warpmark_total = warpmark::reduce_block<" +
         block +
         ">(warpmark_total, warpmark_neutral(), warpmark_op);\n"
         "  if (gridDim.x == 1) {\n"
         "    if (threadIdx.x == 0) " +
         store +
         "\n"
         "    return;\n"
         "  }\n"
         "  __shared__ bool warpmark_last;\n"
         "  if (threadIdx.x == 0) {\n"
         "    warpmark::put(warpmark_partials + blockIdx.x * " +
         words +
         ", warpmark_total);\n"
         "    __threadfence();\n"
         "    // Counts from 0 up to the last block, and by it back to 0.\n"
         "    warpmark_last = atomicInc(warpmark_arrived, gridDim.x - 1) == gridDim.x - 1;\n"
         "  }\n"
         "  __syncthreads();\n"
         "  if (!warpmark_last) return;\n"
         "  __threadfence();\n"
         "  const unsigned warpmark_each = (gridDim.x + " +
         block + " - 1) / " + block +
         ";\n"
         "  const unsigned warpmark_first = threadIdx.x * warpmark_each;\n"
         "  warpmark_total = warpmark_neutral();\n"
         "  for (unsigned warpmark_k = warpmark_first; warpmark_k < gridDim.x && warpmark_k < "
         "warpmark_first + warpmark_each; ++warpmark_k) {\n"
         "    warpmark_total = warpmark_op(warpmark_total,\n"
         "        warpmark::get<accumulator>(warpmark_partials + warpmark_k * " +
         words +
         "));\n"
         "  }\n"
         "  warpmark_total = warpmark::reduce_block<" +
         block +
         ">(warpmark_total, warpmark_neutral(), warpmark_op);\n"
         "  if (threadIdx.x == 0) " +
         store + "\n}\n";
}

SourceText ReductionGenerator::source() const {
  std::vector<std::string> types = {expanded_type(operation_.accumulator, kernel_)};
  std::string all;
  for (const Parameter& parameter : parameters_) {
    types.push_back(expanded_type(parameter.element, kernel_));
    all += (all.empty() ? "" : ", ") + parameter.text;
  }
  const std::string limits = names_a_limit(operation_.neutral)
                                 ? "#include <float.h>\n#include <limits.h>\n#include <math.h>\n"
                                 : "";
  SourceText text = begin_source(kernel_, limits + vector_prelude() + reduction_prelude(), types);
  if (layout_.width > 1) text.add(size_assertions(layout_));
  add_operation(text);
  text.add("template <bool warpmark_vectors>\n__device__ __forceinline__");
  text.add_from(
      "accumulator warpmark_thread(" + kernel_parameters(layout_) + range_.parameters() + ") {",
      "/kernel/parameters");
  text.add(std::string("  const warpmark_reduce warpmark_op;\n") +
           (range_.given ? "" : "  const long long warpmark_count = n;\n") +
           "  accumulator warpmark_total = warpmark_neutral();\n" +
           (operation_.commutative ? thread_body() : ordered_thread_body()) +
           "  return warpmark_total;\n}\n");
  text.add_from("__global__ void __launch_bounds__(" + std::to_string(tuning_.block) + ") " +
                    name_ + "(" + all + range_.parameters() +
                    ", unsigned *warpmark_partials, unsigned *warpmark_arrived) {",
                "/kernel/parameters");
  text.add_from("static_assert(warpmark::converts<" + result_.element +
                    ", accumulator>, \"the accumulator's type does not convert to that of the "
                    "result, " +
                    expanded_type(result_.element, kernel_) + "\");",
                operation_.accumulator_at);
  text.add(kernel_body());
  return text;
}

}  // namespace warpmark::codegen
