// The debugger for editors: requests and events of the Debug Adapter Protocol.
#include "debug/adapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "debug/stop_text.hpp"

namespace warpmark::debugging {
namespace {

using nlohmann::json;

constexpr uint32_t kFramesOfThread = 1024;
// Children that a view gets unless it asks for more.
constexpr int64_t kMostChildren = 200;

json source_of(SourceLines& sources, const std::string& file) {
  const std::filesystem::path path = sources.path(file);
  json source = {{"name", std::filesystem::path(file).filename().string()}};
  if (!path.empty()) source["path"] = path.string();
  return source;
}

const char* reason_of(StopReason reason) {
  switch (reason) {
    case StopReason::breakpoint:
      return "breakpoint";
    case StopReason::watch:
      return "data breakpoint";
    case StopReason::pause:
      return "pause";
    case StopReason::finding:
      return "exception";
    case StopReason::entry:
    case StopReason::beginning:
      return "entry";
    case StopReason::step:
    case StopReason::left:
    case StopReason::writers:
      break;
  }
  return "step";
}

uint32_t thread_number(const Focus& focus) {
  return focus.warp * 32 + focus.lane + 1;
}

uint64_t frame_id(const ThreadView& thread) {
  return uint64_t{thread_number(thread.focus())} * kFramesOfThread + frame_number(thread);
}

// The expression of a part of a value: "tile[3]", "p.x", "*out".
std::string part_of(const std::string& whole, const std::string& part) {
  if (whole.empty() || part.empty()) return part;
  if (part == "*") return "*" + whole;
  const std::string inner = whole[0] == '*' ? "(" + whole + ")" : whole;
  return inner + (part[0] == '[' ? "" : ".") + part;
}

Digits digits_of(const json& arguments) {
  const json format = arguments.value("format", json::object());
  return format.is_object() && format.value("hex", false) ? Digits::hexadecimal : Digits::decimal;
}

// "i,x" is `i` in hexadecimal, as other debuggers of VS Code have it.
std::string expression_of(const std::string& text) {
  constexpr std::string_view kFormat = ",x";
  return text.ends_with(kFormat) ? text.substr(0, text.size() - kFormat.size()) : text;
}

}  // namespace

json adapter_capabilities() {
  return {{"supportsConfigurationDoneRequest", true}, {"supportsConditionalBreakpoints", true},
          {"supportsFunctionBreakpoints", true},      {"supportsStepBack", true},
          {"supportsEvaluateForHovers", true},        {"supportsDataBreakpoints", true},
          {"supportsSteppingGranularity", true},      {"supportsTerminateRequest", true},
          {"supportsRestartRequest", true},           {"supportsValueFormattingOptions", true}};
}

void Adapter::launch_begins(Debugger& debugger) {
  if (!debugger.no_variables().empty()) {
    channel_.event("output", {{"category", "console"},
                              {"output", "variables are not known: " + debugger.no_variables() +
                                             "; lines, parameters and PTX registers are\n"}});
  }
  if (!configured_) channel_.event("initialized");
  while (!configured_ && !quits_) serve(debugger, channel_.wait());
}

Resume Adapter::stopped(Debugger& debugger, const Stop& stop) {
  Resume resume;
  if (quits_) return quit();
  if (stop.reason == StopReason::entry && !stops_.on_entry) return resume;
  if (stop.reason == StopReason::writers && writers_request_) {
    channel_.respond(*std::exchange(writers_request_, std::nullopt),
                     {{"result", stop.text}, {"variablesReference", 0}});
    return wait_for_move(debugger);
  }
  if (const auto further = console_.further_step(stop)) return *further;
  handles_.clear();
  tell_breakpoints(debugger);
  const Focus& at = debugger.focus;
  json body = {{"reason", reason_of(stop.reason)},
               {"threadId", thread_number(at)},
               {"allThreadsStopped", true},
               {"description", reason_text(stop)}};
  if (!stop.text.empty()) body["text"] = stop.text;
  channel_.event("stopped", body);
  return wait_for_move(debugger);
}

Resume Adapter::wait_for_move(Debugger& debugger) {
  resume_.reset();
  while (!resume_ && !quits_) serve(debugger, channel_.wait());
  return quits_ ? quit() : *resume_;
}

bool Adapter::asked(Debugger& debugger) {
  bool over = false, pauses = false;
  while (std::optional<json> request = channel_.poll(over)) {
    pauses = pauses || request->value("command", "") == "pause";
    serve(debugger, request);
  }
  quits_ = quits_ || over;
  return pauses || quits_;
}

void Adapter::tell_breakpoints(Debugger& debugger) {
  for (const Breakpoint& one : debugger.breakpoints()) {
    const auto [known, is_new] = lines_.try_emplace(one.number, 0);
    if (!is_new && (one.actual.line == 0 || one.actual.line == known->second)) continue;
    known->second = one.actual.line;
    channel_.event("breakpoint",
                   {{"reason", is_new ? "new" : "changed"}, {"breakpoint", described(one)}});
  }
  std::erase_if(lines_, [&](const auto& known) {
    const auto is_it = [&](const Breakpoint& one) { return one.number == known.first; };
    if (std::ranges::any_of(debugger.breakpoints(), is_it)) return false;
    channel_.event("breakpoint", {{"reason", "removed"},
                                  {"breakpoint", {{"id", known.first}, {"verified", false}}}});
    return true;
  });
}

Resume Adapter::ended(Debugger& debugger, const std::string& how, int exit_code, bool stands) {
  std::string text;
  for (const std::string& finding : debugger.take_findings()) text += "found: " + finding + "\n";
  for (const std::string& note : debugger.take_notes()) text += note + "\n";
  text += how;
  channel_.event("output", {{"category", "console"}, {"output", text + "\n"}});
  if (stops_.at_end && stands && !quits_) {
    channel_.event("stopped", {{"reason", "end"},
                               {"threadId", 1},
                               {"allThreadsStopped", true},
                               {"description", "The case has ended"}});
    at_end_ = true;
    const Resume resume = wait_for_move(debugger);
    at_end_ = false;
    if (resume.backwards || resume.kind == Resume::Kind::run) return resume;
  }
  channel_.event("exited", {{"exitCode", exit_code}});
  channel_.event("terminated");
  while (!quits_) serve(debugger, channel_.wait());
  return quit();
}

Resume Adapter::quit() {
  Resume resume;
  resume.kind = Resume::Kind::quit;
  return resume;
}

void Adapter::serve(Debugger& debugger, const std::optional<json>& request) {
  if (!request) {
    quits_ = true;
    return;
  }
  const std::string command = request->value("command", "");
  const json arguments = request->value("arguments", json::object());
  try {
    if (command == "evaluate" && carry_out(debugger, *request, arguments)) return;
    if (go_on(debugger, command, arguments)) {
      json body = json::object();
      if (command == "continue") body["allThreadsContinued"] = true;
      return channel_.respond(*request, body);
    }
    channel_.respond(*request, answer(debugger, command, arguments));
  } catch (const Error& error) {
    channel_.refuse(*request, error.message());
  } catch (const json::exception& error) {
    channel_.refuse(*request, wrong_arguments(error));
  }
}

// A text that is no expression here may be a command of the terminal. `writers tile` is answered when
// the launch has come here again, and has noted them.
bool Adapter::carry_out(Debugger& debugger, const json& request, const json& arguments) {
  const std::string text = arguments.value("expression", "");
  if (arguments.value("context", "repl") != "repl" || text.empty()) return false;
  require_stopped(debugger);
  const Focus focus = frame_of(debugger, arguments);
  std::string why;
  try {
    StopExpression::parse(expression_of(text)).evaluate(debugger.view_of(focus));
    return false;
  } catch (const Error& error) {
    why = error.message();
  }
  if (!Terminal::is_command(text)) throw usage_error(why);
  debugger.focus = focus;
  printed_.str("");
  const std::optional<Resume> resume = console_.carry_out(debugger, text);
  tell_breakpoints(debugger);
  if (resume && resume->kind == Resume::Kind::again) {
    writers_request_ = request;
    resume_ = resume;
    return true;
  }
  std::string said = printed_.str();
  if (said.ends_with('\n')) said.pop_back();
  channel_.respond(request, {{"result", said}, {"variablesReference", 0}});
  if (!resume) return true;
  quits_ = quits_ || resume->kind == Resume::Kind::quit;
  channel_.event("continued", {{"threadId", thread_number(focus)}, {"allThreadsContinued", true}});
  resume_ = resume;
  return true;
}

void Adapter::require_stopped(const Debugger& debugger) const {
  if (!debugger.is_stopped())
    throw usage_error(at_end_ ? "no thread is stopped: the case has ended" : "the kernel runs");
}

bool Adapter::go_on(Debugger& debugger, const std::string& command, const json& arguments) {
  if (command == "disconnect" || command == "terminate") {
    quits_ = true;
    return true;
  }
  if (command == "configurationDone") {
    configured_ = true;
    return true;
  }
  if (command == "pause") return true;
  const bool stands = debugger.is_stopped() || at_end_;
  if (command == "restart") {
    if (!stands) throw usage_error("the kernel runs: pause it first");
    resume_ = Resume{};
    resume_->kind = Resume::Kind::run;
    return true;
  }
  static const std::map<std::string, std::pair<Move, bool>> kMoves = {
      {"continue", {Move::go, false}},  {"next", {Move::next, false}},
      {"stepIn", {Move::step, false}},  {"stepOut", {Move::finish, false}},
      {"stepBack", {Move::next, true}}, {"reverseContinue", {Move::go, true}}};
  const auto found = kMoves.find(command);
  if (found == kMoves.end()) return false;
  if (!stands) throw usage_error("the kernel runs");
  if (found->second.second) debugger.require_way_back();
  Resume resume;
  resume.move = found->second.first;
  resume.backwards = found->second.second;
  const bool steps = resume.move != Move::go && resume.move != Move::finish;
  if (steps && arguments.value("granularity", "") == "instruction")
    resume.move = Move::step_statement;
  if (const uint32_t thread = arguments.value("threadId", 0u); thread != 0 && !at_end_)
    debugger.focus = focus_of(debugger, thread);
  resume_ = resume;
  return true;
}

json Adapter::answer(Debugger& debugger, const std::string& command, const json& arguments) {
  if (command == "setBreakpoints") return set_breakpoints(debugger, arguments);
  if (command == "setFunctionBreakpoints") return set_functions(debugger, arguments);
  if (command == "setExceptionBreakpoints") return json::object();
  if (command == "threads") return threads(debugger);
  if (command == "initialize") return adapter_capabilities();
  if (command == "launch" || command == "attach")
    throw usage_error("a case is debugged here already: start `warpmark debug --dap` again for it");
  if (at_end_ && command == "stackTrace")
    return {{"stackFrames", json::array()}, {"totalFrames", 0}};
  require_stopped(debugger);
  if (command == "stackTrace") return stack(debugger, arguments);
  if (command == "scopes") return scopes(debugger, arguments);
  if (command == "variables") return variables(debugger, arguments);
  if (command == "evaluate") return evaluate(debugger, arguments);
  if (command == "dataBreakpointInfo")
    return watch_information(debugger, handle_of(arguments), arguments);
  if (command == "setDataBreakpoints") return set_watches(debugger, arguments);
  throw usage_error("`" + command + "` is not supported");
}

json Adapter::described(const Breakpoint& breakpoint) const {
  json one = {{"id", breakpoint.number}, {"verified", !breakpoint.statements.empty()}};
  if (breakpoint.actual.line != 0) {
    one["line"] = breakpoint.actual.line;
    one["source"] = source_of(sources_, breakpoint.actual.file);
    if (breakpoint.place.line != 0 && breakpoint.place.line != breakpoint.actual.line) {
      one["message"] = fmt::format("line {} has no code: it stops at line {}, the next that has",
                                   breakpoint.place.line, breakpoint.actual.line);
    }
  } else if (breakpoint.statements.empty()) {
    one["message"] = "no code of this launch is there; a later one may have it";
  }
  return one;
}

json Adapter::add_breakpoint(Debugger& debugger, Breakpoint made, const json& asked,
                             std::vector<uint64_t>& numbers) {
  try {
    if (const std::string condition = asked.value("condition", ""); !condition.empty())
      made.condition = StopExpression::parse(condition);
  } catch (const Error& error) {
    return {{"verified", false}, {"message", error.message()}};
  }
  const Breakpoint& added = debugger.add(std::move(made));
  numbers.push_back(added.number);
  lines_[added.number] = added.actual.line;
  return described(added);
}

void Adapter::remove(Debugger& debugger, std::vector<uint64_t>& numbers) {
  for (const uint64_t number : std::exchange(numbers, {})) {
    debugger.remove(number);
    lines_.erase(number);
  }
}

json Adapter::set_breakpoints(Debugger& debugger, const json& arguments) {
  const std::string path = arguments.at("source").value("path", "");
  std::vector<uint64_t>& numbers = breakpoints_[path];
  remove(debugger, numbers);
  json answers = json::array();
  for (const json& asked : arguments.value("breakpoints", json::array())) {
    Breakpoint made;
    made.place = {path, asked.at("line").get<uint32_t>()};
    answers.push_back(add_breakpoint(debugger, std::move(made), asked, numbers));
  }
  return {{"breakpoints", answers}};
}

json Adapter::set_functions(Debugger& debugger, const json& arguments) {
  std::vector<uint64_t>& numbers = breakpoints_[""];
  remove(debugger, numbers);
  json answers = json::array();
  for (const json& asked : arguments.value("breakpoints", json::array())) {
    Breakpoint made;
    name(made, asked.at("name"));
    answers.push_back(add_breakpoint(debugger, std::move(made), asked, numbers));
  }
  return {{"breakpoints", answers}};
}

// The name of a watchpoint is its frame and expression: `5120 tile[3]`.
json Adapter::watch_information(Debugger& debugger, const Handle* of, const json& arguments) {
  const std::string name = arguments.at("name");
  Focus focus = of != nullptr ? of->focus : frame_of(debugger, arguments);
  const std::string expression = of != nullptr ? part_of(of->expression, name) : name;
  try {
    const ThreadView thread = debugger.view_of(focus);
    const WatchedMemory memory = watched_memory(StopExpression::parse(expression), thread);
    return {{"dataId", fmt::format("{} {}", frame_id(thread), memory.text)},
            {"description", memory.text},
            {"accessTypes", {"write"}}};
  } catch (const Error& error) {
    return {{"dataId", nullptr}, {"description", error.message()}};
  }
}

// Those that were set before stay at their memory, whatever block is here now.
json Adapter::set_watches(Debugger& debugger, const json& arguments) {
  const std::map<std::string, uint64_t> before = std::exchange(watches_, {});
  json answers = json::array();
  for (const json& asked : arguments.value("breakpoints", json::array())) {
    const std::string name = asked.at("dataId");
    uint64_t frame = 0;
    const char* const end = std::from_chars(name.data(), name.data() + name.size(), frame).ptr;
    try {
      if (const auto known = before.find(name); known != before.end()) {
        watches_.insert(*known);
      } else {
        const ThreadView thread = debugger.view_of(frame_of(debugger, {{"frameId", frame}}));
        watches_[name] = debugger.watch(StopExpression::parse(end), thread).number;
      }
      answers.push_back({{"id", watches_[name]}, {"verified", true}});
    } catch (const Error& error) {
      answers.push_back({{"verified", false}, {"message", error.message()}});
    }
  }
  for (const auto& [name, number] : before) {
    if (!watches_.contains(name)) debugger.remove(number);
  }
  return {{"breakpoints", answers}};
}

Focus Adapter::focus_of(Debugger& debugger, uint32_t thread) {
  if (thread == 0 || thread > debugger.text().threads()) throw usage_error("no such thread");
  return {(thread - 1) / 32, (thread - 1) % 32, 0};
}

json Adapter::threads(Debugger& debugger) {
  json all = json::array();
  for (uint32_t i = 0; debugger.is_stopped() && i < debugger.text().threads(); ++i) {
    const ThreadView thread = debugger.view_of({i / 32, i % 32, 0});
    const warpmark_debug_lane where = thread.where();
    const char* state = where.state == 0 ? " left" : where.state == 2 ? " waits" : "";
    all.push_back({{"id", i + 1},
                   {"name", fmt::format("block {} thread {}{}", triple_text(thread.block().data()),
                                        triple_text(where.thread), state)}});
  }
  if (all.empty()) all.push_back({{"id", 1}, {"name", "the kernel"}});
  return {{"threads", all}};
}

json Adapter::stack(Debugger& debugger, const json& arguments) {
  const uint32_t thread = arguments.at("threadId");
  const std::vector<FrameText> frames = frames_of(debugger.view_of(focus_of(debugger, thread)));
  const size_t begin = arguments.value("startFrame", size_t{0});
  const size_t levels = arguments.value("levels", size_t{0});
  json all = json::array();
  for (size_t i = begin; i < frames.size() && i < kFramesOfThread; ++i) {
    if (levels != 0 && i >= begin + levels) break;
    all.push_back({{"id", uint64_t{thread} * kFramesOfThread + i},
                   {"name", frames[i].function},
                   {"source", source_of(sources_, frames[i].place.file)},
                   {"line", frames[i].place.line},
                   {"column", 0}});
  }
  return {{"stackFrames", all}, {"totalFrames", frames.size()}};
}

Focus Adapter::frame_of(Debugger& debugger, const json& arguments) {
  const uint64_t id = arguments.value("frameId", uint64_t{0});
  if (id == 0) return debugger.focus;
  const Focus focus = focus_of(debugger, static_cast<uint32_t>(id / kFramesOfThread));
  return focus_on_frame(debugger.view_of(focus), id % kFramesOfThread);
}

json Adapter::scopes(Debugger& debugger, const json& arguments) {
  const Focus focus = frame_of(debugger, arguments);
  json all = json::array();
  for (const char* name : {"Locals", "Arguments", "Shared and global", "Registers"}) {
    handles_.push_back({focus, name, std::nullopt, ""});
    all.push_back({{"name", name},
                   {"variablesReference", handles_.size()},
                   {"expensive", std::string_view(name) == "Registers"}});
  }
  return {{"scopes", all}};
}

// One variable; what has elements, members or a target can be unfolded.
json Adapter::shown(const std::string& name, const std::string& expression, const Value& value,
                    const Shows& shows) {
  json one = {{"name", name},
              {"type", value.type->name},
              {"evaluateName", expression},
              {"variablesReference", 0}};
  try {
    const Value meant = referred(value, shows.thread);
    one["value"] = to_text(meant, shows.thread, shows.digits);
    const bool unfolds = meant.type->kind == ValueType::Kind::array ||
                         meant.type->kind == ValueType::Kind::record ||
                         (meant.type->kind == ValueType::Kind::pointer && meant.type->target);
    if (unfolds) {
      handles_.push_back({shows.thread.focus(), "", meant, expression});
      one["variablesReference"] = handles_.size();
      if (meant.type->kind == ValueType::Kind::array) one["indexedVariables"] = meant.type->count;
    }
  } catch (const Error& error) {
    one["value"] = "<" + error.message() + ">";
  }
  return one;
}

json Adapter::children(const Handle& of, const Shows& shows, const json& arguments) {
  json all = json::array();
  const Value& value = *of.value;
  const auto add = [&](const std::string& name, const Value& part) {
    all.push_back(shown(name, part_of(of.expression, name), part, shows));
  };
  if (value.type->kind == ValueType::Kind::record) {
    for (const ValueType::Member& one : value.type->members)
      add(one.name, member(value, one.name, shows.thread));
  } else if (value.type->kind == ValueType::Kind::pointer) {
    add("*", dereference(value, shows.thread));
  } else {
    const int64_t begin = arguments.value("start", int64_t{0});
    const int64_t asked = arguments.value("count", int64_t{0});
    const auto count = static_cast<int64_t>(value.type->count);
    const int64_t end = std::min(count, begin + (asked > 0 ? asked : kMostChildren));
    for (int64_t i = begin; i < end; ++i)
      add(fmt::format("[{}]", i), element(value, i, shows.thread));
  }
  return all;
}

// Null for no reference.
const Adapter::Handle* Adapter::handle_of(const json& arguments) const {
  const size_t reference = arguments.value("variablesReference", size_t{0});
  if (reference > handles_.size()) throw usage_error("no such variables");
  return reference == 0 ? nullptr : &handles_[reference - 1];
}

json Adapter::variables(Debugger& debugger, const json& arguments) {
  const Handle* const found = handle_of(arguments);
  if (found == nullptr) throw usage_error("no such variables");
  const Handle handle = *found;  // further ones may move it
  const ThreadView thread = debugger.view_of(handle.focus);
  const Shows shows{thread, digits_of(arguments)};
  if (handle.value) return {{"variables", children(handle, shows, arguments)}};
  json all = json::array();
  if (handle.scope == "Registers") {
    for (const std::string& name : thread.registers()) {
      const Value value = StopExpression::parse(name).evaluate(thread);
      all.push_back(shown(name, name, value, shows));
    }
    return {{"variables", all}};
  }
  std::map<std::string, bool> seen;
  for (const Variable& variable : thread.variables()) {
    const char* scope = variable.global     ? "Shared and global"
                        : variable.argument ? "Arguments"
                                            : "Locals";
    if (scope != handle.scope || !seen.emplace(variable.name, true).second) continue;
    const std::optional<Value> value = value_of(variable, thread);
    if (value) {
      all.push_back(shown(variable.name, variable.name, *value, shows));
    } else {
      all.push_back({{"name", variable.name},
                     {"value", "<optimised out>"},
                     {"type", variable.type->name},
                     {"variablesReference", 0}});
    }
  }
  return {{"variables", all}};
}

json Adapter::evaluate(Debugger& debugger, const json& arguments) {
  const ThreadView thread = debugger.view_of(frame_of(debugger, arguments));
  const std::string asked = arguments.at("expression");
  const std::string text = expression_of(asked);
  const Digits digits = text == asked ? digits_of(arguments) : Digits::hexadecimal;
  json one = shown(text, text, StopExpression::parse(text).evaluate(thread), {thread, digits});
  one["result"] = one["value"];
  for (const char* name : {"value", "name", "evaluateName"}) one.erase(name);
  return one;
}

}  // namespace warpmark::debugging
