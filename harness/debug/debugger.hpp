// Runs a case under a person's commands: forwards from stop to stop, and backwards by running it
// again to an earlier point.
//
// The device calls it in the thread of the launch, where the front, too, waits for commands.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "debug/debug_info.hpp"
#include "debug/goals.hpp"
#include "debug/kernel_parameters.hpp"
#include "debug/source_lines.hpp"
#include "debug/stop.hpp"
#include "debug/writers.hpp"

namespace warpmark::debugging {

class Debugger;

/// The terminal or the editor that a person has before them.
class Front {
 public:
  virtual ~Front() = default;
  /// The first launch of the run begins: its text is known, and nothing stands still.
  virtual void launch_begins(Debugger& debugger) = 0;
  /// Returns how to go on from a stop.
  virtual Resume stopped(Debugger& debugger, const Stop& stop) = 0;
  /// Called now and then while the launch, or a program without one, runs on, if Debugger::ask()
  /// was; true to stop.
  virtual bool asked(Debugger& debugger) = 0;
  /// True if nobody is there any more.
  virtual bool has_left() const { return false; }
};

class Debugger {
 public:
  Debugger(Front& front, const SourceLines& sources);
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  /// The hook that devices call, once the functions for looking are known.
  warpmark_debugger& hook() { return hook_; }
  void use(const warpmark_debug_view& view) { view_ = &view; }
  /// The arguments of each launch of the host, in their order, whose types are taken where neither
  /// debug information nor a text tells those of the parameters. Further launches are not looked at.
  using Parameters = std::vector<NamedType>;
  void expect(std::vector<Parameters> launches) { launches_ = std::move(launches); }
  /// A program is debugged, and not a case: all its launches are looked at, and going back runs one
  /// launch again.
  void expect_program();
  /// Before each run of the case, or of the program.
  void begin_run();
  /// After one: true if it was left to go back, and has to run again.
  bool runs_again() const { return again_; }
  bool quits() const { return quits_; }
  void end_run();
  /// How to go on from the end of a run.
  void resume_from_end(const Resume& resume);
  /// Has the front asked soon, or a launch stopped. Safe in a signal handler.
  void ask() noexcept { hook_.pause = 1; }
  /// The same for Ctrl-C: the second one before a stop gives the program up.
  void interrupt() noexcept {
    if (hook_.pause != 0) gives_up_ = 1;
    ask();
  }
  bool gives_up() const { return gives_up_ != 0; }
  /// While no launch of a program runs: has the front asked, if it wanted to be.
  void idle();

  // --- at a stop
  const LaunchText& text() const { return *text_; }
  bool has_text() const { return text_ != nullptr; }
  const warpmark_debug_point& point() const { return *point_; }
  bool is_stopped() const { return stopped_; }
  /// Why no variables are known; "" if they are.
  const std::string& no_variables() const { return no_variables_; }
  RunPosition position() const { return position_; }
  Focus focus;
  ThreadView thread() const { return view_of(focus); }
  ThreadView view_of(const Focus& which) const;

  /// Adds one, which gets a number; its statements are known if there is a launch.
  Breakpoint& add(Breakpoint breakpoint);
  bool remove(uint64_t number);
  std::vector<Breakpoint>& breakpoints() { return breakpoints_; }
  /// Watches what an expression names. Throws a usage error if it has no place in memory.
  Watchpoint& watch(const StopExpression& expression) { return watch(expression, thread()); }
  Watchpoint& watch(const StopExpression& expression, const ThreadView& of);
  /// Prepares Resume::Kind::again, which stops here with a table of who wrote each element.
  void find_writers(const StopExpression& expression);
  /// Throws a usage error if there is no way back.
  void require_way_back() const;
  std::vector<Watchpoint>& watchpoints() { return watchpoints_; }
  /// Errors of conditions since the last call.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  /// A finding that its launch's end has shown, since the last call.
  std::vector<std::string> take_findings() { return std::exchange(last_findings_, {}); }

