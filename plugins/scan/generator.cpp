#include "generator.hpp"

#include <algorithm>

#include "codegen/operation_source.hpp"
#include "codegen/reduction_prelude.hpp"
#include "codegen/trial.hpp"
#include "codegen/usage.hpp"
#include "prelude.hpp"

namespace warpmark::codegen {

using plugin::Failure;
using plugin::Json;

namespace {

// A block keeps its tile in registers while it waits for the tiles before it: as many elements as
// leave room for two blocks on a multiprocessor, since larger tiles wait less often.
constexpr int64_t kBlock = 256, kMostVectors = 24, kRegisters = 96;
// Flags take registers, too, until it is known where segments begin, and keys twice as many.
constexpr int64_t kFlagRegisters = 48, kKeyRegisters = 32;
// While tiles wait, the memory would be idle. So a block brings into the L2 cache what blocks will
// load that start later: a seventh of the cache ahead. The scan of 2^28 floats takes 558 us with it,
// 604 without; a third of the cache is little better than nothing (H200, a copy takes 506).
constexpr int64_t kPartOfCache = 7;

Tuning defaults(const Layout& layout, const ReductionOperation& operation, bool segmented,
                bool loads_beside) {
  // Few vectors for types whose size is not known here.
  if (operation.accumulator_bytes == 0) return {kBlock, 4, 0};
  const int64_t words = (operation.accumulator_bytes + 3) / 4;
  const int64_t registers = !segmented ? kRegisters : loads_beside ? kKeyRegisters : kFlagRegisters;
  return {kBlock, std::clamp(registers / (layout.width * words), int64_t{1}, kMostVectors), 0};
}

// before_tile() has work for three warps, and for one more with each group of tiles that is read tile
// by tile: with four, 2^28 floats take a thirtieth less (H200).
constexpr int64_t kLeastBlock = 96, kMostNearGroups = 4;

bool is_output(const Parameter& parameter) {
  return parameter.kind == "out" || parameter.kind == "inout";
}

bool read_truth(const Json& kernel, const std::string& key) {
  const std::string text = optional_text(kernel, key);
  if (!text.empty() && text != "true" && text != "false") {
    throw Failure("/kernel/" + key, "`" + key + "` must be true or false");
  }
  return text == "true";
}

std::string number(int64_t value) {
  return std::to_string(value);
}

}  // namespace

ScanGenerator::ScanGenerator(const Json& which)
    : which_(which),
      kernel_(which.at("kernel")),
      name_(kernel_name(which)),
      parameters_(read_parameters(which, {"i", "n", "accumulator", name_})) {
  read_output();
  operation_ = read_operation(kernel_, output_, first_);
  if (!operation_.combined.empty() || !operation_.finish.empty()) {
    throw Failure("/kernel/reduce",
                  "`" + optional_text(kernel_, "reduce") + "` is no operation of a scan",
                  "it is an expression over `a` and `b`, or one of sum, prod, max, min, any, all");
  }
  exclusive_ = read_truth(kernel_, "exclusive");
  segment_ = optional_text(kernel_, "segment");
  const Expression map(operation_.map, "/kernel/map", kernel_);
  check_in_place(map);
  // How the map uses the inputs, and that each element of the output is written.
  layout_ = lay_out(parameters_, Expression(output_.name + "[i] = (" + operation_.map + "\n)",
                                            "/kernel/map", kernel_));
  inputs_.width = layout_.width;
  for (const Access& access : layout_.accesses) {
    if (access.parameter.kind != "out") inputs_.accesses.push_back(access);
  }
  if (segmented()) lay_out_segment(Expression(segment_, "/kernel/segment", kernel_));
  tuning_ = read_tuning(kernel_, defaults(layout_, operation_, segmented(), loads_beside_));
  if (tuning_.block < kLeastBlock) {
    throw Failure("/kernel/tune/block", "`block` must be at least " + number(kLeastBlock),
                  "three warps wait for earlier tiles");
  }
  if (exclusive_ && segmented() && tuning_.vectors * layout_.width > 64) {
    throw Failure("/kernel/tune/vectors",
                  "a thread has " + number(tuning_.vectors * layout_.width) +
                      " elements, and at most 64 where segments are scanned exclusively");
  }
}

void ScanGenerator::read_output() {
  const Parameter* output = nullptr;
  const Parameter* first = nullptr;
  for (const Parameter& parameter : parameters_) {
    if (parameter.is_array && parameter.kind != "out" && first == nullptr) first = &parameter;
    if (!is_output(parameter)) continue;
    if (output != nullptr) {
      throw Failure(parameter.pointer,
                    "`" + parameter.name + "` is a second output after `" + output->name + "`",
                    "a scan has one output");
    }
    output = &parameter;
  }
  if (output == nullptr) {
    throw Failure("/arguments", "there is no output",
                  "the output has as many elements as the input: `y: {out: x.shape}`");
  }
  if (first == nullptr) {
    throw Failure("/kernel/parameters", "`parameters` has no input array",
                  "as in `const float *x, float *y`");
  }
  output_ = *output;
  first_ = *first;
}

// In place, an element must be read before it is written, and by nobody else.
void ScanGenerator::check_in_place(const Expression& map) const {
  std::vector<std::pair<const char*, Expression>> texts = {{"map", map}};
  if (segmented()) {
    texts.emplace_back("segment", Expression(segment_, "/kernel/segment", kernel_));
    if (texts.back().second.has_statements() || texts.back().second.tokens().empty()) {
      throw Failure("/kernel/segment", "`segment` is one expression, without `;`",
                    "as in `keys[i] != keys[i - 1]`");
    }
  }
  for (const auto& [key, expression] : texts) {
    const std::string pointer = std::string("/kernel/") + key;
    for (const Parameter& parameter : parameters_) {
      const Usage usage = expression.of(parameter.name);
      const std::string name = "`" + parameter.name + "`";
      if (usage.written) {
        throw Failure(pointer, text_of({"`", key, "` writes ", name}), "it only reads its inputs");
      }
      if (usage.count == 0 || !is_output(parameter)) continue;
      if (parameter.kind == "out") {
        throw Failure(pointer, text_of({"`", key, "` has the output ", name}));
      }
      if (!usage.own_only || pointer == "/kernel/segment") {
        throw Failure(pointer,
                      text_of({"`", key, "` reads ", name, ", which is overwritten meanwhile"}),
                      text_of({"in place, `map` has only `", parameter.name, "[i]`"}));
      }
    }
  }
}

// Flags, which `segment` reads as `name[i]` alone, are loaded as vectors. Keys are not: `name[i - 1]`
// reads them from the first-level cache, and 2^28 elements take 1195 us with vectors, 1099 without
// (H200).
void ScanGenerator::lay_out_segment(const Expression& segment) {
  segment_inputs_ = inputs_;
  for (Access& access : segment_inputs_.accesses) {
    const Parameter& parameter = access.parameter;
    const int64_t bytes = int64_t{parameter.bytes} * layout_.width;
    const bool fits = bytes == 4 || bytes == 8 || (bytes > 0 && bytes % 16 == 0);
    const Usage usage = segment.of(parameter.name);
    const bool was_lane = access.lane;
    access.lane = access.loads = layout_.width > 1 && parameter.kind == "in" && fits &&
                                 usage.own_only && parameter.is_array && !parameter.is_volatile;
    access.stores = false;
    if (access.lane && !was_lane) flags_.push_back(parameter);
    loads_beside_ |= parameter.is_array && usage.count > 0 && !access.lane;
  }
}

int64_t ScanGenerator::of_tile() const {
  return tuning_.block * tuning_.vectors * layout_.width;
}

std::vector<Parameter> ScanGenerator::loaded() const {
  std::vector<Parameter> all = lanes_of(inputs_);
  all.insert(all.end(), flags_.begin(), flags_.end());
  return all;
}

// Arithmetic for how many tiles ahead of its own a block brings the inputs into the cache.
std::string ScanGenerator::tiles_ahead() const {
  std::string bytes;
  for (const Parameter& lane : loaded()) {
    bytes += (bytes.empty() ? "" : " + ") + lane.name + ".nbytes";
  }
  if (bytes.empty()) return "0";
  return text_of({"device.l2_bytes * ", first_.name, ".size // (max(1, ", bytes, ") * ",
                  number(kPartOfCache * of_tile()), ")"});
}

Json ScanGenerator::plan() const {
  Json plan = warpmark::plugin::plan_of_arguments(which_);
  plan["units"].push_back(source().unit(kernel_));
  Json arguments = Json::array();
  for (const Parameter& parameter : parameters_) arguments.push_back(parameter.name);
  const Range range = read_range(Json::object(), first_);
  range.add_scalars(first_, plan, arguments);
  const auto arithmetic = [&](const std::string& text) {
    return Json{{"arithmetic", text}, {"at", first_.pointer}};
  };
  plan["scalars"].push_back(
      {{"name", "warpmark_ahead"}, {"dtype", "int64"}, {"integer", arithmetic(tiles_ahead())}});
  arguments.push_back("warpmark_ahead");
  if (!flags_.empty()) {
    std::string least;
    for (const Parameter& one : flags_) {
      least =
          least.empty() ? one.name + ".size" : text_of({"min(", least, ", ", one.name, ".size)"});
    }
    plan["scalars"].push_back(
        {{"name", "warpmark_flags"}, {"dtype", "int64"}, {"integer", arithmetic(least)}});
    arguments.push_back("warpmark_flags");
  }
  range.add_accesses(first_, lanes_of(inputs_), "map", plan);
  if (output_.name != first_.name) {
    plan["accesses"].push_back(
        {{"buffer", output_.name},
         {"count", range.count},
         {"reason", "the scan has a value for each element of `" + first_.name + "`"},
         {"at", output_.pointer}});
  }
  const std::string tiles =
      text_of({"max(1, ceil_div(", first_.name, ".size, ", number(of_tile()), "))"});
  const std::string slots =
      text_of({"(1 + ", tiles, " + ceil_div(", tiles, ", 32) + ceil_div(", tiles, ", 1024))"});
  const bool packed = operation_.accumulator_bytes > 0 && operation_.accumulator_bytes <= 4;
  const std::string words = packed ? "1" : slots + " * " + number(slot_words(operation_) + 1);
  for (const auto& [name, dtype, size] :
       {std::tuple("warpmark_states", "uint64", slots), {"warpmark_values", "uint32", words}}) {
    plan["buffers"].push_back({{"name", name},
                               {"direction", "scratch"},
                               {"dtype", dtype},
                               {"shape", {arithmetic(size)}}});
    arguments.push_back(name);
  }
  plan["steps"].push_back(
      {{"fill", {{"buffer", "warpmark_states"}, {"byte", 0}, {"at", "/kernel"}}}});
  add_launch(plan, {name_, {arithmetic(tiles), 1, 1}, tuning_.block, arguments});
  return plan;
}

void ScanGenerator::add_functions(SourceText& text) const {
  text.add_from(
      "__device__ __forceinline__ accumulator warpmark_map(const long long i, "
      "const long long n, " +
          device_parameters(inputs_) + ") {",
      "/kernel/parameters");
  add_returned(text, "accumulator", operation_.map, "/kernel/map");
  text.add("}\n");
  if (!segmented()) {
    text.add("using warpmark_value = accumulator;\nusing warpmark_scan = warpmark_reduce;\n");
    return;
  }
  text.add_from(
      "__device__ __forceinline__ bool warpmark_segment(const long long i, "
      "const long long n, " +
          device_parameters(segment_inputs_) + ") {",
      "/kernel/parameters");
  add_returned(text, "bool", segment_, "/kernel/segment");
  text.add(
      "}\n"
      "using warpmark_value = warpmark::Segmented<accumulator>;\n"
      "using warpmark_scan = warpmark::SegmentedReduce<accumulator, warpmark_reduce>;\n");
}

namespace {

std::string each(const char* variable, int64_t count) {
  return text_of({"#pragma unroll\n  for (int ", variable, " = 0; ", variable, " < ", number(count),
                  "; ++", variable, ") "});
}

}  // namespace

// The tile's values: vectors of a warp lie side by side, and its next ones behind them.
std::string ScanGenerator::load_body() const {
  const std::string width = number(layout_.width), count = number(tuning_.vectors);
  const std::string at = "warpmark_v * " + width + " + warpmark_k";
  const std::string vector = "warpmark_first + warpmark_v * " + number(32 * layout_.width);
  std::string declared, loads, ahead;
  for (const Parameter& lane : loaded()) {
    const auto& [name, element] = std::tie(lane.name, lane.element);
    const std::string vectors = vectors_of(lane);
    declared += text_of({"    ", element, " ", vectors, "[", count, "][", width, "];\n"});
    loads += text_of({"    warpmark::load_once<", width, ">(", vectors, "[warpmark_v], ", name,
                      " + ", vector, ");\n"});
    ahead += text_of({"    warpmark::fetch_ahead<", number(tuning_.block), ">(", name,
                      " + (warpmark_tile + warpmark_ahead) * ", number(of_tile()), ", ",
                      number(of_tile()), ");\n"});
  }
  const auto value = [&](const auto& arguments_of) {
    std::string mapped = "warpmark_map(warpmark_i, n, " + arguments_of(inputs_) + ")";
    if (!segmented()) return mapped;
    return text_of({"warpmark_value{", mapped,
                    ", warpmark_i == 0 || warpmark_segment(warpmark_i, n, ",
                    arguments_of(segment_inputs_), ")}"});
  };
  const std::string place =
      text_of({"      const long long warpmark_i = ", vector, " + warpmark_k;\n"});
  std::string slow = text_of(
      {"  ", each("warpmark_v", tuning_.vectors), "{\n  ", each("warpmark_k", layout_.width), "{\n",
       place, "      if (warpmark_i < n) warpmark_item.set(", at, ", ",
       value([](const Layout& of) { return arguments_from_memory(of, "warpmark_i"); }),
       ");\n      else warpmark_item.set(", at, ", warpmark_none);\n    }\n  }\n"});
  if (loads.empty() || alignment_test(layout_, "").empty()) return slow;
  ahead = text_of({"  if (warpmark_ahead > 0 && (warpmark_tile + warpmark_ahead + 1) * ",
                   number(of_tile()), " <= n) {\n", ahead, "  }\n  "});
  const std::string each_vector = each("warpmark_v", tuning_.vectors) + "{\n";
  const std::string from_vectors = value([](const Layout& of) {
    return arguments_from_vectors(of, "warpmark_i", "[warpmark_v][warpmark_k]");
  });
  return text_of({"  if (warpmark_vectors) {\n", declared, "  ", each_vector, loads, "  }\n", ahead,
                  each_vector, "  ", each("warpmark_k", layout_.width), "{\n", place,
                  "      warpmark_item.set(", at, ", ", from_vectors,
                  ");\n    }\n  }\n  } else {\n", slow, "  }\n"});
}

// Within each thread's vectors, then between the threads of a warp, the warps and the tiles.
std::string ScanGenerator::scan_body() const {
  const std::string width = number(layout_.width);
  const std::string warps = number(tuning_.block / 32);
  const int64_t near_groups = std::min(kMostNearGroups, (tuning_.block - kLeastBlock) / 32);
  // Each vector takes up at once what lies before it, so that no register keeps that.
  const std::string first = "warpmark_v * " + width, at = first + " + warpmark_k";
  const std::string apply =
      exclusive_ ? text_of({"#pragma unroll\n    for (int warpmark_k = ", width,
                            " - 1; warpmark_k > 0; --warpmark_k) warpmark_item.set(", at,
                            ", warpmark_op(warpmark_left, warpmark_item.at(", at,
                            " - 1)));\n    warpmark_item.set(", first, ", warpmark_left);\n"})
                 : text_of({each("warpmark_k", layout_.width), "warpmark_item.set(", at,
                            ", warpmark_op(warpmark_left, warpmark_item.at(", at, ")));\n"});
  const std::string within =
      layout_.width == 1 ? ""
                         : text_of({"#pragma unroll\n    for (int warpmark_k = 1; warpmark_k < ",
                                    width, "; ++warpmark_k) {\n      warpmark_item.set(", at,
                                    ", warpmark_op(warpmark_item.at(", at,
                                    " - 1), warpmark_item.at(", at, ")));\n    }\n"});
  return text_of(
      {"  warpmark_value warpmark_total = warpmark_none;\n", each("warpmark_v", tuning_.vectors),
       "{\n", within,
       "    const warpmark_value warpmark_up_to = warpmark::scan_warp(warpmark_item.at(", first,
       " + ", width,
       " - 1), warpmark_op);\n"
       "    warpmark_value warpmark_left = warpmark::shuffle_up(warpmark_up_to, 1);\n"
       "    warpmark_left = warpmark_lane == 0 ? warpmark_total : "
       "warpmark_op(warpmark_total, warpmark_left);\n",
       apply,
       "    warpmark_total = warpmark_op(warpmark_total, warpmark::shuffle(warpmark_up_to, 31));\n"
       "  }\n"
       "  if (warpmark_lane == 0) warpmark_warps[warpmark_warp] = warpmark_total;\n"
       "  __syncthreads();\n"
       "  warpmark_value warpmark_own = warpmark_none, warpmark_of_warps = warpmark_none;\n",
       each("warpmark_w", tuning_.block / 32),
       "{\n"
       "    if (warpmark_w == warpmark_warp) warpmark_of_warps = warpmark_own;\n"
       "    warpmark_own = warpmark_op(warpmark_own, warpmark_warps[warpmark_w]);\n  }\n"
       "  const warpmark::Board<accumulator> warpmark_board{warpmark_states, warpmark_values};\n"
       "  const warpmark_value warpmark_earlier = warpmark_op(\n"
       "      warpmark::before_tile<",
       number(near_groups),
       ">(warpmark_board, warpmark_tile, gridDim.x, warpmark_own, warpmark_none, warpmark_op),\n"
       "      warpmark_of_warps);\n"});
}

std::string ScanGenerator::store_body() const {
  const std::string width = number(layout_.width);
  const std::string value = segmented() ? ".value" : "";
  const bool heads = exclusive_ && segmented();
  const std::string result =
      text_of({"      ", heads ? "" : "const ",
               "warpmark_value warpmark_y = warpmark_op(warpmark_earlier, ",
               "warpmark_item.at(warpmark_v * ", width, " + warpmark_k));\n",
               heads ? text_of({"      if (warpmark_heads >> (warpmark_v * ", width,
                                " + warpmark_k) & 1) warpmark_y = warpmark_none;\n"})
                     : ""});
  const std::string stride = number(32 * layout_.width);
  const std::string converted =
      text_of({"static_cast<", output_.element, ">(warpmark_y", value, ")"});
  std::string store = text_of(
      {"      if (warpmark_first + warpmark_v * ", stride, " + warpmark_k < n) ", output_.name,
       "[warpmark_first + warpmark_v * ", stride, " + warpmark_k] = ", converted, ";\n    }\n"});
  std::string declared;
  if (!alignment_test(layout_, "").empty()) {
    declared = text_of({"    ", output_.element, " warpmark_out[", width, "];\n"});
    store = text_of({"      warpmark_out[warpmark_k] = ", converted,
                     ";\n    }\n"
                     "    if (warpmark_vectors) {\n      warpmark::store_once<",
                     width, ">(", output_.name, " + warpmark_first + warpmark_v * ", stride,
                     ", warpmark_out);\n    } else {\n    ", each("warpmark_k", layout_.width),
                     "{\n        if (warpmark_first + warpmark_v * ", stride, " + warpmark_k < n) ",
                     output_.name, "[warpmark_first + warpmark_v * ", stride,
                     " + warpmark_k] = warpmark_out[warpmark_k];\n      }\n    }\n"});
  }
  return text_of({each("warpmark_v", tuning_.vectors), "{\n", declared, "  ",
                  each("warpmark_k", layout_.width), "{\n", result, store, "  }\n"});
}

// The parts that every kernel has: the types, the operation, and `map`.
SourceText ScanGenerator::begin_unit() const {
  std::vector<std::string> types = {expanded_type(operation_.accumulator, kernel_)};
  for (const Parameter& parameter : parameters_) {
    types.push_back(expanded_type(parameter.element, kernel_));
  }
  SourceText text = begin_source(
      kernel_, limit_headers(operation_) + vector_prelude() + reduction_prelude() + scan_prelude(),
      types);
  if (layout_.width > 1) text.add(size_assertions(layout_));
  add_operation(text, operation_, kernel_);
  add_functions(text);
  return text;
}

SourceText ScanGenerator::source() const {
  SourceText text = begin_unit();
  text.add_from("__global__ void __launch_bounds__(" + number(tuning_.block) + ") " + name_ + "(" +
                    kernel_parameters(layout_) +
                    ", const long long n, const long long warpmark_ahead, " +
                    (flags_.empty() ? "" : "const long long warpmark_flags, ") +
                    "unsigned long long *warpmark_states, "
                    "unsigned *warpmark_values) {",
                "/kernel/parameters");
  text.add_from("static_assert(warpmark::converts<" + output_.element +
                    ", accumulator>, \"the accumulator's type does not convert to that of the "
                    "output, " +
                    expanded_type(output_.element, kernel_) + "\");",
                operation_.accumulator_at);
  const std::string items = number(tuning_.vectors * layout_.width);
  std::string aligned = alignment_test(layout_, "");
  for (const Parameter& one : flags_) {
    if (aligned.empty()) break;
    aligned += text_of({" && (warpmark_tile + 1) * ", number(of_tile()), " <= warpmark_flags && ",
                        "warpmark::aligned<", number(layout_.width), ">(", one.name, ")"});
  }
  text.add(text_of(
      {"  const warpmark_scan warpmark_op;\n"
       "  const warpmark_value warpmark_none = ",
       segmented() ? "{warpmark_neutral(), false}" : "warpmark_neutral()",
       ";\n"
       "  __shared__ unsigned warpmark_drawn;\n"
       "  __shared__ __align__(16) unsigned char warpmark_memory[",
       number(tuning_.block / 32),
       " * sizeof(warpmark_value)];\n"
       "  warpmark_value *warpmark_warps = reinterpret_cast<warpmark_value *>(warpmark_memory);\n"
       "  if (threadIdx.x == 0) {\n"
       "    warpmark_drawn = atomicAdd(reinterpret_cast<unsigned *>(warpmark_states), 1u);\n  }\n"
       "  __syncthreads();\n"
       "  const long long warpmark_tile = warpmark_drawn;\n"
       "  const int warpmark_lane = threadIdx.x % 32, warpmark_warp = threadIdx.x / 32;\n"
       "  const long long warpmark_first = warpmark_tile * ",
       number(of_tile()), " + warpmark_warp * ", number(32 * tuning_.vectors * layout_.width),
       " + warpmark_lane * ", number(layout_.width), ";\n",
       aligned.empty() ? ""
                       : text_of({"  const bool warpmark_vectors = (warpmark_tile + 1) * ",
                                  number(of_tile()), " <= n && ", aligned, ";\n"}),
       "  warpmark::Items<warpmark_value, ", items, "> warpmark_item;\n"}));
  text.add(load_body());
  if (exclusive_ && segmented()) {
    text.add("  const unsigned long long warpmark_heads = warpmark_item.all_heads();\n");
  }
  text.add(scan_body());
  text.add(store_body() + "}\n");
  return text;
}

Json ScanGenerator::trial() const {
  return trial_of(operation_, which_, [this] {
    OperationTrial trial{begin_unit(), plan_of_inputs(which_), Json::array()};
    for (const Access& access : inputs_.accesses) {
      trial.arguments.push_back(access.parameter.name);
    }
    const Range range = read_range(Json::object(), first_);
    range.add_scalars(first_, trial.plan, trial.arguments);
    trial.parameters = kernel_parameters(inputs_) + range.parameters();
    trial.count = "n";
    trial.mapped = text_of({"warpmark_map(warpmark_place, n, ",
                            arguments_from_memory(inputs_, "warpmark_place"), ")"});
    trial.result = output_;
    trial.converted = [this](const std::string& value) {
      return text_of({"static_cast<", output_.element, ">(", value, ")"});
    };
    trial.any_order = false;
    return trial;
  });
}

}  // namespace warpmark::codegen
