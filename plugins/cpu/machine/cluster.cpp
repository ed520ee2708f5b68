// Cluster barriers, and the instructions that map shared addresses between blocks.
#include "machine/cluster.hpp"
#include "machine/access_places.hpp"
#include "machine/handlers.hpp"

#include "machine/block.hpp"

namespace warpmark::cpu {
namespace {

// Instruction::imm is the window of a generic address, 0 for an offset in shared memory.
void map_address(Lanes& w, const Instruction& i) {
  const auto window = static_cast<std::uint64_t>(i.imm);
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const std::uint64_t offset = read_lane(w.registers, i.a, lane, !i.address_narrow) - window;
    const std::uint64_t rank = read_lane<std::uint32_t>(w.registers, i.b, lane);
    // An address that is none, or a rank that is none, gives an address at which nothing lies.
    const bool good = offset < Arena::kWindow && rank < w.block->cluster().blocks.size();
    const std::uint64_t begin = good ? (rank + 1) * kSharedPart : Arena::kWindow - kSharedPart;
    const std::uint64_t mapped = begin + offset % kSharedPart;
    write_lane(w.registers, i.d, lane, !i.address_narrow, window + mapped);
  }
}

void rank_of_address(Lanes& w, const Instruction& i) {
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const std::uint64_t offset =
        read_lane(w.registers, i.a, lane, !i.address_narrow) - static_cast<std::uint64_t>(i.imm);
    const std::uint64_t part = offset / kSharedPart;
    write_lane<std::uint32_t>(w.registers, i.d, lane, part == 0 ? w.block->rank() : part - 1);
  }
}

}  // namespace

std::uint32_t Cluster::live_threads() const {
  std::uint32_t threads = 0;
  for (const BlockState* block : blocks) threads += block->live_threads();
  return threads;
}

std::uint32_t BlockState::cluster_size() const {
  return static_cast<std::uint32_t>(cluster_->blocks.size());
}

void Cluster::check_barrier() {
  if (arrived == 0 || arrived < live_threads()) return;
  arrived = 0;
  if (blocks[0]->observer() != nullptr) {
    for (BlockState* block : blocks) block->observer()->tell<&Check::cluster_complete>();
    for (BlockState* block : blocks) block->observer()->tell<&Check::cluster_released>();
  }
  for (BlockState* block : blocks) block->release_cluster_barrier();
}

void BlockState::arrive_at_cluster_barrier(Warp& warp, std::uint32_t mask, bool relaxed) {
  const std::uint32_t fresh = mask & ~warp.cluster_arrived;
  tell<&Check::cluster_arrive>(warp.lanes.warp, fresh, relaxed);
  warp.cluster_arrived |= fresh;
  cluster_->arrived += static_cast<std::uint32_t>(__builtin_popcount(fresh));
  cluster_->check_barrier();
}

void BlockState::release_cluster_barrier() {
  for (Warp& warp : warps_) {
    warp.cluster_arrived = 0;
    warp.release([&](const Fragment& fragment) {
      if (fragment.wait != Fragment::Wait::cluster) return false;
      tell<&Check::cluster_wait>(warp.lanes.warp);
      return true;
    });
  }
}

void BlockState::leave_cluster(Warp& warp, std::uint32_t mask) {
  cluster_->arrived -= static_cast<std::uint32_t>(__builtin_popcount(mask & warp.cluster_arrived));
  warp.cluster_arrived &= ~mask;
  cluster_->check_barrier();
}

std::byte* remote_shared(const Lanes& lanes, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t part = offset / kSharedPart;
  const std::vector<BlockState*>& blocks = lanes.block->cluster().blocks;
  if (part == 0 || part > blocks.size()) return nullptr;
  const BlockState& block = *blocks[part - 1];
  if (block.live_threads() == 0) return nullptr;
  const Region& shared = block.shared();
  const std::uint64_t at = offset % kSharedPart;
  if (at > shared.size || bytes > shared.size - at) return nullptr;
  return shared.host + at;
}

void fill_cluster(HandlerTable& table) {
  table.set(Opcode::map_address, map_address);
  table.set(Opcode::rank_of_address, rank_of_address);
}

}  // namespace warpmark::cpu
