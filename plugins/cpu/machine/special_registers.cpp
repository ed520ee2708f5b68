// The registers as a block finds them: constants and special registers.
#include <cstdint>
#include <cstring>

#include "machine/block.hpp"

namespace warpmark::cpu {

// The three registers of a name, which are one after the other: `value` in terms of d, the
// dimension.
#define XYZ(name, value)                                                                          \
  case Special::name##_x:                                                                         \
  case Special::name##_y:                                                                         \
  case Special::name##_z: {                                                                       \
    const auto d = static_cast<std::size_t>(which) - static_cast<std::size_t>(Special::name##_x); \
    return value;                                                                                 \
  }

// The registers as every block finds them: constants, special registers, and what is computed of
// them alone filled in, the rest zero.
void BlockState::lay_out_registers() {
  const Program& program = launch_.program;
  launch_.registers.resize(register_bytes_ * warps_.size());
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    std::byte* registers = launch_.registers.data() + warp * register_bytes_;
    for (const Program::Constant& constant : program.constants) {
      const std::size_t bytes = constant.wide ? 8 : 4;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        std::memcpy(registers + constant.slot + lane * bytes, &constant.value, bytes);
    }
    for (const Program::SpecialSlot& special : program.specials) {
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t value = thread_value(special.which, warp, lane);
        std::memcpy(registers + special.slot + lane * 4, &value, 4);
      }
    }
    // Handlers want registers that are aligned as the block's own are.
    if (program.invariant.empty()) continue;
    Lanes lanes = warps_[warp].lanes;
    lanes.mask = 0xffffffff;
    std::memcpy(lanes.registers, registers, register_bytes_);
    for (const Instruction& instruction : program.invariant) instruction.run[1](lanes, instruction);
    std::memcpy(registers, lanes.registers, register_bytes_);
  }
}

std::uint32_t BlockState::thread_value(Special which, std::uint32_t warp,
                                       std::uint32_t lane) const {
  const LaunchShape& shape = launch_.shape;
  switch (which) {
    XYZ(tid, thread(warp, lane)[d])
    XYZ(ntid, shape.block[d])
    XYZ(nctaid, shape.grid[d])
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp;
    case Special::nwarpid:
      return static_cast<std::uint32_t>(warps_.size());
    case Special::warp_size:
      return 32;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_lt:
      return (1u << lane) - 1;
    case Special::lanemask_le:
      return (2u << lane) - 1;
    case Special::lanemask_gt:
      return ~((2u << lane) - 1);
    case Special::lanemask_ge:
      return ~((1u << lane) - 1);
    case Special::dynamic_smem_size:
      return shape.dynamic_shared;
    case Special::total_smem_size:
      return own_shared_bytes_;
    case Special::reserved_begin:
      return static_cast<std::uint32_t>(shared_bytes_) - launch_.program.reserved_bytes;
    case Special::reserved_end:
      return static_cast<std::uint32_t>(shared_bytes_);
    default:
      return launch_value(which);
  }
}

// The value of a special register that is the same in all blocks of a launch.
std::uint32_t BlockState::launch_value(Special which) const {
  const LaunchShape& shape = launch_.shape;
  switch (which) {
    case Special::workspace_low:
      return static_cast<std::uint32_t>(shape.workspace);
    case Special::workspace_high:
      return static_cast<std::uint32_t>(shape.workspace >> 32);
    case Special::block_memory_pitch:
      return static_cast<std::uint32_t>(shape.block_memory_pitch);
      XYZ(nclusterid, shape.grid[d] / shape.cluster[d])
      XYZ(cluster_nctaid, shape.cluster[d])
    case Special::cluster_nctarank:
      return shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
    case Special::is_explicit_cluster:
      return shape.explicit_cluster ? 0xffffffff : 0;
    default:
      return 0;  // or a block's own: start() writes it
  }
}

// The value of a special register that differs from block to block; empty for other registers.
std::optional<std::uint32_t> BlockState::block_value(Special which) const {
  const auto& cluster = launch_.shape.cluster;
  const auto& grid = launch_.shape.grid;
  const std::uint64_t row = coordinates_[1] + std::uint64_t{grid[1]} * coordinates_[2];
  const std::uint64_t index = coordinates_[0] + grid[0] * row;
  const std::uint64_t memory =
      launch_.shape.block_memory + index * launch_.shape.block_memory_pitch;
  switch (which) {
    XYZ(ctaid, coordinates_[d])
    XYZ(clusterid, coordinates_[d] / cluster[d])
    XYZ(cluster_ctaid, coordinates_[d] % cluster[d])
    case Special::smid:
      return static_cast<std::uint32_t>(index % kMultiprocessors);
    case Special::block_memory_low:
      return static_cast<std::uint32_t>(memory);
    case Special::block_memory_high:
      return static_cast<std::uint32_t>(memory >> 32);
    case Special::cluster_ctarank:
      return rank_;
    default:
      return std::nullopt;
  }
}
#undef XYZ

}  // namespace warpmark::cpu
