#include "debug/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "debug/stop_text.hpp"

namespace warpmark::debugging {
namespace {

constexpr const char* kHelp =
    R"(break FILE:LINE | LINE | FUNCTION [if CONDITION]   stop there (tbreak: once)
watch EXPRESSION         stop when memory changes: watch tile[3]
delete N, disable N, enable N    a breakpoint or watchpoint
run                      from the beginning to the first stop
continue, finding        to the next stop; to the next finding of the checks
step, next, finish       the thread: to its next line; over calls; out of the function
stepi                    the thread's next PTX instruction
step 5, step warp        five lines; the next line of any lane of the warp (next and stepi, too)
reverse-continue, reverse-step, reverse-next, reverse-finish, reverse-stepi   the same, back
writer EXPRESSION        back to the last store to memory, of the same value, too
writers EXPRESSION       who wrote each element last: thread, block, line, statement
block X,Y,Z              go to the first statement of a block
thread X,Y,Z, warp N, lane N, frame N, up, down    look at another thread or function
print EXPRESSION         x, a[3], a[0:8], *p, p->x, threadIdx.x, %r1; print/x: in hexadecimal
list [LINE], x/i         source lines; the PTX instruction
backtrace                the functions that the thread is in
info locals | args | breakpoints | registers [NAME] | warps | lanes | line
quit
)";

// The whole words of abbreviations.
const std::map<std::string, std::string>& words() {
  static const std::map<std::string, std::string> kWords = {
      {"b", "break"},         {"br", "break"},        {"tb", "tbreak"},
      {"c", "continue"},      {"cont", "continue"},   {"s", "step"},
      {"n", "next"},          {"fin", "finish"},      {"si", "stepi"},
      {"ni", "stepi"},        {"nexti", "stepi"},     {"bt", "backtrace"},
      {"where", "backtrace"}, {"p", "print"},         {"inspect", "print"},
      {"i", "info"},          {"l", "list"},          {"r", "run"},
      {"start", "run"},       {"q", "quit"},          {"exit", "quit"},
      {"h", "help"},          {"d", "delete"},        {"rc", "reverse-continue"},
      {"rs", "reverse-step"}, {"rn", "reverse-next"}, {"rsi", "reverse-stepi"},
      {"f", "frame"},         {"thr", "thread"}};
  return kWords;
}

// Commands by their whole words, but for those that go back.
const std::set<std::string>& whole_words() {
  static const std::set<std::string> kWords = {
      "break", "tbreak", "watch",  "delete",  "disable",   "enable", "run",     "continue",
      "step",  "next",   "finish", "finding", "stepi",     "writer", "writers", "block",
      "warp",  "thread", "lane",   "frame",   "up",        "down",   "print",   "list",
      "x/i",   "info",   "quit",   "help",    "backtrace", "cuda"};
  return kWords;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::optional<uint32_t> number_of(const std::string& text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// "3", "1,2", "(1,2,0)".
std::array<uint32_t, 3> triple_of(std::string text) {
  for (char& c : text) c = c == '(' || c == ')' || c == ',' ? ' ' : c;
  std::istringstream stream(text);
  std::array<uint32_t, 3> numbers{};
  size_t count = 0;
  for (std::string word; stream >> word; ++count) {
    const std::optional<uint32_t> number = number_of(word);
    if (!number || count >= 3) throw usage_error("expected up to three numbers: X,Y,Z");
    numbers.at(count) = *number;
  }
  if (count == 0) throw usage_error("expected up to three numbers: X,Y,Z");
  return numbers;
}

// The words behind `step`: how often more, and `warp`. Other moves have none.
uint32_t take_step_words(const std::string& word, const std::string& rest, Resume& resume) {
  if (rest.empty()) return 0;
  const bool steps = resume.move != Move::go && resume.move != Move::finish;
  std::istringstream stream(rest);
  uint32_t count = 1;
  for (std::string one; stream >> one;) {
    const std::optional<uint32_t> number = number_of(one);
    if (!steps || (one != "warp" && number.value_or(0) == 0)) {
      throw usage_error(steps ? fmt::format("{0} takes a number, or `warp`: {0} 5", word)
                              : fmt::format("{} takes no further words", word));
    }
    if (number) count = *number;
    resume.by_warp = resume.by_warp || !number;
  }
  return count - 1;
}

}  // namespace

Terminal::Terminal(const TerminalScript& script, SourceLines& sources)
    : commands_(script.commands.begin(), script.commands.end()),
      input_(script.is_batch ? nullptr : &std::cin),
      output_(script.beside_program ? std::cerr : std::cout),
      is_terminal_(isatty(STDIN_FILENO) != 0),
      sources_(sources) {
  if (script.beside_program && !is_terminal_ && input_ != nullptr) {
    terminal_.open("/dev/tty");
    is_terminal_ = terminal_.is_open();
    input_ = is_terminal_ ? &terminal_ : nullptr;
  }
  if (script.file.empty()) return;
  std::istringstream stream(read_file(script.file));
  for (std::string line; std::getline(stream, line);) {
    if (!trimmed(line).starts_with("#")) commands_.push_back(line);
  }
}

Terminal::Terminal(std::ostream& output, SourceLines& sources)
    : input_(nullptr), output_(output), is_terminal_(false), sources_(sources) {}

bool Terminal::is_command(const std::string& line) {
  const std::string whole = trimmed(line);
  const size_t space = whole.find_first_of(" \t");
  const std::string word = whole.substr(0, space);
  if (whole_words().contains(word) || word.starts_with("reverse-")) return true;
  // A letter alone is rather a variable that is not there.
  const std::string plain = word.substr(0, word.find('/'));
  return space != std::string::npos && (words().contains(plain) || whole_words().contains(plain));
}

void Terminal::print(const std::string& text) {
  output_ << printable(text) << '\n' << std::flush;
}

void Terminal::launch_begins(Debugger& debugger) {
  if (!debugger.no_variables().empty()) {
    print("Variables are not known: " + debugger.no_variables() +
          "; lines, parameters and PTX registers are");
  }
}

bool Terminal::asked(Debugger& debugger) {
  if (!debugger.has_text())
    print("No kernel runs: the next one stops. Ctrl-C again ends the program.");
  return true;
}

std::optional<Resume> Terminal::further_step(const Stop& stop) {
  if (further_ == 0 || stop.reason != StopReason::step) {
    further_ = 0;
    return std::nullopt;
  }
  --further_;
  return step_;
}

Resume Terminal::stopped(Debugger& debugger, const Stop& stop) {
  listed_ = 0;
  if (const auto further = further_step(stop)) return *further;
  show_stop(debugger, &stop);
  return read_commands(debugger);
}

Resume Terminal::ended(Debugger& debugger, const std::string& text) {
  for (const std::string& finding : debugger.take_findings()) print("Found: " + finding);
  for (const std::string& note : debugger.take_notes()) print(note);
  print(text);
  return read_commands(debugger);
}

Resume Terminal::read_commands(Debugger& debugger) {
  for (;;) {
    for (const std::string& note : debugger.take_notes()) print(note);
    const std::optional<std::string> line = next_command();
    Resume quit;
    quit.kind = Resume::Kind::quit;
    if (!line) return quit;
    try {
      if (std::optional<Resume> resume = carry_out(debugger, *line)) return *resume;
    } catch (const Error& error) {
      print(error.message());
    }
  }
}

std::optional<std::string> Terminal::next_command() {
  if (!commands_.empty()) {
    std::string line = commands_.front();
    commands_.pop_front();
    print("(warpmark) " + line);
    return line;
  }
  if (input_ == nullptr) return std::nullopt;
  if (is_terminal_) output_ << "(warpmark) " << std::flush;
  std::string line;
  if (!std::getline(*input_, line)) return std::nullopt;
  if (!is_terminal_) print("(warpmark) " + line);
  return line;
}

std::optional<Resume> Terminal::carry_out(Debugger& debugger, const std::string& line) {
  std::string whole = trimmed(line);
  if (whole.empty() && is_terminal_) whole = last_;
  if (whole.empty() || whole[0] == '#') return std::nullopt;
  last_ = whole;
  const size_t space = whole.find_first_of(" \t");
  std::string word = whole.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : trimmed(whole.substr(space));
  if (word == "cuda") return carry_out(debugger, rest);  // "cuda thread 3" of cuda-gdb
  const size_t slash = word == "x/i" ? std::string::npos : word.find('/');
  const std::string format = slash == std::string::npos ? "" : word.substr(slash);
  word = word.substr(0, slash);
  if (const auto full = words().find(word); full != words().end()) word = full->second;
  if (word == "print" || !format.empty()) {
    if (word != "print") throw usage_error("only print has a format: print/x");
    print_value(debugger, format, rest);
    return std::nullopt;
  }
  if (std::optional<Resume> resume = going_on(debugger, word, rest)) return resume;
  if (word == "block") return block_wanted(debugger, rest);
  look(debugger, word, rest);
  return std::nullopt;
}

std::optional<Resume> Terminal::going_on(Debugger& debugger, const std::string& word,
                                         const std::string& rest) {
  static const std::map<std::string, Move> kMoves = {{"continue", Move::go},
                                                     {"step", Move::step},
                                                     {"next", Move::next},
                                                     {"finish", Move::finish},
                                                     {"stepi", Move::step_statement}};
  Resume resume;
  uint32_t further = 0;
  if (word == "quit" || word == "run") {
    resume.kind = word == "quit" ? Resume::Kind::quit : Resume::Kind::run;
    return resume;
  }
  constexpr std::string_view kBack = "reverse-";
  resume.backwards = word.starts_with(kBack) || word == "writer";
  const bool stands = debugger.is_stopped();
  if (stands && (word == "writers" || (word == "info" && rest.starts_with("writers ")))) {
    debugger.find_writers(StopExpression::parse(word == "info" ? trimmed(rest.substr(8)) : rest));
    resume.kind = Resume::Kind::again;
    return resume;
  }
  if (word == "finding") {
    resume.to_finding = true;
  } else if (word == "writer") {
    // The watchpoint is only for this one search.
    if (!stands) throw usage_error("no thread is stopped");
    debugger.watch(StopExpression::parse(rest)).each_store = true;
  } else {
    const auto move = kMoves.find(resume.backwards ? word.substr(kBack.size()) : word);
    if (move == kMoves.end()) return std::nullopt;
    resume.move = move->second;
    further = take_step_words(word, rest, resume);
  }
  if (resume.backwards) debugger.require_way_back();
  if (!debugger.is_stopped() && !resume.backwards) {
    throw usage_error("the kernel has ended: run, or reverse-continue");
  }
  if (!debugger.is_stopped() && resume.move != Move::go) {
    throw usage_error("no thread is stopped: reverse-continue goes back to the last stop");
  }
  step_ = resume;
  further_ = further;
  return resume;
}

std::optional<Resume> Terminal::block_wanted(Debugger& debugger, const std::string& rest) {
  const std::array<uint32_t, 3> block = triple_of(rest);
  debugger.require_way_back();
  if (debugger.is_stopped() && block == debugger.thread().block()) {
    show_stop(debugger, nullptr);
    return std::nullopt;
  }
  if (debugger.has_text()) {
    const auto& grid = debugger.text().grid;
    for (size_t i = 0; i < 3; ++i) {
      if (block.at(i) >= grid.at(i))
        throw usage_error("the grid has no such block: it is " + triple_text(grid.data()));
    }
  }
  Resume resume;
  resume.kind = Resume::Kind::jump;
  resume.block = block;
  return resume;
}

void Terminal::look(Debugger& debugger, const std::string& word, const std::string& rest) {
  if (word == "help") return print(kHelp);
  if (word == "break" || word == "tbreak") return add_breakpoint(debugger, rest, word == "tbreak");
  if (word == "delete" || word == "enable" || word == "disable") {
    const std::optional<uint32_t> number = number_of(rest);
    bool found = false;
    for (Breakpoint& one : debugger.breakpoints()) {
      if (!number || one.number != *number) continue;
      found = true;
      one.enabled = word == "enable";
    }
    if (word == "delete") found = number && debugger.remove(*number);
    if (!found && rest.empty()) throw usage_error("which one? " + word + " N");
    if (!found) throw usage_error("there is no breakpoint or watchpoint of that number");
    return;
  }
  if (word == "info" && rest == "breakpoints") return show_breakpoints(debugger);
  if (!debugger.is_stopped()) {
    const bool known = word == "list" || word == "info" || word == "watch" || word == "writers";
    throw usage_error(known ? "no thread is stopped" : "unknown command `" + word + "`; see help");
  }
  if (word == "watch") {
    const Watchpoint& one = debugger.watch(StopExpression::parse(rest));
    return print(fmt::format("Watchpoint {}: {}", one.number, one.memory.text));
  }
  if (word == "list") return list(debugger, rest);
  if (word == "info") return info(debugger, rest);
  if (word == "backtrace") return show_frames(debugger);
  if (word == "x/i") {
    const auto at = debugger.thread().statement();
    return print(at ? debugger.text().statements.at(*at).text : "the thread has left");
  }
  focus_on(debugger, word, rest);
}

void Terminal::print_value(Debugger& debugger, const std::string& format, const std::string& rest) {
  if (!debugger.is_stopped()) throw usage_error("no thread is stopped");
  if (!format.empty() && format != "/x")
    throw usage_error("print has one format: print/x, in hexadecimal");
  const StopExpression expression = StopExpression::parse(rest);
  const ThreadView thread = debugger.thread();
  const Digits digits = format.empty() ? Digits::decimal : Digits::hexadecimal;
  print(fmt::format("{} = {}", rest, to_text(expression.evaluate(thread), thread, digits)));
}

void Terminal::focus_on(Debugger& debugger, const std::string& word, const std::string& rest) {
  Focus next = debugger.focus;
  const LaunchText& text = debugger.text();
  next.frame = next.call = 0;
  if (word == "thread") {
    const auto at = triple_of(rest);
    for (size_t i = 0; i < 3; ++i) {
      if (at.at(i) >= text.block.at(i))
        throw usage_error("the block has no such thread: it is " + triple_text(text.block.data()));
    }
    const uint32_t linear = at[0] + text.block[0] * (at[1] + text.block[1] * at[2]);
    next.warp = linear / 32;
    next.lane = linear % 32;
  } else if (word == "warp" || word == "lane") {
    const std::optional<uint32_t> number = number_of(rest);
    if (!number) throw usage_error("expected a number");
    (word == "warp" ? next.warp : next.lane) = *number;
    if (word == "warp") next.lane = 0;
    if (next.lane >= 32 || next.warp * 32 + next.lane >= text.threads())
      throw usage_error(
          fmt::format("the block has {} threads in {} warps", text.threads(), text.warps()));
  } else if (word == "frame" || word == "up" || word == "down") {
    const size_t now = frame_number(debugger.thread());
    const std::optional<uint32_t> number = number_of(rest);
    next = focus_on_frame(debugger.thread(), word == "up"     ? now + 1
                                             : word == "down" ? now - std::min<size_t>(now, 1)
                                                              : number.value_or(0));
  } else {
    throw usage_error("unknown command `" + word + "`; `help` lists them");
  }
  debugger.focus = next;
  listed_ = 0;
  show_stop(debugger, nullptr);
}

void Terminal::add_breakpoint(Debugger& debugger, const std::string& rest, bool once) {
  Breakpoint made;
  made.once = once;
  std::string place = rest;
  if (const size_t condition = rest.find(" if "); condition != std::string::npos) {
    made.condition = StopExpression::parse(trimmed(rest.substr(condition + 4)));
    place = trimmed(rest.substr(0, condition));
  }
  const size_t colon = place.rfind(':');
  const std::string last = colon == std::string::npos ? place : place.substr(colon + 1);
  if (const std::optional<uint32_t> line = number_of(last)) {
    made.place.line = *line;
    if (colon != std::string::npos) {
      made.place.file = place.substr(0, colon);
    } else if (debugger.is_stopped()) {
      const auto at = debugger.thread().statement();
      if (at) made.place.file = debugger.text().statements.at(*at).place.file;
    }
    if (made.place.file.empty()) throw usage_error("in which file? break FILE:LINE");
  } else if (place.empty()) {
    throw usage_error("where? break FILE:LINE, or break FUNCTION");
  } else {
    name(made, place);
  }
  const uint32_t asked = made.place.line;
  const Breakpoint& one = debugger.add(std::move(made));
  if (!one.statements.empty() && one.actual.line == 0) {
    return print(
        fmt::format("Breakpoint {} at the first statement of {}, whose lines are not known",
                    one.number, asked_text(one)));
  }
  if (one.statements.empty()) {
    return print(
        fmt::format("Breakpoint {}: no code of this launch is there; later launches may "
                    "have it",
                    one.number));
  }
  std::string text =
      fmt::format("Breakpoint {} at {}:{}", one.number, one.actual.file, one.actual.line);
  if (asked != 0 && one.actual.line != asked) text += fmt::format(" (line {} has no code)", asked);
  if (one.statements.size() > 1) text += fmt::format(", {} places", one.statements.size());
  print(text);
}

void Terminal::show_stop(Debugger& debugger, const Stop* stop) {
  const ThreadView thread = debugger.thread();
  const warpmark_debug_lane where = thread.where();
  const std::string reason = stop != nullptr ? reason_text(*stop) : "";
  if (!reason.empty()) print(reason);
  if (stop != nullptr && stop->reason == StopReason::writers) return;
  std::string text =
      fmt::format("[block {}, thread {}, warp {}, lane {}]", triple_text(thread.block().data()),
                  triple_text(where.thread), thread.focus().warp, thread.focus().lane);
  if (!thread.statement()) return print(text + " has left the kernel");
  const FrameText frame = frames_of(thread).at(frame_number(thread));
  text += fmt::format(" {} at {}", frame.function, place_text(frame, debugger.text()));
  if (where.state == 2) text += ", waits";
  print(text);
  const auto line = sources_.line(frame.place.file, frame.place.line);
  if (line) print(fmt::format("{}\t{}", frame.place.line, *line));
}

void Terminal::list(Debugger& debugger, const std::string& rest) {
  constexpr uint32_t kLines = 10;
  const ThreadView thread = debugger.thread();
  if (!thread.statement()) throw usage_error("the thread has left the kernel");
  const SourcePlace place = frames_of(thread).at(frame_number(thread)).place;
  if (const std::optional<uint32_t> line = number_of(rest))
    listed_ = *line - std::min(*line - 1, 5u);
  if (listed_ == 0) listed_ = place.line > 5 ? place.line - 5 : 1;
  std::string text;
  for (uint32_t i = 0; i < kLines; ++i, ++listed_) {
    const auto line = sources_.line(place.file, listed_);
    if (!line) break;
    text += fmt::format("{}{}{}\t{}", text.empty() ? "" : "\n", listed_ == place.line ? ">" : "",
                        listed_, *line);
  }
  if (text.empty() && place.file.empty()) text = "the kernel has no lines: x/i shows its PTX";
  print(text.empty() ? "no text is known of " + place.file : text);
}

}  // namespace warpmark::debugging
