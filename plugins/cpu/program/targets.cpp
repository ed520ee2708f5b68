// Which instructions a .target does not have yet.
#include "program/targets.hpp"

#include <algorithm>
#include <array>

namespace warpmark::cpu {
namespace {

struct TargetRow {
  std::string_view text;
  Target least;
};

// By the beginning of an opcode, the longest first; "Target ISA notes" of the PTX ISA.
constexpr TargetRow kBeginningTargets[] = {
    {"cp.async.bulk", {90}},
    {"cp.async", {80}},
    {"cp.reduce.async", {90}},
    {"st.async", {90}},
    {"red.async", {90}},
    {"st.bulk", {100}},
    {"mbarrier.try_wait", {90}},
    {"mbarrier.expect_tx", {90}},
    {"mbarrier", {80}},

    {"mapa", {90}},
    {"getctarank", {90}},
    {"barrier.cluster", {90}},
    {"fence.proxy.async", {90}},
    {"fence.proxy.tensormap", {90}},
    {"fence.mbarrier_init", {90}},
    {"griddepcontrol", {90}},
    {"elect.sync", {90}},
    {"stmatrix", {90}},
    {"createpolicy", {80}},
    {"applypriority", {80}},
    {"discard", {80}},
    {"redux", {80}},
    {"cvt.rn.f16x2.f32", {80}},
    {"cvt.rz.f16x2.f32", {80}},
};

// By a word of it.
constexpr TargetRow kWordTargets[] = {
    {"shared::cluster", {90}},
    {"cluster", {90}},
    {"expect_tx", {90}},
    {"e4m3x2", {89}},
    {"e5m2x2", {89}},
    {"tf32", {80}},
    {"bf16", {80}},
    {"bf16x2", {80}},
    {"relu", {80}},
    {"f32x2", {100}},
    {"e2m1x2", {100, true}},
    {"e2m3x2", {100, true}},
    {"e3m2x2", {100, true}},
    {"tensormap", {90}},
    {"L2::evict_last", {80}},
    {"L2::evict_normal", {80}},
    {"L2::cache_hint", {80}},
    {"L2::256B", {80}},
    {"s16x2", {90}},
    {"u16x2", {90}},
};

// The least .version by the beginning of an opcode, and by one of its words: what ptxas 13.0 says,
// where that is more than the target needs.
struct Version {
  std::string_view text;
  std::uint32_t least;
};
constexpr Version kVersionBeginnings[] = {
    {"cvt.pack", 65},       {"mma.sync.aligned.m16n8k8", 65},
    {"ldmatrix", 65},       {"tanh", 70},
    {"ex2.approx.f16", 70}, {"cvt.f32.bf16", 71},
    {"alloca", 73},         {"stacksave", 73},
    {"stackrestore", 73},   {"applypriority", 74},
    {"discard", 74},        {"createpolicy", 74},
    {"bmsk", 76},           {"szext", 76},
    {"cvta.param", 77},     {"cvta.to.param", 77},
    {"isspacep.param", 77}, {"barrier.cta", 78},
    {"movmatrix", 78},      {"elect.sync", 80},
    {"cp.async.bulk", 80},  {"lop3.or", 82},
    {"lop3.and", 82},       {"fence.proxy.async", 80},
};
constexpr Version kVersionWords[] = {
    {"L2::64B", 74},         {"L2::128B", 74},        {"L2::256B", 74},
    {"L2::cache_hint", 74},  {"L1::evict_first", 74}, {"L1::evict_last", 74},
    {"L1::no_allocate", 74}, {"shared::cta", 78},     {"s16x2", 80},
    {"u16x2", 80},           {"expect_tx", 80},       {"b128", 83},
};

bool has_word(std::string_view opcode, std::string_view wanted) {
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
    const std::size_t end = std::min(opcode.find('.', at + 1), opcode.size());
    if (opcode.substr(at + 1, end - at - 1) == wanted) return true;
    at = end == opcode.size() ? std::string_view::npos : end;
  }
  return false;
}

// What two numbers of bfloat16 need beyond being converted and multiplied.
std::uint32_t of_bfloat16(std::string_view opcode) {
  constexpr std::array<std::string_view, 9> late = {"add.",  "sub.", "mul.",  "set.", "setp.",
                                                    "tanh.", "ex2.", "atom.", "red."};
  if (std::any_of(late.begin(), late.end(),
                  [&](std::string_view begin) { return opcode.starts_with(begin); }))
    return 90;
  if (opcode.ends_with(".bf16.bf16")) return 90;
  const bool from_or_to_others =
      opcode.starts_with("cvt.") &&
      (opcode.ends_with(".f16") || has_word(opcode, "f16") || opcode.find(".s") != opcode.npos ||
       opcode.find(".u") != opcode.npos || has_word(opcode, "f64"));
  return from_or_to_others && !has_word(opcode, "satfinite") ? 90 : 80;
}

// The first was .rna, as mma rounds.
std::uint32_t of_tf32(std::string_view opcode) {
  if (!opcode.starts_with("cvt.") || has_word(opcode, "rna")) return 80;
  return has_word(opcode, "satfinite") ? 100 : 90;
}

// Turing has the shapes of one step, for f16, 8 and 4 bits, and single bits with .xor.
std::uint32_t of_matrix(std::string_view opcode) {
  if (has_word(opcode, "e4m3") || has_word(opcode, "e5m2")) return 89;
  const bool m16n8 = opcode.find(".m16n8k") != std::string_view::npos;
  if (has_word(opcode, "f64")) return m16n8 ? 90 : 80;
  if (has_word(opcode, "and")) return 80;
  return m16n8 && !has_word(opcode, "m16n8k8") ? 80 : 0;
}

std::uint32_t of_extremes(std::string_view opcode, std::size_t operands) {
  if (operands == 4) return 100;
  if (has_word(opcode, "xorsign")) return 86;
  if (has_word(opcode, "relu")) return 90;
  return has_word(opcode, "NaN") || has_word(opcode, "f16") || has_word(opcode, "f16x2") ? 80 : 0;
}

// Vectors and 128 bits.
std::uint32_t of_atomic(std::string_view opcode) {
  const bool wide = has_word(opcode, "v2") || has_word(opcode, "v4") || has_word(opcode, "v8") ||
                    has_word(opcode, "b128");
  return wide ? 90 : 0;
}

}  // namespace

