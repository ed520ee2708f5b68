// Conway's game of life on a torus.

// A thread and a byte for each cell.
extern "C" __global__ void bytes(const unsigned char *now, unsigned char *next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int around = 0;
  for (int v = -1; v <= 1; ++v)
    for (int u = -1; u <= 1; ++u)
      around += now[(y + v + height) % height * width + (x + u + width) % width];
  const int self = now[y * width + x];
  around -= self;
  next[y * width + x] = around == 3 || (around == 2 && self);
}

// A thread for 32 cells, as bits of a word: bit i of word w is cell 32 w + i of its row. The eight
// neighbours of 32 cells are eight words, which are added bit by bit, as an adder's circuit does it.
extern "C" __global__ void words(const unsigned *now, unsigned *next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int left = (x + width - 1) % width, right = (x + 1) % width;
  unsigned one = 0, two = 0, four = 0;  // bits of the number of neighbours; 8 is as good as 0
  const auto add = [&](unsigned cells) {
    const unsigned carry = one & cells;
    one ^= cells;
    four ^= two & carry;
    two ^= carry;
  };
  unsigned self = 0;
  for (int v = -1; v <= 1; ++v) {
    const unsigned *row = now + (y + v + height) % height * width;
    const unsigned cells = row[x];
    add(cells << 1 | row[left] >> 31);
    add(cells >> 1 | row[right] << 31);
    if (v == 0) {
      self = cells;
    } else {
      add(cells);
    }
  }
  next[y * width + x] = two & ~four & (one | self);  // three, or two and alive
}
