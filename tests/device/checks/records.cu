// Vectors and structs that are copied, passed and returned with a member or padding that was never set: nobody minds until it is used.
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>

struct Body {
  float4 place;
  float3 speed;
};
struct Tagged {
  char tag;
  double value;
};
struct Entry {
  unsigned char kind;
  int id;
};
struct Some {
  bool has;
  int value;
};
struct Few {
  int count;
  int of[6];
};
struct Number {
  enum Kind { whole, real } kind;
  union {
    long long i;
    float f;
  };
};

__device__ __forceinline__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

//@ good places_without_a_fourth_coordinate block=32 args="float32[96]= float32[32]"
extern "C" __global__ void places_without_a_fourth_coordinate(const float* a, float* b) {
  __shared__ float4 places[32];
  int t = threadIdx.x;
  float4 mine;
  mine.x = a[3 * t], mine.y = a[3 * t + 1], mine.z = a[3 * t + 2];
  places[t] = mine;
  __syncthreads();
  float least = 1e30f;
  for (int k = 0; k < 32; ++k) {
    float4 other = places[k];
    float x = other.x - mine.x, y = other.y - mine.y, z = other.z - mine.z;
    if (k != t) least = fminf(least, x * x + y * y + z * z);
  }
  b[t] = least;
}

//@ bug mass_of_a_body_never_set uninitialised block=32 args="float32[96]= float32[32]"
extern "C" __global__ void mass_of_a_body_never_set(const float* a, float* b) {
  __shared__ float4 places[32];
  int t = threadIdx.x;
  places[t].x = a[3 * t], places[t].y = a[3 * t + 1], places[t].z = a[3 * t + 2];
  __syncthreads();
  float pull = 0;
  for (int k = 0; k < 32; ++k) {
    float4 other = places[k];
    float x = other.x - places[t].x, y = other.y - places[t].y, z = other.z - places[t].z;
    pull += other.w * rsqrtf(x * x + y * y + z * z + 1);
  }
  b[t] = pull;  //! thread=0 count=32 origin=shared
}

//@ good sum_of_vectors_of_which_three_count block=32 args="float32[96]= float32[96]"
// The fourth sum has no value, and nobody asks for it.
extern "C" __global__ void sum_of_vectors_of_which_three_count(const float* a, float* b) {
  __shared__ float4 forces[32];
  int t = threadIdx.x;
  forces[t].x = a[3 * t], forces[t].y = a[3 * t + 1], forces[t].z = a[3 * t + 2];
  __syncthreads();
  float4 sum = forces[t];
  for (int k = 1; k < 32; ++k) sum = sum + forces[(t + k) % 32];
  b[3 * t] = sum.x, b[3 * t + 1] = sum.y, b[3 * t + 2] = sum.z;
}

//@ bug sum_of_vectors_stored_whole uninitialised block=32 args="float32[96]= float32[128]/16"
extern "C" __global__ void sum_of_vectors_stored_whole(const float* a, float4* b) {
  __shared__ float4 forces[32];
  int t = threadIdx.x;
  forces[t].x = a[3 * t], forces[t].y = a[3 * t + 1], forces[t].z = a[3 * t + 2];
  __syncthreads();
  float4 sum = forces[t];
  for (int k = 1; k < 32; ++k) sum = sum + forces[(t + k) % 32];
  b[t] = sum;  //! thread=0 count=32 origin=shared index=3
}

//@ good last_member_set_before_the_store block=32 args="float32[96]= float32[128]/16"
extern "C" __global__ void last_member_set_before_the_store(const float* a, float4* b) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  s[t].x = a[3 * t], s[t].y = a[3 * t + 1], s[t].z = a[3 * t + 2];
  __syncthreads();
  float4 v = s[31 - t];
  v.w = v.x * v.x + v.y * v.y + v.z * v.z;
  b[t] = v;
}

