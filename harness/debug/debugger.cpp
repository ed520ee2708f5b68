#include "debug/debugger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/error.hpp"
#include "debug/shared_types.hpp"
#include "debug/stop_text.hpp"

namespace warpmark::debugging {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr RunPosition kEnd{kNever, kNever};

uint32_t first_lane(uint32_t lanes) {
  return static_cast<uint32_t>(std::countr_zero(lanes));
}

// True if the type says what its bytes mean, and what it points to.
bool is_known(const ValueType& type) {
  return type.kind != ValueType::Kind::unknown &&
         (type.target == nullptr || is_known(*type.target));
}

std::string finding_text(const nlohmann::json& report) {
  return report.value("message", report.value("kind", "something was found"));
}

}  // namespace

Debugger::Debugger(Front& front, const SourceLines& sources) : front_(front), sources_(sources) {
  hook_.user = this;
  hook_.call = [](void* user, const warpmark_debug_point* point) {
    return static_cast<Debugger*>(user)->call(*point);
  };
  variables_ = [this](uint32_t statement) { return variables_at(statement); };
}

void Debugger::expect_program() {
  of_program_ = true;
  hook_.keeps = 1;
}

void Debugger::idle() {
  hook_.pause = 0;
  if (front_.asked(*this)) hook_.pause = 1;
  quits_ = quits_ || front_.has_left();
}

RunPosition Debugger::beginning() const {
  return {of_program_ ? position_.launch : 1, 0};
}

void Debugger::begin_run() {
  again_ = begun_ = restarts_ = repeating_ = false;
  host_launches_ = 0;
  position_ = {1, 0};
  for (Watchpoint& watchpoint : watchpoints_) watchpoint.last.reset();
  last_findings_.clear();
}

void Debugger::end_run() {
  text_ = nullptr;
  kernel_ = nullptr;
  if (mode_ == Mode::scan && !again_ && !quits_) finish_scan();
}

ThreadView Debugger::view_of(const Focus& which) const {
  return {*view_, *point_, *text_, variables_, which};
}

int Debugger::call(const warpmark_debug_point& point) {
  try {
    const bool goes_on = point.reason == WARPMARK_DEBUG_BEGIN ? begin_launch(point)
                         : point.reason == WARPMARK_DEBUG_END ? end_launch(point)
                                                              : before_statement(point);
    if (goes_on) return WARPMARK_DEBUG_GO_ON;
  } catch (const Error& error) {  // no exception crosses the device
    notes_.push_back(error.message());
    quits_ = true;
  }
  if (!again_ || quits_ || !of_program_ || restarts_) return WARPMARK_DEBUG_LEAVE;
  again_ = false;
  repeating_ = true;
  return WARPMARK_DEBUG_REPEAT;
}

bool Debugger::begin_launch(const warpmark_debug_point& point) {
  const bool repeats = std::exchange(repeating_, false);
  if (point.depth == 0 && !repeats) ++host_launches_;
  ignored_ = !of_program_ && host_launches_ > launches_.size();
  for (Watchpoint& watchpoint : watchpoints_) {
    if (repeats || watchpoint.memory.of_block) watchpoint.last.reset();
  }
  hook_.until = kNever;
  hook_.stops = nullptr;
  hook_.range_count = 0;
  if (again_ || quits_) return false;
  if (ignored_) return true;
  point_ = &point;
  position_ = {point.launch, 0};
  LaunchText text = LaunchText::read(*view_, point);
  text.number = point.launch;
  auto& kernel = kernels_[{text.kernel, text.module}];
  if (kernel == nullptr) {
    kernel = std::make_unique<Kernel>();
    kernel->text.read_statements(*view_, point);
    kernel->information = DebugInfo::open(read_sections(*view_, point), kernel->why);
    kernel->sources = sources_.texts(kernel->text);
    if (kernel->information == nullptr)
      kernel->parameters = kernel_parameters(text.kernel, text.parameters.size(), kernel->sources);
  }
  text.statements = std::move(kernel->text.statements);
  text.has_lines = kernel->text.has_lines;
  kernel->text = std::move(text);
  kernel_ = kernel.get();
  text_ = &kernel->text;
  no_variables_ = kernel->why;
  if (kernel->information == nullptr) kernel->variables.clear();
  mark_stops();
  if (writers_) writers_->begin_launch();
  if (first_ && !begun_) front_.launch_begins(*this);
  begun_ = true;
  set_filter();
  return true;
}

