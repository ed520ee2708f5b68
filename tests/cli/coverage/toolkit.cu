#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = cg::reduce(warp, x[threadIdx.x], cg::plus<int>());  //+
  if (sum < 0)  //+ !8 9
    atomicAdd(out, 1.0f);  //-
  out[threadIdx.x] = sum;  //+
}  //+
