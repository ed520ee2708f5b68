// Rings of tiles between a warp that brings them and warps that use them: with one mistake each, and correct ones.
//@ least 90
#include "hopper.cuh"
#include "rings.cuh"

//@ good ring_of_tiles block=96 args="float32[512]= float32[64]"
extern "C" __global__ void ring_of_tiles(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) produce(ring, a);
  if (uses()) out[threadIdx.x] = consume(ring);
}

//@ good ring_by_its_state block=96 args="float32[512]= float32[64]"
extern "C" __global__ void ring_by_its_state(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 2);
  if (brings()) {
    Turn turn{0, 1};
    for (int i = 0; i < kTiles; ++i, turn.next()) {
      wait_for(&ring.empty[turn.stage], turn.parity);
      EXPECT(&ring.full[turn.stage], 256);
      BULK_IN(ring.tile[turn.stage], a + i * 64, 256, &ring.full[turn.stage]);
    }
    // PipelineTmaAsync::producer_tail: nobody leaves before all stages are given back.
    for (int k = 0; k < kStages; ++k, turn.next()) wait_for(&ring.empty[turn.stage], turn.parity);
  } else if (uses()) {
    Turn turn;
    float sum = 0;
    for (int i = 0; i < kTiles; ++i, turn.next()) {
      wait_for(&ring.full[turn.stage], turn.parity);
      sum += ring.tile[turn.stage][63 - threadIdx.x];
      __syncwarp();
      if (threadIdx.x % 32 == 0) ARRIVE(&ring.empty[turn.stage]);
    }
    out[threadIdx.x] = sum;
  }
}

//@ bug full_not_waited_for race block=96 args="float32[512]= float32[64]" hazard=read_after_write
extern "C" __global__ void full_not_waited_for(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) {
    for (int i = 0; i < kStages; ++i) {
      EXPECT(&ring.full[i], 256);
      BULK_IN(ring.tile[i], a + i * 64, 256, &ring.full[i]);  //~
    }
    for (int i = 0; i < kStages; ++i) wait_for(&ring.full[i], 0);
  }
  __syncwarp();
  if (uses()) {
    MEET(1, 64);
    float sum = 0;
    wait_for(&ring.full[0], 0);
    for (int i = 0; i < kStages; ++i) sum += ring.tile[i][threadIdx.x];  //!
    out[threadIdx.x] = sum;
  }
}

//@ bug empty_not_waited_for race block=96 budget=40000000 args="float32[512]= float32[64]"
extern "C" __global__ void empty_not_waited_for(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings())
    for (int i = 0; i < kStages + 1; ++i) {
      const int k = i % kStages;
      EXPECT(&ring.full[k], 256);  //! sync says=expects_no_more_arrivals
      BULK_IN(ring.tile[k], a + i * 64, 256, &ring.full[k]);  //! hazard=write_after_write
    }
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.full[k], i / kStages & 1);  //! barrier
      sum += ring.tile[k][threadIdx.x];
    }
    out[threadIdx.x] = sum;
  }
}

//@ bug given_back_before_it_is_read race block=96 args="float32[512]= float32[64]"
extern "C" __global__ void given_back_before_it_is_read(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) produce(ring, a);  //! hazard=write_after_read
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.full[k], i / kStages & 1);
      ARRIVE(&ring.empty[k]);
      sum += ring.tile[k][threadIdx.x];  //~
    }
    out[threadIdx.x] = sum;
  }
}

//@ bug tile_of_the_next_stage_read race block=96 args="float32[512]= float32[64]" both_orders=True
extern "C" __global__ void tile_of_the_next_stage_read(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) produce(ring, a);  //~
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.full[k], i / kStages & 1);
      sum += ring.tile[(k + 1) % kStages][threadIdx.x];  //!
      ARRIVE(&ring.empty[k]);
    }
    out[threadIdx.x] = sum;  //! uninitialised
  }
}

//@ bug readers_of_one_warp_count_for_two race block=96 args="float32[512]= float32[64]"
extern "C" __global__ void readers_of_one_warp_count_for_two(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 32);
  if (brings()) produce(ring, a);  //! hazard=write_after_read
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.full[k], i / kStages & 1);
      sum += ring.tile[k][threadIdx.x];  //~
      if (threadIdx.x < 32) ARRIVE(&ring.empty[k]);
    }
    out[threadIdx.x] = sum;
  }
}

//@ bug one_lane_gives_back_what_others_still_read race block=96 args="float32[512]= float32[64]"
extern "C" __global__ void one_lane_gives_back_what_others_still_read(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 2);
  if (brings()) produce(ring, a);  //! hazard=write_after_read
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % kStages;
      wait_for(&ring.full[k], i / kStages & 1);
      sum += ring.tile[k][threadIdx.x];  //~
      if (threadIdx.x % 32 == 0) ARRIVE(&ring.empty[k]);
    }
    out[threadIdx.x] = sum;
  }
}

