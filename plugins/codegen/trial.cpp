#include "codegen/trial.hpp"

#include <utility>
#include <vector>

namespace warpmark::codegen {

using plugin::Json;

namespace {

constexpr int64_t kBlock = 128, kBlocks = 8;
constexpr int64_t kTriples = kBlock * kBlocks;

// The values stored for each triple, with their names in messages, in the order of the kernel's
// parameters.
struct Stored {
  const char* buffer;
  const char* text;
  const char* value;
};
constexpr Stored kStored[] = {
    {"warpmark_a", "a", "warpmark_v0"},
    {"warpmark_b", "b", "warpmark_v1"},
    {"warpmark_c", "c", "warpmark_v2"},
    {"warpmark_ab", "a∘b", "warpmark_v01"},
    {"warpmark_bc", "b∘c", "warpmark_v12"},
    {"warpmark_ba", "b∘a", "warpmark_op(warpmark_v1, warpmark_v0)"},
    {"warpmark_left", "(a∘b)∘c", "warpmark_op(warpmark_v01, warpmark_v2)"},
    {"warpmark_right", "a∘(b∘c)", "warpmark_op(warpmark_v0, warpmark_v12)"},
    {"warpmark_before", "neutral∘a", "warpmark_op(warpmark_neutral(), warpmark_v0)"},
    {"warpmark_after", "a∘neutral", "warpmark_op(warpmark_v0, warpmark_neutral())"},
};

Json stored(const std::string& buffer) {
  for (const Stored& one : kStored) {
    if (one.buffer == buffer) return {{"text", one.text}, {"buffer", one.buffer}};
  }
  return nullptr;
}

Json claim(const char* broken, const char* hint, const char* at, const char* left,
           const char* right, const std::vector<const char*>& operands) {
  Json names = Json::array();
  for (const char* operand : operands) names.push_back(stored(operand));
  return {{"broken", broken},        {"hint", hint},           {"at", at},
          {"left", stored(left)},    {"right", stored(right)}, {"operands", std::move(names)},
          {"between", Json::array()}};
}

Json claims_of(const ReductionOperation& operation, bool any_order) {
  Json claims = Json::array();
  if (!operation.named) {
    claims.push_back(claim("`reduce` is not associative",
                           "the kernel chooses how it groups values, and so the result",
                           "/kernel/reduce", "warpmark_left", "warpmark_right",
                           {"warpmark_a", "warpmark_b", "warpmark_c"}));
    claims.back()["between"] = {"warpmark_ab", "warpmark_bc"};
    if (any_order) {
      claims.push_back(claim(
          "`reduce` is not commutative", "`commutative: false` keeps the order of the elements",
          "/kernel/reduce", "warpmark_ab", "warpmark_ba", {"warpmark_a", "warpmark_b"}));
    }
  }
  for (const char* combined : {"warpmark_before", "warpmark_after"}) {
    claims.push_back(claim("`neutral` is not neutral",
                           "the kernel combines it with values as often as it likes",
                           "/kernel/neutral", combined, "warpmark_a", {"warpmark_a"}));
  }
  return claims;
}

// Six elements for a triple: three, or three pairs. In order they stand side by side, as the kernel
// combines no others then.
void add_values(SourceText& source, const OperationTrial& parts) {
  const std::string place = parts.any_order
                                ? "6 * warpmark_triple + warpmark_k) % warpmark_elements)"
                                : "warpmark_triple) % warpmark_elements) + warpmark_k";
  source.add(
      "  const warpmark_reduce warpmark_op;\n"
      "  const unsigned warpmark_triple = blockIdx.x * blockDim.x + threadIdx.x;");
  source.add("  const long long warpmark_elements = " + parts.count + ";");
  source.add(
      "  accumulator warpmark_value[6];\n"
      "  for (int warpmark_k = 0; warpmark_k < 6; ++warpmark_k) {\n"
      "    warpmark_value[warpmark_k] = warpmark_neutral();\n"
      "    if (warpmark_elements == 0) continue;");
  source.add("    const long long warpmark_place = static_cast<long long>(warpmark::drawn(" +
             place + ";");
  source.add("    if (warpmark_place < warpmark_elements) warpmark_value[warpmark_k] = " +
             parts.mapped + ";\n  }");
  source.add("  const bool warpmark_pairs = warpmark_triple >= " + std::to_string(kTriples / 2) +
             ";");
  for (int k = 0; k < 3; ++k) {
    const std::string pair = text_of({"warpmark_op(warpmark_value[", std::to_string(2 * k),
                                      "], warpmark_value[", std::to_string(2 * k + 1), "])"});
    source.add(text_of({"  const accumulator warpmark_v", std::to_string(k), " = warpmark_pairs ? ",
                        pair, " : warpmark_value[", std::to_string(k), "];"}));
  }
  source.add(
      "  const accumulator warpmark_v01 = warpmark_op(warpmark_v0, warpmark_v1);\n"
      "  const accumulator warpmark_v12 = warpmark_op(warpmark_v1, warpmark_v2);");
}

}  // namespace

Json plan_of_inputs(const Json& which) {
  Json plan = plugin::plan_of_arguments(which);
  Json buffers = Json::array();
  for (Json& buffer : plan["buffers"]) {
    if (buffer.contains("value") || buffer.contains("pointers")) buffers.push_back(buffer);
  }
  plan["buffers"] = std::move(buffers);
  plan["expected"] = Json::array();
  for (const char* key : {"devices", "checks", "swaps", "renamed", "bytes", "flops"}) {
    plan.erase(key);
  }
  return plan;
}

Json trial_of(const ReductionOperation& operation, const Json& which,
              const std::function<OperationTrial()>& parts) {
  if (!operation.combined.empty() || (operation.named && !operation.neutral_given)) return nullptr;
  OperationTrial trial = parts();
  const bool known = operation.accumulator_bytes > 0;
  const std::string type = known ? "accumulator" : trial.result.element;
  SourceText& source = trial.source;
  // SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
  source.add(
      "namespace warpmark {\n"
      "__device__ __forceinline__ unsigned long long drawn(unsigned long long k) {\n"
      "  k = (k + 1) * 0x9e3779b97f4a7c15ull;\n"
      "  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9ull;\n"
      "  k = (k ^ (k >> 27)) * 0x94d049bb133111ebull;\n"
      "  return (k ^ (k >> 31)) >> 1;\n"
      "}\n"
      "}  // namespace warpmark");
  std::string outputs;
  for (const Stored& one : kStored) outputs += text_of({", ", type, " *", one.buffer});
  source.add_from("__global__ void warpmark_trial(" + trial.parameters + outputs + ") {",
                  "/kernel/parameters");
  add_values(source, trial);
  for (const Stored& one : kStored) {
    source.add(text_of({"  ", one.buffer, "[warpmark_triple] = ",
                        known ? one.value : trial.converted(one.value), ";"}));
    Json buffer = {{"name", one.buffer},
                   {"direction", "out"},
                   {"shape", {kTriples}},
                   {"at", known ? operation.accumulator_at : trial.result.pointer}};
    for (const Json& argument : which.at("arguments")) {
      if (known || argument.at("name") != trial.result.name) continue;
      if (argument.contains("dtype")) buffer["dtype"] = argument.at("dtype");
    }
    trial.plan["buffers"].push_back(std::move(buffer));
    trial.arguments.push_back(one.buffer);
  }
  source.add("}");
  trial.plan["units"].push_back(source.unit(which.at("kernel")));
  add_launch(trial.plan,
             {"warpmark_trial", {kBlocks, 1, 1}, kBlock, trial.arguments, "/kernel/reduce"});
  return {{"plan", std::move(trial.plan)}, {"claims", claims_of(operation, trial.any_order)}};
}

}  // namespace warpmark::codegen
