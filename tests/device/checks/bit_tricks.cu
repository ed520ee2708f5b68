// Tricks on bits and bytes of words that are set in part: what an expression covers, masks out or decides, and what it does not.

//@ good text_measured_by_words block=32 args="int32[32]= int32[32]"
// The bytes behind the text's end have no value; the lowest zero byte decides.
extern "C" __global__ void text_measured_by_words(const int* a, int* length) {
  __shared__ __align__(4) char text[32][12];
  char* mine = text[threadIdx.x];
  int n = a[threadIdx.x] % 11;
  for (int i = 0; i < n; ++i) mine[i] = 'a' + i;
  mine[n] = 0;
  const unsigned* words = (const unsigned*)mine;
  int at = 0;
  unsigned zeros;
  while ((zeros = (words[at] - 0x01010101u) & ~words[at] & 0x80808080u) == 0) ++at;
  length[threadIdx.x] = 4 * at + (__ffs(zeros) - 1) / 8;
}

//@ bug text_without_its_zero_measured_by_words uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void text_without_its_zero_measured_by_words(const int* a, int* length) {
  __shared__ __align__(4) char text[32][12];
  char* mine = text[threadIdx.x];
  int n = a[threadIdx.x] % 11;
  for (int i = 0; i < n; ++i) mine[i] = 'a' + i;
  const unsigned* words = (const unsigned*)mine;
  int at = 0;
  unsigned zeros;
  while (at < 2 && (zeros = (words[at] - 0x01010101u) & ~words[at] & 0x80808080u) == 0) ++at;  //! thread=0 origin=shared
  length[threadIdx.x] = at;
}

