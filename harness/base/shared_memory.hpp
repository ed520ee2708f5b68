// Memory that two processes map: how a buffer's bytes reach the worker without a copy.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/file.hpp"

namespace warpmark {

/// A mapped memfd of fixed size. Pages are zero until written and take no memory until touched.
///
/// The file is sealed against shrinking and growing, so that a peer that holds the same descriptor
/// cannot take pages away under a reader (which would end in SIGBUS).
class SharedMemory {
 public:
  /// A new one of `bytes` bytes, 0 allowed; `name` appears in /proc/PID/maps only.
  /// Throws an environment error that states the size.
  static SharedMemory create(size_t bytes, const std::string& name = "warpmark");

  /// Maps what another process created; its size is the file's. Throws an environment error if the
  /// descriptor is not a memfd that is sealed against shrinking.
  static SharedMemory adopt(UniqueFd fd);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  /// Releases a large block in a thread, which a later `create` of a large one waits for.
  ~SharedMemory();

  /// The descriptor to send to another process; it stays ours, and is closed on exec.
  int fd() const { return fd_.get(); }
  std::span<std::byte> bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

  /// A number that the memory has in every process that maps it, and that no other has.
  uint64_t identity() const;
  /// Maps all pages, on all processors: a large block's first use takes a quarter of a second for
  /// each gigabyte otherwise.
  void populate() const;

 private:
  SharedMemory(UniqueFd fd, size_t bytes);

  UniqueFd fd_;
  std::span<std::byte> bytes_;  ///< the mapping; empty for 0 bytes, which cannot be mapped
};

}  // namespace warpmark
