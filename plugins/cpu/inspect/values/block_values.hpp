// Undefined values: tracks which bytes are undefined, and checks the uses of registers that hold
// them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspect/events.hpp"
#include "inspect/fault.hpp"
#include "inspect/mbarrier_use.hpp"
#include "inspect/values/byte_values.hpp"
#include "inspect/values/definedness.hpp"
#include "memory/async_copy.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

class ObservedBlock;

/// The state of the check for undefined values that the blocks of a launch share.
struct LaunchValues {
  explicit LaunchValues(const Program& program);
  /// Made when the first undefined value is met.
  std::optional<OperandSlots> operands;
  std::optional<Combinations> combinations;
  /// Arrays from which loads read undefined values, by statement.
  std::unordered_map<std::uint32_t, std::string> arrays;
  /// By callee: the arguments and results of its calls and its own results, which lie in its frame
  /// and may be written in part: offsets and bytes.
  std::vector<std::vector<Callee::Value>> call_spaces;
  bool shared = false;  ///< other threads run other blocks of the launch
};

/// The values of one block's memories and registers. Spaces and addresses are as for BlockRaces.
class BlockValues final : public Check, public ValueShadow {
 public:
  BlockValues(LaunchValues& launch, ObservedBlock& block, std::uint64_t shared_bytes,
              std::uint64_t local_bytes, std::uint32_t warps);
  /// Starts a block.
  void begin(std::uint64_t index) override;
  [[nodiscard]] WarpDefinedness& definedness(std::uint32_t warp) override {
    return warps_[warp].definedness;
  }
  [[nodiscard]] std::uint8_t* shared_init() { return shared_init_.data(); }
  /// Returns whether bytes of the block's shared memory are known to have values, without a look at
  /// their bits; learn() tells of bytes that have.
  [[nodiscard, gnu::always_inline]] bool knows(std::uint64_t begin, std::uint64_t end) const {
    return known_begin_ <= begin && end <= known_end_;
  }
  void learn(std::uint64_t begin, std::uint64_t end);

  // --- accesses of one lane, within their bounds
  void load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
            std::uint32_t bytes) override;
  void store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool same) override;
  void access(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
              std::uint64_t address, std::uint32_t bytes, bool is_store) {
    if (is_store)
      store(w, i, space, lane, address, bytes, false);
    else
      load(w, i, space, lane, address, bytes);
  }
  void atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
              std::uint64_t address, std::uint32_t bytes, bool uses) override;
  /// The lanes of `mask`, lane L's access at at[L], for which atomic() has something to do.
  [[nodiscard]] std::uint32_t undefined_lanes(const Lanes& w, const Instruction& i, Space space,
                                              std::uint32_t mask, const std::uint64_t* at,
                                              std::uint32_t bytes);
  [[nodiscard]] Definedness read(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                                 std::uint64_t address, std::uint32_t bytes,
                                 std::uint32_t element) override;
  void write(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, const Definedness& defined) override;
  [[nodiscard]] bool is_defined(std::uint64_t offset, std::uint32_t bytes) override {
    return in_shared(offset).defined(bytes);
  }
  void multiply_nothing(Lanes& w, const Instruction& i, std::uint64_t offset,
                        const char* what) override;
  [[nodiscard]] std::uint32_t fetch(Lanes& w, const Instruction& i, std::uint32_t lane,
                                    std::uint64_t address, std::uint32_t bytes) override;
  void use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                    MbarrierUse use) override;
  void fill_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset,
                  std::uint64_t bytes) override;
  void discard(std::uint64_t address, std::uint32_t bytes) override;
  void fill_shared(std::uint64_t offset, std::uint64_t bytes) override;
  void land(AsyncCopy& copy) override;

  void enter_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                   std::uint64_t frame) override;
  void leave_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                   std::uint64_t frame) override;
  void copy_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t from, std::uint64_t to,
                  std::uint64_t bytes) override;

  /// Follows the values that the instruction reads, if it concerns undefined ones.
  void execute(Lanes& w, const Instruction& i, std::uint32_t mask) override;
  void decide(Lanes& w, std::uint32_t slot, std::uint32_t mask, std::uint32_t statement,
              const char* what) override;

 private:
  [[nodiscard]] bool concerns(std::uint32_t warp, std::uint32_t instruction);
  void follow(Lanes& w, const Instruction& i, std::uint32_t mask);
  struct UndefinedLoad {
    const Instruction* instruction = nullptr;
    std::uint32_t element = 8, all = 8;         ///< bytes of an element, and of all elements
    std::array<std::uint64_t, 32> addresses{};  ///< last address of each lane
    std::uint64_t any = 0;                      ///< any one of these addresses
  };
  struct Warp {
    WarpDefinedness definedness;
    /// Loads that read undefined bits, by statement.
    std::unordered_map<std::uint32_t, UndefinedLoad> undefined_loads;
  };
  struct StoredValues;

  [[nodiscard]] ByteValues values_at(const Lanes& w, const Instruction& i, Space space,
                                     std::uint32_t lane, std::uint64_t address);
  [[nodiscard]] ByteValues in_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset);
  /// The values at an offset in the shared window; null beyond the block's shared memory.
  [[nodiscard]] ByteValues in_shared(std::uint64_t address);
  [[nodiscard]] ByteValues in_global(std::uint8_t* init, std::uint64_t from, std::uint64_t size,
                                     std::uint64_t address) const;
  [[nodiscard]] ByteValues of_side(const Flight::Side& side);
  bool keep_bits(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                 const ByteValues& values);
  /// Returns whether the undefined bits of the value stored at an address are those that a load
  /// read there.
  [[nodiscard]] bool goes_back(const Warp& warp, const Definedness& defined, std::uint32_t lane,
                               std::uint64_t address) const;
  /// Gives the memory that a lane stores to the definedness of its registers.
  StoredValues put_stored(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, const ByteValues& values);
  /// The name of the array that an undefined value came from; "" if not known.
  [[nodiscard]] const std::string& array_of(const Definedness& defined);
  /// The load that read an undefined value; null if it was not a load of this warp.
  [[nodiscard]] static const UndefinedLoad* load_of(const Warp& warp, const Definedness& defined);
  void follow_own(Lanes& w, const Instruction& i, std::uint32_t mask);
  void report(Lanes& w, std::uint32_t lane, std::uint32_t statement, const Definedness& defined,
              const char* what, Fault fault);
  /// The same for an access, for the value `part` bytes behind its address.
  void report_access(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                     std::uint64_t address, std::uint32_t bytes, bool store,
                     const Definedness& defined, const char* what, std::uint64_t part = 0);
  void no_value(const Flight& flight, const Flight::Side& side, std::uint64_t at,
                std::uint32_t bytes, const char* what);
  void carry_results(const Flight& flight, const CopyPart& part, const ByteValues& from,
                     const ByteValues& to);

  LaunchValues& launch_;
  ObservedBlock& block_;
  std::uint64_t shared_bytes_, local_bytes_;
  std::vector<std::uint8_t> shared_init_, local_init_;
  /// A range of shared memory whose bytes all have values: none loses its value but by in_shared().
  std::uint64_t known_begin_ = 0, known_end_ = 0;
  PartialBytes shared_partial_, local_partial_;
  Origins shared_origins_, local_origins_;
  std::vector<Warp> warps_;
};

}  // namespace warpmark::cpu
