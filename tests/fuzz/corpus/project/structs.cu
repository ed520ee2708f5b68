#include <vector>
namespace a { using Real = float; struct Point { Real x, y{0}; }; template <typename T, int N> struct Box { Point low; T s[N][2]; struct In { std::vector<int> v; }; }; }
struct View { const float *__restrict__ data; int n : 3, m; virtual void f(); } view;
__constant__ float w[4], v[2] = {1};
#define OP(N, E) __global__ void N(float *a) { *a = E; } \
  void run_##N(float *p) { N<<<1, 1>>>(p); }
OP(k, 1)
template <class... I> __host__ __device__ int f(std::vector<int> &s, I... i) { return 0; }
__global__ void g(a::Box<float, 3> *b, View v, cudaTextureObject_t t) { tex2D<float4>(t, f(b, 1) }
int (*h(int))(float) { return 0; }
