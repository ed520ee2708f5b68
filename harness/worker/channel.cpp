#include "worker/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/json_text.hpp"

namespace warpmark {

namespace {

constexpr uint32_t kMagic = 0x314B5057;       // "WPK1", little-endian
using FrameHeader = std::array<uint32_t, 3>;  // magic, bytes, descriptors

}  // namespace

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw environment_error(std::string("cannot make a local socket: ") + std::strerror(errno),
                            "raise the limit of open files (`ulimit -n`)");
  }
  return {Channel(UniqueFd(ends[0])), Channel(UniqueFd(ends[1]))};
}

bool Channel::send(const nlohmann::json& body, const std::vector<int>& fds) {
  if (fds.size() > kMostFds) {
    throw usage_error("a case has too many buffers: " + std::to_string(fds.size()) +
                      " descriptors, at most " + std::to_string(kMostFds) + " can travel");
  }
  // Paths and compiler logs may hold any bytes; what is not UTF-8 is replaced.
  const std::string text = json_line(body);
  const FrameHeader header = {kMagic, static_cast<uint32_t>(text.size()),
                              static_cast<uint32_t>(fds.size())};
  std::string frame(reinterpret_cast<const char*>(header.data()), sizeof header);
  frame += text;

  size_t sent = 0;
  while (sent < frame.size()) {
    iovec part{frame.data() + sent, frame.size() - sent};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)> control{};
    if (sent == 0 && !fds.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
      cmsghdr* rights = CMSG_FIRSTHDR(&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
      std::memcpy(CMSG_DATA(rights), fds.data(), sizeof(int) * fds.size());
    }
    const ssize_t count = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool Channel::has_message(std::chrono::milliseconds patience) const {
  return !wait(std::chrono::steady_clock::now() + patience, -1);
}

std::optional<ChannelEnd> Channel::wait(const Deadline& deadline, int wake_fd) const {
  for (;;) {
    int milliseconds = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          *deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return ChannelEnd::timeout;
      milliseconds = static_cast<int>(std::min<int64_t>(left.count(), 1 << 30));
    }
    std::array<pollfd, 2> polled = {pollfd{socket_.get(), POLLIN, 0}, pollfd{wake_fd, POLLIN, 0}};
    const int ready = ::poll(polled.data(), wake_fd < 0 ? 1 : 2, milliseconds);
    if (ready < 0 && errno != EINTR) return ChannelEnd::closed;
    if (ready <= 0) continue;
    if (wake_fd >= 0 && polled[1].revents != 0) return ChannelEnd::woken;
    if (polled[0].revents != 0) return std::nullopt;
  }
}

std::optional<ChannelEnd> Channel::read_exactly(char* into, size_t count, const Deadline& deadline,
                                                int wake_fd, std::vector<UniqueFd>& fds) {
  while (count > 0) {
    if (const auto end = wait(deadline, wake_fd)) return end;
    iovec part{into, count};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)> control{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    // Descriptors are taken into ownership before anything is judged, so that none leaks.
    for (cmsghdr* part_of = got < 0 ? nullptr : CMSG_FIRSTHDR(&message); part_of != nullptr;
         part_of = CMSG_NXTHDR(&message, part_of)) {
      if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) continue;
      const size_t descriptors = (part_of->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < descriptors; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(part_of) + i * sizeof(int), sizeof fd);
        fds.emplace_back(fd);
      }
    }
    if (got <= 0) return ChannelEnd::closed;
    if ((message.msg_flags & MSG_CTRUNC) != 0) return ChannelEnd::garbage;
    into += got;
    count -= static_cast<size_t>(got);
  }
  return std::nullopt;
}

Channel::Received Channel::receive(const Deadline& deadline, int wake_fd) {
  Message message;
  FrameHeader header{};
  if (const auto end = read_exactly(reinterpret_cast<char*>(header.data()), sizeof header, deadline,
                                    wake_fd, message.fds)) {
    return {std::nullopt, *end};
  }
  if (header[0] != kMagic || header[1] > kMostBytes) return {std::nullopt, ChannelEnd::garbage};
  std::string text(header[1], '\0');
  if (const auto end = read_exactly(text.data(), text.size(), deadline, wake_fd, message.fds)) {
    return {std::nullopt, *end};
  }
  message.body = try_parse_json(text);
  if (!message.body.is_object() || message.fds.size() != header[2]) {
    return {std::nullopt, ChannelEnd::garbage};
  }
  return {std::move(message), ChannelEnd::closed};
}

}  // namespace warpmark
