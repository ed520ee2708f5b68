// The check of barriers and warp operations that not everybody reaches, as far as nobody waits for
// ever.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inspect/events.hpp"
#include "inspect/fault.hpp"

namespace warpmark::cpu {

class ObservedBlock;

class SyncCheck final : public Check {
 public:
  /// `ahead` is BlockObserver::ahead: bits of barriers that no thread has gone past.
  SyncCheck(ObservedBlock& block, std::uint64_t& ahead) : block_(block), ahead_(ahead) {}

  void begin(std::uint64_t index) override;
  void barrier_arrive(const Lanes& w, std::uint32_t mask, std::uint32_t number,
                      std::uint32_t threads, const BasicBlock& node) override;
  void barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps) override;
  void go_past(const Lanes& w, std::uint32_t mask, const BasicBlock& node) override;
  void warp_arrive(const Lanes& w, std::uint32_t mask, const BasicBlock& node, bool met) override;
  void arrive_too_often(const Lanes& w, const Instruction& i, std::uint32_t lane,
                        std::uint64_t address, std::uint32_t expected) override;
  void collect_complete(const Lanes& w, std::uint32_t mask, std::uint32_t members,
                        std::uint32_t node) override;

 private:
  /// The threads at barrier 0.
  struct Waiting {
    std::uint32_t arrived = 0;
    std::uint32_t statement = Instruction::kNone;  ///< statement of the first waiting thread
    std::uint32_t first = 0;                       ///< its number in the block
    std::uint64_t bit = 0;                         ///< its BasicBlock::barrier_bit
    std::vector<std::uint32_t> calls;              ///< its Fault::calls
  };
  /// The thread that first went past a barrier for good.
  struct Passer {
    std::uint32_t statement = 0, thread = 0;
    const char* hazard = nullptr;        ///< of the first report, which covers all
    std::vector<std::uint32_t> calls{};  ///< as Fault::calls
  };

  void check_aligned(const Lanes& w, std::uint32_t mask, std::uint32_t node);
  void check_present(const Lanes& w, std::uint32_t mask, std::uint32_t members,
                     std::uint32_t statement, std::uint32_t node);
  void report_apart(std::uint32_t statement, std::uint32_t thread, std::uint32_t threads,
                    const char* message, Passer& other);

  ObservedBlock& block_;
  std::uint64_t& ahead_;
  Waiting waiting_;
  std::array<Passer, 64> passers_{};
};

}  // namespace warpmark::cpu