void Debugger::mark_stops() {
  stops_.assign(text_->statements.size(), 0);
  for (Breakpoint& breakpoint : breakpoints_) {
    resolve(breakpoint, *text_);
    for (const uint32_t statement : breakpoint.statements) stops_.at(statement) = 1;
  }
}

// Says before which statements the device calls.
void Debugger::set_filter() {
  watch_ranges();
  if (mode_ == Mode::seek) {
    hook_.stops = nullptr;
    hook_.until = position_.launch == target_.launch ? target_.count : kNever;
    return;
  }
  const bool all = first_ || steps_ || wanted_block_;
  hook_.stops = to_finding_ || scanned_ || stops_.empty() ? nullptr : stops_.data();
  hook_.until = all ? 0 : kNever;
  if (mode_ == Mode::scan && !all && position_.launch == target_.launch)
    hook_.until = target_.count;
}

void Debugger::watch_ranges() {
  ranges_.clear();
  if (writers_) {
    ranges_.push_back(writers_->memory().range);
  } else if (!to_finding_ && !scanned_) {
    for (const Watchpoint& one : watchpoints_) ranges_.push_back(one.memory.range);
  }
  hook_.ranges = ranges_.data();
  hook_.range_count = static_cast<uint32_t>(ranges_.size());
}

// True while the last store to some memory is looked for, and nothing else stops.
bool Debugger::searches() const {
  return !watchpoints_.empty() && watchpoints_.back().each_store;
}

std::vector<warpmark_debug_store> Debugger::stores_at(const warpmark_debug_point& point) const {
  std::vector<warpmark_debug_store> stores(ranges_.empty() ? 0 : view_->stores(&point, nullptr, 0));
  if (!stores.empty()) view_->stores(&point, stores.data(), static_cast<uint32_t>(stores.size()));
  return stores;
}

bool Debugger::before_statement(const warpmark_debug_point& point) {
  point_ = &point;
  position_ = {point.launch, point.count};
  if (ignored_ || again_ || quits_) return !again_ && !quits_;
  const bool asked = hook_.pause != 0;
  hook_.pause = 0;
  if (asked && mode_ == Mode::forwards) {
    hit_focus_ = {point.warp, first_lane(point.lanes), 0};
    if (front_.asked(*this)) return stop({StopReason::pause, position_, 0, ""});
  }
  if (mode_ == Mode::seek) {
    if (writers_) writers_->add(stores_at(point), position_, *text_);
    if (position_ < target_) return true;
    hit_focus_ = target_focus_;
    if (target_stop_.reason != StopReason::writers &&
        (hit_focus_.warp != point.warp || target_stop_.reason == StopReason::beginning))
      hit_focus_ = {point.warp, first_lane(point.lanes), 0};
    Stop reached = target_stop_;
    reached.position = position_;
    if (writers_) reached.text = writers_->table(position_);
    writers_.reset();
    return stop(reached);
  }
  // A store right before the present point is looked for, too, unless it was found before.
  const bool is_last = searches() && !after_store_ && position_ == target_;
  if (mode_ == Mode::scan && position_ >= target_ && !is_last) {
    finish_scan();
    return false;
  }
  std::optional<Stop> found = hit(point);
  if (!found) return true;
  if (mode_ == Mode::scan) {
    candidate_ = found;
    candidate_focus_ = hit_focus_;
    return true;
  }
  // The statement that was executed last is the one: it is gone back to, before its effects.
  if (found->reason == StopReason::finding && (!of_program_ || hook_.kept != 0)) {
    target_focus_ = hit_focus_;
    return seek(found->position, *found);
  }
  return stop(*found);
}

