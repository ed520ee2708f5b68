// Whether a launcher of MPI, as mpirun, started this process as one of several.
#pragma once

#include <optional>

namespace warpmark {

struct LaunchedRank {
  int rank = 0;
  int size = 1;
};

/// What the launcher says in the environment, which needs no MPI; nothing for a process that is
/// alone. Open MPI, MPICH and what follows it (Intel MPI, MVAPICH) and Slurm's srun are known.
std::optional<LaunchedRank> launched_rank();

}  // namespace warpmark
