// Messages between the front and a worker: JSON text with file descriptors, over a local socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/file.hpp"

namespace warpmark {

/// Where a process that is started with an end of a channel finds it.
inline constexpr int kChannelDescriptor = 3;

struct Message {
  nlohmann::json body;
  std::vector<UniqueFd> fds;
};

/// Why a receive gave no message.
enum class ChannelEnd : uint8_t {
  closed,   ///< the peer is gone
  timeout,  ///< the deadline passed
  woken,    ///< the wake descriptor became readable
  garbage   ///< what came is no message: wrong frame, too long, or not JSON
};

/// One end of a connection. Frames are a magic number, the length and the count of descriptors,
/// four bytes each, then JSON text; descriptors travel with the frame's first byte (SCM_RIGHTS).
/// The peer is not trusted: lengths are bounded, and anything odd ends the connection.
class Channel {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  /// Limits of one message.
  static constexpr size_t kMostBytes = size_t{256} << 20;
  static constexpr size_t kMostFds = 200;

  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}
  /// Two connected ends, closed on exec.
  static std::pair<Channel, Channel> pair();

  /// Returns false if the peer is gone. Descriptors stay the caller's. Throws a usage error for
  /// more than kMostFds descriptors.
  bool send(const nlohmann::json& body, const std::vector<int>& fds = {});

  struct Received {
    std::optional<Message> message;
    ChannelEnd end = ChannelEnd::closed;  ///< if there is no message
  };
  /// Waits for a message until `deadline` or until `wake_fd` (−1: none) becomes readable.
  Received receive(const Deadline& deadline = std::nullopt, int wake_fd = -1);

  /// Waits for a message, or for the end, at most so long; returns whether there is one.
  bool has_message(std::chrono::milliseconds patience) const;

  int fd() const { return socket_.get(); }

 private:
  std::optional<ChannelEnd> wait(const Deadline& deadline, int wake_fd) const;
  std::optional<ChannelEnd> read_exactly(char* into, size_t count, const Deadline& deadline,
                                         int wake_fd, std::vector<UniqueFd>& fds);

  UniqueFd socket_;
};

}  // namespace warpmark