__device__ __forceinline__ unsigned spread(unsigned x) {
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}
//@ good curve_of_masked_coordinates block=32 args="int32[32]= uint32[32]"
extern "C" __global__ void curve_of_masked_coordinates(const int* a, unsigned* code) {
  __shared__ unsigned place[32];
  ((unsigned short*)(place + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(place + threadIdx.x);
  code[threadIdx.x] = spread(v & 0xffffu) | spread(a[31 - threadIdx.x]) << 1;
}

//@ bug curve_of_coordinates_with_what_is_above uninitialised block=32 args="int32[32]= uint32[32]"
extern "C" __global__ void curve_of_coordinates_with_what_is_above(const int* a, unsigned* code) {
  __shared__ unsigned place[32];
  ((unsigned short*)(place + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(place + threadIdx.x);
  code[threadIdx.x] = spread(v) | spread(a[31 - threadIdx.x]) << 1;  //! thread=0 count=32 origin=shared
}

//@ good mean_of_packed_bytes block=32 args="uint8[128]= uint8[96]"
extern "C" __global__ void mean_of_packed_bytes(const unsigned char* a, unsigned char* b) {
  __shared__ __align__(4) unsigned char s[128];
  for (int i = 0; i < 3; ++i) s[4 * threadIdx.x + i] = a[4 * threadIdx.x + i];
  unsigned v = *(volatile unsigned*)(s + 4 * threadIdx.x), w = 0x10305070u;
  unsigned mean = (v & w) + (((v ^ w) & 0xfefefefeu) >> 1);
  for (int i = 0; i < 3; ++i) b[3 * threadIdx.x + i] = (unsigned char)(mean >> 8 * i);
}

//@ bug mean_of_packed_bytes_takes_a_bit_of_the_next uninitialised block=32 args="uint8[128]= uint8[96]"
extern "C" __global__ void mean_of_packed_bytes_takes_a_bit_of_the_next(const unsigned char* a, unsigned char* b) {
  __shared__ __align__(4) unsigned char s[128];
  for (int i = 0; i < 3; ++i) s[4 * threadIdx.x + i] = a[4 * threadIdx.x + i];
  unsigned v = *(volatile unsigned*)(s + 4 * threadIdx.x), w = 0x10305070u;
  unsigned mean = (v & w) + ((v ^ w) >> 1);
  b[3 * threadIdx.x] = (unsigned char)mean;
  b[3 * threadIdx.x + 1] = (unsigned char)(mean >> 8);
  b[3 * threadIdx.x + 2] = (unsigned char)(mean >> 16);  //! thread=0 count=32 origin=shared
}

//@ good bytes_compared_four_at_a_time block=32 args="uint8[128]= uint32[32]"
extern "C" __global__ void bytes_compared_four_at_a_time(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  for (int i = 0; i < 3; ++i) s[4 * threadIdx.x + i] = a[4 * threadIdx.x + i];
  unsigned v = *(volatile unsigned*)(s + 4 * threadIdx.x);
  unsigned equal = __vcmpeq4(v, 0x00030201u), more = __vmaxu4(v, 0x00404040u), apart = __vabsdiffu4(v, 0x00101010u);
  b[threadIdx.x] = (equal & 0xffffffu) + (more & 0xffffffu) + (apart & 0xffffffu) + __vadd4(v, v) % 256 + (__vsubus4(v, 0x01010101u) & 0xff00u);
}

//@ bug differences_of_four_bytes_added uninitialised block=32 args="uint8[128]= uint32[32]"
extern "C" __global__ void differences_of_four_bytes_added(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  for (int i = 0; i < 3; ++i) s[4 * threadIdx.x + i] = a[4 * threadIdx.x + i];
  unsigned v = *(volatile unsigned*)(s + 4 * threadIdx.x);
  b[threadIdx.x] = __vsadu4(v, 0x00101010u);  //! thread=0 count=32 origin=shared
}

//@ good weights_of_zero_for_the_missing_bytes block=32 args="uint8[128]= int32[32]"
extern "C" __global__ void weights_of_zero_for_the_missing_bytes(const unsigned char* a, int* b) {
  __shared__ __align__(4) signed char s[128];
  for (int i = 0; i < 3; ++i) s[4 * threadIdx.x + i] = a[4 * threadIdx.x + i];
  int v = *(volatile int*)(s + 4 * threadIdx.x);
  b[threadIdx.x] = __dp4a(v, 0x00020304, 5);
}

//@ bug weights_of_one_for_the_missing_bytes uninitialised block=32 args="uint8[128]= int32[32]"
extern "C" __global__ void weights_of_one_for_the_missing_bytes(const unsigned char* a, int* b) {
  __shared__ __align__(4) signed char s[128];
  for (int i = 0; i < 3; ++i) s[4 * threadIdx.x + i] = a[4 * threadIdx.x + i];
  int v = *(volatile int*)(s + 4 * threadIdx.x);
  b[threadIdx.x] = __dp4a(v, 0x01020304, 5);  //! thread=0 count=32 origin=shared
}

//@ good rounded_up_to_a_power_of_two block=32 args="int32[32]= int32[32]"
// All bits below the highest one become ones.
extern "C" __global__ void rounded_up_to_a_power_of_two(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[1] = (unsigned short)a[threadIdx.x];
  unsigned x = *(volatile unsigned*)(s + threadIdx.x);
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  b[threadIdx.x] = (int)(x + 1);
}

//@ bug rounded_up_less_one uninitialised block=32 args="int32[32]= int32[32]"
// If all the low bits were zero, the number less one would have another highest bit.
extern "C" __global__ void rounded_up_less_one(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[1] = (unsigned short)(1 << a[threadIdx.x] % 8);
  unsigned x = *(volatile unsigned*)(s + threadIdx.x) - 1;
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  b[threadIdx.x] = (int)(x + 1);  //! thread=0 count=32 origin=shared
}

//@ good more_than_one_bit_is_certain block=32 args="int32[32]= int32[32]"
extern "C" __global__ void more_than_one_bit_is_certain(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)(a[threadIdx.x] << 4 | 3);
  unsigned x = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (x & (x - 1)) == 0 ? 1 : 2;
}

//@ bug power_of_two_by_half_a_word uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void power_of_two_by_half_a_word(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)(1 << a[threadIdx.x] % 8);
  unsigned x = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (x & (x - 1)) == 0 ? 1 : 2;  //! thread=0 count=32 origin=shared
}

//@ good tail_without_a_branch block=32 args="int32[20]= int32[32] 20:int32"
extern "C" __global__ void tail_without_a_branch(const int* a, int* b, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < n) s[t] = a[t];
  int v = *(volatile int*)(s + t);
  int inside = t < n;
  b[t] = (v & -inside) + v * inside + (5 ^ ((v ^ 5) & -inside)) + (inside ? v : 0);
}

//@ bug tail_times_zero uninitialised block=32 args="float32[20]= float32[32] 20:int32"
// What is not a number remains so times zero.
extern "C" __global__ void tail_times_zero(const float* a, float* b, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  if (t < n) s[t] = a[t];
  __syncwarp();
  float inside = t < n ? 1 : 0;
  b[t] = s[t] * inside;  //! thread=20 count=12 origin=shared
}

//@ good highest_and_lowest_bit_where_they_are_certain block=32 args="int32[32]= int32[128]"
extern "C" __global__ void highest_and_lowest_bit_where_they_are_certain(const int* a, int* b) {
  __shared__ unsigned s[64];
  __shared__ unsigned long long wide[32];
  int t = threadIdx.x;
  ((unsigned short*)(s + t))[1] = (unsigned short)a[t];
  ((unsigned short*)(s + 32 + t))[0] = (unsigned short)a[t];
  ((unsigned*)(wide + t))[1] = a[t];
  unsigned high = *(volatile unsigned*)(s + t), low = *(volatile unsigned*)(s + 32 + t);
  unsigned long long most = *(volatile unsigned long long*)(wide + t);
  b[t] = __clz(high);
  b[32 + t] = __ffs(low);
  b[64 + t] = 63 - __clzll(most);
  b[96 + t] = __clz(__brev(low)) + (__brev(high) & 0xff) + __popc(low << 16) + __popcll(most >> 40);
}

//@ bug bits_counted_of_half_a_word uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void bits_counted_of_half_a_word(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = __popc(v) & 1;  //! thread=0 count=32 origin=shared
}

