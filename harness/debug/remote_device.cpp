#include "debug/remote_device.hpp"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace warpmark::debugging {
namespace {

namespace wire = debug_wire;
using Point = const warpmark_debug_point*;
using wire::Look;
using wire::LookFor;

// A device that says nothing for so long is none.
constexpr int kHelloMs = 10000;

struct Answer {
  uint64_t value = 0;
  std::string given;
};

Answer ask(Point point, const Look& asked, std::string_view name = {}) {
  // The state is the one that serve() puts there.
  auto* device = const_cast<RemoteDevice*>(static_cast<const RemoteDevice*>(point->launch_state));
  Answer answer;
  answer.value = device->look(asked, name, answer.given);
  return answer;
}

void lines(Point point, const Look& asked, warpmark_device_sink sink, void* user) {
  const Answer answer = ask(point, asked);
  std::string_view rest = answer.given;
  while (rest.size() >= sizeof(uint32_t)) {
    const size_t length = std::min<size_t>(wire::take<uint32_t>(rest), rest.size());
    sink(user, rest.data(), length);
    rest.remove_prefix(length);
  }
}

template <typename T>
uint32_t several(Point point, Look asked, T* into, uint32_t most) {
  asked.most = most;
  const Answer answer = ask(point, asked);
  const size_t count = std::min<size_t>(most, answer.given.size() / sizeof(T));
  if (count > 0) std::memcpy(into, answer.given.data(), count * sizeof(T));
  return static_cast<uint32_t>(answer.value);
}

// Puts what was given into a place; zeros if it is of another size.
void put(const std::string& given, void* into, uint64_t bytes) {
  std::memset(into, 0, bytes);
  if (given.size() == bytes) std::memcpy(into, given.data(), bytes);
}

void describe(Point point, warpmark_device_sink sink, void* user) {
  lines(point, {LookFor::describe}, sink, user);
}
void statements(Point point, warpmark_device_sink sink, void* user) {
  lines(point, {LookFor::statements}, sink, user);
}
void sections(Point point, warpmark_device_sink sink, void* user) {
  lines(point, {LookFor::sections}, sink, user);
}
int lane(Point point, uint32_t warp, uint32_t lane, warpmark_debug_lane* into) {
  const Answer answer = ask(point, {LookFor::lane, warp, lane});
  put(answer.given, into, sizeof *into);
  return answer.value != 0 ? 1 : 0;
}
uint32_t frames(Point point, uint32_t warp, uint32_t lane, warpmark_debug_frame* into,
                uint32_t most) {
  return several(point, {LookFor::frames, warp, lane}, into, most);
}
uint32_t read_register(Point point, uint32_t warp, uint32_t lane, uint32_t frame, const char* name,
                       uint64_t into[2]) {
  const Answer answer = ask(point, {LookFor::read_register, warp, lane, frame}, name);
  put(answer.given, into, 2 * sizeof(uint64_t));
  return static_cast<uint32_t>(answer.value);
}
void list_registers(Point point, uint32_t warp, uint32_t lane, uint32_t frame,
                    warpmark_device_sink sink, void* user) {
  lines(point, {LookFor::list_registers, warp, lane, frame}, sink, user);
}
int read(Point point, uint32_t warp, uint32_t lane, uint32_t frame, uint32_t space,
         uint64_t address, void* into, uint64_t bytes) {
  const Answer answer = ask(point, {LookFor::read, warp, lane, frame, space, 0, address, bytes});
  put(answer.given, into, bytes);
  return answer.value != 0 ? 1 : 0;
}
void pointer(Point point, uint64_t address, warpmark_device_sink sink, void* user) {
  lines(point, {LookFor::pointer, 0, 0, 0, 0, 0, address}, sink, user);
}
void findings(Point point, warpmark_device_sink sink, void* user) {
  lines(point, {LookFor::findings}, sink, user);
}
uint32_t stores(Point point, warpmark_debug_store* into, uint32_t most) {
  return several(point, {LookFor::stores}, into, most);
}

constexpr warpmark_debug_view kView = {sizeof(warpmark_debug_view),
                                       0,
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
                                       stores};

}  // namespace

