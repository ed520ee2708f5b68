// Failures as GitHub's workflow commands, which it shows at the lines of a change.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/problems/problem.hpp"
#include "report/run/run_report.hpp"

namespace warpmark {

enum class AnnotationMode : uint8_t {
  automatic,  ///< GitHub's if a runner of GitHub reads our output
  github,
  off
};

/// The values of --annotations: "auto", "github", "off", in the order of the modes.
const std::vector<std::string>& annotation_words();
/// Returns nothing for any other word.
std::optional<AnnotationMode> annotation_mode(std::string_view word);

/// True if a runner of GitHub reads our output: GITHUB_ACTIONS is `true`, as its own tools ask.
bool read_by_runner();

/// Returns true if annotations are to be written. Beside JSON they are written only if asked for:
/// JSON is for programs, and goes into files on runners.
bool wants_annotations(AnnotationMode mode, bool json);

/// "::error file=…,line=…,col=…,title=…::TEXT" in one line, whatever the parts hold. Escaped as
/// actions/toolkit does (packages/core/src/command.ts): % and line ends everywhere, `:` and `,` in
/// properties. A place that is unknown is left out. A file within the checkout is named from its
/// root.
std::string annotation(const Problem& problem);

/// Writes a line for each problem. GitHub shows ten of a step, and we write no more than fifty, and
/// one that counts the rest.
void write_annotations(std::ostream& out, const std::vector<Problem>& problems);

/// While an object lives, the runner takes no line of `out` for a command. Kernels and drivers that
/// print in between cannot forge one, because only we know the word that ends the stop.
class CommandsStopped {
 public:
  explicit CommandsStopped(std::ostream& out);
  CommandsStopped(const CommandsStopped&) = delete;
  CommandsStopped& operator=(const CommandsStopped&) = delete;
  ~CommandsStopped();

 private:
  std::ostream& out_;
  std::string word_;
};

/// Writes the failures of a run at its end. Commands are stopped from the constructor until then.
class Annotations : public RunReport {
 public:
  /// `out` must be the stream that kernels print to, which for workers is the standard error: then
  /// their output comes before the word that ends the stop, in whichever order a runner reads its
  /// pipes.
  explicit Annotations(std::ostream& out) : out_(out), stopped_(std::in_place, out) {}

  void end_case(const EndedCase& ended) override;
  void finish(const RunEnd& end) override;

 private:
  std::ostream& out_;
  std::optional<CommandsStopped> stopped_;
  FailedCases failed_;
};

}  // namespace warpmark
