// The barriers of rings: their counts, parities and bytes, with one mistake each, and correct ones.
//@ least 90
#include "hopper.cuh"
#include "rings.cuh"

//@ bug full_with_the_parity_of_before barrier block=96 budget=40000000 args="float32[512]= float32[64]"
extern "C" __global__ void full_with_the_parity_of_before(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) produce(ring, a);  //~
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.full[k], (i / kStages + 1) & 1);  //! says=32_threads_wait_at_an_mbarrier_for_1_of_1_arrivals
      sum += ring.tile[k][threadIdx.x];  //! race hazard=read_after_write
      ARRIVE(&ring.empty[k]);
    }
    out[threadIdx.x] = sum;  //! uninitialised
  }
}

//@ bug empty_with_the_parity_of_the_reader barrier block=96 budget=40000000 args="float32[512]= float32[64]"
extern "C" __global__ void empty_with_the_parity_of_the_reader(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings())
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.empty[k], i / kStages & 1);  //! says=64_of_64_arrivals
      EXPECT(&ring.full[k], 256);
      BULK_IN(ring.tile[k], a + i * 64, 256, &ring.full[k]);
    }
  if (uses()) out[threadIdx.x] = consume(ring);  //! says=1_of_1_arrivals
}

//@ bug parity_not_changed_at_the_end_of_the_ring barrier block=96 budget=40000000 args="float32[512]= float32[64]"
extern "C" __global__ void parity_not_changed_at_the_end_of_the_ring(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings())
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.empty[k], 1);
      EXPECT(&ring.full[k], 256);  //! sync says=expects_no_more_arrivals
      BULK_IN(ring.tile[k], a + i * 64, 256, &ring.full[k]);  //! race hazard=write_after_write
    }
  if (uses()) out[threadIdx.x] = consume(ring);  //!
}

//@ bug readers_that_are_not_there barrier block=96 budget=40000000 args="float32[512]= float32[64]"
extern "C" __global__ void readers_that_are_not_there(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 65);
  if (brings()) produce(ring, a);  //! says=of_65_arrivals_that_never_come
  if (uses()) out[threadIdx.x] = consume(ring);  //!
}

//@ bug fewer_bytes_expected_than_come barrier block=96 budget=40000000 args="float32[512]= float32[64]"
extern "C" __global__ void fewer_bytes_expected_than_come(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings())
    for (int i = 0; i < kStages; ++i) {
      EXPECT(&ring.full[i], 128);
      BULK_IN(ring.tile[i], a + i * 64, 256, &ring.full[i]);
    }
  if (uses()) out[threadIdx.x] = consume(ring);  //! says=128_bytes_more_than_it_expects
}

//@ bug more_bytes_expected_than_come barrier block=96 budget=40000000 args="float32[512]= float32[64]"
extern "C" __global__ void more_bytes_expected_than_come(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings())
    for (int i = 0; i < kStages; ++i) {
      EXPECT(&ring.full[i], 512);
      BULK_IN(ring.tile[i], a + i * 64, 256, &ring.full[i]);
    }
  if (uses()) out[threadIdx.x] = consume(ring);  //! says=256_bytes_of_asynchronous_copies_that_never_come
}

//@ bug bytes_expected_by_every_lane sync block=96 args="float32[512]= float32[64]"
extern "C" __global__ void bytes_expected_by_every_lane(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (!uses()) {
    EXPECT(&ring.full[0], 8);  //! says=expects_no_more_arrivals
    __syncwarp();
    if (threadIdx.x == 64) BULK_IN(ring.tile[0], a, 256, &ring.full[0]);
  } else {
    wait_for(&ring.full[0], 0);
    out[threadIdx.x] = ring.tile[0][threadIdx.x];
  }
}

//@ bug arrived_without_expecting_bytes race block=96 args="float32[512]= float32[64]" hazard=read_after_write
extern "C" __global__ void arrived_without_expecting_bytes(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) {
    ARRIVE(&ring.full[0]);
    BULK_IN(ring.tile[0], a, 256, &ring.full[0]);  //~
  }
  __syncthreads();
  wait_for(&ring.full[0], 0);
  if (uses()) out[threadIdx.x] = ring.tile[0][threadIdx.x];  //! ; uninitialised
}  //! hazard=exit_after_write

//@ bug made_by_every_thread race block=96 args="float32[512]= float32[64]" hazard=write_after_write
extern "C" __global__ void made_by_every_thread(const float* a, float* out) {
  __shared__ Ring ring;
  for (int k = 0; k < kStages; ++k) {
    INIT(&ring.full[k], 1);   //!
    INIT(&ring.empty[k], 64);  //!
  }
  INIT_FENCE;
  __syncthreads();
  if (brings()) produce(ring, a);
  if (uses()) out[threadIdx.x] = consume(ring);
}

//@ bug used_before_all_know_that_it_is_made race block=96 args="float32[512]= float32[64]" hazard=read_after_write
extern "C" __global__ void used_before_all_know_that_it_is_made(const float* a, float* out) {
  __shared__ Ring ring;
  if (threadIdx.x == 0) {
    for (int k = 0; k < kStages; ++k) {
      INIT(&ring.full[k], 1);
      INIT(&ring.empty[k], 64);
    }
    INIT_FENCE;
  }
  __syncwarp();
  if (brings()) produce(ring, a);
  if (uses()) out[threadIdx.x] = consume(ring);  //!
}

