#include "machine/rotation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/grid.hpp"
#include "machine/schedule.hpp"

namespace warpmark::cpu {
namespace {

void add_limit(LaunchState& state, const BlockState* block, const std::string& message) {
  Fault fault;
  fault.kind = FaultKind::limit;
  fault.count = 1;
  fault.message = message;
  if (block != nullptr) fault.block = block->coordinates();
  state.faults.add(fault);
  state.stop = true;
}

// Blocks of one cluster, which start together; a finished one keeps its memory for the others.
struct Unit {
  Cluster cluster;
  std::vector<std::unique_ptr<BlockState>> blocks;
  std::vector<std::uint8_t> finished;
};

// Where the units of a launch come from.
class Units {
 public:
  explicit Units(LaunchState& state) : state_(state) {
    const LaunchShape& shape = state.shape;
    for (std::size_t i = 0; i < 3; ++i) clusters_[i] = shape.grid[i] / shape.cluster[i];
    size_ = std::uint64_t{shape.cluster[0]} * shape.cluster[1] * shape.cluster[2];
    count_ = blocks_of(shape) / size_;
    most_ = std::max<std::uint64_t>(1, resident_blocks(state.program, shape) / size_);
  }

  [[nodiscard]] bool left() const { return next_ < count_; }
  [[nodiscard]] bool fits(std::size_t active) const { return active < most_; }
  std::unique_ptr<Unit> start() {
    const LaunchShape& shape = state_.shape;
    if (idle_.empty()) {
      idle_.push_back(std::make_unique<Unit>());
      for (std::uint64_t i = 0; i < size_; ++i) {
        idle_.back()->blocks.push_back(std::make_unique<BlockState>(state_));
        idle_.back()->cluster.blocks.push_back(idle_.back()->blocks.back().get());
      }
    }
    std::unique_ptr<Unit> unit = std::move(idle_.back());
    idle_.pop_back();
    unit->cluster.arrived = 0;
    unit->finished.assign(size_, 0);
    const std::array<std::uint64_t, 3> at = next();
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      const std::uint64_t x = at[0] * shape.cluster[0] + rank % shape.cluster[0];
      const std::uint64_t y = at[1] * shape.cluster[1] + rank / shape.cluster[0] % shape.cluster[1];
      const std::uint64_t z = at[2] * shape.cluster[2] + rank / shape.cluster[0] / shape.cluster[1];
      unit->blocks[rank]->start(x + shape.grid[0] * (y + shape.grid[1] * z), unit->cluster, rank);
    }
    return unit;
  }
  // A cluster that never begins: the coordinates of its first block.
  std::optional<std::array<std::uint32_t, 3>> cancel() {
    if (!left()) return std::nullopt;
    const std::array<std::uint64_t, 3> at = next();
    std::array<std::uint32_t, 3> first{};
    for (std::size_t i = 0; i < 3; ++i)
      first[i] = static_cast<std::uint32_t>(at[i]) * state_.shape.cluster[i];
    return first;
  }
  void put_back(std::unique_ptr<Unit> unit) { idle_.push_back(std::move(unit)); }

 private:
  // The place, among the clusters, of the one whose turn it is.
  std::array<std::uint64_t, 3> next() {
    const std::uint64_t index = Order(state_.shape.schedule_seed, count_)(next_++);
    return {index % clusters_[0], index / clusters_[0] % clusters_[1],
            index / clusters_[0] / clusters_[1]};
  }

  LaunchState& state_;
  std::array<std::uint64_t, 3> clusters_{};
  std::uint64_t size_ = 1, count_ = 0, most_ = 1, next_ = 0;
  std::vector<std::unique_ptr<Unit>> idle_;
};

// Gives the blocks of a unit their share. True if all have finished.
bool run_unit(Unit& unit) {
  bool finished = true, moved = false;
  for (std::size_t i = 0; i < unit.blocks.size(); ++i) {
    if (unit.finished[i] != 0) continue;
    BlockState& block = *unit.blocks[i];
    const BlockState::Progress progress = block.run();
    unit.finished[i] = progress == BlockState::Progress::finished ? 1 : 0;
    finished = finished && unit.finished[i] != 0;
    moved = moved || progress != BlockState::Progress::stuck;
    if (block.launch().stop) return false;
  }
  if (!finished && !moved) {
    for (std::size_t i = 0; i < unit.blocks.size(); ++i) {
      if (unit.finished[i] == 0) unit.blocks[i]->report_deadlock();
    }
  }
  return finished;
}

// Which of the units that have begun goes next. Without a seed they take turns, and another begins
// when one has had its share in vain.
class Active {
 public:
  Active(LaunchState& state, Units& units) : state_(state), units_(units) {}