RemoteDevice::RemoteDevice(UniqueFd socket, Debugger& debugger)
    : socket_(std::move(socket)), debugger_(debugger) {
  debugger_.use(kView);
}

uint64_t RemoteDevice::look(const Look& asked, std::string_view name, std::string& given) {
  wire::Kind kind = wire::Kind::pause;
  if (!wire::send_message(socket(), wire::Kind::look, wire::raw(asked), name)) return 0;
  if (!wire::receive_message(socket(), kind, given) || kind != wire::Kind::answer) {
    given.clear();
    return 0;
  }
  std::string_view rest = given;
  const auto value = wire::take<uint64_t>(rest);
  given.erase(0, given.size() - rest.size());
  return value;
}

bool RemoteDevice::serve() {
  wire::Kind kind = wire::Kind::pause;
  std::string text;
  if (!wire::receive_message(socket(), kind, text) || kind != wire::Kind::call) return false;
  std::string_view rest = text;
  auto called = wire::take<wire::Called>(rest);
  called.point.launch_state = this;
  warpmark_debugger& hook = debugger_.hook();
  hook.kept = called.kept;
  wire::GoOn answer;
  in_launch_ = true;
  answer.result = hook.call(hook.user, &called.point);
  // Without an answer the program goes on without a debugger.
  if (debugger_.quits()) return false;
  in_launch_ = called.point.reason != WARPMARK_DEBUG_END;
  answer.pause = hook.pause;
  answer.until = hook.until;
  answer.range_count = hook.range_count;
  answer.keeps = hook.keeps;
  paused_ = answer.pause != 0;
  const std::string_view ranges(reinterpret_cast<const char*>(hook.ranges),
                                hook.range_count * sizeof *hook.ranges);
  const std::string_view stops(
      reinterpret_cast<const char*>(hook.stops),
      hook.stops == nullptr || !debugger_.has_text() ? 0 : debugger_.text().statements.size());
  return wire::send_message(socket(), wire::Kind::go_on, wire::raw(answer), ranges, stops);
}

void RemoteDevice::pause() {
  if (!std::exchange(paused_, true)) wire::send_message(socket(), wire::Kind::pause);
}

DebugSocket::DebugSocket(const std::string& path) : path_(path) {
  if (path.empty()) {
    folder_ = (std::filesystem::temp_directory_path() / "warpmark-debug-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr)
      throw environment_error("no folder can be made for the debugger's socket: " + folder_);
    path_ = folder_ + "/socket";
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path)
    throw usage_error("the path of a socket has at most 107 bytes: " + path_);
  path_.copy(address.sun_path, path_.size());
  const auto* at = reinterpret_cast<const sockaddr*>(&address);
  socket_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct stat known {};
  if (::lstat(path_.c_str(), &known) == 0) {
    if (!S_ISSOCK(known.st_mode)) throw usage_error("`" + path_ + "` is a file, and no socket");
    if (::connect(probe.get(), at, sizeof address) == 0)
      throw usage_error("another debugger is at `" + path_ + "` already: a program has one", {},
                        "end that one first, or give both another socket");
    ::unlink(path_.c_str());  // one that was killed has left it
  }
  const mode_t before = ::umask(0077);
  const int bound = ::bind(socket_.get(), at, sizeof address);
  ::umask(before);
  if (bound != 0 || ::listen(socket_.get(), 16) != 0)
    throw usage_error("no socket can be made at `" + path_ + "`: " + std::strerror(errno));
}

DebugSocket::~DebugSocket() {
  if (socket_) ::unlink(path_.c_str());
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

UniqueFd DebugSocket::accept() const {
  UniqueFd made(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  wire::Kind kind = wire::Kind::pause;
  std::string text;
  if (!made || !wire::is_there(made.get(), kHelloMs) ||
      !wire::receive_message(made.get(), kind, text) || kind != wire::Kind::hello)
    return {};
  std::string_view rest = text;
  if (wire::take<wire::Hello>(rest).version != wire::kVersion) {
    wire::send_message(made.get(), wire::Kind::refuse,
                       "the debugger is of another version, and the program runs without it");
    return {};
  }
  return made;
}

}  // namespace warpmark::debugging
