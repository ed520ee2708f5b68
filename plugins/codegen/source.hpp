// Builds a generated source in which some lines are the suite's own, and reads the keys that
// generators share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/lexer.hpp"
#include "codegen/parameters.hpp"
#include "warpmark/plugin.hpp"

namespace warpmark::codegen {

/// A text that grows by lines, and remembers which of them are the suite's (`regions` of a unit).
class SourceText {
 public:
  /// Generated lines.
  void add(const std::string& text);
  /// The suite's text at `pointer`, in lines of its own.
  void add_from(const std::string& text, const std::string& pointer);
  /// The unit of a plan: the text, its regions and the options of `kernel`.
  plugin::Json unit(const plugin::Json& kernel) const;

 private:
  void append(const std::string& text);

  std::string text_;
  int64_t lines_ = 0;
  bool generated_ = true;
  plugin::Json regions_ = plugin::Json::array();
};

/// The parts as one text.
std::string text_of(std::initializer_list<std::string_view> parts);

/// `kernel.KEY`, a text that is not empty. Throws Failures at the key, or at /kernel without it.
std::string required_text(const plugin::Json& kernel, const std::string& key);
/// The same, or "" without the key.
std::string optional_text(const plugin::Json& kernel, const std::string& key);

/// `kernel.name`, else one made from the suite's, as in "linear_combination_kernel".
std::string kernel_name(const plugin::Json& which);

/// The headers that the types need, Warpmark's own helpers (`prelude`), then the suite's macros
/// and `preamble`: what stands before a generated kernel.
SourceText begin_source(const plugin::Json& kernel, const std::string& prelude,
                        const std::vector<std::string>& types);

/// Whole numbers of `kernel.tune`, a map. Throws Failures for unknown keys and bad numbers.
struct Tuning {
  int64_t block = 0;    ///< threads of a block
  int64_t vectors = 0;  ///< of each array that a thread has in flight
  int64_t blocks = 0;   ///< the most of a reduction; 0: `blocks` is no key
};
Tuning read_tuning(const plugin::Json& kernel, const Tuning& defaults);

/// A launch of a generated kernel.
struct GeneratedLaunch {
  std::string entry;
  plugin::Json grid;
  int64_t block = 0;
  plugin::Json arguments;
  std::string at = "/kernel";
  size_t unit = 0;  ///< of the plan
};
void add_launch(plugin::Json& plan, const GeneratedLaunch& launch);

/// The elements that a kernel goes over, as arithmetic.
struct Range {
  bool given = false;
  bool has_step = false;
  plugin::Json start, step, count;  ///< {arithmetic, at}; start and step if it is given

  /// The index of the element at a place of the range, as an expression.
  std::string index(const std::string& place) const;
  /// The parameters that follow a kernel's own ones: the length `n` and the range.
  std::string parameters() const;
  /// Adds to a plan that the elements of these arrays are accessed: shorter ones are refused;
  /// `array` gives `n`, and the expression is at `key`.
  void add_accesses(const Parameter& array, const std::vector<Parameter>& lanes,
                    const std::string& key, plugin::Json& plan) const;
  /// Adds scalars for them to a plan, and their names to a launch's arguments; `array` gives `n`.
  void add_scalars(const Parameter& array, plugin::Json& plan, plugin::Json& arguments) const;
};
/// `kernel.range`, else all elements of `array`.
Range read_range(const plugin::Json& kernel, const Parameter& array);

/// The first array of the parameters, which gives `n`. Throws a Failure if there is none.
const Parameter& first_array(const std::vector<Parameter>& parameters);

}  // namespace warpmark::codegen
