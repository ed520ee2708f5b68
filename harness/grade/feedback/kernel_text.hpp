// A kernel's source by its words: its parameters, arrays, conditions and assignments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/source_tokens.hpp"

namespace warpmark {

/// A part of a kernel's words, [begin, end).
struct TextRange {
  size_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
  bool holds(size_t at) const { return at >= begin && at < end; }
};

/// An array that a kernel declares.
struct DeclaredArray {
  std::string name;
  int line = 0;
  bool shared = false;
  std::optional<int64_t> elements;  ///< of all its dimensions, if they are numbers
};

/// A comparison in a condition: `i <= n`, `y + j < height`.
struct TextComparison {
  TextRange all, left, right;
  bool less = false;  ///< `<` or `<=`
  bool or_equal = false;
  size_t head = 0;  ///< the `if`, `for`, `while` or `?` that asks it
};

/// An assignment to a variable, declarations included.
struct TextAssignment {
  size_t name = 0;  ///< its place
  TextRange value;
  std::string type;       ///< "int" of a declaration of one; "" else
  bool operates = false;  ///< `+=` and the like
};

/// The words of one kernel of a file, without directives. Macros are not expanded: it is good
/// enough to choose a sentence, and never decides a verdict.
class KernelText {
 public:
  KernelText() = default;
  /// `entry` names the kernel; a file that does not show it gives an empty text.
  KernelText(std::string_view source, std::string_view entry);

  bool empty() const { return words_.empty(); }
  size_t size() const { return words_.size(); }
  const SourceToken& at(size_t place) const { return words_[place]; }
  bool is(size_t place, std::string_view text) const;
  bool is_word(size_t place) const;
  int line(size_t place) const { return place < words_.size() ? words_[place].line : 0; }
  /// Begin of the body, behind its bracket.
  size_t body() const { return body_; }
  bool has(std::string_view word) const { return contains({0, size()}, word); }
  /// True if the file has the word, in other functions, too.
  bool file_has(std::string_view word) const { return file_words_.contains(word); }
  bool contains(const TextRange& range, std::string_view word) const;
  /// As it is written, in one line and short.
  std::string quote(const TextRange& range) const;

  const std::vector<std::string>& parameters() const { return parameters_; }
  const std::vector<DeclaredArray>& arrays() const { return arrays_; }
  const std::vector<TextComparison>& comparisons() const { return comparisons_; }
  const std::vector<TextAssignment>& assignments() const { return assignments_; }
  /// The last assignment to a variable before a place.
  const TextAssignment* assigned_before(std::string_view name, size_t place) const;
  /// The number that a word is: itself, or a constant's of the file.
  std::optional<int64_t> number(size_t place) const;
  /// Behind the bracket that opens here.
  size_t behind(size_t open) const;
  /// The bodies of loops that have the place.
  bool is_in_loop(size_t place) const;
  /// The heads of loops: their keywords.
  const std::vector<size_t>& loops() const { return loops_; }
  /// The text in a keyword's brackets, and the statement behind them.
  TextRange head_of(size_t keyword) const;
  TextRange body_of(size_t keyword) const;
  /// The parts of a `for`: start, condition, step; empty ones for another head.
  std::vector<TextRange> parts_of(size_t keyword) const;
  /// The innermost `if` that has the place in its first branch; size() for none.
  size_t branch_around(size_t place) const;
  /// The declared arrays, or the parameters, whose elements a line uses.
  std::vector<const DeclaredArray*> arrays_in(int line) const;
  bool is_pointer(std::string_view name) const { return pointers_.contains(name); }
  bool is_float(std::string_view name) const { return floats_.contains(name); }
  bool is_integer(std::string_view name) const { return integers_.contains(name); }
  bool is_unsigned(std::string_view name) const { return unsigned_.contains(name); }
  /// Blanks at the beginning of a line of the file.
  int indentation(int line) const;

 private:
  void read_signature(size_t open);
  void read_arrays();
  void read_conditions();
  void read_comparisons(const TextRange& range, size_t head);
  void read_assignments();
  size_t assignment_marks(size_t at) const;
  bool is_stepped(size_t at) const;
  size_t end_of_value(size_t at) const;
  size_t end_of_statement(size_t at) const;

  std::string source_;
  std::vector<SourceToken> words_;
  std::set<std::string, std::less<>> file_words_, pointers_, floats_, integers_, unsigned_;
  std::map<std::string, int64_t, std::less<>> constants_;
  size_t body_ = 0;
  std::vector<std::string> parameters_;
  std::vector<DeclaredArray> arrays_;
  std::vector<TextComparison> comparisons_;
  std::vector<TextAssignment> assignments_;
  std::vector<size_t> loops_, branches_;
};

}  // namespace warpmark
