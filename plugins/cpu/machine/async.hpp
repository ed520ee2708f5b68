// Copies that a block has started and that no thread has waited for yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/copy_queue.hpp"
#include "program/opcode.hpp"

namespace warpmark::cpu {

/// The reduction for the element type and the operation of an atomic instruction.
Reduction reduction_by(Opcode atomic);

/// The copies of a block, by thread and in the order in which each thread started them. Bulk copies
/// and plain copies have separate groups.
///
/// The copies that a block leaves under way are bounded: beyond the bound the older half of each
/// thread's copies completes, as all copies do sooner or later on a GPU. The bound exceeds the
/// number of 4-byte copies that fill shared memory, so that only a block that never waits reaches
/// it.
class AsyncCopies {
 public:
  enum Kind : std::uint8_t { plain, bulk, kinds };
  /// Bytes of this host that the records of a block's copies may take, about; twice as much at
  /// times. Blocks that have begun together share kAllBytes.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{256} << 10;
  static constexpr std::uint64_t kAllBytes = std::uint64_t{128} << 20;

  /// Forgets everything; threads are numbered below `threads`.
  void reset(std::uint32_t threads);
  /// The observer that sees what copies write.
  void watch(class BlockObserver* observer) { observer_ = observer; }
  /// `active` is the number of blocks that have begun and not ended.
  void share(const std::uint64_t& active) { active_ = &active; }
  void start(Kind kind, std::uint32_t thread, AsyncCopy&& copy);
  /// Makes a group of the copies that the thread started since the last commit.
  void commit(Kind kind, std::uint32_t thread);
  /// Completes all of the thread's groups except the `most` latest. With `reads` it waits only
  /// until they have read; afterwards only the checks can see that they have not written yet.
  void wait(Kind kind, std::uint32_t thread, std::uint32_t most, bool reads = false);
  /// Completes all that the thread has started.
  void wait_all(std::uint32_t thread);
  /// Adds an arrival at an mbarrier that takes place once the earlier copies are done.
  void arrive_later(std::uint32_t thread, std::byte* barrier);
  /// Called when a thread looks at an mbarrier: copies and arrivals that complete on it do so now.
  void settle(const std::byte* barrier);
  /// Notes a look at an mbarrier by a warp that does not wait. True for its first one at what is under
  /// way: copies take time, and a program that ignores the answer reads too early.
  bool is_first_look(const std::byte* barrier, const void* looker);
  /// Called when a thread exits at a statement: completes its copies, which no thread waited for.
  void leave(std::uint32_t thread, std::uint32_t statement);
  /// The block's last thread leaves, and with it the memory of copies that complete on mbarriers.
  void abandon(std::uint32_t thread, std::uint32_t statement);
  /// True if no copy or arrival is under way.
  [[nodiscard]] bool idle() const { return under_way_ == 0 && arrivals_.empty(); }

 private:
  /// A thread's copies of a kind. Groups are numbered in the order of their commits.
  struct Queue {
    CopyQueue copies;
    std::uint64_t started = 0, done = 0;      ///< copies
    std::uint64_t committed = 0, closed = 0;  ///< groups; those before `closed` are waited for
    CopyQueue read;                           ///< of closed groups: done, except for the checks
  };
  struct Arrival {
    std::uint32_t thread = 0;
    std::uint64_t after = 0;  ///< copies, counted as `started`
    std::byte* barrier = nullptr;
  };
  struct Look {
    const std::byte* barrier = nullptr;
    const void* warp = nullptr;
    bool operator==(const Look&) const = default;
  };
  void complete_for_arrivals(std::uint32_t thread, std::uint64_t end);
  void arrive(const Arrival& arrival);
  void keep(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t kept_bytes() const;
  void complete_older();
  void complete_first(Queue& queue, const std::byte* barrier);
  void complete(Queue& queue, std::uint64_t end, const std::byte* barrier = nullptr);
  [[nodiscard]] static std::uint64_t started_before(Queue& queue, std::uint64_t group);
  void read_first(Queue& queue);
  void land_first(Queue& queue);
  void finish(AsyncCopy& copy, const std::byte* barrier);
  void land(AsyncCopy& copy, const std::byte* barrier);
  void forget(const AsyncCopy& copy);
  static void move(const AsyncCopy& copy);
  static void move(const AsyncCopy& copy, std::byte* target);

  BlockObserver* observer_ = nullptr;
  const std::uint64_t* active_ = nullptr;
  std::uint32_t threads_ = 0;
  CopyPool pool_;
  std::vector<Queue> queues_[kinds];  ///< by thread, once one is used
  CopyQueue announced_;               ///< copies that complete on an mbarrier
  std::vector<Arrival> arrivals_;
  std::vector<Look> looks_;         ///< by warps that did not wait, once
  std::uint64_t under_way_ = 0;     ///< copies
  std::uint64_t copies_bytes_ = 0;  ///< bytes that the records of copies take
  std::uint64_t open_groups_ = 0;   ///< of all threads
  std::uint64_t new_bytes_ = 0;     ///< since kept_bytes() was looked at
};

}  // namespace warpmark::cpu