std::optional<Stop> Debugger::hit(const warpmark_debug_point& point) {
  hit_focus_ = {point.warp, first_lane(point.lanes), 0};
  const bool is_plain = !scanned_;
  if (point.reason == WARPMARK_DEBUG_FINDING && is_plain && point.count > 0) {
    const RunPosition place{point.launch, point.count - 1};
    const std::vector<Finding> found = findings_at(point);
    if (place != resumed_from_ && !found.empty()) {
      shown_.insert(found.back().text);
      hit_focus_ = {found.back().thread / 32, found.back().thread % 32, 0};
      return Stop{StopReason::finding, place, 0, found.back().text};
    }
  }
  if (first_) return Stop{StopReason::entry, position_, 0, ""};
  if (wanted_block_) {
    if (!std::equal(wanted_block_->begin(), wanted_block_->end(), point.block)) return std::nullopt;
    return Stop{StopReason::step, position_, 0, ""};
  }
  if (is_plain && !to_finding_) {
    if (std::optional<Stop> stop = watch_hit(point)) return stop;
    if (std::optional<Stop> stop = searches() ? std::nullopt : breakpoint_hit(point)) return stop;
  }
  if (!steps_) return std::nullopt;
  const ViewOf view = [this](const Focus& which) { return view_of(which); };
  if (!steps_->ends(point, *text_, view)) return std::nullopt;
  if (steps_->has_left()) {
    if (mode_ == Mode::scan) return std::nullopt;
    return Stop{StopReason::left, position_, 0, ""};
  }
  hit_focus_ = steps_->focus();
  if (mode_ == Mode::scan) {
    const size_t depth = depth_of(view_of(hit_focus_));
    steps_->begin(point.statement, *text_, depth);
    if (scanned_ == Move::next && depth > scan_depth_) return std::nullopt;
    if (scanned_ == Move::finish && depth >= scan_depth_) return std::nullopt;
  }
  return Stop{StopReason::step, position_, 0, ""};
}

std::optional<Stop> Debugger::breakpoint_hit(const warpmark_debug_point& point) {
  if (stops_.at(point.statement) == 0) return std::nullopt;
  if (mode_ == Mode::forwards && position_ == resumed_from_) return std::nullopt;
  // While a thread steps, breakpoints stop that thread alone.
  const uint32_t lanes = steps_ ? steps_->lanes_of(point) : point.lanes;
  for (Breakpoint& breakpoint : breakpoints_) {
    const auto& all = breakpoint.statements;
    if (breakpoint.launch != 0 && point.count != 0) continue;
    if (!breakpoint.enabled || std::ranges::find(all, point.statement) == all.end()) continue;
    std::optional<uint32_t> lane;
    std::string trouble;
    for (uint32_t rest = lanes; rest != 0 && !lane; rest &= rest - 1) {
      const Focus one{point.warp, first_lane(rest), 0};
      try {
        if (!breakpoint.condition || breakpoint.condition->holds(view_of(one))) lane = one.lane;
      } catch (const Error& error) {  // who cannot be asked is shown
        lane = one.lane;
        trouble = "the condition of breakpoint " + std::to_string(breakpoint.number) +
                  " cannot be told: " + error.message();
      }
    }
    if (!lane) continue;
    hit_focus_ = {point.warp, *lane, 0};
    // The thread that is looked at stays so, if it is there, too.
    if (!breakpoint.condition && focus.warp == point.warp && (point.lanes >> focus.lane & 1) != 0)
      hit_focus_.lane = focus.lane;
    if (mode_ == Mode::forwards) {
      ++breakpoint.hits;
      if (breakpoint.once) breakpoint.enabled = false;
    }
    return Stop{StopReason::breakpoint, position_, breakpoint.number, trouble};
  }
  return std::nullopt;
}

