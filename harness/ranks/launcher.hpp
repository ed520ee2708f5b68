// Detects a launcher of MPI, such as mpirun, that started this process as one of several.
#pragma once

#include <optional>

namespace warpmark {

struct LaunchedRank {
  int rank = 0;
  int size = 1;
};

/// The rank from the launcher's environment variables, which needs no MPI; nothing for a single
/// process. Open MPI, MPICH and its derivatives (Intel MPI, MVAPICH) and Slurm's srun are known.
std::optional<LaunchedRank> launched_rank();

}  // namespace warpmark
