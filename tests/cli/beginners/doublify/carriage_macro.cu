// A macro over two lines, with CR LF.
#define BODY \
  if (i < n) d_a[i] *= factor

extern "C" __global__ void double_array(float *d_a, unsigned n, float factor)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;	// index
	BODY;
}