//@ good colours_without_an_opacity block=32 args="uint8[96]= uint8[32]"
extern "C" __global__ void colours_without_an_opacity(const unsigned char* a, unsigned char* grey) {
  __shared__ uchar4 tile[32];
  int t = threadIdx.x;
  uchar4 colour;
  colour.x = a[3 * t], colour.y = a[3 * t + 1], colour.z = a[3 * t + 2];
  tile[t] = colour;
  __syncthreads();
  uchar4 c = tile[t ^ 1];
  grey[t] = (unsigned char)((77 * c.x + 150 * c.y + 29 * c.z) >> 8);
}

//@ bug colours_blended_by_an_unset_opacity uninitialised block=32 args="uint8[96]= uint8[32]"
extern "C" __global__ void colours_blended_by_an_unset_opacity(const unsigned char* a, unsigned char* grey) {
  __shared__ uchar4 tile[32];
  int t = threadIdx.x;
  tile[t].x = a[3 * t], tile[t].y = a[3 * t + 1], tile[t].z = a[3 * t + 2];
  __syncthreads();
  uchar4 c = tile[t ^ 1];
  int light = (77 * c.x + 150 * c.y + 29 * c.z) >> 8;
  grey[t] = (unsigned char)((light * c.w + 128 * (255 - c.w)) / 255);  //! thread=0 count=32 origin=shared
}

//@ good pairs_sorted_by_their_keys block=32 args="int32[32]= int32[32]"
// Pairs as a whole change places; the second number has no value yet.
extern "C" __global__ void pairs_sorted_by_their_keys(const int* a, int* b) {
  __shared__ int2 s[32];
  int t = threadIdx.x;
  s[t].x = a[t] * 13 % 32;
  for (int k = 2; k <= 32; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      int other = t ^ j;
      if (other > t && (s[t].x > s[other].x) == ((t & k) == 0)) {
        int2 first = s[t];
        s[t] = s[other];
        s[other] = first;
      }
    }
  }
  __syncthreads();
  b[t] = s[t].x;
}

//@ bug pairs_sorted_by_what_they_lack uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void pairs_sorted_by_what_they_lack(const int* a, int* b) {
  __shared__ int2 s[32];
  int t = threadIdx.x;
  s[t].x = a[t];
  for (int phase = 0; phase < 32; ++phase) {
    __syncthreads();
    int i = 2 * t + phase % 2;
    if (i + 1 < 32 && s[i].y > s[i + 1].y) {  //! thread=0 origin=shared
      int2 first = s[i];
      s[i] = s[i + 1];
      s[i + 1] = first;
    }
  }
  __syncthreads();
  b[t] = s[t].x;
}

__device__ __noinline__ double scaled(Tagged t, double by) {
  return t.tag == 'x' ? t.value : t.value * by;
}
//@ good padding_through_a_call block=32 args="float64[32]= float64[32]"
extern "C" __global__ void padding_through_a_call(const double* a, double* b) {
  Tagged t;
  t.tag = threadIdx.x % 2 ? 'x' : 'y';
  t.value = a[threadIdx.x];
  b[threadIdx.x] = scaled(t, 2);
}

//@ bug member_missing_in_a_call uninitialised block=32 args="int32[32]= float64[32]"
extern "C" __global__ void member_missing_in_a_call(const int* a, double* b) {
  __shared__ Tagged s[32];
  s[threadIdx.x].tag = 'x';
  if (a[threadIdx.x] % 4) s[threadIdx.x].value = a[threadIdx.x];
  __syncwarp();
  b[threadIdx.x] = scaled(s[threadIdx.x], 2) + 1;  //! thread=3 count=8 origin=shared
}

__device__ __forceinline__ unsigned hash_of(const void* p, int n) {
  unsigned h = 2166136261u;
  for (int i = 0; i < n; ++i) h = (h ^ ((const unsigned char*)p)[i]) * 16777619u;
  return h;
}
//@ bug padding_in_a_hash uninitialised block=32 args="int32[32]= uint32[32]"
extern "C" __global__ void padding_in_a_hash(const int* a, unsigned* b) {
  __shared__ Entry s[32];
  s[threadIdx.x].kind = 1;
  s[threadIdx.x].id = a[threadIdx.x];
  b[threadIdx.x] = hash_of(s + threadIdx.x, sizeof(Entry));  //! thread=0 count=32 origin=shared
}

