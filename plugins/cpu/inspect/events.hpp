// The events of a thread block, by which the machine tells the checks what happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inspect/mbarrier_use.hpp"
#include "inspect/values/definedness.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

struct AsyncCopy;

/// An access that Check::touch() tells of.
enum class Touch : std::uint8_t {
  load,
  store,
  same_store  ///< the memory already holds the value that is stored
};

/// One check of one block. It overrides the events that it wants. Events of a warp have its Lanes
/// and an instruction, or the block of the control-flow graph that its lanes are at the end of. An
/// access is told before it takes place, if it lies within its bounds. Those to shared memory have
/// an offset in the shared window, so that it may be that of another block of the cluster
/// (generic_address.hpp).
class Check {
 public:
  Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  virtual ~Check() = default;

  // --- the block: it starts with this linear index, and its last thread leaves
  virtual void begin(std::uint64_t /*index*/) {}
  virtual void exit(std::uint32_t /*statement*/, std::uint32_t /*warp*/, std::uint32_t /*lane*/) {}

  // --- accesses of one lane
  virtual void load(Lanes&, const Instruction&, Space, std::uint32_t /*lane*/,
                    std::uint64_t /*address*/, std::uint32_t /*bytes*/) {}
  /// `same` is true if the memory already holds the value that is stored.
  virtual void store(Lanes&, const Instruction&, Space, std::uint32_t /*lane*/,
                     std::uint64_t /*address*/, std::uint32_t /*bytes*/, bool /*same*/) {}
  /// An atomic operation reads and writes; `uses` tells whether the old value is used.
  virtual void atomic(Lanes&, const Instruction&, Space, std::uint32_t /*lane*/,
                      std::uint64_t /*address*/, std::uint32_t /*bytes*/, bool /*uses*/) {}
  /// An access whose value a handler passes on by ValueShadow, if at all: what it synchronizes is
  /// said by the instruction. Copies of boxes tell so of the tensor map that they read.
  virtual void touch(Lanes&, const Instruction&, Space, std::uint32_t /*lane*/,
                     std::uint64_t /*address*/, std::uint32_t /*bytes*/, Touch /*what*/) {}
  /// A texture fetch or surface load, of global memory. Returns which of the first 32 bytes have no
  /// value, one bit for each.
  virtual std::uint32_t fetch(Lanes&, const Instruction&, std::uint32_t /*lane*/,
                              std::uint64_t /*address*/, std::uint32_t /*bytes*/) {
    return 0;
  }

