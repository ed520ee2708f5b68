// Saved by an editor of Windows: a mark, CR LF and tabs.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;	// index
	if (i < n)
		d_a[i] *= factor;
}
