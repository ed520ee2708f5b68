// Copies that a block has started and that nobody has waited for yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/copy_queue.hpp"
#include "program/opcode.hpp"

namespace warpmark::cpu {

/// That of the elements and the operation of an atomic instruction.
Reduction reduction_by(Opcode atomic);

/// The copies of a block, by thread and in the order in which each thread started them. Bulk copies
/// have groups of their own, apart from those of plain ones.
///
/// What a block leaves under way is bounded: beyond that the older half of each thread's comes
/// about, as on a GPU sooner or later all of it does. The bound is more than what shared memory has
/// room for in copies of 4 bytes, so that it is met only by who never waits.
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
  /// How many blocks have begun and not ended.
  void share(const std::uint64_t& active) { active_ = &active; }
  void start(Kind kind, std::uint32_t thread, AsyncCopy&& copy);
  /// What the thread started since the last commit becomes a group.
  void commit(Kind kind, std::uint32_t thread);
  /// Completes all of the thread's groups but the `most` latest; or if `reads` waits only until
  /// they have read, after which only the checks can see that they have not written yet.
  void wait(Kind kind, std::uint32_t thread, std::uint32_t most, bool reads = false);
  /// Completes all that the thread has started.
  void wait_all(std::uint32_t thread);
  /// An arrival at an mbarrier that comes about once the copies before it are done.
  void arrive_later(std::uint32_t thread, std::byte* barrier);
  /// A thread looks at an mbarrier: copies and arrivals that complete on it do so now.
  void settle(const std::byte* barrier);
  /// A thread leaves by a statement: what it has started is done, and nobody waited for it.
  void leave(std::uint32_t thread, std::uint32_t statement);
  /// The block's last thread leaves, and with it the memory of copies that complete on mbarriers.
  void abandon(std::uint32_t thread, std::uint32_t statement);
  /// Nothing is on its way.
  [[nodiscard]] bool idle() const { return under_way_ == 0 && arrivals_.empty(); }

 private:
  /// A thread's copies of a kind. Groups are numbered in the order of their commits.
  struct Queue {
    CopyQueue copies;
    std::uint64_t started = 0, done = 0;      ///< copies
    std::uint64_t committed = 0, closed = 0;  ///< groups; those before `closed` are waited for
    CopyQueue read;                           ///< of closed groups: done but for the checks
  };
  struct Arrival {
    std::uint32_t thread = 0;
    std::uint64_t after = 0;  ///< copies, counted as `started`
    std::byte* barrier = nullptr;
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
  void forget(const AsyncCopy& copy);
  static void move(const AsyncCopy& copy);

  BlockObserver* observer_ = nullptr;
  const std::uint64_t* active_ = nullptr;
  std::uint32_t threads_ = 0;
  CopyPool pool_;
  std::vector<Queue> queues_[kinds];  ///< by thread, once one is used
  CopyQueue announced_;               ///< copies that complete on an mbarrier
  std::vector<Arrival> arrivals_;
  std::uint64_t under_way_ = 0;     ///< copies
  std::uint64_t copies_bytes_ = 0;  ///< … what their records take
  std::uint64_t open_groups_ = 0;   ///< of all threads
  std::uint64_t new_bytes_ = 0;     ///< since kept_bytes() was looked at
};

}  // namespace warpmark::cpu
