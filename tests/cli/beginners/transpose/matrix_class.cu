template <typename T>
class Matrix {
 public:
  __device__ Matrix(T *data, int width) : data_(data), width_(width) {}
  __device__ T &operator()(int row, int column) { return data_[row * width_ + column]; }

 private:
  T *data_;
  int width_;
};

extern "C" __global__ void transpose(float *out, const float *src, int rows, int columns) {
  Matrix<const float> from(src, columns);
  Matrix<float> to(out, rows);
  const int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    if (c < columns) {
      to(c, r) = from(r, c);
    }
  }
}