  // --- memory that no access of the program changes
  /// Global memory that malloc gave to a thread: its previous user has freed it.
  virtual void allocated(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  /// The program needs these values of global memory no longer.
  virtual void discard(std::uint64_t /*address*/, std::uint32_t /*bytes*/) {}
  virtual void fill_local(std::uint32_t /*warp*/, std::uint32_t /*lane*/, std::uint64_t /*offset*/,
                          std::uint64_t /*bytes*/) {}
  virtual void fill_shared(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}

  // --- calls of a lane: the number of the callee, and the offset of its frame
  virtual void enter_frame(std::uint32_t /*warp*/, std::uint32_t /*lane*/, std::uint32_t /*callee*/,
                           std::uint64_t /*frame*/) {}
  virtual void leave_frame(std::uint32_t /*warp*/, std::uint32_t /*lane*/, std::uint32_t /*callee*/,
                           std::uint64_t /*frame*/) {}
  virtual void copy_local(std::uint32_t /*warp*/, std::uint32_t /*lane*/, std::uint64_t /*from*/,
                          std::uint64_t /*to*/, std::uint64_t /*bytes*/) {}

  // --- registers
  /// The lanes of `mask` are about to execute an instruction. Only told while some register has an
  /// undefined value or the mask is not full, but to further checks always.
  virtual void execute(Lanes&, const Instruction&, std::uint32_t /*mask*/) {}
  /// A register decides what the lanes do at the end of a block of the control-flow graph.
  virtual void decide(Lanes&, std::uint32_t /*slot*/, std::uint32_t /*mask*/,
                      std::uint32_t /*statement*/, const char* /*what*/) {}

  // --- barriers
  /// Lanes arrive at a barrier of the block, for all of it or for `threads` threads.
  virtual void barrier_arrive(const Lanes&, std::uint32_t /*mask*/, std::uint32_t /*number*/,
                              std::uint32_t /*threads*/, const BasicBlock&) {}
  /// A barrier is over, at which these warps waited; `everybody`: all threads of the block met.
  virtual void barrier_complete(std::uint32_t /*number*/, bool /*everybody*/,
                                std::uint32_t /*warps*/) {}
  /// Lanes begin a block of the control-flow graph behind some barriers: BasicBlock::past has one
  /// of BlockObserver::ahead.
  virtual void go_past(const Lanes&, std::uint32_t /*mask*/, const BasicBlock&) {}
  /// Lanes arrive at bar.warp.sync or at an operation of several lanes; `met`: none has to wait.
  virtual void warp_arrive(const Lanes&, std::uint32_t /*mask*/, const BasicBlock&, bool /*met*/) {}
  /// Lanes have met at bar.warp.sync, or, the last of them now, at the operation that a block of
  /// the control-flow graph begins with.
  virtual void warp_complete(std::uint32_t /*warp*/, std::uint32_t /*mask*/) {}
  /// Lanes that were at one place part from each other, by a branch of BasicBlock::parts.
  virtual void part(std::uint32_t /*warp*/, std::uint32_t /*mask*/) {}
  virtual void collect_complete(const Lanes&, std::uint32_t /*mask*/, std::uint32_t /*members*/,
                                std::uint32_t /*node*/) {}
  /// All threads of the cluster have met. Told to all its blocks before any is told that its
  /// threads go on.
  virtual void cluster_complete() {}
  virtual void cluster_released() {}
  virtual void cluster_arrive(std::uint32_t /*warp*/, std::uint32_t /*mask*/, bool /*relaxed*/) {}
  virtual void cluster_wait(std::uint32_t /*warp*/) {}
  virtual void fence(const Lanes&, const Instruction&) {}

  // --- mbarriers, by their place in the host's memory
  virtual void use_mbarrier(Lanes&, const Instruction&, std::uint32_t /*lane*/,
                            std::uint64_t /*address*/, MbarrierUse) {}
  virtual void arrive_at(const std::byte*, std::uint32_t /*warp*/, std::uint32_t /*lane*/,
                         const Instruction&) {}
  /// A lane arrives at an mbarrier, at this address, whose phase expects fewer arrivals.
  virtual void arrive_too_often(const Lanes&, const Instruction&, std::uint32_t /*lane*/,
                                std::uint64_t /*address*/, std::uint32_t /*expected*/) {}
  virtual void complete_phase(const std::byte*) {}
  virtual void see_phase(const std::byte*, std::uint32_t /*warp*/, std::uint32_t /*lane*/,
                         const Instruction&) {}
  virtual void see_copies(const std::byte*, std::uint32_t /*warp*/) {}

  // --- products of warpgroups (wgmma)
  /// A warp issues its part of a product, which reads pieces of 16 bytes of the block's shared
  /// memory, by their offsets: its rows of a, if that is not in registers, and all of b.
  virtual void multiply_in_group(Lanes&, const Instruction&,
                                 const std::vector<std::uint32_t>& /*a*/,
                                 const std::vector<std::uint32_t>& /*b*/) {}
  /// A warp executes another instruction of its warpgroup: wgmma.fence, commit_group or wait_group,
  /// or setmaxnreg.
  virtual void steer_group(Lanes&, const Instruction&) {}

  // --- asynchronous copies, by this block's threads
  virtual void depart(AsyncCopy&) {}
  virtual void has_read(AsyncCopy&) {}
  /// A copy has moved its bytes; then its thread, or those that test an mbarrier, know of it.
  virtual void land(AsyncCopy&) {}
  virtual void landed(AsyncCopy&, const std::byte* /*barrier*/) {}
  /// A thread leaves, or the last one, while a copy may still be under way.
  virtual void abandon(AsyncCopy&, std::uint32_t /*statement*/, std::uint32_t /*warp*/,
                       std::uint32_t /*lane*/) {}
};

/// The knowledge of values beside their bits. Handlers that move single elements pass it on.
class ValueShadow {
 public:
  [[nodiscard]] virtual WarpDefinedness& definedness(std::uint32_t warp) = 0;
  /// Those of memory, in elements of so many bytes. Spaces and addresses are as for accesses.
  [[nodiscard]] virtual Definedness read(Lanes&, const Instruction&, Space, std::uint32_t lane,
                                         std::uint64_t address, std::uint32_t bytes,
                                         std::uint32_t element) = 0;
  virtual void write(Lanes&, const Instruction&, Space, std::uint32_t lane, std::uint64_t address,
                     std::uint32_t bytes, const Definedness&) = 0;
  /// Returns whether bytes of the block's own shared memory all have values.
  [[nodiscard]] virtual bool is_defined(std::uint64_t offset, std::uint32_t bytes) = 0;
  /// A product is made of a matrix none of whose bytes, of which one is at `offset`, has a value.
  virtual void multiply_nothing(Lanes&, const Instruction&, std::uint64_t offset,
                                const char* what) = 0;

 protected:
  ~ValueShadow() = default;
};

}  // namespace warpmark::cpu
