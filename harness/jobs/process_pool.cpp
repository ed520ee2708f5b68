#include "jobs/process_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error_json.hpp"
#include "base/exception.hpp"
#include "base/spawn.hpp"
#include "driver/choose.hpp"
#include "worker/device_facts_json.hpp"

namespace warpmark {

namespace {

// The time limits of a process for sending the rest of a message, and for ending.
constexpr std::chrono::seconds kMessage{30};
constexpr std::chrono::seconds kPatience{10};

nlohmann::json failure_json(const std::exception_ptr& failure) {
  bool no_device = false;
  try {
    std::rethrow_exception(failure);
  } catch (const NoDeviceError&) {
    no_device = true;
  } catch (...) {
  }
  return {{"error", error_json(to_error(failure))}, {"no_device", no_device}};
}

// Returns how the process ended. One that does not end by itself in time is killed.
std::string await_end(pid_t process, std::chrono::milliseconds patience, int& status) {
  const auto deadline = Clock::now() + patience;
  while (Clock::now() < deadline) {
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (ended == process) return (WIFSIGNALED(status) ? "was " : "") + exit_text(status);
    if (ended < 0 && errno != EINTR) break;
    ::usleep(1000);
  }
  ::kill(process, SIGKILL);
  status = await_exit(process);
  return "had to be ended";
}

}  // namespace

void ProcessPool::grow(size_t count) {
  while (slots_.size() < count) {
    slots_.emplace_back();
    start(slots_.size() - 1);
  }
}

size_t ProcessPool::ready() const {
  return static_cast<size_t>(std::ranges::count_if(slots_, &Slot::ready));
}

void ProcessPool::start(size_t place) {
  Slot& slot = slots_[place];
  auto [ours, theirs] = Channel::pair();
  slot.channel.emplace(std::move(ours));
  slot.process = owner_.start(place, *slot.channel, theirs);
}

void ProcessPool::give(size_t place) {
  Slot& slot = slots_[place];
  std::optional<PoolJob> job = owner_.next(place);
  if (!job) return;
  slot.job = job->number;
  slot.deadline = job->deadline;
  slot.channel->send(job->request);  // receive() notices if the process is gone
}

void ProcessPool::step(std::span<pollfd> others) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].ready && !slots_[i].job) give(i);
  }
  std::vector<pollfd> fds(others.begin(), others.end());
  for (const Slot& slot : slots_)
    fds.push_back({slot.channel ? slot.channel->fd() : -1, POLLIN, 0});
  constexpr int kTickMs = 1000;  // how late a deadline may be seen
  if (::poll(fds.data(), fds.size(), kTickMs) < 0) {
    if (errno == EINTR) return;
    throw internal_error("poll failed");
  }
  std::copy_n(fds.begin(), others.size(), others.begin());
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].channel) continue;
    if (fds[others.size() + i].revents != 0) {
      receive(i);
    } else if (slots_[i].deadline && *slots_[i].deadline < Clock::now()) {
      lose(i, "did not answer and was ended", true);
    }
  }
}

void ProcessPool::receive(size_t place) {
  const Channel::Received received = slots_[place].channel->receive(Clock::now() + kMessage);
  if (!received.message) return lose(place);
  if (!take(place, received.message->body)) lose(place, "sent what is no result");
}

bool ProcessPool::take(size_t place, const nlohmann::json& message) {
  Slot& slot = slots_[place];
  std::optional<Error> error;
  try {
    if (message.contains("error")) error = error_from(message.at("error"));
    if (!slot.ready) {
      if (error && ready() > 0 && owner_.spares(place, *error)) {
        leave(place);
        return true;
      }
      if (error && message.at("no_device").get<bool>()) throw NoDeviceError(*error);
      if (error) throw *error;
      auto facts = object_from<DeviceFacts>(message.at("device"));
      if (place == 0) device_ = std::move(facts);
      slot.ready = true;
      lost_starts_ = 0;
      return true;
    }
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  if (!slot.job || (!error && !message.contains("answer"))) return false;
  if (error) {
    owner_.failed(*slot.job, *error);
  } else if (!owner_.answered(*slot.job, message.at("answer"))) {
    return false;
  }
  slot.job.reset();
  slot.deadline.reset();
  return true;
}

void ProcessPool::lose(size_t place, const std::string& why, bool timed_out) {
  Slot& slot = slots_[place];
  slot.channel.reset();
  LostProcess lost;
  lost.place = place;
  lost.lost_starts = std::exchange(slot.ready, false) ? 0 : ++lost_starts_;
  lost.job = std::exchange(slot.job, {});
  lost.timed_out = timed_out;
  slot.deadline.reset();
  // The connection ends a moment before the process does.
  const std::string how = await_end(slot.process.exchange(-1),
                                    why.empty() ? kPatience : std::chrono::seconds(0), lost.status);
  lost.how = why.empty() ? how : why;
  if (owner_.lost(lost)) start(place);
}

// Ends the process of a place for good.
void ProcessPool::leave(size_t place) {
  Slot& slot = slots_[place];
  slot.channel.reset();
  int status = 0;
  await_end(slot.process.exchange(-1), kPatience, status);
}

void ProcessPool::kill() noexcept {
  for (const Slot& slot : slots_) {
    if (slot.process > 0) ::kill(slot.process, SIGKILL);
  }
}

void ProcessPool::close() noexcept {
  for (Slot& slot : slots_) {
    if (slot.process > 0 && (slot.job || !slot.ready)) ::kill(slot.process, SIGKILL);
    slot.channel.reset();
  }
  for (Slot& slot : slots_) {
    int status = 0;
    const pid_t process = slot.process.exchange(-1);
    if (process > 0) await_end(process, kPatience, status);
  }
}

void ProcessPool::forget() noexcept {
  for (Slot& slot : slots_) slot.channel.reset();
}

void serve_jobs(Channel& channel, const std::function<DeviceFacts()>& start,
                const std::function<nlohmann::json(const nlohmann::json&)>& run) {
  const auto answer = [&channel](const auto& make) {
    nlohmann::json message;
    try {
      message = make();
    } catch (...) {
      message = failure_json(std::current_exception());
    }
    return channel.send(message);
  };
  bool connected = answer([&] {
    return nlohmann::json{{"device", json_of<nlohmann::json>(start())}};
  });
  while (connected) {
    const Channel::Received received = channel.receive();
    if (!received.message) return;
    connected = answer([&] { return nlohmann::json{{"answer", run(received.message->body)}}; });
  }
}

}  // namespace warpmark
