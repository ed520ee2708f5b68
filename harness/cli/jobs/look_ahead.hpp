// Decides when units of later cases are worth compiling in further processes.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "runtime/compile_ahead.hpp"
#include "runtime/session.hpp"

namespace warpmark {

class LookAhead {
 public:
  /// `options` are those of the session that runs the cases. Nothing is compiled ahead without
  /// `processes` or without a cache.
  LookAhead(const SessionOptions& options, size_t processes);

  /// To be called before the session compiles a case: waits while a process compiles its units.
  void settle(const Session& session, const Suite& suite, const PlannedCase& planned);
  /// To be called after the session has run a case that took `took`. Once compiling is what takes
  /// long, `add_later` is called, and adds later cases.
  void judge(Session& session, const Outcome& outcome, std::chrono::steady_clock::duration took,
             const std::function<void()>& add_later);
  bool has_begun() const { return ahead_.has_value(); }
  void add(const Suite& suite, const PlannedCase& planned) { ahead_->add(suite, planned); }
  void finish() { ahead_->finish(); }
  /// Ends the processes.
  void end();

 private:
  SessionOptions options_;
  size_t processes_;
  std::optional<CompileAhead> ahead_;
};

}  // namespace warpmark