//@ bug left_with_a_tile_under_way race block=96 args="float32[512]= float32[64]" hazard=exit_after_write
extern "C" __global__ void left_with_a_tile_under_way(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings())
    for (int k = 0; k < kStages; ++k) {
      EXPECT(&ring.full[k], 256);
      BULK_IN(ring.tile[k], a + k * 64, 256, &ring.full[k]);  //~
    }
  if (uses()) {
    float sum = 0;
    for (int k = 0; k < kStages - 1; ++k) {
      wait_for(&ring.full[k], 0);
      sum += ring.tile[k][threadIdx.x];
    }
    out[threadIdx.x] = sum;
  }
}  //!

//@ bug waited_for_by_one_lane_of_each_warp race block=96 args="float32[512]= float32[64]" hazard=read_after_write
extern "C" __global__ void waited_for_by_one_lane_of_each_warp(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) {
    EXPECT(&ring.full[0], 256);
    BULK_IN(ring.tile[0], a, 256, &ring.full[0]);  //~
  }
  if (uses()) {
    if (threadIdx.x % 32 == 0) wait_for(&ring.full[0], 0);
    out[threadIdx.x] = ring.tile[0][threadIdx.x];  //!
  }
}

//@ good waited_for_by_one_lane_that_the_warp_meets block=96 args="float32[512]= float32[64]"
extern "C" __global__ void waited_for_by_one_lane_that_the_warp_meets(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) {
    EXPECT(&ring.full[0], 256);
    BULK_IN(ring.tile[0], a, 256, &ring.full[0]);
  }
  if (uses()) {
    if (threadIdx.x % 32 == 0) wait_for(&ring.full[0], 0);
    __syncwarp();
    out[threadIdx.x] = ring.tile[0][threadIdx.x];
  }
}

// One barrier for two copies; the bytes are expected by parts, before and after they begin.
//@ good bytes_expected_by_parts block=96 args="float32[512]= float32[64]"
extern "C" __global__ void bytes_expected_by_parts(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) {
    BULK_IN(ring.tile[0], a, 256, &ring.full[0]);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 256;" ::"r"(at(&ring.full[0])) : "memory");
    BULK_IN(ring.tile[1], a + 64, 256, &ring.full[0]);
    EXPECT(&ring.full[0], 256);
  }
  if (uses()) {
    wait_for(&ring.full[0], 0);
    out[threadIdx.x] = ring.tile[0][threadIdx.x] + ring.tile[1][threadIdx.x];
  }
}

// Each lane of the producer expects and brings its own part.
//@ good every_lane_brings_a_part block=96 args="float32[512]= float32[64]"
extern "C" __global__ void every_lane_brings_a_part(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 16, 64);
  if (threadIdx.x >= 64 && threadIdx.x < 80) {
    const int part = threadIdx.x - 64;
    EXPECT(&ring.full[0], 16);
    BULK_IN(ring.tile[0] + part * 4, a + part * 4, 16, &ring.full[0]);
  }
  if (uses()) {
    wait_for(&ring.full[0], 0);
    out[threadIdx.x] = ring.tile[0][threadIdx.x];
  }
}

//@ bug taken_back_while_others_wait race block=64 budget=40000000 args="float32[512]= float32[64]" hazard=write_after_read
extern "C" __global__ void taken_back_while_others_wait(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (threadIdx.x == 0) {
    EXPECT(&ring.full[0], 256);
    BULK_IN(ring.tile[0], a, 256, &ring.full[0]);
  }
  wait_for(&ring.full[0], 0);  //! barrier ; uninitialised //~
  if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&ring.full[0])) : "memory");  //!
  out[threadIdx.x] = ring.tile[0][threadIdx.x];
}

// The state that an arrival returns, in place of a parity.
//@ good waited_for_by_the_state_of_an_arrival block=64 args="float32[512]= float32[64]"
extern "C" __global__ void waited_for_by_the_state_of_an_arrival(const float* a, float* out) {
  __shared__ alignas(128) float s[64];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 64);
    INIT_FENCE;
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    u64 state;
    if (threadIdx.x == 0) {
      BULK_IN(s, a + i * 64, 256, &bar);
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 256;" : "=l"(state) : "r"(at(&bar)) : "memory");
    } else {
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
    }
    unsigned done;
    do {
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(&bar)), "l"(state) : "memory");
    } while (!done);
    sum += s[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Kernels did so before bulk copies: each thread brings its words, and the barrier learns of them when they have come.
//@ good brought_word_by_word block=128 args="float32[512]= float32[64]"
extern "C" __global__ void brought_word_by_word(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 64, 64);
  if (!uses()) {
    const int t = threadIdx.x - 64;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.empty[k], (i / kStages + 1) & 1);
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&ring.tile[k][t])), "l"(a + i * 64 + t) : "memory");
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&ring.full[k])) : "memory");
    }
    WAIT_COPIES;
  } else {
    out[threadIdx.x] = consume(ring);
  }
}

// A look now and then, with pauses.
//@ good looks_with_pauses block=96 args="float32[512]= float32[64]"
extern "C" __global__ void looks_with_pauses(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) produce(ring, a);
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      if (!is_over(&ring.full[k], i / kStages & 1))
        while (!is_over(&ring.full[k], i / kStages & 1)) __nanosleep(64);
      sum += ring.tile[k][63 - threadIdx.x];
      ARRIVE(&ring.empty[k]);
    }
    out[threadIdx.x] = sum;
  }
}
