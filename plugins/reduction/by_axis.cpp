// The kernel of a reduction of each row or each column of an array with two axes.
#include <algorithm>
#include <string>
#include <utility>

#include "codegen/operation_source.hpp"
#include "generator.hpp"

namespace warpmark::codegen {

using plugin::Failure;
using plugin::Json;

namespace {

// Rows of at most as many columns are a warp's, longer ones a block's.
constexpr int64_t kWarpColumns = 1024;
// Rows that a block takes at least, where columns are split between blocks.
constexpr int64_t kLeastRows = 64;

// The value of an axis of the suite by its name, else the text.
std::string value_at_point(const Json& which, const std::string& text) {
  for (const Json& axis : which.at("point")) {
    if (axis.at("name") != text) continue;
    return axis.at("value").is_string() ? axis.at("value").get<std::string>()
                                        : axis.at("value").dump();
  }
  return text;
}

Json arithmetic(const std::string& text, const std::string& at) {
  return {{"arithmetic", text}, {"at", at}};
}

std::string text(int64_t number) {
  return std::to_string(number);
}

}  // namespace

void ReductionGenerator::read_axis() {
  const std::string given = optional_text(kernel_, "axis");
  if (given.empty()) return;
  const std::string value = value_at_point(which_, given);
  if (value != "0" && value != "1") {
    throw Failure("/kernel/axis", "`axis` must be 0 or 1, and is " + value,
                  "0 combines the rows to one value for each column, 1 each row to one value");
  }
  axis_ = value == "0" ? 0 : 1;
  if (kernel_.contains("range")) {
    throw Failure("/kernel/range", "`range` and `axis` both say which elements are combined",
                  "leave one of them out");
  }
  if (!operation_.commutative) {
    throw Failure("/kernel/commutative", "`axis` keeps no order of the elements",
                  "leave `commutative: false` out, or reduce without `axis`");
  }
}

// Blocks side by side have different results; blocks above each other share theirs, where there are
// too few results to keep the device busy.
Json ReductionGenerator::axis_plan() const {
  Json plan = warpmark::plugin::plan_of_arguments(which_);
  plan["units"].push_back(source().unit(kernel_));
  Json arguments = Json::array();
  for (const Parameter& parameter : parameters_) arguments.push_back(parameter.name);
  const Parameter& array = elements();
  range_.add_scalars(array, plan, arguments);
  const std::string rows = array.name + ".shape[0]", columns = array.name + ".shape[1]";
  for (const auto& [name, value] :
       {std::pair("warpmark_rows", rows), {"warpmark_columns", columns}}) {
    plan["scalars"].push_back(
        {{"name", name}, {"dtype", "int64"}, {"integer", arithmetic(value, array.pointer)}});
    arguments.push_back(name);
  }
  range_.add_accesses(array, lanes_of(layout_), "map", plan);
  const std::string& results = axis_ == 0 ? columns : rows;
  plan["accesses"].push_back(
      {{"buffer", result_.name},
       {"count", arithmetic(results, result_.pointer)},
       {"reason", text_of({"`axis` gives a value for each ", axis_ == 0 ? "column" : "row", " of `",
                           array.name, "`"})},
       {"at", result_.pointer}});
  const int64_t warps = tuning_.block / 32;
  std::string beside, least;
  if (axis_ == 0) {
    beside = "ceil_div(" + columns + ", " + text(32 * layout_.width) + ")";
    least = "ceil_div(" + rows + ", " + text(std::max(kLeastRows, warps * tuning_.vectors)) + ")";
  } else {
    const std::string most = text(kWarpColumns);
    beside = text_of({"(", columns, " <= ", most, ") * ceil_div(", rows, ", ", text(warps), ") + (",
                      columns, " > ", most, ") * ", rows});
    least = "ceil_div(" + columns + ", " +
            text(std::max(kWarpColumns, tuning_.block * layout_.width * tuning_.vectors)) + ")";
  }
  beside = "max(1, " + beside + ")";
  const std::string above =
      text_of({"max(1, min(", least, ", ceil_div(", text(tuning_.blocks), ", ", beside, ")))"});
  const std::string words = text_of({"max(1, min(", above, " - 1, 1) * ", above, " * ", results,
                                     " * ", text(slot_words(operation_)), ")"});
  add_partials(plan, arguments, arithmetic(words, array.pointer), tuning_.blocks);
  const Json grid = {arithmetic(beside, array.pointer), arithmetic(above, array.pointer), 1};
  add_launch(plan, {name_, grid, tuning_.block, arguments});
  return plan;
}

void ReductionGenerator::add_axis_kernel(SourceText& source) const {
  const std::string block = text(tuning_.block);
  source.add("template <bool warpmark_vectors>\n__device__ __forceinline__");
  const std::string place = axis_ == 0 ? "const long long warpmark_unit, "
                                         "const long long warpmark_rows, "
                                       : "const long long warpmark_row, ";
  const std::string type = operation_.type();
  const std::string last = axis_ == 0 ? type + " (&warpmark_total)[" + text(layout_.width) + "]"
                                      : "const int warpmark_lane, const int warpmark_lanes";
  source.add_from((axis_ == 0 ? "void" : type) + " warpmark_thread(" + kernel_parameters(layout_) +
                      ", const long long n, " + place + "const long long warpmark_columns, " +
                      last + ") {",
                  "/kernel/parameters");
  source.add("  const warpmark_reduce warpmark_op;\n" +
             (axis_ == 0 ? column_thread() : row_thread()) + "}\n");
  source.add_from(
      "__global__ void __launch_bounds__(" + block + ") " + name_ + "(" + all_parameters() +
          ", const long long n, const long long warpmark_rows, const long long "
          "warpmark_columns, unsigned *warpmark_partials, unsigned *warpmark_arrived) {",
      "/kernel/parameters");
  add_result_check(source);
  source.add("  const warpmark_reduce warpmark_op;\n" + (axis_ == 0 ? column_body() : row_body()) +
             "}\n");
}

// The code by which one thread reads its part of a row.
std::string ReductionGenerator::row_thread() const {
  const std::string count = text(tuning_.vectors);
  const std::string place = "warpmark_row, warpmark_i - warpmark_row * warpmark_columns, ";
  const std::string add =
      "    warpmark_total = warpmark_op(warpmark_total, warpmark::fold(warpmark_value, "
      "warpmark_op));\n  }\n";
  return text_of(
      {"  ", operation_.type(), " warpmark_total = warpmark_neutral();\n",
       "  const long long warpmark_units = warpmark_columns / (warpmark_vectors ? ",
       text(layout_.width), " : 1);\n",
       "  const long long warpmark_each = (warpmark_units + gridDim.y - 1) / gridDim.y;\n"
       "  const long long warpmark_stop = (blockIdx.y + 1) * warpmark_each;\n"
       "  const long long warpmark_end = warpmark_stop < warpmark_units ? warpmark_stop : "
       "warpmark_units;\n"
       "  const long long warpmark_base = warpmark_row * warpmark_units;\n"
       "  long long warpmark_unit = blockIdx.y * warpmark_each + warpmark_lane;\n"
       "  if constexpr (warpmark_vectors) {\n"
       "  for (; warpmark_unit + (",
       count,
       " - 1) * warpmark_lanes < warpmark_end; "
       "warpmark_unit += ",
       count, " * warpmark_lanes) {\n",
       values(count, "warpmark_base + warpmark_unit + warpmark_v * warpmark_lanes", place), add,
       "#pragma unroll 1\n"
       "  for (; warpmark_unit < warpmark_end; warpmark_unit += warpmark_lanes) {\n",
       values("1", "warpmark_base + warpmark_unit", place), add,
       "  } else {\n"
       "#pragma unroll 4\n"
       "  for (; warpmark_unit < warpmark_end; warpmark_unit += warpmark_lanes) {\n"
       "    const long long warpmark_i = warpmark_base + warpmark_unit;\n"
       "    warpmark_total = warpmark_op(warpmark_total, warpmark_map(warpmark_i, n, warpmark_row, "
       "warpmark_unit, ",
       arguments_from_memory(layout_, "warpmark_i"),
       "));\n  }\n  }\n"
       "  return warpmark_total;\n"});
}

// The code by which one thread reads its columns, as many as a vector has elements; without vectors
// they are 32 apart, so that a warp's accesses stay together.
std::string ReductionGenerator::column_thread() const {
  const std::string width = text(layout_.width), count = text(tuning_.vectors);
  const std::string warps = text(tuning_.block / 32);
  const std::string row = "(warpmark_at + warpmark_v * " + warps + ")";
  const std::string vector = row + " * (warpmark_columns / " + width + ") + warpmark_unit";
  const std::string place = row + ", warpmark_i - " + row + " * warpmark_columns, ";
  const auto add = [&](const std::string& vectors) {
    return text_of({"#pragma unroll\n    for (int warpmark_k = 0; warpmark_k < ", width,
                    "; ++warpmark_k) {\n#pragma unroll\n      for (int warpmark_v = 0; warpmark_v "
                    "< ",
                    vectors,
                    "; ++warpmark_v) {\n"
                    "        warpmark_total[warpmark_k] = warpmark_op(warpmark_total[warpmark_k], "
                    "warpmark_value[warpmark_v * ",
                    width,
                    " + warpmark_k]);\n      }\n    }\n  "
                    "}\n"});
  };
  return text_of(
      {"  const long long warpmark_each = (warpmark_rows + gridDim.y - 1) / gridDim.y;\n"
       "  const long long warpmark_stop = (blockIdx.y + 1) * warpmark_each;\n"
       "  const long long warpmark_end = warpmark_stop < warpmark_rows ? warpmark_stop : "
       "warpmark_rows;\n"
       "  long long warpmark_at = blockIdx.y * warpmark_each + threadIdx.x / 32;\n"
       "  if constexpr (warpmark_vectors) {\n"
       "  if (warpmark_unit * ",
       width,
       " >= warpmark_columns) return;\n"
       "  for (; warpmark_at + (",
       count,
       " - 1) * ",
       warps,
       " < warpmark_end; warpmark_at += ",
       count,
       " * ",
       warps,
       ") {\n",
       values(count, vector, place),
       add(count),
       "#pragma unroll 1\n"
       "  for (; warpmark_at < warpmark_end; warpmark_at += ",
       warps,
       ") {\n",
       values("1", vector, place),
       add("1"),
       "  } else {\n"
       "#pragma unroll 2\n"
       "  for (; warpmark_at < warpmark_end; warpmark_at += ",
       warps,
       ") {\n"
       "#pragma unroll\n"
       "    for (int warpmark_k = 0; warpmark_k < ",
       width,
       "; ++warpmark_k) {\n"
       "      const long long warpmark_column = (blockIdx.x * ",
       width,
       "ll + warpmark_k) * 32 + threadIdx.x % 32;\n"
       "      const long long warpmark_i = warpmark_at * warpmark_columns + warpmark_column;\n"
       "      if (warpmark_column < warpmark_columns) {\n"
       "        warpmark_total[warpmark_k] = warpmark_op(warpmark_total[warpmark_k], "
       "warpmark_map(warpmark_i, n, warpmark_at, warpmark_column, ",
       arguments_from_memory(layout_, "warpmark_i"),
       "));\n      }\n    }\n  }\n  }\n"});
}

namespace {

// All blocks of one result have left their part: the last of them goes on.
const char* const kLastGoesOn =
    "    // Counts from 0 up to the last block, and by it back to 0.\n"
    "    warpmark_last = atomicInc(warpmark_arrived + blockIdx.x, gridDim.y - 1) == gridDim.y - "
    "1;\n"
    "  }\n"
    "  __syncthreads();\n"
    "  if (!warpmark_last) return;\n"
    "  __threadfence();\n";

}  // namespace

std::string ReductionGenerator::vectors_choice(const std::string& arguments) const {
  std::string names;
  for (const Access& access : layout_.accesses) {
    names += (names.empty() ? "" : ", ") + access.parameter.name;
  }
  const std::string call = "(" + names + ", n, " + arguments + ")";
  const std::string fast = alignment_test(layout_, "");
  if (fast.empty()) return "warpmark_thread<false>" + call;
  return text_of({"warpmark_columns % ", text(layout_.width), " == 0 && ", fast,
                  " ? warpmark_thread<true>", call, "\n      : warpmark_thread<false>", call});
}

std::string ReductionGenerator::row_body() const {
  const std::string block = text(tuning_.block), words = text(slot_words(operation_));
  const std::string reduced = text_of(
      {"warpmark::reduce_block<", block, ">(warpmark_total, warpmark_neutral(), warpmark_op);\n"});
  const std::string store = text_of(
      {result_.name, "[warpmark_row] = ", result("warpmark_total", "warpmark_columns"), ";\n"});
  return text_of(
      {"  const bool warpmark_by_warp = warpmark_columns <= ",
       text(kWarpColumns),
       ";\n"
       "  const long long warpmark_row = warpmark_by_warp ? blockIdx.x * ",
       text(tuning_.block / 32),
       "ll + threadIdx.x / 32 : blockIdx.x;\n"
       "  const int warpmark_lane = warpmark_by_warp ? threadIdx.x % 32 : threadIdx.x;\n"
       "  const int warpmark_lanes = warpmark_by_warp ? 32 : ",
       block,
       ";\n"
       "  ",
       operation_.type(),
       " warpmark_total = warpmark_neutral();\n"
       "  if (warpmark_row < warpmark_rows) {\n    warpmark_total = ",
       vectors_choice("warpmark_row, warpmark_columns, warpmark_lane, warpmark_lanes"),
       ";\n  }\n"
       "  if (warpmark_by_warp) {\n"
       "    warpmark_total = warpmark::reduce_warp(warpmark_total, warpmark_op);\n"
       "  } else {\n    warpmark_total = ",
       reduced,
       "  }\n"
       "  if (gridDim.y == 1) {\n"
       "    if (warpmark_lane == 0 && warpmark_row < warpmark_rows) ",
       store,
       "    return;\n  }\n"
       "  __shared__ bool warpmark_last;\n"
       "  if (threadIdx.x == 0) {\n"
       "    warpmark::put(warpmark_partials + (blockIdx.y * warpmark_rows + warpmark_row) * ",
       words,
       ", warpmark_total);\n    __threadfence();\n",
       kLastGoesOn,
       "  warpmark_total = warpmark_neutral();\n"
       "  for (unsigned warpmark_k = threadIdx.x; warpmark_k < gridDim.y; warpmark_k += ",
       block,
       ") {\n    warpmark_total = warpmark_op(warpmark_total, warpmark::get<",
       operation_.type(),
       ">(warpmark_partials + (warpmark_k * warpmark_rows + warpmark_row) * ",
       words,
       "));\n  }\n"
       "  warpmark_total = ",
       reduced,
       "  if (threadIdx.x == 0) ",
       store});
}

std::string ReductionGenerator::column_body() const {
  const std::string block = text(tuning_.block), words = text(slot_words(operation_));
  const std::string width = text(layout_.width);
  const std::string each = text_of(
      {"#pragma unroll\n  for (int warpmark_k = 0; warpmark_k < ", width, "; ++warpmark_k) "});
  const std::string fast = alignment_test(layout_, "");
  const std::string column =
      text_of({"    const long long warpmark_column = ",
               fast.empty() ? ""
                            : text_of({"warpmark_columns % ", width, " == 0 && ", fast,
                                       " ? warpmark_unit * ", width, " + warpmark_k : "}),
               "(blockIdx.x * ", width, "ll + warpmark_k) * 32 + threadIdx.x % 32;\n"});
  const std::string reduced = text_of({"    warpmark_total[warpmark_k] = warpmark::reduce_lanes<",
                                       block, ">(warpmark_total[warpmark_k], warpmark_op);\n"});
  const std::string store = text_of({result_.name, "[warpmark_column] = ",
                                     result("warpmark_total[warpmark_k]", "warpmark_rows"), ";\n"});
  return text_of(
      {"  const long long warpmark_unit = blockIdx.x * 32ll + threadIdx.x % 32;\n"
       "  ",
       operation_.type(),
       " warpmark_total[",
       width,
       "];\n",
       each,
       "warpmark_total[warpmark_k] = warpmark_neutral();\n  ",
       vectors_choice("warpmark_unit, warpmark_rows, warpmark_columns, warpmark_total"),
       ";\n",
       each,
       "{\n",
       reduced,
       column,
       "    if (threadIdx.x >= 32 || warpmark_column >= warpmark_columns) continue;\n"
       "    if (gridDim.y == 1) {\n      ",
       store,
       "    } else {\n"
       "      warpmark::put(warpmark_partials + (blockIdx.y * warpmark_columns + warpmark_column) "
       "* ",
       words,
       ", warpmark_total[warpmark_k]);\n    }\n  }\n"
       "  if (gridDim.y == 1) return;\n"
       "  __shared__ bool warpmark_last;\n"
       "  __threadfence();\n"
       "  __syncthreads();\n"
       "  if (threadIdx.x == 0) {\n",
       kLastGoesOn,
       each,
       "{\n"
       "    warpmark_total[warpmark_k] = warpmark_neutral();\n",
       column,
       "    if (warpmark_column < warpmark_columns) {\n"
       "#pragma unroll 4\n"
       "      for (unsigned warpmark_part = threadIdx.x / 32; warpmark_part < gridDim.y; "
       "warpmark_part += ",
       text(tuning_.block / 32),
       ") {\n"
       "        warpmark_total[warpmark_k] = warpmark_op(warpmark_total[warpmark_k], "
       "warpmark::get<",
       operation_.type(),
       ">(warpmark_partials + (warpmark_part * warpmark_columns + warpmark_column) * ",
       words,
       "));\n      }\n    }\n",
       reduced,
       "    if (threadIdx.x < 32 && warpmark_column < warpmark_columns) ",
       store,
       "  }\n"});
}

}  // namespace warpmark::codegen
