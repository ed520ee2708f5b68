// Threads that work together: cooperative groups, cooperative grids, clusters.
#include <algorithm>
#include <numeric>
#include <random>

#include "device/support/client.hpp"
#include "device/support/cooperative_launch.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

using ::testing::HasSubstr;

class TogetherTest : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction kernel(const char* name) {
    return DeviceTest::kernel(std::string("together.") + GetParam() + ".ptx", name);
  }
  template <typename... Arguments>
  static CUresult launch_ex(CUfunction function, Dim grid, Dim block,
                            std::vector<CUlaunchAttribute> attributes, Arguments... arguments) {
    static const auto entry = api().find<decltype(cuLaunchKernelEx)>("cuLaunchKernelEx");
    CUlaunchConfig config = {};
    config.gridDimX = grid.x, config.gridDimY = grid.y, config.gridDimZ = grid.z;
    config.blockDimX = block.x, config.blockDimY = block.y, config.blockDimZ = block.z;
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
    return entry(&config, function, pointers, nullptr);
  }
  static CUlaunchAttribute cluster_of(Dim size) {
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {size.x, size.y, size.z};
    return attribute;
  }
};

TEST_P(TogetherTest, AGridSynchronisesWithMoreBlocksThanCores) {
  constexpr unsigned kSize = 1500, kSteps = 7;
  CUfunction function = kernel("steps");
  std::vector<unsigned> expected(kSize);
  std::iota(expected.begin(), expected.end(), 1u);
  const std::vector<unsigned> initial = expected;
  for (unsigned s = 0; s < kSteps; ++s) {
    std::vector<unsigned> next(kSize);
    for (unsigned i = 0; i < kSize; ++i)
      next[i] = expected[(i + 1) % kSize] + expected[(i + kSize - 1) % kSize];
    expected = next;
  }
  for (const Dim grid : {Dim{1}, Dim{100}, Dim{7, 5, 3}}) {
    Array<unsigned> a(initial), b(kSize);
    ASSERT_CU(cooperate(function, grid, {64}, a.address, b.address, kSize, kSteps));
    ASSERT_CU(b.fetch());
    EXPECT_EQ(b.host, expected);
  }
  Array<unsigned> a(initial), b(kSize);
  CUlaunchAttribute cooperative = {};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  ASSERT_CU(launch_ex(function, {20}, {96}, {cooperative}, a.address, b.address, kSize, kSteps));
  ASSERT_CU(b.fetch());
  EXPECT_EQ(b.host, expected);
}

TEST_P(TogetherTest, ALaunchThatIsNotCooperativeTrapsAtTheGridsBarrier) {
  Array<unsigned> a(10), b(10);
  ASSERT_CU(launch(kernel("steps"), {2}, {32}, 0, a.address, b.address, 10, 1));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(reports().at(0)["kind"], "trap");
}