Target least_target(std::string_view opcode, std::size_t operands) {
  Target least;
  for (const TargetRow& row : kBeginningTargets) {
    if (!opcode.starts_with(row.text)) continue;
    least = row.least;
    break;
  }
  for (const TargetRow& row : kWordTargets) {
    if (row.least.architecture > least.architecture &&
        opcode.find(row.text) != std::string_view::npos && has_word(opcode, row.text))
      least = row.least;
  }
  const auto at_least = [&](std::uint32_t architecture) {
    least.architecture = std::max(least.architecture, architecture);
  };
  if (opcode.find("bf16") != std::string_view::npos) at_least(of_bfloat16(opcode));
  if (opcode.find("tf32") != std::string_view::npos) at_least(of_tf32(opcode));
  if (opcode.starts_with("mma.") || opcode.starts_with("wmma.")) at_least(of_matrix(opcode));
  // With a count that may complete the phase.
  if (opcode.starts_with("mbarrier.arrive") && operands == 3 && !has_word(opcode, "noComplete"))
    at_least(90);
  // A narrow operand added to f32: `add{.rnd}{.sat}.f32.f16`.
  const bool adds =
      opcode.starts_with("add.") || opcode.starts_with("sub.") || opcode.starts_with("fma.");
  if (adds && has_word(opcode, "f32") && (has_word(opcode, "f16") || has_word(opcode, "bf16")))
    at_least(100);
  if (opcode.starts_with("min.") || opcode.starts_with("max."))
    at_least(of_extremes(opcode, operands));
  if (opcode.starts_with("atom.") || opcode.starts_with("red.")) at_least(of_atomic(opcode));
  return least;
}

std::uint32_t least_version(std::string_view opcode, std::size_t operands) {
  std::uint32_t least = 0;
  for (const Version& row : kVersionBeginnings) {
    if (opcode.starts_with(row.text)) least = std::max(least, row.least);
  }
  for (const Version& row : kVersionWords) {
    if (row.least > least && opcode.find(row.text) != std::string_view::npos &&
        has_word(opcode, row.text))
      least = row.least;
  }
  const bool extreme = opcode.starts_with("min.") || opcode.starts_with("max.");
  if (extreme && operands == 4) least = 88;
  const bool integer_set =
      opcode.starts_with("set.") && (has_word(opcode, "u32") || has_word(opcode, "s32") ||
                                     has_word(opcode, "u16") || has_word(opcode, "s16"));
  if (integer_set && (opcode.ends_with(".f16") || opcode.ends_with(".f16x2"))) least = 65;
  if (extreme && has_word(opcode, "s32") && has_word(opcode, "relu")) least = 80;
  const bool vector = has_word(opcode, "v2") || has_word(opcode, "v4") || has_word(opcode, "v8");
  if (vector && (opcode.starts_with("atom.") || opcode.starts_with("red.")))
    least = std::max(least, 81u);
  const bool ordered =
      has_word(opcode, "acquire") || has_word(opcode, "release") || has_word(opcode, "relaxed");
  if (ordered && opcode.starts_with("barrier.cluster")) least = 80;
  const bool access = opcode.starts_with("ld.") || opcode.starts_with("st.");
  const bool wide = opcode.ends_with("64");
  if (access && (has_word(opcode, "v8") || (has_word(opcode, "v4") && wide))) least = 88;
  if (opcode.starts_with("mma.") && (has_word(opcode, "e4m3") || has_word(opcode, "e5m2")))
    least = 84;
  return least;
}

std::uint32_t least_target_of_special(std::string_view name) {
  if (name.starts_with("%cluster") || name.starts_with("%nclusterid") ||
      name == "%is_explicit_cluster" || name == "%aggr_smem_size")
    return 90;
  return name.starts_with("%reserved_smem_offset") ? 80 : 0;
}

}  // namespace warpmark::cpu
