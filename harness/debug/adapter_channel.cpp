#include "debug/adapter_channel.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace warpmark::debugging {
namespace {

constexpr size_t kMostHeader = 4096, kMostMessage = size_t{16} << 20;

}  // namespace

AdapterChannel::AdapterChannel(int input, int output) : input_(input), output_(output) {
  if (::pipe(wake_) != 0) wake_[0] = wake_[1] = -1;
  reader_ = std::thread([this] { read(); });
}

AdapterChannel::~AdapterChannel() {
  if (wake_[1] >= 0) ::close(wake_[1]);
  reader_.join();
  if (wake_[0] >= 0) ::close(wake_[0]);
}

// False at the end, and for what is no message.
bool AdapterChannel::read_message(std::string& pending, nlohmann::json& message) const {
  constexpr std::string_view kEnd = "\r\n\r\n", kLength = "Content-Length:";
  for (;;) {
    const size_t header = pending.find(kEnd);
    if (header == std::string::npos && pending.size() > kMostHeader) return false;
    if (header != std::string::npos) {
      const size_t at = pending.find(kLength);
      if (at == std::string::npos || at > header) return false;
      const size_t length = std::strtoull(pending.c_str() + at + kLength.size(), nullptr, 10);
      if (length > kMostMessage) return false;
      const size_t begin = header + kEnd.size();
      if (pending.size() >= begin + length) {
        message = nlohmann::json::parse(pending.substr(begin, length), nullptr, false);
        pending.erase(0, begin + length);
        return message.is_object();
      }
    }
    pollfd waiting[2] = {{input_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0) continue;
    if (waiting[1].revents != 0) return false;
    char buffer[4096];
    const ssize_t count = ::read(input_, buffer, sizeof buffer);
    if (count <= 0) return false;
    pending.append(buffer, static_cast<size_t>(count));
  }
}

void AdapterChannel::read() {
  std::string pending;
  for (bool more = true; more;) {
    nlohmann::json message;
    more = read_message(pending, message);
    std::function<void()> arrived;
    {
      const std::lock_guard lock(mutex_);
      if (more) requests_.push_back(std::move(message));
      over_ = !more;
      arrived = arrived_;
    }
    arrival_.notify_all();
    if (arrived) arrived();
  }
}

std::optional<nlohmann::json> AdapterChannel::wait() {
  std::unique_lock lock(mutex_);
  arrival_.wait(lock, [this] { return over_ || !requests_.empty(); });
  if (requests_.empty()) return std::nullopt;
  nlohmann::json request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

std::optional<nlohmann::json> AdapterChannel::poll(bool& over) {
  const std::lock_guard lock(mutex_);
  over = over_ && requests_.empty();
  if (requests_.empty()) return std::nullopt;
  nlohmann::json request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

void AdapterChannel::on_arrival(std::function<void()> arrived) {
  const std::lock_guard lock(mutex_);
  arrived_ = std::move(arrived);
}

void AdapterChannel::send(nlohmann::json message) {
  const std::lock_guard lock(sending_);
  message["seq"] = ++sequence_;
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string frame = fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
  for (size_t at = 0; at < frame.size();) {
    const ssize_t count = ::write(output_, frame.data() + at, frame.size() - at);
    if (count <= 0) return;  // the client has left
    at += static_cast<size_t>(count);
  }
}

void AdapterChannel::event(const std::string& name, const nlohmann::json& body) {
  send({{"type", "event"}, {"event", name}, {"body", body}});
}

void AdapterChannel::respond(const nlohmann::json& request, const nlohmann::json& body) {
  send({{"type", "response"},
        {"request_seq", request.value("seq", 0)},
        {"success", true},
        {"command", request.value("command", "")},
        {"body", body}});
}

std::string wrong_arguments(const nlohmann::json::exception& error) {
  const std::string text = error.what();  // "[json.exception.out_of_range.403] key 'socket' …"
  return "wrong arguments: " + text.substr(std::min(text.find("] ") + 2, text.size()));
}

void AdapterChannel::refuse(const nlohmann::json& request, const std::string& why) {
  send({{"type", "response"},
        {"request_seq", request.value("seq", 0)},
        {"success", false},
        {"command", request.value("command", "")},
        {"message", why},
        {"body", {{"error", {{"id", 1}, {"format", "{why}"}, {"variables", {{"why", why}}}}}}}});
}

}  // namespace warpmark::debugging
