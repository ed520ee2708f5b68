// Changes in folders, as the kernel reports them (inotify(7)).
#pragma once

#include <filesystem>
#include <map>
#include <set>

#include "base/file.hpp"

namespace warpmark {

class FolderWatch {
 public:
  /// Throws an environment error if the kernel provides no instance.
  FolderWatch();

  /// Watches these folders and no others. Returns true if any of them is new; a folder that does
  /// not exist, or may not be read, is left out. Throws an environment error with advice if there
  /// are no watches left.
  bool watch(const std::set<std::filesystem::path>& folders);

  struct Happened {
    std::set<std::filesystem::path> written;  ///< files that were written and closed
    std::set<std::filesystem::path> moved;    ///< files and folders that came, went or were renamed
    bool anything = false;                    ///< a folder went, or the kernel lost events
  };
  /// Returns the changes since the last call; never waits.
  Happened take();

  int fd() const { return fd_.get(); }  ///< readable when something has happened

 private:
  void forget(int number);

  UniqueFd fd_;
  std::map<int, std::filesystem::path> folders_;  ///< by the number of the watch
};

}  // namespace warpmark
