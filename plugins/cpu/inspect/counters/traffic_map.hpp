// The instructions of a program that move data, and what is counted for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program/program.hpp"
#include "ptx/instruction_set.hpp"

namespace warpmark::cpu {

/// The quantities counted for accesses. `turns` are the rounds of an atomic: lanes at one address
/// are served one after the other, so the most crowded address decides. `row_excess` are the
/// wavefronts beyond the ideal that remain if each row of the block's threads accesses alone.
enum class Measure : std::uint8_t {
#define MEASURE(name) name,
#include "warpmark/counters.def"
  count
};
inline constexpr std::size_t kMeasures = static_cast<std::size_t>(Measure::count);
inline constexpr std::string_view kMeasureNames[kMeasures] = {
#define MEASURE(name) #name,
#include "warpmark/counters.def"
};

/// One number for each measure.
struct Measures {
  std::array<std::uint64_t, kMeasures> of{};
  std::uint64_t& operator[](Measure measure) { return of[static_cast<std::size_t>(measure)]; }
  std::uint64_t operator[](Measure measure) const { return of[static_cast<std::size_t>(measure)]; }
  void add(const Measures& other) {
    for (std::size_t i = 0; i < kMeasures; ++i) of[i] += other.of[i];
  }
};

enum class TrafficKind : std::uint8_t {
#define KIND(name, ...) name,
#include "warpmark/counters.def"
  count
};
inline constexpr std::size_t kTrafficKinds = static_cast<std::size_t>(TrafficKind::count);

/// The counters of traffic, each of one kind and measure: `global_load_sectors`.
struct TrafficCounter {
  TrafficKind kind;
  Measure measure;
  std::string name;
  /// True if it is also counted always, by Counter.
  bool basic;
};
/// All of them, in the order in which they are reported.
const std::vector<TrafficCounter>& traffic_counters();

/// The instructions of one program, made once for its launches.
class TrafficMap {
 public:
  /// How an instruction's addresses are found.
  enum class Form : std::uint8_t {
    access,  ///< loads and stores, by the address register of each lane
    atomic,
    copy,      ///< cp.async
    bulk,      ///< cp.async.bulk: a lane's range
    rows,      ///< ldmatrix and stmatrix: a row of 16 bytes for each lane that gives an address
    prefetch,  ///< the sector at each lane's address
    reported   ///< the handler reports each place: textures, surfaces, matrix fragments
  };
  struct Step {
    Form form = Form::access;
    Space space = Space::generic;
    Traffic traffic = Traffic::load;
    std::uint8_t bytes = 0;  ///< of one lane's access
    std::uint32_t site = 0;  ///< the first site of the instruction
    std::uint8_t sites = 0;  ///< number of kinds of traffic that it may have
  };
  /// One kind of traffic of one instruction.
  struct Site {
    TrafficKind kind = TrafficKind::count;
    std::uint32_t instruction = 0;  ///< in Program::code
  };

  explicit TrafficMap(const Program& program);

  /// How an instruction of Program::code moves data; null if it moves none.
  [[nodiscard]] const Step* step(std::uint32_t instruction) const {
    const std::uint32_t at = step_of_[instruction];
    return at == Instruction::kNone ? nullptr : &steps_[at];
  }
  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] std::size_t blocks() const { return blocks_; }

 private:
  std::size_t blocks_ = 0;
  std::vector<std::uint32_t> step_of_;
  std::vector<Step> steps_;
  std::vector<Site> sites_;
};

}  // namespace warpmark::cpu
