// The check of registers that products of warpgroups (wgmma) use while they may be under way.
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/events.hpp"

namespace warpmark::cpu {

class ObservedBlock;

/// From a product's issue until wgmma.wait_group nobody may read or change its registers of d, nor
/// change those of a; and between an access to them and the product there must be a wgmma.fence,
/// but for products of one shape that follow each other (PTX ISA, "wgmma.fence", "wait_group").
///
/// Compilers move such values from register to register, as each inline assembly statement has
/// registers of its own. ptxas sees through that, and so does this check: a move is no access, and
/// what holds for a register holds for its copy.
class ProductRegisters final : public Check {
 public:
  ProductRegisters(ObservedBlock& block, std::uint32_t warps);
  void begin(std::uint64_t index) override;
  void execute(Lanes& w, const Instruction& i, std::uint32_t mask) override;
  void multiply_in_group(Lanes& w, const Instruction& i, const std::vector<std::uint32_t>& a,
                         const std::vector<std::uint32_t>& b) override;
  void steer_group(Lanes& w, const Instruction& i) override;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Register {
    std::uint64_t sums = 0,
                  inputs = 0;  ///< last groups that it is part of d or a of, from 1; 0: none
    const Instruction* product = nullptr;         ///< last one that wrote it
    std::uint32_t product_statement = 0;          ///< of the last one that uses it
    std::uint32_t changed = kNone, read = kNone;  ///< statements since the last fence
  };
  struct Warp {
    std::vector<Register> registers;
    std::uint64_t committed = 0, done = 0;  ///< groups
    std::uint32_t fence = kNone;            ///< statement of the last wgmma.fence
  };
  /// Registers that an instruction uses, by their number among those that are followed.
  struct Use {
    std::vector<std::uint32_t> reads, writes;
    bool moves = false;
  };
  void find_followed();
  [[nodiscard]] std::uint32_t number_of(std::uint32_t slot) const;
  void copy(Warp& warp, const Use& use) const;
  [[nodiscard]] bool is_part_of_product(const Instruction& i, std::uint32_t product) const;
  [[nodiscard]] bool is_behind(std::uint32_t statement, std::uint32_t fence) const;
  void require_fence(Lanes& w, const Instruction& i, const Register& one, bool sum);
  void report(const Lanes& w, std::uint32_t statement, std::uint32_t other, const char* hazard,
              const char* message);

  ObservedBlock& block_;
  std::vector<std::uint32_t> numbers_;  ///< by slot, in units of kSlotBytes; kNone: not followed
  std::vector<std::uint32_t> use_of_;   ///< by instruction: in uses_; kNone: uses none
  std::vector<Use> uses_;
  std::uint32_t followed_ = 0;
  std::vector<Warp> warps_;
};

}  // namespace warpmark::cpu
