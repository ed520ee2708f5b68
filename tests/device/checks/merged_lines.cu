// Code that the compiler made of several lines, and gives line 0.

//@ bug one_read_of_two_lines illegal_address most=90 block=32 args="int8[32]= int8[8]= 8:int32 int32[32]"
extern "C" __global__ void one_read_of_two_lines(const char* s, const char* pattern, int m, int* b) {
  __shared__ int fail[8];
  if (threadIdx.x < 8) fail[threadIdx.x] = threadIdx.x / 2;
  __syncthreads();
  int first = threadIdx.x * 4, last = first + 4 + m - 1, q = 0, found = 0;
  for (int i = first; i < last; ++i) {
    while (q && s[i] != pattern[q]) q = fail[q - 1];  //! thread=8 argument=a index=32 only=optimised
    if (s[i] == pattern[q]) ++q;  //! thread=8 argument=a index=32 only=debug
    if (q == m) {
      ++found;
      q = fail[q - 1];
    }
  }
  b[threadIdx.x] = found;
}
