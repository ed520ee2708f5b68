// Shared memory of the other blocks of a cluster: whose it is, and what orders accesses to it.
#include <algorithm>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "memory/generic_address.hpp"

namespace warpmark::cpu {
namespace {

std::uint64_t object_of(std::uint64_t cluster) {
  return std::uint64_t{1} << 61 | cluster;
}

}  // namespace

BlockObserver& BlockObserver::home(std::uint64_t& offset) {
  if (offset < kSharedPart) return *this;
  BlockObserver& owner = block_.observer_of(static_cast<std::uint32_t>(offset / kSharedPart - 1));
  offset %= kSharedPart;
  if (&owner != this) owner.visited_ = true;
  return owner;
}

RaceCells BlockObserver::cell_at(Space space, std::uint64_t address) {
  if (space != Space::shared) return launch_.races.find(address, 1);
  const BlockObserver& owner = home(address);
  if (address >= reserved_) return {};
  return owner.shared_cells_ + (address >> launch_.shared_shift);
}

void BlockObserver::cluster_release(std::uint64_t key) {
  if (!launch_.checks.race) return;
  barrier_ = launch_.clock.take(index_);
  launch_.synchronization.release(launch_.synchronization.at(object_of(key)),
                                  {index_, 0, barrier_, barrier_, false, nullptr}, {});
}

void BlockObserver::cluster_acquire(std::uint64_t key) {
  if (!launch_.checks.race) return;
  const SyncObject* object = launch_.synchronization.find(object_of(key));
  epoch_ = barrier_ = launch_.clock.take(index_);
  visited_ = false;
  for (Warp& warp : warps_) {
    warp.syncs.clear();
    if (object != nullptr) warp.seen.add(object, object->releases());
  }
}

void BlockObserver::cluster_arrive(std::uint32_t warp, std::uint64_t key) {
  if (!launch_.checks.race) return;
  // Later than the accesses of all lanes of the warp, so that it covers them.
  const Epoch until = launch_.clock.take(index_);
  launch_.synchronization.release(launch_.synchronization.at(object_of(key)),
                                  {index_, warp * 32, until, barrier_, false, warps_[warp].fenced},
                                  warps_[warp].seen);
  epoch_ = launch_.clock.take(index_);  // what comes now is not covered
}

void BlockObserver::cluster_complete(std::uint64_t key) {
  if (!launch_.checks.race) return;
  const SyncObject* object = launch_.synchronization.find(object_of(key));
  cluster_releases_ = object == nullptr ? 0 : object->releases();
}

void BlockObserver::cluster_wait(std::uint32_t warp, std::uint64_t key) {
  if (!launch_.checks.race) return;
  const SyncObject* object = launch_.synchronization.find(object_of(key));
  if (object != nullptr) warps_[warp].seen.add(object, cluster_releases_);
}

// Whatever any of the block's threads has waited for came before the last of them left.
void BlockObserver::exit(std::uint32_t statement, std::uint32_t warp, std::uint32_t lane) {
  if (!launch_.checks.race || (!visited_ && launch_.flights.empty())) return;
  const auto raced = [&](const Record& record) {
    if (record.epoch() < start_ || block_of(record) == index_) return false;
    if (record.in_flight()) return launch_.flights.holds(record.epoch());
    const std::uint64_t block = launch_.clock.block(record.epoch());
    return std::none_of(warps_.begin(), warps_.end(), [&](const Warp& w) {
      return launch_.synchronization.covers(w.seen, record, block, index_);
    });
  };
  const std::uint64_t cells = (shared_bytes_ >> launch_.shared_shift) + 1;
  for (std::uint64_t i = 0; i < cells; ++i) {
    const RaceCells cell = shared_cells_ + i;
    for (const std::uint64_t* bits : {cell.write, cell.read, cell.other}) {
      const Record record{*bits};
      if (!raced(record)) continue;
      Fault fault;
      fault.kind = FaultKind::race;
      fault.hazard = bits == cell.write ? "exit after write" : "exit after read";
      fault.statement = statement;
      fault.calls = block_.calls_to(statement, warp, lane);
      fault.has_access = true;
      fault.space = Space::shared;
      fault.write = bits == cell.write;
      fault.bytes = 1u << launch_.shared_shift;
      fault.address = i << launch_.shared_shift;
      fault.allocation.bytes = shared_bytes_;
      fault.side = Nearest::Side::inside;
      fault.thread = block_.thread(warp, lane);
      fault.block = block_.coordinates();
      fault.count = 1;
      tell_other(fault, record);
      block_.report(fault);
      break;
    }
    // The next block that runs here knows nothing of it.
    if (Record{*cell.write}.in_flight()) *cell.write = 0;
  }
}

}  // namespace warpmark::cpu