TEST_P(TogetherTest, ACooperativeGridMustFit) {
  Array<unsigned> a(10), b(10);
  EXPECT_EQ(cooperate(kernel("steps"), {1 << 20}, {32}, a.address, b.address, 10, 1),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  ASSERT_CU(api().synchronize());
}

TEST_P(TogetherTest, TilesCoalescedAndLabeledGroups) {
  std::mt19937 random(5);
  Array<int> in(256), out(1024);
  for (int& v : in.host) v = static_cast<int>(random() % 10);
  ASSERT_CU(api().to_device(in.address, in.host.data(), 1024));
  ASSERT_CU(launch(kernel("tiles"), {}, {256}, 0, in.address, out.address));
  ASSERT_CU(out.fetch());
  for (int i = 0; i < 256; ++i) {
    const auto at = [&](int k) { return in.host[static_cast<std::size_t>(k)]; };
    const int tile = i / 8 * 8, warp = i / 32 * 32;
    int sum = 0, scan = 0, any = 0, all = 1, ballot = 0;
    for (int k = tile; k < tile + 8; ++k) {
      sum += at(k);
      scan += k <= i ? at(k) : 0;
      any |= at(k) == 7 ? 1 : 0;
      all &= at(k) > 0 ? 1 : 0;
      ballot |= (at(k) & 1) << (k - tile);
    }
    int size = 0, rank = 0;
    for (int k = warp; k < warp + 32; ++k) {
      const bool same = at(k) % 3 == at(i) % 3;
      size += same ? 1 : 0;
      rank += same && k < i ? 1 : 0;
    }
    const auto result = [&](int part) { return out.host[static_cast<std::size_t>(i + part)]; };
    ASSERT_EQ(result(0), sum) << i;
    ASSERT_EQ(result(256), scan) << i;
    ASSERT_EQ(result(512), at(tile + 3) + any + 2 * all + ballot) << i;
    ASSERT_EQ(result(768), (at(i) % 3 == 0 ? 1 : -1) * (size * 100 + rank)) << i;
  }
}

TEST_P(TogetherTest, CoalescedThreadsAggregateAnAtomic) {
  std::mt19937 random(6);
  Array<int> in(256), count(1), out(256);
  std::vector<int> expected;
  for (int& v : in.host) {
    v = static_cast<int>(random() % 200) - 100;
    if (v > 0) expected.push_back(v);
  }
  ASSERT_CU(api().to_device(in.address, in.host.data(), 1024));
  ASSERT_CU(launch(kernel("aggregate"), {}, {256}, 0, in.address, count.address, out.address));
  ASSERT_CU(count.fetch());
  ASSERT_CU(out.fetch());
  ASSERT_EQ(count.host[0], static_cast<int>(expected.size()));
  out.host.resize(expected.size());
  std::sort(out.host.begin(), out.host.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(out.host, expected);
}

INSTANTIATE_TEST_SUITE_P(Dialects, TogetherTest, ::testing::Values("sm_75", "sm_90", "sm_100"),
                         [](const auto& dialect) { return std::string(dialect.param); });

class ClusterTest : public TogetherTest {
 protected:
  // Returns what gather() gives each thread, by hand: the ranks of a cluster and who wrote where.
  static std::vector<int> gathered(Dim grid, Dim size) {
    std::vector<int> out(std::size_t{64} * grid.x * grid.y * grid.z);
    const unsigned ranks = size.x * size.y * size.z;
    for (unsigned z = 0; z < grid.z; ++z) {
      for (unsigned y = 0; y < grid.y; ++y) {
        for (unsigned x = 0; x < grid.x; ++x) {
          const unsigned rank = x % size.x + size.x * (y % size.y + size.y * (z % size.z));
          for (unsigned t = 0; t < 64; ++t) {
            unsigned total = 0;
            for (unsigned r = 0; r < ranks; ++r) {
              const unsigned bx = x / size.x * size.x + r % size.x,
                             by = y / size.y * size.y + r / size.x % size.y,
                             bz = z / size.z * size.z + r / size.x / size.y;
              total += (bx + grid.x * (by + grid.y * bz)) * 1000 + (t + r) % 64;
            }
            const unsigned sum = rank == 0 ? ranks * (63 * 64 / 2) : 0;
            out[64 * (x + grid.x * (y + grid.y * z)) + t] = static_cast<int>(total + sum);
          }
        }
      }
    }
    return out;
  }
};

TEST_P(ClusterTest, BlocksOfAClusterShareTheirMemory) {
  Array<int> out(std::size_t{64} * 6 * 4);
  ASSERT_CU(launch(kernel("fixed_cluster"), {6, 4}, {64}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host, gathered({6, 4}, {2, 2}));
}

TEST_P(ClusterTest, TheLaunchMayChooseTheCluster) {
  CUfunction function = kernel("any_cluster");
  EXPECT_EQ(launch_ex(function, {8, 4, 2}, {64}, {cluster_of({4, 2, 2})}, CUdeviceptr{0}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE)
      << "16 blocks are not portable";
  ASSERT_CU(api().find<decltype(cuFuncSetAttribute)>("cuFuncSetAttribute")(
      function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  for (const Dim size : {Dim{1}, Dim{2}, Dim{4, 2, 2}, Dim{1, 4}, Dim{8}}) {
    Array<int> out(std::size_t{64} * 8 * 4 * 2);
    ASSERT_CU(launch_ex(function, {8, 4, 2}, {64}, {cluster_of(size)}, out.address));
    ASSERT_CU(out.fetch());
    EXPECT_EQ(out.host, gathered({8, 4, 2}, size));
  }
  Array<int> out(64);
  ASSERT_CU(launch(function, {1}, {64}, 0, out.address));  // without clusters a block is alone
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host, gathered({1}, {1}));
}

TEST_P(ClusterTest, SpecialRegistersSayWhereABlockIs) {
  const Dim grid{4, 6, 2}, size{2, 3, 1};
  Array<unsigned> out(std::size_t{12} * 48);
  ASSERT_CU(launch_ex(kernel("describe"), grid, {32}, {cluster_of(size)}, out.address));
  ASSERT_CU(out.fetch());
  for (unsigned z = 0, block = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x, ++block) {
        const std::vector<unsigned> expected = {x % 2, y % 3, 0,     2, 3, 1, x % 2 + 2 * (y % 3),
                                                6,     5,     x / 2, 2, 1};
        const std::vector<unsigned> found(out.host.begin() + 12 * block,
                                          out.host.begin() + 12 * block + 12);
        ASSERT_EQ(found, expected) << x << " " << y << " " << z;
      }
    }
  }
  ASSERT_CU(launch(kernel("describe"), {1}, {32}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host[7], 1u);
  EXPECT_EQ(out.host[11], 0u);
}

TEST_P(ClusterTest, ThreadsThatHaveLeftAreNotWaitedFor) {
  Array<int> out(1);
  ASSERT_CU(launch_ex(kernel("leaves"), {8}, {64}, {cluster_of({4})}, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host[0], 2 * 3 * 32);
}

TEST_P(ClusterTest, ARankThatDoesNotExistFaults) {
  CUfunction function = kernel("beyond");
  Array<int> out(1);
  ASSERT_CU(launch_ex(function, {4}, {32}, {cluster_of({2})}, out.address, 1));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(launch_ex(function, {4}, {32}, {cluster_of({2})}, out.address, 2));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(reports().at(0)["space"], "shared");
}

TEST_P(ClusterTest, ClustersThatDoNotFitAreRefused) {
  Array<int> out(64);
  CUfunction any = kernel("any_cluster"), fixed = kernel("fixed_cluster");
  EXPECT_EQ(launch_ex(any, {4}, {64}, {cluster_of({3})}, out.address),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch_ex(any, {32}, {64}, {cluster_of({32})}, out.address),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch(fixed, {2, 1}, {64}, 0, out.address), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch_ex(fixed, {4, 4}, {64}, {cluster_of({4})}, out.address),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_P(ClusterTest, ADeadlockReportsWhoWaitsWhere) {
  ASSERT_CU(launch_ex(kernel("stuck"), {2}, {32}, {cluster_of({2})}));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  std::string all;
  for (const Json& report : reports()) {
    EXPECT_EQ(report["kind"], "barrier");
    all += report["message"].get<std::string>() + "\n";
  }
  EXPECT_THAT(all, HasSubstr("1 of 64 threads wait at barrier 1"));
  EXPECT_THAT(all, HasSubstr("63 of 64 threads wait at the cluster's barrier"));
}

INSTANTIATE_TEST_SUITE_P(Dialects, ClusterTest, ::testing::Values("sm_90", "sm_100"),
                         [](const auto& dialect) { return std::string(dialect.param); });

}  // namespace
}  // namespace warpmark::test
