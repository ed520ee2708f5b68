// Accesses of every width and space, and every way to get them wrong.
#include <cstring>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

class Memory : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction memory(const char* name) {
    return kernel(std::string("memory.sm_") + GetParam() + ".ptx", name);
  }
  // Accesses `bytes` at base + offset with one thread; what the next synchronisation says.
  CUresult touch(CUdeviceptr base, long long offset, int bytes, bool store) {
    EXPECT_CU(launch(memory("at_offset"), {1}, {1}, 0, base, offset, bytes, store ? 1 : 0));
    return api().synchronize();
  }
  void fresh() {
    TearDown();
    SetUp();
  }
};
INSTANTIATE_TEST_SUITE_P(Architectures, Memory, ::testing::Values("75", "90", "100"));

TEST_P(Memory, VectorsOfFour) {
  Array<float> in(4 * 100), out(4 * 100);
  for (std::size_t i = 0; i < in.host.size(); ++i) in.host[i] = static_cast<float>(i) * 0.25f;
  ASSERT_CU(api().to_device(in.address, in.host.data(), in.host.size() * 4));
  ASSERT_CU(launch(memory("vector_copy"), {4}, {32}, 0, out.address, in.address, 100));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host, in.host);
}

TEST_P(Memory, NarrowTypesAndTheirSigns) {
  const int n = 40;
  Array<signed char> a(n);
  Array<unsigned char> b(n);
  Array<short> c(n);
  Array<unsigned short> d(n);
  Array<long long> out(4 * n);
  for (int i = 0; i < n; ++i) {
    a.host[i] = static_cast<signed char>(i * 37);
    b.host[i] = static_cast<unsigned char>(i * 91);
    c.host[i] = static_cast<short>(i * 7919);
    d.host[i] = static_cast<unsigned short>(i * 6007);
  }
  ASSERT_CU(api().to_device(a.address, a.host.data(), n));
  ASSERT_CU(api().to_device(b.address, b.host.data(), n));
  ASSERT_CU(api().to_device(c.address, c.host.data(), n * 2));
  ASSERT_CU(api().to_device(d.address, d.host.data(), n * 2));
  const auto a0 = a.host;
  const auto d0 = d.host;
  ASSERT_CU(launch(memory("widths"), {1}, {static_cast<unsigned>(n)}, 0, a.address, b.address,
                   c.address, d.address, out.address));
  ASSERT_CU(out.fetch());
  ASSERT_CU(a.fetch());
  ASSERT_CU(d.fetch());
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(out.host[4 * i], a0[i]);
    EXPECT_EQ(out.host[4 * i + 1], b.host[i]);
    EXPECT_EQ(out.host[4 * i + 2], c.host[i]);
    EXPECT_EQ(out.host[4 * i + 3], d0[i]);
    EXPECT_EQ(a.host[i], static_cast<signed char>(c.host[i] * 3));
    EXPECT_EQ(d.host[i], static_cast<unsigned short>(b.host[i] + 1000));
  }
}

