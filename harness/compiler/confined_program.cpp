#include "compiler/confined_program.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/places.hpp"
#include "base/spawn.hpp"
#include "compiler/kernel_program.hpp"
#include "warpmark/walls.h"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The descriptor by which the program is asked for processes.
constexpr int kControl = 3;
// Machine code of the largest size in hexadecimal digits, with its PTX.
constexpr size_t kMostAnswer = size_t{64} << 20;

std::pair<UniqueFd, UniqueFd> connected(int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw environment_error(std::string("a socket cannot be made: ") + std::strerror(errno));
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// The library of the sandbox, which lies where compilers do.
fs::path walls_library() {
  for (const fs::path& folder : library_search_path()) {
    if (::access((folder / WARPMARK_WALLS_LIBRARY).c_str(), R_OK) == 0) {
      return folder / WARPMARK_WALLS_LIBRARY;
    }
  }
  throw environment_error("the library of the sandbox is not there: " WARPMARK_WALLS_LIBRARY);
}

bool send_with(int socket, const std::string& text, int descriptor) {
  std::array<char, CMSG_SPACE(sizeof(int))> space{};
  iovec part = {const_cast<char*>(text.data()), text.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// "" at the end of the connection, or for an error.
std::string receive_some(int socket) {
  std::string bytes(1 << 16, '\0');
  ssize_t count = 0;
  do {
    count = ::recv(socket, bytes.data(), bytes.size(), 0);
  } while (count < 0 && errno == EINTR);
  bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return bytes;
}

bool has_input(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace

void keep_common(std::vector<std::string>& hold, const std::vector<std::string>& other) {
  std::erase_if(hold, [&](const std::string& one) { return std::ranges::count(other, one) == 0; });
}

ConfinedProgram::ConfinedProgram(std::string name, const Limits& limits)
    : name_(std::move(name)), limits_(limits) {
  const fs::path program = find_compiler_program(name_);
  auto [ours, theirs] = connected(SOCK_SEQPACKET);
  SpawnOptions options;
  options.descriptors = {{kControl, theirs.get()}, {0}, {1}, {2}};
  const std::string settings = json_line(Json{{"control", kControl},
                                              {"walls", walls_library().string()},
                                              {"bytes", limits_.bytes},
                                              {"cpu_s", limits_.cpu_s}});
  // The program ends with this process, which need not wait for it.
  spawn("the compiler " + name_, program, {program.string(), "--confined", settings}, options);
  control_ = std::move(ours);
}

void ConfinedProgram::await_ready() {
  const Json json = try_parse_json(receive_some(control_.get()));
  if (json.is_object() && json.contains("ready")) return;
  if (json.is_object() && json.contains("missing")) {
    throw environment_error(json.value("missing", std::string()));
  }
  throw environment_error(
      fmt::format("the compiler {} does not serve submissions: it takes no --confined", name_),
      "docs/plugins.md says what a compiler for `grade` and `judge` does");
}

std::vector<std::string> ConfinedProgram::enter() {
  std::vector<std::string> hold = enter(connections_[0]);
  keep_common(hold, enter(connections_[1]));
  control_ = UniqueFd();  // nothing in the sandbox can ask for more
  return hold;
}

std::vector<std::string> ConfinedProgram::enter(Connection& connection) {
  auto [ours, theirs] = connected(SOCK_STREAM);
  const std::string request = json_line(Json{{"group", ::getpgrp()}});
  const bool sent = send_with(control_.get(), request, theirs.get());
  theirs = UniqueFd();
  connection.socket = std::move(ours);
  const Json json = try_parse_json(sent ? read_line(connection) : "");
  if (!json.is_object() || !json.contains("walls")) {
    throw environment_error(
        json.is_object() ? json.value("error", std::string())
                         : fmt::format("the compiler {} made no process for a submission", name_));
  }
  return json.at("walls").get<std::vector<std::string>>();
}

std::string ConfinedProgram::read_line(Connection& connection) {
  std::string& rest = connection.rest;
  size_t from = 0;
  for (;;) {
    const size_t end = rest.find('\n', from);
    if (end != std::string::npos) {
      std::string line = rest.substr(0, end);
      rest.erase(0, end + 1);
      return line;
    }
    from = rest.size();
    const std::string more = receive_some(connection.socket.get());
    if (more.empty() || rest.size() > kMostAnswer) return "";
    rest += more;
  }
}

nlohmann::json ConfinedProgram::ask(const std::string& question, SourceAuthor author) {
  using Clock = std::chrono::steady_clock;
  Connection& connection = connections_.at(static_cast<size_t>(author));
  if (!connection.socket) throw internal_error("a compiler was asked before it had a process");
  if (!connection.rest.empty() || has_input(connection.socket.get())) {
    throw environment_error(fmt::format("the compiler {} answered before it was asked", name_));
  }
  const auto start = Clock::now();
  std::string line;
  if (send_all(connection.socket.get(), question + "\n")) line = read_line(connection);
  if (!line.empty()) return try_parse_json(line);
  // The front reads the reason from how this process ends.
  constexpr double kAboutAll = 0.9;
  const std::chrono::duration<double> took = Clock::now() - start;
  if (took.count() >= kAboutAll * limits_.cpu_s) ::raise(SIGXCPU);
  throw environment_error(fmt::format("the compiler {} ended", name_));
}

}  // namespace warpmark