 private:
  struct Kernel {
    LaunchText text;
    std::unique_ptr<DebugInfo> information;
    std::string why;
    std::vector<std::string> sources;
    std::vector<NamedType> parameters;                    ///< if there is no information
    std::map<uint32_t, std::vector<Variable>> variables;  ///< by statement
  };
  enum class Mode : uint8_t { forwards, seek, scan };

  int call(const warpmark_debug_point& point);
  bool begin_launch(const warpmark_debug_point& point);
  bool before_statement(const warpmark_debug_point& point);
  bool end_launch(const warpmark_debug_point& point);
  std::optional<Stop> hit(const warpmark_debug_point& point);
  std::optional<Stop> breakpoint_hit(const warpmark_debug_point& point);
  std::optional<Stop> watch_hit(const warpmark_debug_point& point);
  bool stop(const Stop& stop);
  bool follow(const Resume& resume);
  bool go_back(const RunPosition& limit);
  bool seek(const RunPosition& target, const Stop& stop);
  void mark_stops();
  void finish_scan();
  RunPosition beginning() const;
  void set_filter();
  void watch_ranges();
  bool searches() const;
  std::vector<warpmark_debug_store> stores_at(const warpmark_debug_point& point) const;
  std::vector<Variable> variables_at(uint32_t statement);
  void add_shared(std::vector<Variable>& variables) const;
  void add_parameters(std::vector<Variable>& variables) const;
  /// A finding, and the number of the first thread in its block.
  struct Finding {
    std::string text;
    uint32_t thread = 0;
  };
  std::vector<Finding> findings_at(const warpmark_debug_point& point) const;

  Front& front_;
  const SourceLines& sources_;
  warpmark_debugger hook_{};
  const warpmark_debug_view* view_ = nullptr;
  std::vector<Parameters> launches_;
  uint64_t printed_ = 0;  ///< launches whose output was shown
  uint64_t host_launches_ = 0;
  bool ignored_ = false;  ///< the present launch is not looked at

  bool of_program_ = false;
  volatile int gives_up_ = 0;
  bool restarts_ = false;   ///< the program is to run again
  bool repeating_ = false;  ///< the launch that begins next has begun before
  std::map<std::pair<std::string, uint64_t>, std::unique_ptr<Kernel>> kernels_;
  Kernel* kernel_ = nullptr;
  const LaunchText* text_ = nullptr;
  std::string no_variables_;
  ThreadView::Variables variables_;
  const warpmark_debug_point* point_ = nullptr;
  RunPosition position_;
  bool stopped_ = false;

  std::vector<Breakpoint> breakpoints_;
  std::vector<Watchpoint> watchpoints_;
  std::vector<warpmark_debug_range> ranges_;  ///< of the watchpoints, or of the writers
  std::optional<Writers> writers_;            ///< that a run to the present point looks for
  uint64_t numbers_ = 0;
  std::vector<uint8_t> stops_;  ///< by statement of the present launch

  Mode mode_ = Mode::forwards;
  bool first_ = true;      ///< nothing has stopped yet
  bool begun_ = false;     ///< a launch has begun in this run
  size_t scan_depth_ = 0;  ///< of the thread where a scan ends
  bool again_ = false, quits_ = false;
  bool to_finding_ = false;         ///< only findings stop
  bool after_store_ = false;        ///< the last stop was behind a store that is watched
  RunPosition resumed_from_{0, 0};  ///< where the last stop was
  std::optional<ThreadSteps> steps_;
  std::optional<std::array<uint32_t, 3>> wanted_block_;  ///< of a jump
  RunPosition target_;                                   ///< of a seek, or the end of a scan
  Stop target_stop_;                                     ///< why a seek ends
  std::optional<Stop> candidate_;                        ///< the last stop that a scan has met
  Focus hit_focus_, candidate_focus_, target_focus_;
  std::optional<Move> scanned_;  ///< the steps that a scan goes back by; nothing: to a breakpoint
  std::set<std::string> shown_;  ///< findings
  std::vector<std::string> notes_, last_findings_;
};

}  // namespace warpmark::debugging
