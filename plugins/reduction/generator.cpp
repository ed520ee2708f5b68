#include "generator.hpp"

#include <algorithm>

#include "codegen/operation_source.hpp"
#include "codegen/reduction_prelude.hpp"
#include "codegen/trial.hpp"

namespace warpmark::codegen {

using plugin::Failure;
using plugin::Json;

namespace {

// Blocks for each of an H200's 132 multiprocessors, which are all there at once: four where one
// array is read (28 registers for float32), three where there are more of them (34) or a total has
// several numbers (39, for `variance`). With 4 vectors of each array a thread that is 128 KiB in
// flight and more, of which 29 KiB cover the latency of its memory (4.8 TB/s for 0.8 us). Measured
// with 2^28 float32: sum 239.1 us with four, 239.7 with three, 240.9 with two; dot 483.9, 475.1 and
// 476.8 (tests/figures/generator_share.py); variance 253.9 with four, 241.7 with three.
Tuning defaults(const Layout& layout, const ReductionOperation& operation) {
  const bool many_registers = layout.accesses.size() > 1 || operation.numbers > 1;
  return {512, 4, many_registers ? 396 : 528};
}

std::vector<Parameter> inputs_of(const std::vector<Parameter>& parameters) {
  std::vector<Parameter> inputs;
  for (const Parameter& parameter : parameters) {
    if (parameter.kind != "out") inputs.push_back(parameter);
  }
  return inputs;
}

void check_map(const std::vector<Parameter>& inputs, const Expression& map,
               const Parameter& result) {
  for (const Parameter& input : inputs) {
    if (!map.of(input.name).written) continue;
    throw Failure(input.pointer, "`" + input.name + "` is an input, and `map` writes it");
  }
  if (map.of(result.name).count > 0) {
    throw Failure("/kernel/map", "`map` has the result `" + result.name + "`",
                  "it maps the inputs to what is combined");
  }
}

// With `axis`, an element has a row and a column as well.
std::vector<std::string> reserved_names(const Json& which, const std::string& kernel) {
  std::vector<std::string> names = {"i", "n", "accumulator", kernel};
  if (which.at("kernel").contains("axis")) names.insert(names.end(), {"row", "column"});
  return names;
}

}  // namespace

ReductionGenerator::ReductionGenerator(const Json& which)
    : which_(which),
      kernel_(which.at("kernel")),
      name_(kernel_name(which)),
      parameters_(read_parameters(which, reserved_names(which, name_))),
      result_(result_of(parameters_, which)),
      operation_(read_operation(kernel_, result_, first_array(inputs_of(parameters_)))) {
  const std::vector<Parameter> inputs = inputs_of(parameters_);
  const Expression map(operation_.map, "/kernel/map", kernel_);
  layout_ = lay_out(inputs, map);
  check_map(inputs, map, result_);
  read_index();
  read_axis();
  tuning_ = read_tuning(kernel_, axis_ < 0 ? defaults(layout_, operation_) : Tuning{256, 4, 528});
  range_ = read_range(kernel_, elements());
}

// The array of indices has an element for each `i`, and so takes the place of the first array.
void ReductionGenerator::read_index() {
  index_ = optional_text(kernel_, "index");
  if (index_.empty()) return;
  const std::vector<Parameter> inputs = inputs_of(parameters_);
  const auto found = std::ranges::find(inputs, index_, &Parameter::name);
  if (found == inputs.end() || !found->is_array) {
    throw Failure("/kernel/index", "`index` must be the name of an input array",
                  "index: lut, where `lut` is an array of indices");
  }
  const std::string type = expanded_type(found->element, kernel_);
  if (found->bytes > 0 && !is_integer_type(type)) {
    throw Failure("/kernel/index",
                  "`" + index_ + "` has the type " + type + ", and indices are integers");
  }
  for (const char* other : {"range", "axis"}) {
    if (!kernel_.contains(other)) continue;
    throw Failure(std::string("/kernel/") + other,
                  text_of({"`", other, "` and `index` both say which elements are taken"}),
                  "leave one of them out");
  }
  layout_ = lay_out(inputs, Expression(index_ + "[i]", "/kernel/index", kernel_));
}

const Parameter& ReductionGenerator::elements() const {
  for (const Parameter& parameter : parameters_) {
    if (!index_.empty() ? parameter.name == index_ : parameter.is_array && parameter.kind == "in") {
      return parameter;
    }
  }
  return first_array(parameters_);
}

Json ReductionGenerator::plan() const {
  if (axis_ >= 0) return axis_plan();
  Json plan = warpmark::plugin::plan_of_arguments(which_);
  plan["units"].push_back(source().unit(kernel_));
  Json arguments = Json::array();
  for (const Parameter& parameter : parameters_) arguments.push_back(parameter.name);
  range_.add_scalars(elements(), plan, arguments);
  range_.add_accesses(elements(), lanes_of(layout_), "map", plan);
  add_indexed(plan);
  add_partials(plan, arguments, tuning_.blocks * slot_words(operation_), 1);
  const int64_t of_block = tuning_.block * tuning_.vectors * layout_.width;
  Json blocks = range_.count;
  blocks["arithmetic"] = "max(1, min(" + std::to_string(tuning_.blocks) + ", ceil_div(" +
                         range_.count.at("arithmetic").get<std::string>() + ", " +
                         std::to_string(of_block) + ")))";
  add_launch(plan, {name_, {blocks, 1, 1}, tuning_.block, arguments});
  return plan;
}

// Adds the accesses to arrays that `map` uses only as `name[i]`: the elements that the index array
// names.
void ReductionGenerator::add_indexed(Json& plan) const {
  if (index_.empty()) return;
  const Expression map(operation_.map, "/kernel/map", kernel_);
  for (const Parameter& input : inputs_of(parameters_)) {
    if (!input.is_array || input.name == index_ || !map.of(input.name).own_only) continue;
    plan["accesses"].push_back(
        {{"buffer", input.name},
         {"indices", index_},
         {"reason", text_of({"`map` has `", input.name, "[i]` for each `i` of `", index_, "`"})},
         {"at", elements().pointer}});
  }
}

// Scratch: a value of each block, and how many blocks have left theirs.
void ReductionGenerator::add_partials(Json& plan, Json& arguments, const Json& words,
                                      int64_t counters) const {
  plan["buffers"].push_back({{"name", "warpmark_partials"},
                             {"direction", "out"},
                             {"dtype", "uint32"},
                             {"shape", {words}}});
  const std::string zeros = "np.zeros(" + std::to_string(counters) + ", np.uint32)";
  plan["buffers"].push_back({{"name", "warpmark_arrived"},
                             {"direction", "inout"},
                             {"dtype", "uint32"},
                             {"value", {{"numpy", zeros}}}});
  arguments.push_back("warpmark_partials");
  arguments.push_back("warpmark_arrived");
}

std::string ReductionGenerator::range_arguments() const {
  std::string text = ", n";
  if (range_.given) text += ", warpmark_start";
  if (range_.has_step) text += ", warpmark_step";
  if (range_.given) text += ", warpmark_count";
  return text;
}

// The suite's `map`, as a function of an index; with `index`, of the place of one.
void ReductionGenerator::add_map(SourceText& text) const {
  const bool made = !operation_.combined.empty();
  text.add_from("__device__ __forceinline__ " + std::string(operation_.type()) +
                    " warpmark_map(const long long " + (index_.empty() ? "i" : "warpmark_place") +
                    ", const long long n, " +
                    (axis_ < 0 ? "" : "const long long row, const long long column, ") +
                    device_parameters(layout_) + ") {",
                "/kernel/parameters");
  if (!index_.empty()) text.add("  const long long i = " + index_ + "[warpmark_place];");
  if (operation_.combined_after.find("warpmark_index") != std::string::npos) {
    text.add(std::string("  const long long warpmark_index = ") +
             (axis_ < 0    ? "i"
              : axis_ == 0 ? "row"
                           : "column") +
             ";");
  }
  add_returned(text, "accumulator", operation_.map, "/kernel/map",
               made ? "warpmark_combined{" + operation_.combined_before : "",
               made ? operation_.combined_after + "}" : "");
  text.add("}\n");
}

// Adds the function that turns the total into the result.
void ReductionGenerator::add_finish(SourceText& text) const {
  if (operation_.finish.empty()) return;
  const std::string head = "__device__ __forceinline__ auto warpmark_finish(const " +
                           std::string(operation_.type()) +
                           " total, const long long count) {\n  return (";
  if (operation_.finish_given) {
    text.add_from(head, "/kernel/finish");
    text.add_from(operation_.finish, "/kernel/finish");
  } else {
    text.add(head);
    text.add(operation_.finish);
  }
  text.add("\n);\n}");
}

// The value that is stored, for `count` elements.
std::string ReductionGenerator::result(const std::string& total, const std::string& count) const {
  const std::string finished =
      operation_.finish.empty() ? total : text_of({"warpmark_finish(", total, ", ", count, ")"});
  const bool plain = operation_.finish.empty() && operation_.combined.empty();
  return (plain ? "static_cast<" + result_.element + ">("
                : "warpmark::Result<" + result_.element + ">::of(") +
         finished + ")";
}

// Declares and loads `count` vectors of each array from `vector` on, an expression over warpmark_v,
// and maps their elements to `warpmark_value`.
// `place` is the row and the column, as further arguments of the map.
std::string ReductionGenerator::values(const std::string& count, const std::string& vector,
                                       const std::string& place) const {
  const std::string width = std::to_string(layout_.width);
  const std::string start = range_.given ? "warpmark_start + " : "";
  std::string declared, fast, slow;
  for (const Access& access : layout_.accesses) {
    if (!access.lane) continue;
    const std::string& name = access.parameter.name;
    const std::string lanes = vectors_of(access.parameter);
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
  text += std::string("    ") + operation_.type() + " warpmark_value[" + count + " * " + width +
          "];\n" + each_vector + each_element +
          "          const long long warpmark_i = " + range_.index("warpmark_place + warpmark_k") +
          ";\n"
          "          warpmark_value[warpmark_v * " +
          width + " + warpmark_k] = warpmark_map(warpmark_i, n, " + place +
          arguments_from_vectors(layout_, "warpmark_i", "[warpmark_v][warpmark_k]") +
          ");\n        }\n    }\n";
  return text;
}

// The code by which one thread reads the array: vectors, `tuning_.vectors` at once; the remaining
// vectors one by one; then the elements that do not fill a vector.
std::string ReductionGenerator::thread_body() const {
  const std::string width = std::to_string(layout_.width);
  const std::string block = std::to_string(tuning_.block);
  const std::string tile = std::to_string(tuning_.block * tuning_.vectors);
  const bool ascends = index_.empty() && !range_.has_step;
  const std::string combined =
      ascends && !operation_.take.empty()
          ? operation_.take + "(warpmark_total, warpmark_value);"
          : "warpmark_total = warpmark_op(warpmark_total, warpmark::fold(warpmark_value, "
            "warpmark_op));";
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
      "    " + combined +
      "\n  }\n"
      "#pragma unroll 1\n"
      "  for (long long warpmark_left = warpmark_base + threadIdx.x; warpmark_left < "
      "warpmark_whole && warpmark_left < warpmark_base + " +
      tile + "; warpmark_left += " + block + ") {\n" + values("1", "warpmark_left") + "    " +
      combined + "\n  }\n";
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
  const std::string words = std::to_string(slot_words(operation_));
  const std::string type = operation_.type();
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
      result_.name + "[0] = " + result("warpmark_total", range_.given ? "warpmark_count" : "n") +
      ";";
  return "  const warpmark_reduce warpmark_op;\n  " + type + " warpmark_total = " + thread +
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
         "        warpmark::get<" +
         type + ">(warpmark_partials + warpmark_k * " + words +
         "));\n"
         "  }\n"
         "  warpmark_total = warpmark::reduce_block<" +
         block +
         ">(warpmark_total, warpmark_neutral(), warpmark_op);\n"
         "  if (threadIdx.x == 0) " +
         store + "\n}\n";
}

std::string ReductionGenerator::all_parameters() const {
  std::string all;
  for (const Parameter& parameter : parameters_) {
    all += (all.empty() ? "" : ", ") + parameter.text;
  }
  return all;
}

// The parts that every kernel has: the types, the operation, and `map`.
SourceText ReductionGenerator::begin_unit() const {
  std::vector<std::string> types = {expanded_type(operation_.accumulator, kernel_)};
  for (const Parameter& parameter : parameters_) {
    types.push_back(expanded_type(parameter.element, kernel_));
  }
  SourceText text = begin_source(
      kernel_, limit_headers(operation_) + vector_prelude() + reduction_prelude(), types);
  if (layout_.width > 1) text.add(size_assertions(layout_));
  add_operation(text, operation_, kernel_);
  add_map(text);
  add_finish(text);
  return text;
}

SourceText ReductionGenerator::source() const {
  SourceText text = begin_unit();
  if (axis_ >= 0) {
    add_axis_kernel(text);
    return text;
  }
  text.add("template <bool warpmark_vectors>\n__device__ __forceinline__");
  const std::string type = operation_.type();
  text.add_from(
      type + " warpmark_thread(" + kernel_parameters(layout_) + range_.parameters() + ") {",
      "/kernel/parameters");
  text.add(std::string("  const warpmark_reduce warpmark_op;\n") +
           (range_.given ? "" : "  const long long warpmark_count = n;\n") + "  " + type +
           " warpmark_total = warpmark_neutral();\n" +
           (operation_.commutative ? thread_body() : ordered_thread_body()) +
           "  return warpmark_total;\n}\n");
  text.add_from("__global__ void __launch_bounds__(" + std::to_string(tuning_.block) + ") " +
                    name_ + "(" + all_parameters() + range_.parameters() +
                    ", unsigned *warpmark_partials, unsigned *warpmark_arrived) {",
                "/kernel/parameters");
  add_result_check(text);
  text.add(kernel_body());
  return text;
}

Json ReductionGenerator::trial() const {
  return trial_of(operation_, which_, [this] {
    OperationTrial trial{begin_unit(), plan_of_inputs(which_), Json::array()};
    for (const Access& access : layout_.accesses) {
      trial.arguments.push_back(access.parameter.name);
    }
    range_.add_scalars(elements(), trial.plan, trial.arguments);
    trial.parameters = kernel_parameters(layout_) + range_.parameters();
    trial.count = range_.given ? "warpmark_count" : "n";
    const std::string index = text_of({"(", range_.index("warpmark_place"), ")"});
    std::string place;
    if (axis_ >= 0) {
      trial.plan["scalars"].push_back(
          {{"name", "warpmark_columns"},
           {"dtype", "int64"},
           {"integer",
            {{"arithmetic", elements().name + ".shape[1]"}, {"at", elements().pointer}}}});
      trial.arguments.push_back("warpmark_columns");
      trial.parameters += ", const long long warpmark_columns";
      place = text_of({index, " / warpmark_columns, ", index, " % warpmark_columns, "});
    }
    trial.mapped = text_of(
        {"warpmark_map(", index, ", n, ", place, arguments_from_memory(layout_, index), ")"});
    trial.result = result_;
    trial.converted = [this](const std::string& value) { return result(value, "1"); };
    trial.any_order = operation_.commutative;
    return trial;
  });
}

void ReductionGenerator::add_result_check(SourceText& text) const {
  // The result of a named operator is converted by the operator itself.
  if (!operation_.combined.empty() || !operation_.finish.empty()) return;
  text.add_from("static_assert(warpmark::converts<" + result_.element +
                    ", accumulator>, \"the accumulator's type does not convert to that of the "
                    "result, " +
                    expanded_type(result_.element, kernel_) + "\");",
                operation_.accumulator_at);
}

}  // namespace warpmark::codegen