  [[nodiscard]] bool any() const { return !running_.empty() || !late_.empty(); }
  /// Starts further ones as it is their turn, and takes one.
  std::unique_ptr<Unit> take() {
    if (units_.left() && (running_.empty() || (start_ && units_.fits(count())))) begin();
    if (running_.empty() || (late_.size() > 0 && vain_ > kPatience * count())) let_late();
    start_ = state_.schedule.interleaves() && state_.random(2) == 0;
    if (state_.schedule.interleaves())
      std::swap(running_.front(),
                running_[state_.random(static_cast<std::uint32_t>(running_.size()))]);
    state_.active = count() * running_.front()->blocks.size();
    std::unique_ptr<Unit> unit = std::move(running_.front());
    running_.pop_front();
    return unit;
  }
  void finished(std::unique_ptr<Unit> unit) {
    vain_ = 0;
    units_.put_back(std::move(unit));
  }
  void unfinished(std::unique_ptr<Unit> unit) {
    ++vain_;
    // It may have to wait for one that has not begun, or goes on in its place.
    const bool goes_on = state_.schedule.ranks() && state_.random(2) == 0;
    start_ = !goes_on;
    if (goes_on)
      running_.push_front(std::move(unit));
    else
      running_.push_back(std::move(unit));
  }
  void report_waits() {
    for (const std::deque<std::unique_ptr<Unit>>* units : {&running_, &late_}) {
      for (const std::unique_ptr<Unit>& unit : *units) {
        for (std::size_t i = 0; i < unit->blocks.size(); ++i) {
          if (unit->finished[i] == 0) unit->blocks[i]->report_waits();
        }
      }
    }
  }

 private:
  // Turns without an end after which one that was to be late is needed.
  static constexpr std::uint64_t kPatience = 16;

  [[nodiscard]] std::size_t count() const { return running_.size() + late_.size(); }
  void begin() {
    std::unique_ptr<Unit> unit = units_.start();
    const bool late = state_.schedule.ranks() && state_.random(4) == 0;
    (late ? late_ : running_).push_front(std::move(unit));
  }
  void let_late() {
    vain_ = 0;
    if (late_.empty()) return;
    running_.push_front(std::move(late_.back()));
    late_.pop_back();
  }

  LaunchState& state_;
  Units& units_;
  std::deque<std::unique_ptr<Unit>> running_;
  std::deque<std::unique_ptr<Unit>> late_;  ///< that begin when the others have ended
  std::uint64_t vain_ = 0;                  ///< turns since one has ended
  bool start_ = true;
};

}  // namespace

bool run_in_rotation(LaunchState& state, Counters& counters, Profile& profile) {
  const LaunchShape& shape = state.shape;
  state.rotates = true;
  Units units(state);
  state.cancel = [&units] { return units.cancel(); };
  Active active(state, units);
  bool limited = false;
  while (!state.stop && (units.left() || active.any())) {
    std::unique_ptr<Unit> unit = active.take();
    const bool finished = run_unit(*unit);
    const bool over_budget = shape.instruction_budget != 0 &&
                             state.executed >= shape.instruction_budget &&
                             !(finished && !active.any() && !units.left());
    if (over_budget || state.timed_out) {
      limited = true;
      add_limit(state, unit->blocks[0].get(),
                over_budget ? budget_text(state.executed, shape) : over_time(shape));
    }
    if (finished)
      active.finished(std::move(unit));
    else
      active.unfinished(std::move(unit));
  }
  if (limited) active.report_waits();
  profile = state.take_profile();
  counters = state.tally.take();
  return limited;
}

}  // namespace warpmark::cpu
