// The front's connection to a worker: starts, greets, asks, ends and restarts it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/file.hpp"
#include "base/wake_up.hpp"
#include "runtime/session.hpp"
#include "runtime/worker.hpp"
#include "worker/channel.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

class WorkerLink {
 public:
  using Role = protocol::Confined::Role;

  /// Starts a worker and waits for nothing; with a role, the worker is confined. Throws environment
  /// errors.
  explicit WorkerLink(SessionOptions options, std::optional<Role> role = {});

  /// Waits for the worker's device; starts a worker if the last one was ended. `meanwhile` is called
  /// once if the device takes a while. Throws environment errors, NoDeviceError if the requested
  /// device is missing.
  const DeviceFacts& greet(const std::function<void()>& meanwhile = {});
  /// The facts of the worker that was greeted last.
  const DeviceFacts& facts() const { return facts_; }

  /// The reason why there is no reply.
  struct Silence {
    ChannelEnd end;
    std::string how;  ///< the end of the process: "ended by signal 9 (Killed)"; "" if it had to be
                      ///< ended
    Worker::Usage used;
  };
  /// Sends one request and returns its reply; if the reply is missing or invalid, the worker was
  /// ended. Throws an environment error for a thread that does not answer, since it cannot be
  /// ended.
  std::variant<protocol::Reply, Silence> ask(const nlohmann::json& request,
                                             const std::vector<int>& fds, double timeout_s);

  /// Ends the worker without waiting for it, and returns what it used; the next `greet` starts
  /// another.
  Worker::Usage end();

  /// Has the worker end itself, for the last time, without waiting.
  void close() noexcept;

  /// True if there is a worker, which was not ended.
  bool runs() const { return worker_ != nullptr; }

  /// Lets the worker end by itself, and returns the output of the sanitizer until then; "" without
  /// a sanitizer.
  std::string finish();

  /// True if no case has been run on the worker.
  bool fresh() const { return fresh_; }
  void case_was_run() { fresh_ = false; }

  /// Ends the current wait, and every later one at once. Safe in a signal handler.
  void interrupt() noexcept;
  bool interrupted() const noexcept { return interrupted_; }

 private:
  void start();
  const DeviceFacts& take_greeting(const nlohmann::json& body);
  Silence end_worker(ChannelEnd why);
  [[noreturn]] void leave_thread();

  SessionOptions options_;
  std::optional<Role> role_;
  WakeUp wake_;
  std::atomic<bool> interrupted_ = false;
  std::unique_ptr<Worker> worker_;
  bool hello_sent_ = false;
  bool greeted_ = false;
  bool fresh_ = true;
  DeviceFacts facts_;
  std::optional<TemporaryFolder> log_folder_;  ///< folder for the sanitizer's log
};

/// The file that is run as `PROGRAM worker`, and the first request to it.
std::string worker_program(const SessionOptions& options);
protocol::Hello hello_of(const SessionOptions& options, std::optional<WorkerLink::Role> role);

}  // namespace warpmark
