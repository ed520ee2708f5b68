#include "runtime/worker_link.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/clock.hpp"
#include "base/own_program.hpp"
#include "driver/allotment.hpp"
#include "ranks/ranks.hpp"
#include "runtime/compile_forks.hpp"
#include "worker/confined_start.hpp"

namespace warpmark {

namespace {

constexpr const char* kLogName = "sanitizer.log";
// A device that computes on the host starts in a tenth of it, a GPU takes several times as long.
constexpr std::chrono::milliseconds kQuickStart(50);
// The time for a sanitizer to write its summary after the program has ended.
constexpr std::chrono::seconds kLastWords(60);

}  // namespace

std::string worker_program(const SessionOptions& options) {
  return options.program.empty() ? own_program().worker : options.program;
}

protocol::Hello hello_of(const SessionOptions& options, std::optional<WorkerLink::Role> role) {
  protocol::Hello hello{allotted_request(options.device), options.use_cache};
  if (options.ranks) hello.further = options.ranks->place().node_rank;
  hello.times = options.times && !role;
  if (role) {
    hello.confined =
        protocol::Confined{*role, environment_for_libraries(), options.confinement.value()};
  }
  return hello;
}

WorkerLink::WorkerLink(SessionOptions options, std::optional<Role> role)
    : options_(std::move(options)), role_(role) {
  start();
}

void WorkerLink::start() {
  greeted_ = false;
  fresh_ = true;
  if (role_ == Role::compile && options_.compile_forks) {
    worker_ = options_.compile_forks->fork();
    hello_sent_ = worker_ != nullptr;
    if (worker_) return;
  }
  const std::string program = worker_program(options_);
  std::error_code ignored;
  if (role_) {
    worker_ = Worker::spawn_confined(program);
  } else if (options_.sanitizer) {
    log_folder_.emplace();
    // Under another program /proc/self/exe is that program.
    const std::string own = std::filesystem::read_symlink(program, ignored).string();
    worker_ = Worker::spawn_under(sanitizer_command(
        *options_.sanitizer, log_folder_->path() / kLogName, own.empty() ? program : own));
  } else {
    worker_ = options_.in_process ? Worker::on_thread(options_.openers) : Worker::spawn(program);
  }
  hello_sent_ = worker_->channel().send(protocol::to_json(hello_of(options_, role_)));
}

const DeviceFacts& WorkerLink::greet(const std::function<void()>& meanwhile) {
  if (worker_ && greeted_) return facts_;
  for (bool killed = false;;) {
    if (!worker_) start();
    if (meanwhile && !killed && !worker_->channel().has_message(kQuickStart)) meanwhile();
    const auto deadline = in_seconds(options_.start_timeout_s);
    Channel::Received received =
        hello_sent_ ? worker_->channel().receive(deadline, wake_.fd()) : Channel::Received{};
    if (received.message) return take_greeting(received.message->body);
    if (received.end == ChannelEnd::timeout && options_.in_process) leave_thread();
    const Silence silence = end_worker(received.end);
    // Something else ended the worker: tries once more.
    if (silence.used.killed && !std::exchange(killed, true)) continue;
    std::string how = silence.how;
    if (received.end == ChannelEnd::timeout) {
      how = fmt::format("gave no answer within {:g} s", options_.start_timeout_s);
    }
    throw environment_error("the worker did not start" + (how.empty() ? "" : ": it " + how),
                            "`warpmark doctor` shows what can be used here");
  }
}

const DeviceFacts& WorkerLink::take_greeting(const nlohmann::json& body) {
  protocol::Reply reply = protocol::reply_from_json(body);
  if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
    const Error error = failure->error();
    const bool no_device = failure->no_device;
    end();
    if (no_device) throw NoDeviceError(error);
    throw error;
  }
  facts_ = std::get<DeviceFacts>(std::move(reply));
  if (options_.ranks) facts_.attributes["count"] = options_.ranks->size();
  greeted_ = true;
  return facts_;
}

std::variant<protocol::Reply, WorkerLink::Silence> WorkerLink::ask(const nlohmann::json& request,
                                                                   const std::vector<int>& fds,
                                                                   double timeout_s) {
  const auto deadline = in_seconds(timeout_s);
  const bool sent = worker_->channel().send(request, fds);
  const Channel::Received received =
      sent ? worker_->channel().receive(deadline, wake_.fd()) : Channel::Received{};
  if (received.message && !role_) return protocol::reply_from_json(received.message->body);
  if (received.message) {
    try {
      return protocol::reply_from_json(received.message->body);
    } catch (const Error&) {
      // The submission may have made the contents: the error is not ours.
      return end_worker(ChannelEnd::garbage);
    }
  }
  if (received.end == ChannelEnd::timeout && options_.in_process) leave_thread();
  return end_worker(received.end);
}

void WorkerLink::leave_thread() {
  worker_->abandon();
  worker_.reset();
  throw environment_error("the worker does not answer, and it is a thread, which cannot be ended",
                          "without --in-process only the case would fail");
}

Worker::Usage WorkerLink::end() {
  return end_worker(ChannelEnd::timeout).used;
}

std::string WorkerLink::finish() {
  if (worker_) worker_->end(kLastWords);
  worker_.reset();
  greeted_ = false;
  std::string log;
  if (!log_folder_) return log;
  const std::filesystem::path file = log_folder_->path() / kLogName;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) log = read_file(file);
  log_folder_.reset();
  return log;
}

// A worker whose end of the channel closed is dying, and its memory may take a while to go; a
// worker that must be ended gets no time.
WorkerLink::Silence WorkerLink::end_worker(ChannelEnd why) {
  const std::chrono::milliseconds patience(why == ChannelEnd::closed ? 10000 : 0);
  Silence silence{why, "", {}};
  if (worker_) silence.how = worker_->end(patience, &silence.used);
  worker_.reset();
  greeted_ = false;
  return silence;
}

void WorkerLink::close() noexcept {
  if (worker_) worker_->close();
}

void WorkerLink::interrupt() noexcept {
  interrupted_ = true;
  wake_.raise();
}

}  // namespace warpmark