TEST_P(Memory, ParametersByValueInBothForms) {
  struct Pair {
    int a;
    double b;
  };
  const Pair pair{7, 0.5};
  Array<double> out(3);
  CUfunction k = memory("by_value");
  ASSERT_CU(launch(k, {1}, {3}, 0, pair, out.address, static_cast<short>(-3),
                   static_cast<unsigned char>(200)));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host, std::vector<double>(3, 204.5));
  // The packed buffer, without the padding at its end.
  std::size_t offset = 0, size = 0;
  ASSERT_CU(api().parameter_info(k, 3, &offset, &size));
  EXPECT_EQ(offset, 26u);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(api().parameter_info(k, 4, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  unsigned char buffer[27] = {};
  const Pair other{1, 2};
  std::memcpy(buffer, &other, 16);
  std::memcpy(buffer + 16, &out.address, 8);
  buffer[26] = 9;
  std::size_t bytes = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  ASSERT_CU(api().launch(k, 1, 1, 1, 3, 1, 1, 0, nullptr, nullptr, extra));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host, std::vector<double>(3, 12.0));
  bytes = 28;
  EXPECT_EQ(api().launch(k, 1, 1, 1, 3, 1, 1, 0, nullptr, nullptr, extra),
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

TEST_P(Memory, ConstantsGlobalsAndPointersBetweenThem) {
  CUmodule module = nullptr;
  ASSERT_CU(
      api().load(&module, read_text(std::string("memory.sm_") + GetParam() + ".ptx").c_str()));
  CUfunction k = nullptr;
  ASSERT_CU(api().function(&k, module, "constants"));
  Array<float> out(8);
  ASSERT_CU(launch(k, {1}, {8}, 0, out.address, 3));
  ASSERT_CU(out.fetch());
  for (int t = 0; t < 8; ++t) {
    float sum = 0;
    for (int i = 0; i < 3; ++i) sum += static_cast<float>((t + i) % 8 + 1);
    EXPECT_EQ(out.host[t], sum + 10);
  }
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  ASSERT_CU(api().global(&address, &bytes, module, "weights"));
  EXPECT_EQ(bytes, 32u);
  EXPECT_EQ(api().global(&address, &bytes, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(api().free(address), CUDA_ERROR_INVALID_VALUE);
}

TEST_P(Memory, EveryByteOutsideIsFoundAtEveryWidth) {
  const std::size_t size = 64;
  for (const int bytes : {1, 2, 4, 8, 16}) {
    for (const bool store : {false, true}) {
      SCOPED_TRACE(std::to_string(bytes) + (store ? " store" : " load"));
      const auto check = [&](long long offset, long long distance, const char* side) {
        CUdeviceptr base = 0;
        ASSERT_CU(api().alloc(&base, size));
        EXPECT_EQ(touch(base, offset, bytes, store), CUDA_ERROR_ILLEGAL_ADDRESS);
        const std::vector<Json> found = reports();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0]["access"], store ? "write" : "read");
        EXPECT_EQ(found[0]["bytes"], bytes);
        EXPECT_EQ(found[0]["allocation"]["side"], side);
        EXPECT_EQ(found[0]["allocation"]["distance"], distance);
        fresh();
      };
      CUdeviceptr base = 0;
      ASSERT_CU(api().alloc(&base, size));
      EXPECT_CU(touch(base, static_cast<long long>(size) - bytes, bytes, store))
          << "the last element is good";
      EXPECT_CU(touch(base, 0, bytes, store));
      check(static_cast<long long>(size), 1, "after");
      check(-bytes, bytes, "before");
    }
  }
}

TEST_P(Memory, AVectorThatStraddlesTheEnd) {
  // 60 bytes: the 16 bytes at 48 begin inside. A test of the first byte alone would let them pass.
  CUdeviceptr base = 0;
  ASSERT_CU(api().alloc(&base, 60));
  EXPECT_EQ(touch(base, 48, 16, true), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(reports().at(0)["allocation"]["distance"], 1);
}

TEST_P(Memory, MisalignedAccesses) {
  for (const int bytes : {2, 4, 8, 16}) {
    CUdeviceptr base = 0;
    ASSERT_CU(api().alloc(&base, 64));
    EXPECT_EQ(touch(base, 16 + bytes / 2, bytes, false), CUDA_ERROR_MISALIGNED_ADDRESS);
    const std::vector<Json> found = reports();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0]["kind"], "misaligned_address");
    fresh();
  }
}

TEST_P(Memory, NullAndWildAddresses) {
  for (const CUdeviceptr wild :
       {CUdeviceptr{0}, CUdeviceptr{4096}, CUdeviceptr{0x7fffffff0000}, ~CUdeviceptr{15}}) {
    EXPECT_EQ(touch(wild, 0, 4, true), CUDA_ERROR_ILLEGAL_ADDRESS);
    fresh();
  }
  int on_host = 5;  // a host pointer is as wild as any other
  EXPECT_EQ(touch(reinterpret_cast<CUdeviceptr>(&on_host), 0, 4, true), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(on_host, 5);
}

TEST_P(Memory, UseAfterFreeAndTheNeighbour) {
  CUdeviceptr a = 0, b = 0;
  ASSERT_CU(api().alloc(&a, 256));
  ASSERT_CU(api().alloc(&b, 256));
  ASSERT_CU(api().free(a));
  EXPECT_EQ(api().free(a), CUDA_ERROR_INVALID_VALUE) << "double free";
  CUdeviceptr c = 0;
  ASSERT_CU(api().alloc(&c, 256));
  EXPECT_NE(a, c) << "an address comes back late, so that its old users are found";
  EXPECT_EQ(touch(a, 8, 4, false), CUDA_ERROR_ILLEGAL_ADDRESS);
  const Json report = reports().at(0);
  EXPECT_EQ(report["allocation"]["freed"], true);
  EXPECT_EQ(report["allocation"]["side"], "inside");
  EXPECT_THAT(report["message"].get<std::string>(), ::testing::HasSubstr("freed"));
}

TEST_P(Memory, SharedMemoryHasBoundsToo) {
  Array<int> out(32);
  ASSERT_CU(launch(memory("shared_at"), {1}, {32}, 0, out.address, 0));
  ASSERT_CU(out.fetch());
  for (int t = 0; t < 32; ++t) EXPECT_EQ(out.host[t], t);
  ASSERT_CU(launch(memory("shared_at"), {1}, {32}, 0, out.address, 3));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const Json report = reports().at(0);
  EXPECT_EQ(report["space"], "shared");
  EXPECT_EQ(report["count"], 3);
  EXPECT_EQ(report["thread"], Json::array({29, 0, 0}));
}

TEST_P(Memory, GenericPointersIntoEverySpace) {
  for (const int which : {0, 1, 2, 3}) {
    Array<int> global(64);
    for (int i = 0; i < 64; ++i) global.host[i] = 100 + i;
    ASSERT_CU(api().to_device(global.address, global.host.data(), 256));
    ASSERT_CU(launch(memory("pick"), {1}, {32}, 0, global.address, which));
    ASSERT_CU(global.fetch());
    for (int t = 0; t < 32; ++t) {
      const int place = which == 3 ? t % 3 : which;
      if (place == 2) {
        EXPECT_EQ(global.host[32 + t], (t & 3) + 2 + ((t & 3) == 1 ? 3 : 2)) << which << " " << t;
      }
    }
  }
}

TEST_P(Memory, StridedAndReversedAddresses) {
  const int n = 1000;
  for (const int stride : {1, 2, 3, 32}) {
    Array<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in.host[i] = i * i;
    ASSERT_CU(api().to_device(in.address, in.host.data(), n * 4));
    ASSERT_CU(launch(memory("strided"), {8}, {128}, 0, out.address, in.address, stride, n));
    ASSERT_CU(out.fetch());
    for (int i = 0; i < n; ++i) ASSERT_EQ(out.host[i], i % stride == 0 ? in.host[n - 1 - i] : 0);
  }
}

TEST_P(Memory, FaultsAreTheSameInEveryRun) {
  std::vector<std::string> first;
  for (int run = 0; run < 3; ++run) {
    Array<int> in(500), out(500);
    in.label("in", "int32");
    out.label("out", "int32");
    ASSERT_CU(launch(memory("strided"), {8}, {128}, 0, out.address, in.address, 1, 700));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    std::vector<std::string> lines;
    for (Json& report : reports()) {
      EXPECT_EQ(report["count"], 200);
      report["allocation"].erase("address");
      report.erase("address");
      lines.push_back(report.dump());
    }
    EXPECT_EQ(lines.size(), 2u);
    if (run == 0) first = lines;
    EXPECT_EQ(lines, first);
    fresh();
  }
}

TEST_P(Memory, WithoutChecksAccessesAreStillContained) {
  configure(R"({"check": "none"})");
  CUdeviceptr base = 0;
  ASSERT_CU(api().alloc(&base, 64));
  EXPECT_CU(touch(base, 68, 4, true)) << "not checked: inside the device's memory";
  int on_host = 5;
  EXPECT_EQ(touch(reinterpret_cast<CUdeviceptr>(&on_host), 0, 4, true), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(on_host, 5);
}

}  // namespace
}  // namespace warpmark::test
