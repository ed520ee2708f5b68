// A debugger in another process than its device: the messages between them, on a local socket.
//
// The device connects to the socket that WARPMARK_CPU_DEBUG names and says hello. Each call of the
// debugger is a message of the device; until it is answered, the debugger may look at the point.
// Both are of one build and one machine: numbers are as they lie in memory.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "warpmark/device.h"

namespace warpmark::debug_wire {

constexpr uint32_t kVersion = 1;
constexpr const char* kVariable = "WARPMARK_CPU_DEBUG";

/// The kinds of messages, and what they hold.
enum class Kind : uint32_t {
  hello,    ///< of the device: Hello
  welcome,  ///< nothing
  refuse,   ///< why the device goes on without a debugger
  call,     ///< of the device: Called
  look,     ///< Look, and the name of a register
  answer,  ///< of the device: what a function of the view returns, 8 bytes, and what it gives: bytes,
           ///< or lines, each behind its length of 4 bytes
  go_on,  ///< GoOn, its ranges, and its stops
  pause   ///< the next statement is to be a call; nothing if the launch stands
};

struct Hello {
  uint32_t version = kVersion;
  int32_t process = 0;
};
struct Called {
  warpmark_debug_point point;  ///< its launch_state is the device's
  uint32_t kept = 0, reserved = 0;
};
/// The functions of warpmark_debug_view.
enum class LookFor : uint32_t {
  describe,
  statements,
  sections,
  lane,
  frames,
  read_register,
  list_registers,
  read,
  pointer,
  findings,
  stores
};
struct Look {
  LookFor function = LookFor::describe;
  uint32_t warp = 0, lane = 0, frame = 0, space = 0, most = 0;
  uint64_t address = 0, bytes = 0;
};
struct GoOn {
  int32_t result = WARPMARK_DEBUG_GO_ON;
  int32_t pause = 0;
  uint64_t until = 0;
  uint32_t range_count = 0, keeps = 0;
};

struct Head {
  Kind kind = Kind::hello;
  uint32_t reserved = 0;
  uint64_t bytes = 0;
};
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

template <typename T>
std::string_view raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// Takes a T from the front of a message; zeros if it is too short.
template <typename T>
T take(std::string_view& message) {
  T value{};
  if (message.size() < sizeof value) {
    message = {};
    return value;
  }
  std::memcpy(static_cast<void*>(&value), message.data(), sizeof value);
  message.remove_prefix(sizeof value);
  return value;
}

inline bool send_bytes(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// False if the other side is gone.
inline bool send_message(int socket, Kind kind, std::string_view first = {},
                         std::string_view second = {}, std::string_view third = {}) {
  const Head head{kind, 0, first.size() + second.size() + third.size()};
  return send_bytes(socket, raw(head)) && send_bytes(socket, first) && send_bytes(socket, second) &&
         send_bytes(socket, third);
}

inline bool receive_bytes(int socket, char* into, size_t bytes) {
  while (bytes > 0) {
    const ssize_t count = ::recv(socket, into, bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    into += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

/// Waits for a message; false if the other side is gone.
inline bool receive_message(int socket, Kind& kind, std::string& message) {
  Head head;
  if (!receive_bytes(socket, reinterpret_cast<char*>(&head), sizeof head)) return false;
  if (head.bytes > kMostBytes) return false;
  kind = head.kind;
  message.resize(head.bytes);
  return receive_bytes(socket, message.data(), message.size());
}

/// True if a message, or the end, is there within so many milliseconds.
inline bool is_there(int socket, int milliseconds) {
  pollfd waits{socket, POLLIN, 0};
  return ::poll(&waits, 1, milliseconds) > 0;
}

}  // namespace warpmark::debug_wire
