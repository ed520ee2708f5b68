// A worker and the connection to it: started, asked, ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "driver/choose.hpp"
#include "worker/channel.hpp"

namespace warpmark {

/// A worker as a process of its own (posix_spawn of our executable; never fork without exec, which
/// a process with threads and a driver does not survive: only a fork server has neither), or as a
/// thread for debuggers and tests.
class Worker {
 public:
  /// Runs `program worker` with the connection as descriptor 3, in a process group of its own, so
  /// that a terminal's Ctrl-C reaches the front alone. Throws an environment error.
  static std::unique_ptr<Worker> spawn(const std::string& program);
  /// The same with the program and its arguments behind `command`, which starts them.
  static std::unique_ptr<Worker> spawn_under(const std::vector<std::string>& command);
  /// Runs `program worker --confined` with an empty environment, the connection, and no other
  /// descriptor of ours.
  static std::unique_ptr<Worker> spawn_confined(const std::string& program);
  /// Runs `program worker --fork-server` likewise (worker/fork_server.hpp).
  static std::unique_ptr<Worker> spawn_fork_server(const std::string& program);
  /// A worker that has been started: a child of ours, and our end of its channel.
  static std::unique_ptr<Worker> adopt(Channel channel, pid_t process);
  /// Runs the same loop on a thread. It cannot be ended while it is busy, only abandoned.
  static std::unique_ptr<Worker> on_thread(const DriverOpeners& openers);

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  Channel& channel() { return channel_; }

  /// Has it end itself, without waiting: several then end at the same time.
  void close() noexcept;
  /// Ends the process if it still runs after `patience`, and returns how it ended: "ended by signal
  /// 11 (Segmentation fault)", "exited with code 1", or "" if it had to be ended. A thread is
  /// waited for. `used`, if given, gets what the process had used.
  struct Usage {
    double cpu_s = 0;
    uint64_t peak_bytes = 0;   ///< resident
    bool out_of_time = false;  ///< the system ended it at its limit of processor time
    bool killed = false;  ///< by a signal from outside, as the system sends it for want of memory
  };
  std::string end(std::chrono::milliseconds patience = std::chrono::milliseconds(100),
                  Usage* used = nullptr);

  /// Leaves a thread that does not answer to itself: it ends with the process.
  void abandon();

 private:
  static std::unique_ptr<Worker> start(std::vector<std::string> command, bool confined);
  explicit Worker(Channel channel) : channel_(std::move(channel)) {}

  Channel channel_;
  pid_t process_ = -1;
  std::thread thread_;
};

}  // namespace warpmark
