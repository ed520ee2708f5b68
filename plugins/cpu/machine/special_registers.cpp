// The registers as a block finds them: constants and special registers.
#include <cstdint>
#include <cstring>

#include "machine/block.hpp"

namespace warpmark::cpu {

// The registers as every block finds them: constants and special registers filled in, the rest
// zero.
void BlockState::lay_out_registers() {
  const Program& program = launch_.program;
  const LaunchShape& shape = launch_.shape;
  for (std::uint32_t i = 0; i < warps_.size(); ++i) {
    std::byte* registers = image_.get() + i * register_bytes_;
    for (const Program::Constant& constant : program.constants) {
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        std::memcpy(registers + constant.slot + lane * (constant.wide ? 8 : 4), &constant.value,
                    constant.wide ? 8 : 4);
      }
    }
    for (const Program::SpecialSlot& special : program.specials) {
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::array<std::uint32_t, 3> tid = thread(i, lane);
        std::uint32_t value = 0;
        switch (special.which) {
          case Special::tid_x:
            value = tid[0];
            break;
          case Special::tid_y:
            value = tid[1];
            break;
          case Special::tid_z:
            value = tid[2];
            break;
          case Special::ntid_x:
            value = shape.block[0];
            break;
          case Special::ntid_y:
            value = shape.block[1];
            break;
          case Special::ntid_z:
            value = shape.block[2];
            break;
          case Special::nctaid_x:
            value = shape.grid[0];
            break;
          case Special::nctaid_y:
            value = shape.grid[1];
            break;
          case Special::nctaid_z:
            value = shape.grid[2];
            break;
          case Special::laneid:
            value = lane;
            break;
          case Special::warpid:
            value = i;
            break;
          case Special::nwarpid:
            value = static_cast<std::uint32_t>(warps_.size());
            break;
          case Special::warp_size:
            value = 32;
            break;
          case Special::lanemask_eq:
            value = 1u << lane;
            break;
          case Special::lanemask_lt:
            value = (1u << lane) - 1;
            break;
          case Special::lanemask_le:
            value = (2u << lane) - 1;
            break;
          case Special::lanemask_gt:
            value = ~((2u << lane) - 1);
            break;
          case Special::lanemask_ge:
            value = ~((1u << lane) - 1);
            break;
          case Special::dynamic_smem_size:
            value = shape.dynamic_shared;
            break;
          case Special::total_smem_size:
            value = own_shared_bytes_;
            break;
          case Special::reserved_begin:
            value = static_cast<std::uint32_t>(shared_bytes_) - program.reserved_bytes;
            break;
          case Special::reserved_end:
            value = static_cast<std::uint32_t>(shared_bytes_);
            break;
          default:
            value = launch_value(special.which);
        }
        std::memcpy(registers + special.slot + lane * 4, &value, 4);
      }
    }
  }
}

// What is the same in all blocks of a launch.
std::uint32_t BlockState::launch_value(Special which) const {
  const LaunchShape& shape = launch_.shape;
  switch (which) {
    case Special::workspace_low:
      return static_cast<std::uint32_t>(shape.workspace);
    case Special::workspace_high:
      return static_cast<std::uint32_t>(shape.workspace >> 32);
    case Special::nclusterid_x:
      return shape.grid[0] / shape.cluster[0];
    case Special::nclusterid_y:
      return shape.grid[1] / shape.cluster[1];
    case Special::nclusterid_z:
      return shape.grid[2] / shape.cluster[2];
    case Special::cluster_nctaid_x:
      return shape.cluster[0];
    case Special::cluster_nctaid_y:
      return shape.cluster[1];
    case Special::cluster_nctaid_z:
      return shape.cluster[2];
    case Special::cluster_nctarank:
      return shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
    case Special::is_explicit_cluster:
      return shape.explicit_cluster ? 0xffffffff : 0;
    default:
      return 0;  // or a block's own: start() writes it
  }
}

std::uint32_t BlockState::block_value(Special which) const {
  const auto& cluster = launch_.shape.cluster;
  const auto& grid = launch_.shape.grid;
  switch (which) {
    case Special::ctaid_x:
      return coordinates_[0];
    case Special::ctaid_y:
      return coordinates_[1];
    case Special::ctaid_z:
      return coordinates_[2];
    case Special::clusterid_x:
      return coordinates_[0] / cluster[0];
    case Special::clusterid_y:
      return coordinates_[1] / cluster[1];
    case Special::clusterid_z:
      return coordinates_[2] / cluster[2];
    case Special::cluster_ctaid_x:
      return coordinates_[0] % cluster[0];
    case Special::cluster_ctaid_y:
      return coordinates_[1] % cluster[1];
    case Special::cluster_ctaid_z:
      return coordinates_[2] % cluster[2];
    case Special::smid: {
      const std::uint64_t row = coordinates_[1] + std::uint64_t{grid[1]} * coordinates_[2];
      return static_cast<std::uint32_t>((coordinates_[0] + grid[0] * row) % kMultiprocessors);
    }
    default:
      return rank_;
  }
}

}  // namespace warpmark::cpu