// Triton does so: one group of warps brings tiles two turns ahead and uses them, and takes the barriers back at last.
//@ good two_turns_ahead_of_oneself block=64 args="float32[512]= float32[64]"
extern "C" __global__ void two_turns_ahead_of_oneself(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  for (int i = 0; i < 2; ++i)
    if (threadIdx.x == 0) {
      EXPECT(&ring.full[i], 256);
      BULK_IN(ring.tile[i], a + i * 64, 256, &ring.full[i]);
    }
  float sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    sum += ring.tile[i % kStages][63 - threadIdx.x];
    __syncthreads();
    const int ahead = i + 2;
    if (threadIdx.x == 0 && ahead < kTiles) {
      EXPECT(&ring.full[ahead % kStages], 256);
      BULK_IN(ring.tile[ahead % kStages], a + ahead * 64, 256, &ring.full[ahead % kStages]);
    }
  }
  __syncthreads();
  if (threadIdx.x < kStages) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&ring.full[threadIdx.x])) : "memory");
  out[threadIdx.x] = sum;
}

//@ bug three_turns_ahead_of_oneself race block=64 budget=40000000 args="float32[512]= float32[64]" hazard=write_after_read
extern "C" __global__ void three_turns_ahead_of_oneself(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  for (int i = 0; i < kStages; ++i)
    if (threadIdx.x == 0) {
      EXPECT(&ring.full[i], 256);
      BULK_IN(ring.tile[i], a + i * 64, 256, &ring.full[i]);
    }
  float sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    wait_for(&ring.full[i % kStages], i / kStages & 1);
    sum += ring.tile[i % kStages][63 - threadIdx.x];  //~
    const int ahead = i + kStages;
    if (threadIdx.x == 0 && ahead < kTiles) {
      EXPECT(&ring.full[ahead % kStages], 256);
      BULK_IN(ring.tile[ahead % kStages], a + ahead * 64, 256, &ring.full[ahead % kStages]);  //!
    }
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Persistent: the stage and parity go on over the tiles of all work items, whose numbers come through shared memory.
//@ good persistent_with_a_scheduler grid=2 block=96 args="float32[1024]= uint32[1]=0 float32[256]"
extern "C" __global__ void persistent_with_a_scheduler(const float* a, unsigned* next, float* out) {
  __shared__ Ring ring;
  __shared__ int item;
  make(ring, 1, 64);
  Turn write{0, 1}, read;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);
    __syncthreads();
    const int mine = item;
    __syncthreads();
    if (mine >= 4) break;
    if (brings())
      for (int i = 0; i < 4; ++i, write.next()) {
        wait_for(&ring.empty[write.stage], write.parity);
        EXPECT(&ring.full[write.stage], 256);
        BULK_IN(ring.tile[write.stage], a + mine * 256 + i * 64, 256, &ring.full[write.stage]);
      }
    if (uses()) {
      float sum = 0;
      for (int i = 0; i < 4; ++i, read.next()) {
        wait_for(&ring.full[read.stage], read.parity);
        sum += ring.tile[read.stage][63 - threadIdx.x];
        ARRIVE(&ring.empty[read.stage]);
      }
      out[mine * 64 + threadIdx.x] = sum;
    }
  }
}

//@ bug next_item_written_before_all_have_read_it race grid=2 block=96 args="float32[1024]= uint32[1]=0 float32[256]" hazard=write_after_read
extern "C" __global__ void next_item_written_before_all_have_read_it(const float* a, unsigned* next, float* out) {
  __shared__ int item;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);  //!
    __syncthreads();
    if (item >= 4) break;  //~
    if (uses()) out[item * 64 + threadIdx.x] = a[item * 256 + threadIdx.x];  //~
  }
}

//@ bug ring_begun_anew_for_each_item race block=96 hazard=exit_after_write args="float32[512]= float32[128]"
extern "C" __global__ void ring_begun_anew_for_each_item(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  for (int item = 0; item < 2; ++item) {
    if (brings())
      for (int i = 0; i < 4; ++i) {
        const int k = i % kStages;
        wait_for(&ring.empty[k], (i / kStages + 1) & 1);
        EXPECT(&ring.full[k], 256);
        BULK_IN(ring.tile[k], a + (item * 4 + i) * 64, 256, &ring.full[k]);  //~
      }
    if (uses()) {
      float sum = 0;
      for (int i = 0; i < 4; ++i) {
        const int k = i % kStages;
        wait_for(&ring.full[k], i / kStages & 1);
        sum += ring.tile[k][threadIdx.x];
        ARRIVE(&ring.empty[k]);
      }
      out[item * 64 + threadIdx.x] = sum;
    }
  }
}  //!

