// Processes that do jobs at the same time, each one after another. One that ends costs its job only.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "worker/channel.hpp"
#include "worker/device_facts.hpp"

namespace warpmark {

struct PoolJob {
  size_t number = 0;
  nlohmann::json request;
  Channel::Deadline deadline = {};  ///< its process is ended then
};

/// The end of a process.
struct LostProcess {
  size_t place = 0;
  size_t lost_starts = 0;     ///< processes, one after another, that had no device yet; 0 if it had
  std::optional<size_t> job;  ///< the number of the job that it did
  int status = 0;             ///< as of wait(2)
  std::string how;            ///< "was ended by signal 6 (Aborted)", "had to be ended"
  bool timed_out = false;     ///< the job's deadline had passed
};

/// The owner of a pool, which knows what its processes and jobs are. What it throws ends step().
class PoolOwner {
 public:
  virtual ~PoolOwner() = default;
  /// Starts the process of a place, which calls serve_jobs() with `theirs`; or throws.
  virtual pid_t start(size_t place, Channel& ours, Channel& theirs) = 0;
  /// The next job for the process of a place; nothing if there is none now.
  virtual std::optional<PoolJob> next(size_t place) = 0;
  /// The answer to a job; false if it is none, which ends its process.
  virtual bool answered(size_t job, const nlohmann::json& answer) = 0;
  /// A job ended with an exception.
  virtual void failed(size_t job, const Error& error) = 0;
  /// Returns whether another process is to be started in that place.
  virtual bool lost(const LostProcess& lost) = 0;
  /// A process could not start, while others have their device. Returns whether the pool goes on
  /// without it; else step() throws the error.
  virtual bool spares(size_t /*place*/, const Error& /*error*/) { return false; }
};

class ProcessPool {
 public:
  /// The owner must outlive it.
  explicit ProcessPool(PoolOwner& owner) : owner_(owner) {}
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;
  /// As close().
  ~ProcessPool() { close(); }

  /// Starts processes until there are so many.
  void grow(size_t count);
  size_t size() const { return slots_.size(); }
  /// How many processes have their device.
  size_t ready() const;
  /// The device of the first process, once that is ready.
  const DeviceFacts& device() const { return device_; }

  /// Gives jobs to processes, and waits for an answer, or until one of `others` has events; both
  /// for a second at most, and until a signal. Throws what a process threw while it started.
  void step(std::span<pollfd> others = {});

  /// Ends all processes at once. Async-signal-safe.
  void kill() noexcept;
  /// Lets processes without a job end by themselves, and ends the others at once.
  void close() noexcept;
  /// To be called in a fork of this process: messages to the others are for them alone.
  void forget() noexcept;

 private:
  struct Slot {
    std::atomic<pid_t> process = -1;  ///< for signal handlers; -1 for none
    std::optional<Channel> channel;
    bool ready = false;
    std::optional<size_t> job;
    Channel::Deadline deadline;
  };

  void start(size_t place);
  void give(size_t place);
  void leave(size_t place);
  void receive(size_t place);
  bool take(size_t place, const nlohmann::json& message);
  void lose(size_t place, const std::string& why = "", bool timed_out = false);

  PoolOwner& owner_;
  std::deque<Slot> slots_;
  size_t lost_starts_ = 0;
  DeviceFacts device_;
};

/// The loop of such a process: `start` finds its device, and `run` does a job, until the connection
/// ends. Exceptions are handed over.
void serve_jobs(Channel& channel, const std::function<DeviceFacts()>& start,
                const std::function<nlohmann::json(const nlohmann::json&)>& run);

}  // namespace warpmark
