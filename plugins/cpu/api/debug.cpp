#include "api/debug.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "inspect/events.hpp"
#include "memory/async_copy.hpp"
#include "memory/generic_address.hpp"

namespace warpmark::cpu {
namespace {

std::atomic<warpmark_debugger*> the_debugger = nullptr;
std::atomic<std::uint64_t> launches = 0;

// More takes too long for each launch.
constexpr std::uint64_t kMostKept = std::uint64_t{1} << 30;

// Tells a launch of the stores of one block.
class StoreNotes final : public Check {
 public:
  StoreNotes(DebuggedLaunch& launch, ObservedBlock& block) : launch_(launch), block_(block) {}

  void store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool) override {
    note(w, i, space, lane, address, bytes);
  }
  void atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
              std::uint64_t address, std::uint32_t bytes, bool) override {
    note(w, i, space, lane, address, bytes);
  }
  void touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, Touch what) override {
    if (what != Touch::load) note(w, i, space, lane, address, bytes);
  }
  void land(AsyncCopy& copy) override {
    const Flight& flight = *copy.flight;
    copy.each_part([&](const CopyPart& part) {
      note(*flight.lanes, *flight.instruction, flight.to.space, flight.lane,
           flight.to.address + part.to, part.bytes);
    });
  }

 private:
  void note(const Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
            std::uint64_t address, std::uint64_t bytes) {
    if (!launch_.watches()) return;
    const ObservedBlock* target = &block_;
    const BlockObserver* other = space == Space::shared ? block_.other_at(address) : nullptr;
    if (other != nullptr) target = &other->block();
    launch_.note({space, target->coordinates(), block_.coordinates(), w.warp, lane, i.statement,
                  address, bytes});
  }

  DebuggedLaunch& launch_;
  ObservedBlock& block_;
};

}  // namespace

warpmark_debugger* debugger() {
  warpmark_debugger* const own = the_debugger.load(std::memory_order_acquire);
  return own != nullptr ? own : remote_debugger();
}

const warpmark_debug_view* debug(warpmark_debugger* debugger) {
  launches = 0;
  the_debugger.store(debugger, std::memory_order_release);
  return &debug_view();
}

DebuggedLaunch::DebuggedLaunch(warpmark_debugger& debugger, Context& context,
                               const LoadedModule& module, const Program& the_program,
                               const LaunchShape& the_shape)
    : program(the_program),
      shape(the_shape),
      number(++launches),
      shared_window(context.arena.shared_window()),
      debugger_(debugger),
      context_(context),
      module_(module) {
  pause = &debugger.pause;
  context.inspection->further.emplace_back(
      [this](ObservedBlock& one) { return std::make_unique<StoreNotes>(*this, one); });
}

DebuggedLaunch::~DebuggedLaunch() {
  context_.inspection->further.pop_back();
}

warpmark_debug_point DebuggedLaunch::point(std::uint32_t reason) const {
  warpmark_debug_point point{};
  point.launch = number;
  point.count = count;
  point.reason = reason;
  point.depth = shape.depth;
  point.statement = Instruction::kNone;
  point.launch_state = this;
  return point;
}

bool DebuggedLaunch::call(warpmark_debug_point& point) {
  const int result = debugger_.call(debugger_.user, &point);
  until = debugger_.until;
  stops = debugger_.stops;
  stores.clear();
  repeats_ = result == WARPMARK_DEBUG_REPEAT && kept_.has_value();
  return result == WARPMARK_DEBUG_GO_ON;
}

bool DebuggedLaunch::repeats() {
  if (!std::exchange(repeats_, false)) return false;
  kept_->put_back();
  count = faults_known = 0;
  ended = stored = false;
  faults = nullptr;
  return true;
}

void DebuggedLaunch::note(const Store& store) {
  for (std::uint32_t i = 0; i < debugger_.range_count; ++i) {
    const warpmark_debug_range& range = debugger_.ranges[i];
    constexpr std::array kSpaces = {Space::generic, Space::global, Space::shared, Space::local};
    if (range.space >= kSpaces.size()) continue;
    std::uint64_t address = range.address;
    if (resolve_space(kSpaces.at(range.space), shared_window - Arena::kWindow, address) !=
        store.space)
      continue;
    const bool of_block = store.space != Space::global;
    if (of_block && !std::equal(store.target.begin(), store.target.end(), range.block)) continue;
    if (store.space == Space::local && (store.warp != range.warp || store.lane != range.lane))
      continue;
    if (store.address >= address + range.bytes || address >= store.address + store.bytes) continue;
    warpmark_debug_store& made = stores.emplace_back();
    made.range = i;
    std::ranges::copy(store.block, made.block);
    made.warp = store.warp;
    made.lane = store.lane;
    made.statement = store.statement;
    made.address = range.address + (store.address - address);
    made.bytes = store.bytes;
    stored = true;
  }
}

bool DebuggedLaunch::begin() {
  warpmark_debug_point at = point(WARPMARK_DEBUG_BEGIN);
  ended = !call(at);
  // Memory that malloc gave to threads is not kept.
  if (!ended && debugger_.keeps != 0 && !kept_ && shape.heap == nullptr)
    kept_ = KeptMemory::of(context_.arena, kMostKept);
  debugger_.kept = kept_.has_value() ? 1 : 0;
  return !ended;
}

bool DebuggedLaunch::end(const std::vector<Fault>& found) {
  faults = &found;
  warpmark_debug_point at = point(WARPMARK_DEBUG_END);
  return call(at);
}

bool DebuggedLaunch::before(BlockState& the_block, const Warp& warp, std::uint32_t lanes,
                            std::uint32_t statement, bool found) {
  block = &the_block;
  faults = found ? &the_block.launch().faults.faults() : nullptr;
  warpmark_debug_point at = point(found ? WARPMARK_DEBUG_FINDING : WARPMARK_DEBUG_BEFORE);
  std::copy_n(the_block.coordinates().begin(), 3, at.block);
  at.warp = warp.lanes.warp;
  at.lanes = lanes;
  at.statement = statement;
  const bool goes_on = call(at);
  block = nullptr;
  faults = nullptr;
  return goes_on;
}

std::uint64_t DebuggedLaunch::text() const {
  std::uint64_t sum = std::hash<std::string_view>()(
      program.module->text == nullptr ? std::string_view() : *program.module->text);
  for (const auto& [name, address] : module_.addresses) sum += address;
  return sum;
}

std::uint64_t DebuggedLaunch::variable(std::string_view name) const {
  const auto found = module_.addresses.find(name);
  return found == module_.addresses.end() ? 0 : found->second;
}

}  // namespace warpmark::cpu