std::optional<Stop> Debugger::watch_hit(const warpmark_debug_point& point) {
  const std::vector<warpmark_debug_store> stores = stores_at(point);
  for (size_t i = 0; i < watchpoints_.size() && !stores.empty(); ++i) {
    Watchpoint& watchpoint = watchpoints_[i];
    if (searches() && !watchpoint.each_store) continue;
    const auto is_here = [i](const warpmark_debug_store& store) { return store.range == i; };
    const auto writer = std::find_if(stores.rbegin(), stores.rend(), is_here);
    if (writer == stores.rend()) continue;
    const WatchedMemory& memory = watchpoint.memory;
    const bool same_block = std::equal(point.block, point.block + 3, writer->block);
    ThreadView thread = view_of(memory.of_block ? memory.focus : hit_focus_);
    const auto now = thread.read(memory.value.place->space, memory.value.place->address,
                                 memory.value.type->bytes);
    if (!now) continue;
    const std::optional<std::vector<std::byte>> last = std::exchange(watchpoint.last, now);
    const bool same = last && *last == *now;
    if (same && !watchpoint.each_store) continue;
    const Value after{memory.value.type, {}, *now};
    std::string text = memory.text + ": ";
    if (last && !same) text += to_text({memory.value.type, {}, *last}, thread) + " -> ";
    text += to_text(after, thread) + (same ? ", the same value again" : "");
    text += fmt::format(", written by thread {} of block {}",
                        thread_text(writer->warp * 32 + writer->lane, text_->block),
                        triple_text(writer->block));
    const auto count = std::ranges::count_if(stores, is_here);
    if (count > 1) text += fmt::format(" and {} more", count - 1);
    if (writer->statement < text_->statements.size()) {
      const StatementText& statement = text_->statements[writer->statement];
      if (statement.place.line != 0)
        text += fmt::format(" at {}:{}", statement.place.file, statement.place.line);
    }
    if (same_block) hit_focus_ = {writer->warp, writer->lane, 0};
    return Stop{StopReason::watch, position_, watchpoint.each_store ? 0 : watchpoint.number, text};
  }
  return std::nullopt;
}

bool Debugger::stop(const Stop& stop) {
  mode_ = Mode::forwards;
  first_ = to_finding_ = false;
  steps_.reset();
  scanned_.reset();
  wanted_block_.reset();
  resumed_from_ = position_;
  focus = hit_focus_;
  if (view_of(focus).where().state == 0) focus = {point_->warp, first_lane(point_->lanes), 0};
  stopped_ = true;
  after_store_ = stop.reason == StopReason::watch;
  std::erase_if(watchpoints_, [](const Watchpoint& one) { return one.each_store; });
  const Resume resume = front_.stopped(*this, stop);
  stopped_ = false;
  const bool goes_on = follow(resume);
  if (goes_on) set_filter();
  return goes_on;
}

bool Debugger::follow(const Resume& resume) {
  hook_.pause = 0;
  gives_up_ = 0;
  switch (resume.kind) {
    case Resume::Kind::quit:
      quits_ = true;
      return false;
    case Resume::Kind::jump:
      wanted_block_ = resume.block;
      again_ = true;
      return false;
    case Resume::Kind::run:
      printed_ = 0;
      if (position_ == RunPosition{1, 0} && point_ != nullptr && begun_) return true;
      resumed_from_ = {0, 0};
      again_ = true;
      restarts_ = of_program_;
      return false;
    case Resume::Kind::again:
      target_focus_ = focus;
      again_ = true;
      mode_ = Mode::seek;
      target_ = position_;
      target_stop_ = {StopReason::writers, position_, 0, ""};
      return false;
    case Resume::Kind::move:
      break;
  }
  if (resume.backwards) {
    if (resume.move != Move::go) {
      scanned_ = resume.move;
      scan_depth_ = depth_of(thread());
      const bool by_statement = resume.move == Move::step_statement || !text_->has_lines;
      const Move by = by_statement ? Move::step_statement : Move::step;
      steps_.emplace(thread().block(), focus, by, resume.by_warp);
    }
    return go_back(position_);
  }
  to_finding_ = resume.to_finding;
  if (resume.move == Move::go) return true;
  const bool by_statement = !text_->has_lines && resume.move != Move::finish;
  const std::optional<uint32_t> at = view_of({focus.warp, focus.lane, 0}).statement();
  steps_.emplace(thread().block(), focus, by_statement ? Move::step_statement : resume.move,
                 resume.by_warp);
  if (at) {
    size_t depth = depth_of(thread());
    // `finish` is out of the frame that is looked at.
    if (resume.move == Move::finish) depth -= std::min(frame_number(thread()), depth - 1);
    steps_->begin(*at, *text_, depth);
  } else {
    steps_->begin_left();
  }
  return true;
}