//@ good members_in_a_hash block=32 args="int32[32]= uint32[32]"
extern "C" __global__ void members_in_a_hash(const int* a, unsigned* b) {
  __shared__ Entry s[32];
  s[threadIdx.x].kind = 1;
  s[threadIdx.x].id = a[threadIdx.x];
  b[threadIdx.x] = hash_of(&s[threadIdx.x].kind, 1) ^ hash_of(&s[threadIdx.x].id, 4);
}

//@ bug structs_compared_by_their_bytes uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void structs_compared_by_their_bytes(const int* a, int* b) {
  __shared__ Entry s[32];
  s[threadIdx.x].kind = 1;
  s[threadIdx.x].id = a[threadIdx.x] / 2;
  __syncwarp();
  const unsigned char *p = (const unsigned char*)(s + threadIdx.x), *q = (const unsigned char*)(s + (threadIdx.x ^ 1));
  bool same = true;
  for (int i = 0; i < (int)sizeof(Entry); ++i) same = same && p[i] == q[i];  //! thread=0 origin=shared
  b[threadIdx.x] = same;
}

//@ good structs_compared_by_their_members block=32 args="int32[32]= int32[32]"
extern "C" __global__ void structs_compared_by_their_members(const int* a, int* b) {
  __shared__ Entry s[32];
  s[threadIdx.x].kind = 1;
  s[threadIdx.x].id = a[threadIdx.x] / 2;
  __syncwarp();
  Entry p = s[threadIdx.x], q = s[threadIdx.x ^ 1];
  b[threadIdx.x] = p.kind == q.kind && p.id == q.id;
}

__device__ __noinline__ Some found_at(const int* a, int n, int wanted) {
  Some some;
  some.has = false;
  for (int i = 0; i < n && !some.has; ++i) {
    if (a[i] == wanted) some.has = true, some.value = i;
  }
  return some;
}
//@ good nothing_found_and_not_asked_for block=32 args="int32[32]= int32[32]"
extern "C" __global__ void nothing_found_and_not_asked_for(const int* a, int* b) {
  Some some = found_at(a, 20, threadIdx.x + 1);
  b[threadIdx.x] = some.has ? some.value : -1;
}

//@ bug nothing_found_and_used_all_the_same uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void nothing_found_and_used_all_the_same(const int* a, int* b) {
  Some some = found_at(a, 20, threadIdx.x + 1);
  b[threadIdx.x] = a[some.value % 32];  //! thread=20 count=12 hazard=address
}

//@ good option_of_the_standard_library block=32 args="int32[32]= int32[32]"
extern "C" __global__ void option_of_the_standard_library(const int* a, int* b) {
  __shared__ cuda::std::array<char, 32 * sizeof(cuda::std::optional<int>)> room;
  auto* options = reinterpret_cast<cuda::std::optional<int>*>(room.data());
  int t = threadIdx.x;
  cuda::std::optional<int> mine;
  if (a[t] % 3 == 0) mine = a[t];
  new (options + t) cuda::std::optional<int>(mine);
  __syncwarp();
  cuda::std::optional<int> other = options[31 - t];
  b[t] = other.value_or(-1) + (mine.has_value() ? *mine : 0);
}

//@ good few_of_an_array_by_value block=32 args="int32[32]= int32[32]"
__device__ __noinline__ int sum_of_few(Few few) {
  int sum = 0;
  for (int i = 0; i < few.count; ++i) sum += few.of[i];
  return sum;
}
extern "C" __global__ void few_of_an_array_by_value(const int* a, int* b) {
  Few few;
  few.count = a[threadIdx.x] % 6;
  for (int i = 0; i < few.count; ++i) few.of[i] = a[(threadIdx.x + i) % 32];
  Few copy = few;
  b[threadIdx.x] = sum_of_few(copy);
}

//@ bug one_more_than_few_by_value uninitialised most=90 block=32 args="int32[32]= int32[32]"
extern "C" __global__ void one_more_than_few_by_value(const int* a, int* b) {
  Few few;
  few.count = a[threadIdx.x] % 6;
  for (int i = 0; i + 1 < few.count; ++i) few.of[i] = a[(threadIdx.x + i) % 32];
  b[threadIdx.x] = sum_of_few(few);  //! thread=0 origin=local
}

