// The texts of a suite that can be mutated, and the plan of a case with a mutant in place of one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mutate/code_mutants.hpp"
#include "plan/plugin_loader.hpp"
#include "suite/suite.hpp"
#include "worker/coverage.hpp"

namespace warpmark {

/// A kernel's file, a header beside the suite, a kernel in the suite's own text, or the code that a
/// plugin wrote, of which the suite's expressions can be mutated.
struct MutableText {
  enum class Kind : uint8_t { file, header, inside, generated };
  Kind kind = Kind::file;
  std::string name;  ///< of a file or header, from the suite's folder
  std::string path;  ///< as people see it: of the suite, for texts inside it
  std::string text;

  /// Lines of a generated text that the suite wrote, by number in the text, with their places.
  std::map<int, Position> written = {};
  int first_line = 1;  ///< number of the text's first line in that file

  /// Where a mutant is, in the file that people see. The column is 0 where it is not known.
  Position place_of(const Mutant& mutant) const;
};

/// The texts that the plan's units are compiled from, each once; those of other languages and
/// compilers are left out. Throws for a file that cannot be read.
std::vector<MutableText> mutable_texts(const PlannedCase& planned, const Suite& suite);

/// The mutants of the text, in order: of a generated text only in the suite's expressions, else in
/// functions that the coverage has lines of, and outside of functions.
std::vector<Mutant> mutants_of(const MutableText& text, const Coverage& coverage);

/// The lines of a function that coverage knows, or nothing known, of a mutant.
enum class Reach : uint8_t { executed, never, unknown };
Reach reach_of(const MutableText& text, const Mutant& mutant, const Coverage& coverage);

/// True if the plan is compiled from that very text.
bool has_text(const PlannedCase& planned, const MutableText& text);
/// The plan with another text in its place, also where the case is held against less work.
PlannedCase with_text(PlannedCase planned, const MutableText& text, const std::string& changed);

}  // namespace warpmark
