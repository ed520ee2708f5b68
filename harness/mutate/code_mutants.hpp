// Mutants of a kernel's text: the same text with one small change, as a mistake would make it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "mutate/code.hpp"

namespace warpmark {

enum class MutantKind : uint8_t {
  comparison,  ///< `<` becomes `<=`, `n` becomes `n - 1` in a comparison
  arithmetic,  ///< `+` becomes `-`, `min` becomes `max`
  logic,       ///< `&&` becomes `||`
  constant,    ///< one more or one less
  index,       ///< `a[i]` becomes `a[(i) + 1]`
  coordinate,  ///< `threadIdx.x` becomes `threadIdx.y`; `blockIdx.x * blockDim.x` becomes 0
  barrier,     ///< a barrier or fence removed, or for fewer threads
  order,       ///< a weaker memory order or scope
  atomic,      ///< an atomic made plain
  condition,   ///< negated
  store,       ///< removed
  type         ///< narrowed
};
constexpr auto words(MutantKind) {
  return words_are("comparison", "arithmetic", "logic", "constant", "index", "coordinate",
                   "barrier", "order", "atomic", "condition", "store", "type");
}

/// True if the change lets threads run in another order, which a single schedule may not show.
bool changes_order(MutantKind kind);

struct Mutant {
  size_t begin = 0, end = 0;  ///< the part of the text that is replaced, in bytes
  std::string with;
  MutantKind kind = MutantKind::comparison;
  int line = 0, column = 0;  ///< of the part, from 1
  int last_line = 0;         ///< where it ends

  std::string apply(std::string_view text) const;
};

/// All mutants of the text, by place, no text twice. They need not compile. Those in directives are
/// in bodies of `#define` alone. Strings, comments and declarations of functions stay.
std::vector<Mutant> mutants_of(std::string_view text);
std::vector<Mutant> mutants_of(const Code& code);

/// The lines of the part before and after the change, with single blanks and no indent: "if (i < n)
/// x[i] = 0;".
struct LineDiff {
  std::string before, after;
};
LineDiff diff_of(std::string_view text, const Mutant& mutant);

/// Gives the change of the words from `first` to `last` into `with`.
using AddChange = std::function<void(size_t first, size_t last, std::string with, MutantKind)>;

/// The changes that begin at a word, each in a file of its own.
void operator_changes(const Code& code, size_t at, const AddChange& add);
void number_changes(const Code& code, size_t at, const AddChange& add);
void index_changes(const Code& code, size_t at, const AddChange& add);
void call_changes(const Code& code, size_t at, const AddChange& add);
void statement_changes(const Code& code, size_t at, const AddChange& add);

}  // namespace warpmark
