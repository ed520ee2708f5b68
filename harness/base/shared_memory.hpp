// Memory that another process maps or reads: how a buffer's bytes reach the worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/file.hpp"

namespace warpmark {

/// A mapped memfd of fixed size, or memory of this process that another one only reads. Pages are
/// zero until written and take no memory until touched.
///
/// A memfd is sealed against shrinking and growing, so that a peer that holds the same descriptor
/// cannot take pages away under a reader (which would end in SIGBUS).
class SharedMemory {
 public:
  /// A new one of `bytes` bytes, 0 allowed; `name` appears in /proc/PID/maps only.
  /// Throws an environment error that states the size.
  static SharedMemory create(size_t bytes, const std::string& name = "warpmark");

  /// Memory of this process with huge pages, where the system has these: the first use of a gigabyte
  /// takes 0.04 s, of a memfd's 0.2 s, and giving it back 0.03 and 0.1 s. A memfd if this process
  /// cannot open its own memory for others.
  static SharedMemory create_readable(size_t bytes);

  /// Maps what another process created; its size is the file's. Throws an environment error if the
  /// descriptor is not a memfd that is sealed against shrinking.
  static SharedMemory adopt(UniqueFd fd);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  /// Releases a large block in a thread, which a later `create` of a large one waits for.
  ~SharedMemory();

  /// Where the bytes are in this process, whose memory is the file of `fd`, and a number that no other
  /// memory of it has or had.
  struct Place {
    uint64_t address = 0, number = 0;
    int process = 0;
    bool operator==(const Place&) const = default;
  };
  /// The place of memory that can only be read; nothing for a memfd.
  const std::optional<Place>& place() const { return place_; }

  /// The descriptor to send to another process; it stays ours, and is closed on exec.
  int fd() const { return fd_.get(); }
  std::span<std::byte> bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

  /// A number that a memfd has in every process that maps it, and that no other has.
  uint64_t identity() const;
  /// Maps all pages, on all processors: a large block's first use takes a quarter of a second for
  /// each gigabyte otherwise.
  void populate() const;

 private:
  SharedMemory() = default;
  SharedMemory(UniqueFd fd, size_t bytes);

  UniqueFd fd_;
  std::optional<Place> place_;
  std::span<std::byte> bytes_;  ///< the mapping; empty for 0 bytes, which cannot be mapped
};

}  // namespace warpmark