void Debugger::resume_from_end(const Resume& resume) {
  position_ = kEnd;
  if (resume.kind == Resume::Kind::move && resume.backwards) {
    go_back(kEnd);
    return;
  }
  begun_ = false;
  if (resume.kind == Resume::Kind::move) {  // there is nothing further on
    quits_ = true;
    return;
  }
  follow(resume);
}

bool Debugger::go_back(const RunPosition& limit) {
  mode_ = Mode::scan;
  target_ = limit;
  candidate_.reset();
  again_ = true;
  return false;
}

// The last point that was met is gone to; else the beginning, or back to where a search began.
void Debugger::finish_scan() {
  if (!candidate_ && searches()) {
    candidate_focus_ = focus;
    candidate_ = Stop{StopReason::writers, target_, 0,
                      watchpoints_.back().memory.text + ": nothing has written it before"};
  }
  target_stop_ = candidate_.value_or(Stop{StopReason::beginning, beginning(), 0, ""});
  target_focus_ = candidate_ ? candidate_focus_ : Focus{};
  target_ = target_stop_.position;
  steps_.reset();
  scanned_.reset();
  mode_ = Mode::seek;
  again_ = true;
}

bool Debugger::seek(const RunPosition& target, const Stop& stop) {
  mode_ = Mode::seek;
  target_ = target;
  target_stop_ = stop;
  steps_.reset();
  again_ = target < position_;
  if (!again_) set_filter();
  return !again_;
}

bool Debugger::end_launch(const warpmark_debug_point& point) {
  if (again_ || quits_ || ignored_) return !again_ && !quits_;
  point_ = &point;
  if (of_program_ && mode_ == Mode::scan) {
    finish_scan();
    return false;
  }
  if (of_program_ && mode_ == Mode::seek) {
    mode_ = Mode::forwards;
    writers_.reset();
    notes_.emplace_back("the launch went another way this time, and has ended");
  }
  for (const Finding& finding : findings_at(point)) {
    if (mode_ == Mode::forwards && shown_.insert(finding.text).second)
      last_findings_.push_back(finding.text);
  }
  // In a run that repeats what was seen, nothing is printed again.
  const bool is_new = point.launch > printed_;
  printed_ = std::max(printed_, point.launch);
  if (of_program_) text_ = nullptr;
  return is_new || of_program_;
}

std::vector<Debugger::Finding> Debugger::findings_at(const warpmark_debug_point& point) const {
  std::vector<std::string> lines;
  view_->findings(
      &point,
      [](void* user, const char* text, size_t length) {
        static_cast<std::vector<std::string>*>(user)->emplace_back(text, length);
      },
      &lines);
  std::vector<Finding> findings;
  for (const std::string& line : lines) {
    const nlohmann::json report = nlohmann::json::parse(line, nullptr, false);
    if (!report.is_object()) continue;
    const auto at = report.value("thread", std::array<uint32_t, 3>{});
    const auto& size = text_->block;
    findings.push_back({finding_text(report), at[0] + size[0] * (at[1] + size[1] * at[2])});
  }
  return findings;
}

