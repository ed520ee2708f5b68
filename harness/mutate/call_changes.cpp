// Changes of names: coordinates of threads, barriers, fences, orders, atomics, types.
#include <map>
#include <optional>
#include <set>

#include "mutate/code_mutants.hpp"

namespace warpmark {

namespace {

using Names = std::map<std::string, std::string, std::less<>>;

bool is_coordinate(const std::string& word) {
  return word == "threadIdx" || word == "blockIdx" || word == "blockDim" || word == "gridDim";
}

void coordinate_changes(const Code& code, size_t at, const AddChange& add) {
  if (!is_coordinate(code.at(at)) || code.at(at + 1) != ".") return;
  static const Names kOther = {{"x", "y"}, {"y", "x"}, {"z", "y"}};
  const auto other = kOther.find(code.at(at + 2));
  if (other == kOther.end()) return;
  add(at + 2, at + 2, other->second, MutantKind::coordinate);
  // `blockIdx.x * blockDim.x`, in either order, and with the name of a constant.
  if (code.at(at + 3) != "*" || at + 4 >= code.size()) return;
  const bool by_name = is_coordinate(code.at(at + 4)) && code.at(at + 5) == ".";
  const bool is_start =
      code.at(at) == "blockIdx" || (code.at(at) == "blockDim" && code.at(at + 4) == "blockIdx");
  const bool is_factor =
      by_name || code.is_word(at + 4) || code.words()[at + 4].kind == TokenKind::number;
  if (!is_start || !is_factor) return;
  const std::string& before = code.at(at - 1);
  if (before == "*" || before == "/" || before == "%") return;
  add(at, by_name ? at + 6 : at + 4, "0", MutantKind::coordinate);
}

// Barriers and fences with their weaker forms; "" for none.
const Names& barriers() {
  static const Names kAll = {{"__syncthreads", "__syncwarp"},
                             {"__syncwarp", ""},
                             {"__threadfence", "__threadfence_block"},
                             {"__threadfence_block", ""},
                             {"__threadfence_system", "__threadfence"},
                             {"sync", ""},
                             {"__barrier_sync", ""},
                             {"arrive_and_wait", ""},
                             {"wait", ""},
                             {"atomic_thread_fence", ""},
                             {"__pipeline_wait_prior", ""},
                             {"syncwarp", ""}};
  return kAll;
}

// The first word of the expression statement whose call is at `at`: `cg::sync(block);`,
// `block.sync();`. Nothing if it is no statement of its own.
std::optional<size_t> statement_of(const Code& code, size_t at) {
  size_t first = at;
  while (first >= 2 &&
         (code.at(first - 1) == "." || code.at(first - 1) == "::" || code.at(first - 1) == "->")) {
    first -= code.is_word(first - 2) ? 2 : 1;
    if (first + 2 != at && !code.is_word(first)) return std::nullopt;
  }
  static const std::set<std::string, std::less<>> kBefore = {";", "{", "}", ")", "else", "do", ":"};
  if (first == 0 || !kBefore.contains(code.at(first - 1))) return std::nullopt;
  return first;
}

void barrier_changes(const Code& code, size_t at, const AddChange& add) {
  const auto found = barriers().find(code.at(at));
  if (found == barriers().end() || code.at(at + 1) != "(") return;
  const size_t close = code.partner(at + 1);
  if (close >= code.size() || code.at(close + 1) != ";") return;
  const std::optional<size_t> first = statement_of(code, at);
  if (!first) return;
  add(*first, close, "(void)0", MutantKind::barrier);
  if (!found->second.empty()) add(at, at, found->second, MutantKind::barrier);
}

// True if some declaration has that name in shared memory, where other blocks have no say.
bool is_shared(const Code& code, std::string_view name) {
  bool inside = false;
  for (const CodeWord& word : code.words()) {
    if (word.text == "__shared__") inside = true;
    if (word.text == ";") inside = false;
    if (inside && word.text == name) return true;
  }
  return false;
}

// `atomicAdd(&x, v);` whose result nobody wants becomes `*(&x) += v;`.
void atomic_changes(const Code& code, size_t at, const AddChange& add) {
  static const Names kPlain = {{"atomicAdd", "+="},  {"atomicSub", "-="}, {"atomicAnd", "&="},
                               {"atomicOr", "|="},   {"atomicXor", "^="}, {"atomicExch", "="},
                               {"atomicMax", "max"}, {"atomicMin", "min"}};
  const auto found = kPlain.find(code.at(at));
  if (found == kPlain.end() || code.at(at + 1) != "(") return;
  const size_t close = code.partner(at + 1);
  if (close >= code.size()) return;
  if (!is_shared(code, code.at(code.at(at + 2) == "&" ? at + 3 : at + 2))) {
    add(at, at, code.at(at) + "_block", MutantKind::order);
  }
  size_t comma = at + 2;
  while (comma < close && code.at(comma) != ",") {
    const size_t partner = code.partner(comma);
    comma = partner < code.size() && partner > comma ? partner + 1 : comma + 1;
  }
  if (comma >= close || comma == at + 2 || comma + 1 >= close) return;
  if (code.at(close + 1) != ";" || !statement_of(code, at)) return;
  const std::string place = "*(" + code.between(at + 2, comma - 1) + ")";
  const std::string value = "(" + code.between(comma + 1, close - 1) + ")";
  const std::string& mark = found->second;
  add(at, close,
      mark.ends_with('=') ? place + " " + mark + " " + value
                          : place + " = " + mark + "(" + place + ", " + value + ")",
      MutantKind::atomic);
}

void name_changes(const Code& code, size_t at, const AddChange& add) {
  using enum MutantKind;
  static const std::map<std::string, std::pair<std::string, MutantKind>, std::less<>> kNames = {
      {"memory_order_acquire", {"memory_order_relaxed", order}},
      {"memory_order_release", {"memory_order_relaxed", order}},
      {"memory_order_acq_rel", {"memory_order_relaxed", order}},
      {"memory_order_seq_cst", {"memory_order_relaxed", order}},
      {"thread_scope_device", {"thread_scope_block", order}},
      {"thread_scope_system", {"thread_scope_block", order}},
      {"min", {"max", arithmetic}},
      {"max", {"min", arithmetic}},
      {"fminf", {"fmaxf", arithmetic}},
      {"fmaxf", {"fminf", arithmetic}},
      {"fmin", {"fmax", arithmetic}},
      {"fmax", {"fmin", arithmetic}},
      {"__shfl_down_sync", {"__shfl_up_sync", arithmetic}},
      {"__shfl_up_sync", {"__shfl_down_sync", arithmetic}}};
  const auto found = kNames.find(code.at(at));
  if (found == kNames.end()) return;
  const MutantKind kind = found->second.second;
  if (kind == arithmetic && code.at(at + 1) != "(") return;
  add(at, at, found->second.first, kind);
}

// Local variables and casts alone: parameters belong to the launch.
void type_changes(const Code& code, size_t at, const AddChange& add) {
  static const Names kNarrow = {{"double", "float"}, {"int64_t", "int"}, {"uint64_t", "unsigned"}};
  if (code.at(at) == "long" && code.at(at + 1) == "long") {
    if (at > 0 && code.at(at - 1) == "long") return;
    const bool pair = code.at(at + 2) == "int";
    add(at, pair ? at + 2 : at + 1, "int", MutantKind::type);
    return;
  }
  const auto found = kNarrow.find(code.at(at));
  if (found == kNarrow.end() || code.at(at + 1) == "*" || code.at(at + 1) == "&") return;
  add(at, at, found->second, MutantKind::type);
}

}  // namespace

void call_changes(const Code& code, size_t at, const AddChange& add) {
  if (!code.is_word(at)) return;
  coordinate_changes(code, at, add);
  barrier_changes(code, at, add);
  atomic_changes(code, at, add);
  name_changes(code, at, add);
  type_changes(code, at, add);
}

}  // namespace warpmark
