// A copy between memories that takes place later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "program/program.hpp"

namespace warpmark::cpu {

struct Lanes;
struct LaunchState;

/// Puts `bytes` into memory, element by element, by those at `from`; those of atomic instructions
/// change what is there as they would.
using Reduction = void (*)(LaunchState& launch, std::byte* to, const std::byte* from,
                           std::uint32_t bytes, bool global);
/// Bytes of a copy that lie beside each other on both sides.
struct CopyPart {
  std::uint64_t from = 0, to = 0;  ///< bytes behind AsyncCopy::from and AsyncCopy::to
  std::uint32_t bytes = 0;         ///< written
  std::uint32_t source = 0;        ///< read; AsyncCopy::values follow
};

/// The parts of a copy, if it is not one of both sides from the first byte to the last.
struct CopyPlan {
  std::vector<CopyPart> parts;
  std::vector<std::byte*> others;  ///< targets beside AsyncCopy::to: memory of other devices
};

/// The data that the checks keep for a copy under way: the thread that copies, the source and the
/// target.
struct Flight {
  struct Side {
    Space space = Space::shared;
    std::uint64_t address = 0;     ///< of shared memory an offset in its window
    std::uint8_t* init = nullptr;  ///< of global memory: which bytes have a value; null: all
    std::uint64_t first = 0;       ///< bit of the first byte in `init`
  };
  Side from, to;
  Lanes* lanes = nullptr;  ///< of the warp
  const Instruction* instruction = nullptr;
  std::uint32_t lane = 0;
  std::uint32_t mark = 0;           ///< of the records that stand for it (Flights); 0: none
  std::vector<std::uint64_t> kept;  ///< records that they replaced, for a source in shared memory
};

/// A copy between memories that have been checked. It happens when it is waited for, and not
/// before: a thread that forgets to wait always finds the old contents.
struct AsyncCopy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::uint32_t bytes = 0;          ///< written
  std::uint32_t source = 0;         ///< read; `values` follow
  std::byte* completion = nullptr;  ///< mbarrier on which it completes, if any
  std::optional<Flight> flight;     ///< set if checks run
  Reduction combine = nullptr;      ///< operation on the values on their way; null: none
  bool reduces = false;             ///< `combine` changes the target, as an atomic operation
  LaunchState* launch = nullptr;    ///< for `combine`
  bool to_global = false;           ///< the same
  bool unsaid = false;              ///< bytes that are written and not read have no value
  /// The pattern that is written repeatedly behind the bytes that are read: zeros, or register
  /// values for a copy without memory at `from`, which is then null.
  std::array<std::byte, 16> values{};
  std::shared_ptr<const CopyPlan> plan;
  std::uint64_t group = 0;  ///< number of its thread's groups committed before it started

  template <typename Body>
  void each_part(Body body) const {
    if (plan == nullptr) return body(CopyPart{0, 0, bytes, source});
    for (const CopyPart& part : plan->parts) body(part);
  }
};

}  // namespace warpmark::cpu