// Shared variables of functions, which NVRTC's debug information does not have.
void Debugger::add_shared(std::vector<Variable>& variables) const {
  for (const KernelParameter& one : text_->shared) {
    const bool known = std::ranges::any_of(variables, [&](const Variable& other) {
      return other.name == one.name && other.place != Variable::Place::gone;
    });
    if (known) continue;
    Variable variable;
    variable.name = one.name;
    variable.type = shared_type(kernel_->sources, one.name, one.bytes);
    variable.global = true;
    variable.place = Variable::Place::memory;
    variable.space = WARPMARK_DEBUG_SHARED;
    variable.address = one.offset;
    variables.push_back(std::move(variable));
  }
}

std::vector<Variable> Debugger::variables_at(uint32_t statement) {
  const auto known = kernel_->variables.find(statement);
  if (known != kernel_->variables.end()) return known->second;
  std::vector<Variable>& all = kernel_->variables[statement];
  const bool of_kernel = text_->statements.at(statement).symbol == text_->statements.back().symbol;
  if (kernel_->information != nullptr) {
    all = kernel_->information->variables(statement);
    add_shared(all);
    if (!of_kernel || !text_->in_prologue(statement)) return all;
    // They are not in their registers yet.
    size_t number = 0;
    for (Variable& variable : all) {
      if (!variable.argument || number >= text_->parameters.size()) continue;
      variable.place = Variable::Place::memory;
      variable.space = WARPMARK_DEBUG_PARAM;
      variable.address = text_->parameters[number++].offset;
    }
    return all;
  }
  add_shared(all);
  if (of_kernel) add_parameters(all);
  return all;
}

// The parameters of a kernel without debug information, as the launch gave them.
void Debugger::add_parameters(std::vector<Variable>& variables) const {
  const bool of_host = point_->depth == 0 && host_launches_ > 0;
  const Parameters planned =
      of_host && host_launches_ <= launches_.size() ? launches_[host_launches_ - 1] : Parameters();
  for (size_t i = 0; i < kernel_->parameters.size(); ++i) {
    const KernelParameter& parameter = text_->parameters[i];
    Variable variable;
    std::tie(variable.name, variable.type) = kernel_->parameters[i];
    if (i < planned.size() && variable.name.empty()) variable.name = planned[i].first;
    if (i < planned.size() && !is_known(*variable.type)) variable.type = planned[i].second;
    if (variable.name.empty()) variable.name = fmt::format("param_{}", i);
    if (variable.type->bytes != parameter.bytes)
      variable.type = unknown_type(variable.type->name, parameter.bytes);
    variable.argument = true;
    variable.place = Variable::Place::memory;
    variable.space = WARPMARK_DEBUG_PARAM;
    variable.address = parameter.offset;
    variables.push_back(std::move(variable));
  }
}

Breakpoint& Debugger::add(Breakpoint breakpoint) {
  breakpoint.number = ++numbers_;
  breakpoints_.push_back(std::move(breakpoint));
  if (text_ != nullptr) mark_stops();
  return breakpoints_.back();
}

bool Debugger::remove(uint64_t number) {
  const auto is_it = [&](const auto& one) { return one.number == number; };
  const bool found = std::erase_if(breakpoints_, is_it) + std::erase_if(watchpoints_, is_it) > 0;
  if (text_ != nullptr) mark_stops();
  return found;
}

Watchpoint& Debugger::watch(const StopExpression& expression, const ThreadView& of) {
  Watchpoint watchpoint;
  watchpoint.memory = watched_memory(expression, of);
  watchpoint.last = bytes_of(watchpoint.memory.value, view_of(watchpoint.memory.focus));
  watchpoint.number = ++numbers_;
  watchpoints_.push_back(std::move(watchpoint));
  return watchpoints_.back();
}

void Debugger::find_writers(const StopExpression& expression) {
  require_way_back();
  writers_.emplace(watched_memory(expression, thread()));
}

void Debugger::require_way_back() const {
  if (of_program_ && !stopped_) throw usage_error("the program has ended: run starts it again");
  if (of_program_ && hook_.kept == 0) {
    throw usage_error(
        "this launch cannot run again, so there is no way back: it uses malloc, or more than 1 GiB "
        "of device memory is in use");
  }
}

}  // namespace warpmark::debugging
