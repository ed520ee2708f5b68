// A device in another process: its calls for a debugger, and how the debugger looks at it.
#pragma once

#include <cstdint>
#include <string>

#include "base/file.hpp"
#include "debug/debugger.hpp"
#include "warpmark/debug_wire.hpp"

namespace warpmark::debugging {

class RemoteDevice {
 public:
  /// Takes the connection of a device that is to be debugged.
  RemoteDevice(UniqueFd socket, Debugger& debugger);
  RemoteDevice(const RemoteDevice&) = delete;
  RemoteDevice& operator=(const RemoteDevice&) = delete;

  int socket() const { return socket_.get(); }
  /// Takes its next message, which is there; false if the device is gone.
  bool serve();
  /// Has the launch that runs, or the next one, stop; once until it has.
  void pause();
  bool in_launch() const { return in_launch_; }

  /// Looks at the present point. Returns the function's value; `given` is what it gives, nothing if
  /// the device is gone.
  uint64_t look(const debug_wire::Look& asked, std::string_view name, std::string& given);

 private:
  UniqueFd socket_;
  Debugger& debugger_;
  bool paused_ = false, in_launch_ = false;
};

/// The socket of a debugger, to which devices come. Its folder is a private one, or a path is given.
class DebugSocket {
 public:
  /// Throws a usage error if another debugger is at the path, or nothing can be there.
  explicit DebugSocket(const std::string& path = "");
  DebugSocket(const DebugSocket&) = delete;
  DebugSocket& operator=(const DebugSocket&) = delete;
  ~DebugSocket();

  int socket() const { return socket_.get(); }
  const std::string& path() const { return path_; }
  /// The next device, which has said hello; an invalid one if it did not.
  UniqueFd accept() const;

 private:
  std::string folder_, path_;  ///< the folder is ours, or ""
  UniqueFd socket_;
};

}  // namespace warpmark::debugging