//@ good either_kind_of_number block=32 args="int32[32]= float32[32]"
extern "C" __global__ void either_kind_of_number(const int* a, float* b) {
  __shared__ Number s[32];
  Number n;
  n.kind = a[threadIdx.x] % 2 ? Number::whole : Number::real;
  if (n.kind == Number::whole) n.i = a[threadIdx.x];
  else n.f = a[threadIdx.x] / 2.0f;
  s[threadIdx.x] = n;
  __syncwarp();
  Number other = s[threadIdx.x ^ 5];
  b[threadIdx.x] = other.kind == Number::whole ? (float)other.i : other.f;
}

//@ bug other_kind_of_number uninitialised block=32 args="int32[32]= float32[32]"
extern "C" __global__ void other_kind_of_number(const int* a, float* b) {
  __shared__ Number s[32];
  s[threadIdx.x].kind = a[threadIdx.x] % 2 ? Number::whole : Number::real;
  s[threadIdx.x].f = a[threadIdx.x] / 2.0f;
  __syncwarp();
  const Number& other = s[threadIdx.x ^ 5];
  b[threadIdx.x] = other.kind == Number::whole ? (float)other.i : other.f;  //! thread=1 count=16 origin=shared
}

//@ good members_of_an_argument_are_changed block=32 args="bytes:24 int32[32]"
struct Six {
  int of[6];
};
extern "C" __global__ void members_of_an_argument_are_changed(Six six, int* b) {
  six.of[threadIdx.x % 6] += threadIdx.x;
  Six copy = six;
  for (int i = 0; i < 5; ++i) copy.of[i + 1] += copy.of[i];
  b[threadIdx.x] = copy.of[5];
}

//@ good tuples_and_pairs_of_other_sizes block=32 args="int32[32]= float64[32]"
extern "C" __global__ void tuples_and_pairs_of_other_sizes(const int* a, double* b) {
  auto made = cuda::std::make_tuple((char)a[threadIdx.x], 0.5 * a[threadIdx.x], (short)7);
  cuda::std::pair<char, double> pairs[2] = {{1, 2.0}, {2, 3.0}};
  auto kept = pairs[a[threadIdx.x] % 2];
  cuda::std::swap(pairs[0], pairs[1]);
  auto copy = made;
  b[threadIdx.x] = cuda::std::get<0>(copy) + cuda::std::get<1>(copy) + cuda::std::get<2>(copy) + kept.second + pairs[0].first;
}

//@ good bodies_moved_with_what_they_lack block=32 args="float32[256]/record float32[256]/record float32[32]"
extern "C" __global__ void bodies_moved_with_what_they_lack(Body* from, Body* to, float* b) {
  int t = threadIdx.x;
  from[t].place = make_float4(t, 1, 2, 3);
  from[t].speed.x = 1;
  __syncwarp();
  to[31 - t] = from[t];
  __syncwarp();
  b[t] = to[t].place.x + to[t].speed.x;
}

//@ bug speed_of_a_body_that_was_moved uninitialised block=32 args="float32[256]/record float32[256]/record float32[32]"
extern "C" __global__ void speed_of_a_body_that_was_moved(Body* from, Body* to, float* b) {
  int t = threadIdx.x;
  from[t].place = make_float4(t, 1, 2, 3);
  from[t].speed.x = 1;
  __syncwarp();
  to[31 - t] = from[t];
  __syncwarp();
  b[t] = to[t].place.x * to[t].speed.z;  //! thread=0 count=32 origin=global
}

//@ good captured_with_padding block=32 args="int32[32]= int32[32]"
extern "C" __global__ void captured_with_padding(const int* a, int* b) {
  char first = (char)a[threadIdx.x];
  long long second = a[31 - threadIdx.x];
  short third = 3;
  auto add = [=](int n) { return (int)(first + second * n + third); };
  auto twice = [add](int n) { return add(n) + add(n + 1); };
  b[threadIdx.x] = twice(a[threadIdx.x]);
}
