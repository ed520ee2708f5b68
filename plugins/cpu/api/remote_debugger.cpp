// The debugger of another process, which a socket connects.
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/debug.hpp"
#include "warpmark/debug_wire.hpp"

namespace warpmark::cpu {
namespace {

namespace wire = debug_wire;

// Statements after which a launch looks for a pause, and whether the debugger is still there.
constexpr std::uint64_t kPatience = 20000;

void say(const std::string& text) {
  std::fprintf(stderr, "warpmark-cpu: %s\n", text.c_str());
}

// Waits for a debugger as long as the folder of the socket is there.
int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  path.copy(address.sun_path, path.size());
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (bool told = false; access(folder.c_str(), X_OK) == 0; told = true) {
    const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return -1;
    if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return made;
    ::close(made);
    if (!told) say("waits for a debugger: warpmark debug --attach " + path);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return -1;
}

class RemoteDebugger {
 public:
  RemoteDebugger() {
    const char* path = std::getenv(wire::kVariable);
    if (path == nullptr || *path == '\0') return;
    socket_ = connect_to(path);
    if (socket_ < 0) return;
    hook_.call = [](void* user, const warpmark_debug_point* point) {
      return static_cast<RemoteDebugger*>(user)->call(*point);
    };
    hook_.user = this;
    const wire::Hello hello{wire::kVersion, getpid()};
    wire::Kind kind = wire::Kind::hello;
    std::string text;
    if (!wire::send_message(socket_, wire::Kind::hello, wire::raw(hello)) ||
        !wire::receive_message(socket_, kind, text)) {
      leave();
      return;
    }
    if (kind == wire::Kind::welcome) return;
    say(text);
    leave();
  }

  warpmark_debugger* hook() { return socket_ < 0 ? nullptr : &hook_; }

 private:
  void leave() {
    ::close(socket_);
    socket_ = -1;
    hook_.until = ~std::uint64_t{0};
    hook_.stops = nullptr;
    hook_.pause = 0;
    hook_.range_count = hook_.keeps = 0;
  }

  int call(const warpmark_debug_point& point) {
    if (socket_ < 0) return WARPMARK_DEBUG_GO_ON;
    if (is_only_patience(point)) {
      hook_.until = std::min(until_, point.count + kPatience);
      return WARPMARK_DEBUG_GO_ON;
    }
    const wire::Called called{point, hook_.kept, 0};
    std::string text;
    wire::Kind kind = wire::Kind::call;
    if (!wire::send_message(socket_, wire::Kind::call, wire::raw(called)))
      kind = wire::Kind::refuse;
    while (kind != wire::Kind::refuse && wire::receive_message(socket_, kind, text)) {
      if (kind == wire::Kind::look) {
        if (!look(point, text)) break;
      } else if (kind == wire::Kind::go_on) {
        return go_on(point, text);
      }
    }
    leave();  // the program goes on without a debugger
    return WARPMARK_DEBUG_GO_ON;
  }

  // True if nobody asked for this call.
  bool is_only_patience(const warpmark_debug_point& point) {
    if (point.reason != WARPMARK_DEBUG_BEFORE || point.count >= until_ || hook_.pause != 0)
      return false;
    if (hook_.stops != nullptr && hook_.stops[point.statement] != 0) return false;
    if (debug_view().stores(&point, nullptr, 0) > 0) return false;
    if (!wire::is_there(socket_, 0)) return true;
    wire::Kind kind = wire::Kind::pause;
    std::string text;
    if (wire::receive_message(socket_, kind, text)) return false;
    leave();
    return true;
  }

  int go_on(const warpmark_debug_point& point, std::string_view message) {
    const auto how = wire::take<wire::GoOn>(message);
    until_ = how.until;
    hook_.until = std::min(until_, point.count + kPatience);
    hook_.pause = how.pause;
    hook_.keeps = how.keeps;
    ranges_.clear();
    for (std::uint32_t i = 0; i < how.range_count && !message.empty(); ++i)
      ranges_.push_back(wire::take<warpmark_debug_range>(message));
    hook_.ranges = ranges_.data();
    hook_.range_count = static_cast<std::uint32_t>(ranges_.size());
    stops_.assign(message.begin(), message.end());
    hook_.stops = stops_.empty() ? nullptr : stops_.data();
    return how.result;
  }

  bool look(const warpmark_debug_point& point, std::string_view message) {
    const auto asked = wire::take<wire::Look>(message);
    const warpmark_debug_view& view = debug_view();
    std::uint64_t value = 0;
    std::string given;
    const auto add_line = [](void* user, const char* text, std::size_t length) {
      auto& all = *static_cast<std::string*>(user);
      all += wire::raw(static_cast<std::uint32_t>(length));
      all.append(text, length);
    };
    // Looks of the front are bounded; a text or a memory is not larger than what it is of.
    const auto several = [&](auto one, auto fill) {
      std::vector<decltype(one)> all(asked.most);
      value = fill(all.data());
      const std::size_t count = std::min<std::size_t>(value, all.size());
      given.assign(reinterpret_cast<const char*>(all.data()), count * sizeof one);
    };
    switch (asked.function) {
      case wire::LookFor::describe:
        view.describe(&point, add_line, &given);
        break;
      case wire::LookFor::statements:
        view.statements(&point, add_line, &given);
        break;
      case wire::LookFor::sections:
        view.sections(&point, add_line, &given);
        break;
      case wire::LookFor::lane: {
        warpmark_debug_lane lane{};
        value = static_cast<std::uint64_t>(view.lane(&point, asked.warp, asked.lane, &lane));
        given = wire::raw(lane);
        break;
      }
      case wire::LookFor::frames:
        several(warpmark_debug_frame{}, [&](warpmark_debug_frame* into) {
          return view.frames(&point, asked.warp, asked.lane, into, asked.most);
        });
        break;
      case wire::LookFor::read_register: {
        std::array<std::uint64_t, 2> halves{};
        value = view.read_register(&point, asked.warp, asked.lane, asked.frame,
                                   std::string(message).c_str(), halves.data());
        given = wire::raw(halves);
        break;
      }
      case wire::LookFor::list_registers:
        view.list_registers(&point, asked.warp, asked.lane, asked.frame, add_line, &given);
        break;
      case wire::LookFor::read:
        given.resize(asked.bytes);
        value = static_cast<std::uint64_t>(view.read(&point, asked.warp, asked.lane, asked.frame,
                                                     asked.space, asked.address, given.data(),
                                                     asked.bytes));
        break;
      case wire::LookFor::pointer:
        view.pointer(&point, asked.address, add_line, &given);
        break;
      case wire::LookFor::findings:
        view.findings(&point, add_line, &given);
        break;
      case wire::LookFor::stores:
        several(warpmark_debug_store{},
                [&](warpmark_debug_store* into) { return view.stores(&point, into, asked.most); });
        break;
    }
    return wire::send_message(socket_, wire::Kind::answer, wire::raw(value), given);
  }

  int socket_ = -1;
  warpmark_debugger hook_{};
  std::uint64_t until_ = 0;
  std::vector<std::uint8_t> stops_;
  std::vector<warpmark_debug_range> ranges_;
};

}  // namespace

// The launching thread holds the lock of the API.
warpmark_debugger* remote_debugger() {
  static auto* const one = new RemoteDebugger;  // outlives every launch
  return one->hook();
}

}  // namespace warpmark::cpu
