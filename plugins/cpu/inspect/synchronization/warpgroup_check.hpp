// The check that the four warps of a warpgroup execute the same wgmma and setmaxnreg instructions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "inspect/events.hpp"
#include "program/wgmma.hpp"

namespace warpmark::cpu {

class ObservedBlock;

/// "The mandatory .sync.aligned qualifier … all threads in the warpgroup must execute the same
/// wgmma instruction" (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
/// Operations"); likewise setmaxnreg.
class WarpgroupCheck final : public Check {
 public:
  WarpgroupCheck(ObservedBlock& block, std::uint32_t warps)
      : block_(block),
        warps_(warps),
        groups_((warps + WgmmaForm::kWarps - 1) / WgmmaForm::kWarps) {}
  void begin(std::uint64_t index) override;
  void multiply_in_group(Lanes& w, const Instruction& i, const std::vector<std::uint32_t>& a,
                         const std::vector<std::uint32_t>& b) override;
  void steer_group(Lanes& w, const Instruction& i) override;
  void exit(std::uint32_t statement, std::uint32_t warp, std::uint32_t lane) override;

 private:
  /// An instruction that some of the warps have executed.
  struct Step {
    const Instruction* instruction = nullptr;
    std::uint32_t warp = 0;        ///< the first that came
    std::uint64_t descriptor = 0;  ///< of b
  };
  struct Group {
    std::array<std::uint64_t, WgmmaForm::kWarps> steps{};  ///< of each warp
    std::uint64_t forgotten = 0;                           ///< that all four have executed
    std::deque<Step> open;
    std::int64_t registers = 0;           ///< of setmaxnreg; 0: not known
    const Instruction* raised = nullptr;  ///< its last setmaxnreg.inc
    bool apart = false;                   ///< it was reported
  };
  void come(const Lanes& w, const Instruction& i, std::uint64_t descriptor);
  void check_registers(const Lanes& w, const Instruction& i, Group& group);
  void check_pool();
  void report(const Lanes& w, const Instruction& i, const Step& other, const char* message);

  ObservedBlock& block_;
  const std::uint32_t warps_;
  std::vector<Group> groups_;
};

}  // namespace warpmark::cpu
