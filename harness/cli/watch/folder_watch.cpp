#include "cli/watch/folder_watch.hpp"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace warpmark {
namespace {

constexpr uint32_t kMask = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                           IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

Error no_more_watches(const std::filesystem::path& folder, size_t already) {
  return environment_error(
      fmt::format("cannot watch {}: there are no inotify watches left, after {} of this command",
                  display_path(folder), already),
      "name fewer PATHS, or allow more: sysctl fs.inotify.max_user_watches=524288");
}

}  // namespace

FolderWatch::FolderWatch() : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (fd_) return;
  throw environment_error(
      fmt::format("cannot wait for changes: inotify_init1: {}", std::strerror(errno)),
      errno == EMFILE ? "end another program that watches files, or allow more: sysctl "
                        "fs.inotify.max_user_instances=512"
                      : "");
}

bool FolderWatch::watch(const std::set<std::filesystem::path>& folders) {
  std::set<std::filesystem::path> known;
  for (auto one = folders_.begin(); one != folders_.end();) {
    if (folders.count(one->second) != 0) {
      known.insert((one++)->second);
    } else {
      ::inotify_rm_watch(fd_.get(), one->first);
      one = folders_.erase(one);
    }
  }
  bool is_new = false;
  for (const std::filesystem::path& folder : folders) {
    if (known.count(folder) != 0) continue;
    const int number = ::inotify_add_watch(fd_.get(), folder.c_str(), kMask);
    if (number < 0 && errno == ENOSPC) throw no_more_watches(folder, folders_.size());
    if (number < 0) continue;
    folders_[number] = folder;
    is_new = true;
  }
  return is_new;
}

void FolderWatch::forget(int number) {
  ::inotify_rm_watch(fd_.get(), number);  // no matter if it has gone already
  folders_.erase(number);
}

FolderWatch::Happened FolderWatch::take() {
  Happened happened;
  alignas(inotify_event) std::array<char, 16384> bytes;
  for (;;) {
    const ssize_t count = ::read(fd_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return happened;
    for (ssize_t at = 0; at < count;) {
      inotify_event event = {};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      const char* name = bytes.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) happened.anything = true;
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end()) continue;
      if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) != 0) {
        happened.anything = true;
        forget(event.wd);
      } else if (event.len > 0) {
        const std::filesystem::path path = folder->second / name;
        ((event.mask & IN_CLOSE_WRITE) != 0 ? happened.written : happened.moved).insert(path);
      }
    }
  }
}

}  // namespace warpmark
