// The words of loads and stores, and which of them exclude or need each other.
#include "program/memory_words.hpp"

#include <algorithm>
#include <array>

#include "program/program.hpp"

namespace warpmark::cpu {
namespace {

// Of each kind there is one at most. The orderings are no different from .weak here, and caching
// advice changes no result: warps execute one access after another.
enum class Kind : std::uint8_t {
  space,
  order,
  mmio,
  scope,
  cache,
  read_only,
  first_eviction,
  second_eviction,
  prefetch,
  hint,
  vector,
  type
};

struct MemoryWord {
  std::string_view text;
  Kind kind;
  bool load = true, store = true;
};

constexpr std::array<MemoryWord, 42> kMemoryWords = {{
    {"global", Kind::space},
    {"shared", Kind::space},
    {"param", Kind::space},
    {"local", Kind::space},
    {"const", Kind::space},
    {"shared::cta", Kind::space},
    {"shared::cluster", Kind::space},
    {"param::entry", Kind::space},
    {"param::func", Kind::space},
    {"volatile", Kind::order},
    {"relaxed", Kind::order},
    {"weak", Kind::order},
    {"acquire", Kind::order, true, false},
    {"release", Kind::order, false, true},
    {"mmio", Kind::mmio},
    {"cta", Kind::scope},
    {"cluster", Kind::scope},
    {"gpu", Kind::scope},
    {"sys", Kind::scope},
    {"ca", Kind::cache, true, false},
    {"cg", Kind::cache},
    {"cs", Kind::cache},
    {"cv", Kind::cache, true, false},
    {"lu", Kind::cache, true, false},
    {"wb", Kind::cache, false, true},
    {"wt", Kind::cache, false, true},
    {"nc", Kind::read_only, true, false},
    {"L1::evict_normal", Kind::first_eviction},
    {"L1::evict_unchanged", Kind::first_eviction},
    {"L1::evict_first", Kind::first_eviction},
    {"L1::evict_last", Kind::first_eviction},
    {"L1::no_allocate", Kind::first_eviction},
    {"L2::evict_normal", Kind::second_eviction},
    {"L2::evict_first", Kind::second_eviction},
    {"L2::evict_last", Kind::second_eviction},
    {"L2::64B", Kind::prefetch, true, false},
    {"L2::128B", Kind::prefetch, true, false},
    {"L2::256B", Kind::prefetch, true, false},
    {"L2::cache_hint", Kind::hint},
    {"v2", Kind::vector},
    {"v4", Kind::vector},
    {"v8", Kind::vector},
}};

Space space_named(std::string_view word) {
  return word == "global"             ? Space::global
         : word.starts_with("shared") ? Space::shared
         : word.starts_with("param")  ? Space::param
         : word.starts_with("local")  ? Space::local
                                      : Space::constant;
}

}  // namespace

std::string_view memory_words(std::string_view opcode, MemoryAccess access, MemoryWords& words,
                              bool& known) {
  const bool store = access == MemoryAccess::store;
  std::array<std::string_view, static_cast<std::size_t>(Kind::type) + 1> seen;
  const auto of = [&](Kind kind) -> std::string_view& {
    return seen[static_cast<std::size_t>(kind)];
  };
  known = true;
  opcode.remove_prefix(opcode.find('.') + 1);
  while (!opcode.empty()) {
    const std::size_t dot = std::min(opcode.find('.'), opcode.size());
    const std::string_view word = opcode.substr(0, dot);
    opcode.remove_prefix(std::min(dot + 1, opcode.size()));
    Kind kind = Kind::type;
    if (const Type type = type_named(word); type != Type::none) {
      words.type = type;
    } else {
      const auto* row = std::find_if(kMemoryWords.begin(), kMemoryWords.end(),
                                     [&](const MemoryWord& one) { return one.text == word; });
      known = row != kMemoryWords.end();
      if (!known) return "no load or store has such a word";
      if (store ? !row->store : !row->load) return "the instruction has no such modifier";
      kind = row->kind;
    }
    if (!of(kind).empty()) return "two of the modifiers exclude each other";
    of(kind) = word;
  }
  const std::string_view order = of(Kind::order), scope = of(Kind::scope);
  const bool isvolatile = order == "volatile";
  const bool scoped = order == "relaxed" || order == "acquire" || order == "release";
  if (!of(Kind::space).empty()) words.space = space_named(of(Kind::space));
  if (!of(Kind::vector).empty())
    words.count = static_cast<std::uint32_t>(of(Kind::vector)[1] - '0');
  words.hint = !of(Kind::hint).empty();
  if (isvolatile || scoped) words.order |= Instruction::kStrong;
  if (isvolatile && words.space != Space::global) words.order |= Instruction::kVolatile;
  if (!of(Kind::read_only).empty() || access == MemoryAccess::load_uniform)
    words.order |= Instruction::kReadOnly;
  if (order == "release") words.order |= Instruction::kRelease;
  if (scope == "cta") words.order |= Instruction::kBlockScope;
  words.polls = !store && (isvolatile || scoped || of(Kind::cache) == "cv");

  const bool global = words.space == Space::global;
  const bool advises = !of(Kind::first_eviction).empty() || !of(Kind::second_eviction).empty();
  if (scoped && scope.empty()) return "the ordering needs a scope";
  if (!scoped && !scope.empty()) return "a scope needs an ordering, .relaxed, .acquire or .release";
  if (!of(Kind::mmio).empty() && (order != "relaxed" || scope != "sys"))
    return ".mmio needs .relaxed and .sys";
  if (!of(Kind::mmio).empty() && !global && words.space != Space::generic)
    return ".mmio needs global memory";
  if ((isvolatile || scoped) && !global && words.space != Space::generic &&
      words.space != Space::shared)
    return ".volatile and orderings need memory that others see";
  if (!of(Kind::cache).empty() && (isvolatile || scoped || !of(Kind::first_eviction).empty()))
    return "a cache operation stands without ordering and eviction";
  if (isvolatile && advises) return ".volatile has no eviction";
  if (!of(Kind::read_only).empty()) {
    const std::string_view cache = of(Kind::cache);
    if (!global || !order.empty() || cache == "cv" || cache == "lu")
      return ".nc is of global memory, without ordering";
  }
  if ((advises || !of(Kind::prefetch).empty()) && !global && words.space != Space::generic)
    return "advice on L1 and L2 needs global memory";
  if (!of(Kind::second_eviction).empty() && bytes_of(words.type) * words.count != 32)
    return "eviction from L2 needs a vector of 32 bytes";
  if (access == MemoryAccess::load_uniform) {
    for (const Kind kind : {Kind::order, Kind::cache, Kind::read_only, Kind::first_eviction,
                            Kind::second_eviction, Kind::prefetch}) {
      if (!of(kind).empty()) return "ldu has no such modifier";
    }
    if (!global && words.space != Space::generic) return "ldu is of global memory";
  }
  return "";
}

LoadedBytes loaded_bytes(std::string_view opcode) {
  MemoryWords words;
  bool known = false;
  const MemoryAccess kind =
      opcode.starts_with("ldu.") ? MemoryAccess::load_uniform : MemoryAccess::load;
  if (!opcode.starts_with("ld.") && kind == MemoryAccess::load) return {};
  memory_words(opcode, kind, words, known);
  if (!known) return {};
  return {bytes_of(words.type), bytes_of(words.type) * words.count};
}

}  // namespace warpmark::cpu