//@ good aligned_down_and_past block=32 args="int32[32]= int32[32]"
extern "C" __global__ void aligned_down_and_past(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned char*)(s + threadIdx.x))[1] = (unsigned char)a[threadIdx.x];
  ((unsigned short*)(s + threadIdx.x))[1] = 0;
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (int)((v & ~255u) + ((v | 255u) + 1) + (v >> 8 << 8) + (v / 256) * 256);
}

//@ bug aligned_up uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void aligned_up(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned char*)(s + threadIdx.x))[1] = (unsigned char)a[threadIdx.x];
  ((unsigned short*)(s + threadIdx.x))[1] = 0;
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (int)((v + 255u) & ~255u);  //! thread=0 count=32 origin=shared
}

//@ good bytes_changed_places block=32 args="int32[32]= int32[32]"
extern "C" __global__ void bytes_changed_places(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned char*)(s + threadIdx.x))[0] = (unsigned char)a[threadIdx.x];
  ((unsigned char*)(s + threadIdx.x))[3] = 9;
  unsigned v = *(volatile unsigned*)(s + threadIdx.x), by = a[threadIdx.x] % 2 * 16;
  unsigned turned = v << 24 | (v & 0xff00u) << 8 | (v >> 8 & 0xff00u) | v >> 24;
  unsigned rolled = __funnelshift_l(v, v, 8), one = __byte_perm(v, 0, 0x4443), either = v >> (24 - by) << 24;
  b[threadIdx.x] = (int)((turned & 0xff0000ffu) + (rolled & 0xffffu) + one + (by == 0 ? either : 0));
}

//@ bug one_byte_too_far_chosen uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void one_byte_too_far_chosen(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (int)__byte_perm(v, 0, 0x4440 + a[threadIdx.x] % 3);  //! thread=1 count=11 origin=shared
}

//@ good key_and_value_in_one_word block=32 args="int32[32]= uint64[1]=0 int32[1]"
extern "C" __global__ void key_and_value_in_one_word(const int* a, unsigned long long* best, int* where) {
  __shared__ uint2 pairs[32];
  pairs[threadIdx.x].y = a[threadIdx.x] * 7 % 32;
  unsigned long long v = *(volatile unsigned long long*)(pairs + threadIdx.x);
  atomicMax(best, (v & 0xffffffff00000000ull) | threadIdx.x);
  __syncwarp();
  if (threadIdx.x == 0) *where = (int)(*(volatile unsigned long long*)best);
}

//@ bug key_without_a_value_in_one_word uninitialised block=32 args="int32[32]= uint64[1]=0"
extern "C" __global__ void key_without_a_value_in_one_word(const int* a, unsigned long long* best) {
  __shared__ uint2 pairs[32];
  pairs[threadIdx.x].y = a[threadIdx.x] * 7 % 32;
  unsigned long long v = *(volatile unsigned long long*)(pairs + threadIdx.x);
  atomicMax(best, v);  //! thread=0 count=32 origin=shared
}

//@ good sign_of_a_byte_by_its_word block=32 args="int32[32]= int32[32]"
extern "C" __global__ void sign_of_a_byte_by_its_word(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned char*)(s + threadIdx.x))[0] = (unsigned char)(a[threadIdx.x] * 9);
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  int twice = (int)(v << 24) >> 23, plain = ((int)(v & 0xff) ^ 0x80) - 0x80;
  int sign = (int)(v << 24) >> 31, magnitude = (((int)(v << 24) >> 24) ^ sign) - sign;
  b[threadIdx.x] = twice + plain + magnitude + (signed char)v;
}

//@ good gray_code_and_its_inverse block=32 args="int32[32]= int32[32]"
extern "C" __global__ void gray_code_and_its_inverse(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[1] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  unsigned gray = v ^ v >> 1, back = gray;
  for (int by = 1; by < 32; by *= 2) back ^= back >> by;
  b[threadIdx.x] = (int)((gray >> 16) + (back >> 16));
}

//@ bug gray_code_of_what_is_below uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void gray_code_of_what_is_below(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (int)((v ^ v >> 1) & 0xffff);  //! thread=0 count=32 origin=shared
}

//@ good set_bits_walked_through block=32 args="int32[32]= int32[32]"
extern "C" __global__ void set_bits_walked_through(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x) << 16;
  int sum = 0;
  for (; v != 0; v &= v - 1) sum += __ffs(v) - 16;
  b[threadIdx.x] = sum;
}

//@ bug set_bits_walked_through_too_far uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void set_bits_walked_through_too_far(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  int sum = 0;
  for (int i = 0; i < 20 && v != 0; v &= v - 1, ++i) sum += __ffs(v);  //! thread=0 origin=shared
  b[threadIdx.x] = sum;
}
