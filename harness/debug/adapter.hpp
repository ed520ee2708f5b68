// The debugger for editors: requests and events of the Debug Adapter Protocol (version 1.65).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "debug/adapter_channel.hpp"
#include "debug/debugger.hpp"
#include "debug/source_lines.hpp"
#include "debug/terminal.hpp"

namespace warpmark::debugging {

/// The answer to `initialize`.
nlohmann::json adapter_capabilities();

/// Where a launch request wants the case to stand still although nothing asks for it.
struct AdapterStops {
  bool on_entry = false;  ///< at the first statement
  bool at_end = false;    ///< when it has ended, to go back from there
};

/// Serves a client from its launch request on. Threads of the protocol are those of the block that
/// is stopped, by their number in it, from 1.
class Adapter final : public Front {
 public:
  Adapter(AdapterChannel& channel, SourceLines& sources, AdapterStops stops)
      : channel_(channel), sources_(sources), stops_(stops), console_(printed_, sources) {}

  void launch_begins(Debugger& debugger) override;
  Resume stopped(Debugger& debugger, const Stop& stop) override;
  bool asked(Debugger& debugger) override;
  bool has_left() const override { return quits_; }
  /// The run came to its end, of which a text tells. From the end of a case one may go back.
  Resume ended(Debugger& debugger, const std::string& text, int exit_code, bool stands);

 private:
  using json = nlohmann::json;
  /// A reference of the protocol: a scope of a frame, or a value with parts.
  struct Handle {
    Focus focus;
    std::string scope;
    std::optional<Value> value;
    std::string expression;  ///< of the value
  };
  /// How a request wants values to be shown.
  struct Shows {
    const ThreadView& thread;
    Digits digits = Digits::decimal;
  };

  static Resume quit();
  /// Tells of breakpoints that this launch has, and of which that was not known before.
  void tell_breakpoints(Debugger& debugger);
  Resume wait_for_move(Debugger& debugger);
  /// Answers a request; none is the client's end.
  void serve(Debugger& debugger, const std::optional<json>& request);
  /// True if the text of an editor's console is a command, which this answers.
  bool carry_out(Debugger& debugger, const json& request, const json& arguments);
  void require_stopped(const Debugger& debugger) const;
  /// True for a request that is answered without a body, such as those that go on.
  bool go_on(Debugger& debugger, const std::string& command, const json& arguments);
  json answer(Debugger& debugger, const std::string& command, const json& arguments);
  json described(const Breakpoint& breakpoint) const;
  json add_breakpoint(Debugger& debugger, Breakpoint made, const json& asked,
                      std::vector<uint64_t>& numbers);
  void remove(Debugger& debugger, std::vector<uint64_t>& numbers);
  json set_breakpoints(Debugger& debugger, const json& arguments);
  json set_functions(Debugger& debugger, const json& arguments);
  static json watch_information(Debugger& debugger, const Handle* of, const json& arguments);
  json set_watches(Debugger& debugger, const json& arguments);
  static Focus focus_of(Debugger& debugger, uint32_t thread);
  static Focus frame_of(Debugger& debugger, const json& arguments);
  static json threads(Debugger& debugger);
  json stack(Debugger& debugger, const json& arguments);
  json scopes(Debugger& debugger, const json& arguments);
  const Handle* handle_of(const json& arguments) const;
  json shown(const std::string& name, const std::string& expression, const Value& value,
             const Shows& shows);
  json children(const Handle& of, const Shows& shows, const json& arguments);
  json variables(Debugger& debugger, const json& arguments);
  json evaluate(Debugger& debugger, const json& arguments);

  AdapterChannel& channel_;
  SourceLines& sources_;
  AdapterStops stops_;
  bool configured_ = false, quits_ = false;
  bool at_end_ = false;  ///< the case has ended, and waits for a move
  std::optional<Resume> resume_;
  std::map<std::string, std::vector<uint64_t>> breakpoints_;  ///< numbers by file; "": functions
  std::map<uint64_t, uint32_t> lines_;       ///< of breakpoints, as the client knows them; 0: none
  std::optional<json> writers_request_;      ///< is answered when the launch stands here again
  std::map<std::string, uint64_t> watches_;  ///< numbers by the protocol's names
  std::vector<Handle> handles_;
  std::ostringstream printed_;  ///< by the console
  Terminal console_;
};

}  // namespace warpmark::debugging