// Each of two groups of readers has its own ring, of one stage; one thread brings for both in turn.
//@ good a_ring_for_each_group block=96 args="float32[512]= float32[64]"
extern "C" __global__ void a_ring_for_each_group(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 1);
  if (brings())
    for (int i = 0; i < kTiles; ++i) {
      const int k = i % 2;
      wait_for(&ring.empty[k], (i / 2 + 1) & 1);
      EXPECT(&ring.full[k], 128);
      BULK_IN(ring.tile[k], a + i * 32, 128, &ring.full[k]);
    }
  if (uses()) {
    const int k = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = 0; i < kTiles / 2; ++i) {
      wait_for(&ring.full[k], i & 1);
      sum += ring.tile[k][31 - lane];
      __syncwarp();
      if (lane == 0) ARRIVE(&ring.empty[k]);
    }
    out[threadIdx.x] = sum;
  }
}

// A stage is given back one turn later.
//@ good given_back_one_turn_later block=96 args="float32[512]= float32[64]"
extern "C" __global__ void given_back_one_turn_later(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) produce(ring, a);
  if (uses()) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) {
      wait_for(&ring.full[i % kStages], i / kStages & 1);
      sum += ring.tile[i % kStages][63 - threadIdx.x];
      if (i > 0) ARRIVE(&ring.empty[(i - 1) % kStages]);
    }
    out[threadIdx.x] = sum;
  }
}

// The readers stop early, and the stages that come are waited for by the one who brings them.
//@ good readers_that_stop_early block=96 args="float32[512]= float32[64]"
extern "C" __global__ void readers_that_stop_early(const float* a, float* out) {
  __shared__ Ring ring;
  make(ring, 1, 64);
  if (brings()) {
    for (int i = 0; i < 4; ++i) {
      const int k = i % kStages;
      wait_for(&ring.empty[k], (i / kStages + 1) & 1);
      EXPECT(&ring.full[k], 256);
      BULK_IN(ring.tile[k], a + i * 64, 256, &ring.full[k]);
    }
    wait_for(&ring.full[1], 0);
    wait_for(&ring.full[2], 0);
    wait_for(&ring.full[0], 1);
  }
  if (uses()) {
    wait_for(&ring.full[0], 0);
    const float v = ring.tile[0][63 - threadIdx.x];
    ARRIVE(&ring.empty[0]);
    out[threadIdx.x] = v;
  }
}

// Tiles that warps write themselves, each thread its word, and the async proxy stores.
//@ good written_by_warps_and_stored_by_one_thread block=96 args="float32[512]"
extern "C" __global__ void written_by_warps_and_stored_by_one_thread(float* out) {
  __shared__ Ring ring;
  make(ring, 64, 1);
  for (int i = 0; i < kTiles; ++i) {
    const int k = i % kStages;
    if (uses()) {
      wait_for(&ring.empty[k], (i / kStages + 1) & 1);
      ring.tile[k][threadIdx.x] = i;
      PROXY_SHARED;
      ARRIVE(&ring.full[k]);
    }
    if (brings()) {
      wait_for(&ring.full[k], i / kStages & 1);
      BULK_OUT(out + i * 64, ring.tile[k], 256);
      COMMIT_BULK;
      WAIT_READ(0);
      ARRIVE(&ring.empty[k]);
    }
  }
}

//@ bug given_back_before_the_store_has_read race block=96 args="float32[512]" hazard=write_after_read
extern "C" __global__ void given_back_before_the_store_has_read(float* out) {
  __shared__ Ring ring;
  make(ring, 64, 1);
  for (int i = 0; i < kTiles; ++i) {
    const int k = i % kStages;
    if (uses()) {
      wait_for(&ring.empty[k], (i / kStages + 1) & 1);
      ring.tile[k][threadIdx.x] = i;  //!
      PROXY_SHARED;
      ARRIVE(&ring.full[k]);
    }
    if (brings()) {
      wait_for(&ring.full[k], i / kStages & 1);
      BULK_OUT(out + i * 64, ring.tile[k], 256);  //~
      COMMIT_BULK;
      ARRIVE(&ring.empty[k]);
    }
  }
  if (brings()) WAIT_READ(0);
}

// Two warps in turn by named barriers, as schedulers of attention kernels have them.
//@ good turns_by_named_barriers block=64 args="float32[64]= float32[64]"
extern "C" __global__ void turns_by_named_barriers(const float* a, float* out) {
  __shared__ float s[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 1) MEET_ARRIVE(1, 64);
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    MEET(1 + warp, 64);
    s[lane] = a[threadIdx.x] + i;
    __syncwarp();
    sum += s[31 - lane];
    if (warp == 0 || i < 3) MEET_ARRIVE(2 - warp, 64);
  }
  out[threadIdx.x] = sum;
}

//@ bug turns_that_one_does_not_wait_for race block=64 args="float32[64]= float32[64]"
extern "C" __global__ void turns_that_one_does_not_wait_for(const float* a, float* out) {
  __shared__ float s[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  s[lane] = a[threadIdx.x];  //! hazard=write_after_write //~
  __syncwarp();
  out[threadIdx.x] = s[31 - lane];
  if (warp == 0)
    MEET_ARRIVE(1, 64);
  else
    MEET(1, 64);
}
