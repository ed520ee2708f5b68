// Libraries, modules, fatbins, and every way to launch a kernel.
#include <dlfcn.h>

#include <cstring>

#include "device/api/api_call.hpp"
#include "device/support/fatbin.hpp"

namespace warpmark::test {
namespace {

class Loading : public DeviceTest {
 protected:
  CUlibrary load_library() {
    CUlibrary library = nullptr;
    EXPECT_CU(
        CALL(cuLibraryLoadData)(&library, kTwoKernels, nullptr, nullptr, 0, nullptr, nullptr, 0));
    return library;
  }
};

TEST_F(Loading, LibraryKernelsAreLaunchedAsFunctions) {
  CUlibrary library = load_library();
  unsigned int count = 0;
  ASSERT_CU(CALL(cuLibraryGetKernelCount)(&count, library));
  EXPECT_EQ(count, 2u);
  std::vector<CUkernel> kernels(3);
  ASSERT_CU(CALL(cuLibraryEnumerateKernels)(kernels.data(), 3, library));
  CUkernel kernel = nullptr;
  ASSERT_CU(CALL(cuLibraryGetKernel)(&kernel, library, "add_one"));
  EXPECT_THAT(kernels, ::testing::Contains(kernel));
  const char* name = nullptr;
  ASSERT_CU(CALL(cuKernelGetName)(&name, kernel));
  EXPECT_STREQ(name, "add_one");

  Array<std::int32_t> data({1, 2, 3});
  ASSERT_CU(launch(reinterpret_cast<CUfunction>(kernel), {1}, {32}, 0, data.address, 3u));
  CUfunction function = nullptr;
  ASSERT_CU(CALL(cuKernelGetFunction)(&function, kernel));
  ASSERT_CU(launch(function, {1}, {32}, 0, data.address, 2u));
  ASSERT_CU(data.fetch());
  EXPECT_THAT(data.host, ::testing::ElementsAre(3, 4, 4));

  std::size_t offset = 0, size = 0;
  ASSERT_CU(CALL(cuKernelGetParamInfo)(kernel, 1, &offset, &size));
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(CALL(cuKernelGetParamInfo)(kernel, 2, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuKernelSetAttribute)(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000,
                                       kernel, 0));
  int value = 0;
  ASSERT_CU(CALL(cuKernelGetAttribute)(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       kernel, 0));
  EXPECT_EQ(value, 60000);
  EXPECT_EQ(CALL(cuKernelGetAttribute)(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 7),
            CUDA_ERROR_INVALID_DEVICE);

  CUdeviceptr address = 0;
  ASSERT_CU(CALL(cuLibraryGetGlobal)(&address, &size, library, "counter"));
  EXPECT_EQ(size, 4u);
  std::int32_t counter = 0;
  ASSERT_CU(api().to_host(&counter, address, 4));
  EXPECT_EQ(counter, 5);
  EXPECT_EQ(CALL(cuLibraryGetGlobal)(&address, &size, library, "none"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(CALL(cuLibraryGetManaged)(&address, &size, library, "counter"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(CALL(cuLibraryGetKernel)(&kernel, library, "none"), CUDA_ERROR_NOT_FOUND);

  CUmodule module = nullptr;
  ASSERT_CU(CALL(cuLibraryGetModule)(&module, library));
  EXPECT_EQ(api().unload(module), CUDA_ERROR_NOT_PERMITTED);
  ASSERT_CU(CALL(cuLibraryUnload)(library));
  EXPECT_EQ(CALL(cuLibraryUnload)(library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(function, {1}, {1}, 0, data.address, 1u), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(kernels[0]), {1}, {1}, 0, data.address, 1u),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Loading, ALibraryBelongsToNoContext) {
  CUlibrary library = load_library();
  CUkernel kernel = nullptr;
  ASSERT_CU(CALL(cuLibraryGetKernel)(&kernel, library, "add_one"));
  CUcontext other = nullptr, popped = nullptr;
  ASSERT_CU(api().create_context(&other, 0, 0));
  Array<std::int32_t> data(std::vector<std::int32_t>{41});
  ASSERT_CU(launch(reinterpret_cast<CUfunction>(kernel), {1}, {1}, 0, data.address, 1u));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 42);
  ASSERT_CU(api().destroy_context(other));  // takes its copy of the code with it
  CUfunction function = nullptr;
  ASSERT_CU(CALL(cuKernelGetFunction)(&function, kernel));
  ASSERT_CU(api().pop(&popped));
  EXPECT_EQ(CALL(cuKernelGetFunction)(&function, kernel), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_CU(api().push(popped));
  ASSERT_CU(CALL(cuLibraryUnload)(library));
}

// The device keeps what it made of a text, but for the variables: they are each module's own, and
// new in each load.
TEST_F(Loading, ATextThatWasLoadedBeforeHasItsOwnVariables) {
  constexpr const char* kCounts = R"(.version 9.0
.target sm_90
.address_size 64
.global .u32 calls = 5;
.visible .entry count(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r1, [calls];
  add.u32 %r1, %r1, 1;
  st.global.u32 [calls], %r1;
  st.global.u32 [%rd1], %r1;
  ret;
})";
  Array<std::int32_t> out(std::vector<std::int32_t>{0});
  const auto count_in = [&](CUmodule module) {
    CUfunction function = nullptr;
    EXPECT_CU(api().function(&function, module, "count"));
    EXPECT_CU(launch(function, {1}, {1}, 0, out.address));
    EXPECT_CU(out.fetch());
    return out.host[0];
  };
  CUmodule first = nullptr, second = nullptr;
  ASSERT_CU(api().load(&first, kCounts));
  EXPECT_EQ(count_in(first), 6);
  ASSERT_CU(api().load(&second, kCounts));
  EXPECT_EQ(count_in(second), 6);
  EXPECT_EQ(count_in(first), 7);
  CUdeviceptr of_first = 0, of_second = 0;
  std::size_t bytes = 0;
  ASSERT_CU(CALL(cuModuleGetGlobal)(&of_first, &bytes, first, "calls"));
  ASSERT_CU(CALL(cuModuleGetGlobal)(&of_second, &bytes, second, "calls"));
  EXPECT_NE(of_first, of_second);
  ASSERT_CU(api().unload(first));
  EXPECT_EQ(count_in(second), 7);
  // Others take the place of the first module's variables, so that further loads have new ones.
  std::vector<std::unique_ptr<Array<std::int32_t>>> between;
  for (int load = 0; load < 6; ++load) {
    between.push_back(std::make_unique<Array<std::int32_t>>(std::vector<std::int32_t>(64)));
    ASSERT_CU(api().load(&first, kCounts));
    EXPECT_EQ(count_in(first), 6);
    ASSERT_CU(api().unload(first));
  }
  EXPECT_EQ(count_in(second), 8);
}

TEST_F(Loading, TheLogSaysWhyATextIsWrong) {
  char log[200] = "", tiny[8] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  const char* broken = ".version 7.0\n.target sm_75\n.entry k( {\n";
  values[1] = reinterpret_cast<void*>(sizeof log);
  EXPECT_EQ(api().load_ex(&module, broken, 2, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log, ::testing::HasSubstr("line 3"));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values[1]), std::strlen(log) + 1);
  CUlibrary library = nullptr;
  values[1] = reinterpret_cast<void*>(sizeof log);
  log[0] = '\0';
  EXPECT_EQ(CALL(cuLibraryLoadData)(&library, broken, options, values, 2, nullptr, nullptr, 0),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log, ::testing::HasSubstr("line 3"));
  values[0] = tiny;
  values[1] = reinterpret_cast<void*>(sizeof tiny);
  EXPECT_EQ(api().load_ex(&module, broken, 2, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::strlen(tiny), sizeof tiny - 1) << "cut to fit, with its end";
}

TEST_F(Loading, ModulesListTheirFunctions) {
  CUmodule module = nullptr;
  ASSERT_CU(api().load(&module, kTwoKernels));
  unsigned int count = 0;
  ASSERT_CU(CALL(cuModuleGetFunctionCount)(&count, module));
  ASSERT_EQ(count, 2u);
  std::vector<CUfunction> functions(2);
  ASSERT_CU(CALL(cuModuleEnumerateFunctions)(functions.data(), 2, module));
  const char* name = nullptr;
  ASSERT_CU(CALL(cuFuncGetName)(&name, functions[1]));
  EXPECT_STREQ(name, "scale");
  CUfunction same = nullptr;
  ASSERT_CU(api().function(&same, module, "scale"));
  EXPECT_EQ(same, functions[1]);
  CUmodule owner = nullptr;
  ASSERT_CU(CALL(cuFuncGetModule)(&owner, same));
  EXPECT_EQ(owner, module);
  CUfunctionLoadingState state{};
  ASSERT_CU(CALL(cuFuncIsLoaded)(&state, same));
  EXPECT_EQ(CALL(cuModuleLoad)(&module, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
}

// Compresses as nvcc does, by the machine's libraries; the device decompresses by them.
class CompressedFatbins : public Loading {
 protected:
  template <typename Function>
  static Function* find(const char* library, const char* name) {
    void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return opened == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(opened, name));
  }

  static FatbinPart lz4(const std::string& ptx) {
    const auto run = find<int(const char*, char*, int, int)>("liblz4.so.1", "LZ4_compress_default");
    if (run == nullptr) return {};
    FatbinPart part{std::string(ptx.size() + 100, '\0'), 90, 0x11 | kLz4, ptx.size()};
    const int size = run(ptx.data(), part.ptx.data(), static_cast<int>(ptx.size()),
                         static_cast<int>(part.ptx.size()));
    part.ptx.resize(static_cast<std::size_t>(size));
    return part;
  }
  static FatbinPart zstd(const std::string& ptx) {
    const auto run = find<std::size_t(void*, std::size_t, const void*, std::size_t, int)>(
        "libzstd.so.1", "ZSTD_compress");
    if (run == nullptr) return {};
    FatbinPart part{std::string(ptx.size() + 100, '\0'), 90, 0x11 | kZstd, ptx.size()};
    part.ptx.resize(run(part.ptx.data(), part.ptx.size(), ptx.data(), ptx.size(), 3));
    return part;
  }
};

TEST_F(CompressedFatbins, AreRead) {
  for (const FatbinPart& part : {lz4(kTwoKernels), zstd(kTwoKernels)}) {
    if (part.bytes == 0) GTEST_SKIP() << "liblz4.so.1 or libzstd.so.1 is not here";
    EXPECT_LT(part.ptx.size(), part.bytes);
    CUmodule module = nullptr;
    ASSERT_CU(api().load(&module, fatbin({part}).c_str()));
    CUfunction function = nullptr;
    ASSERT_CU(api().function(&function, module, "add_one"));
    Array<std::int32_t> data({1, 2});
    ASSERT_CU(launch(function, {1}, {32}, 0, data.address, 2u));
    ASSERT_CU(data.fetch());
    EXPECT_THAT(data.host, ::testing::ElementsAre(2, 3));
  }
}

// Cut anywhere, with any byte changed, or with a size that is not theirs: refused or read, and the
// device goes on.
TEST_F(CompressedFatbins, ThatAreDamagedAreRefused) {
  for (const FatbinPart& whole : {lz4(kTwoKernels), zstd(kTwoKernels)}) {
    if (whole.bytes == 0) GTEST_SKIP() << "liblz4.so.1 or libzstd.so.1 is not here";
    const auto load = [&](const FatbinPart& part) {
      CUmodule module = nullptr;
      const CUresult result = api().load(&module, fatbin({part}).c_str());
      if (result == CUDA_SUCCESS) api().unload(module);
      return result;
    };
    for (std::size_t kept = 1; kept < whole.ptx.size(); kept += 7) {
      FatbinPart part = whole;
      part.ptx.resize(kept);
      EXPECT_EQ(load(part), CUDA_ERROR_INVALID_IMAGE) << kept;
      part = whole;
      part.ptx[kept] = static_cast<char>(part.ptx[kept] ^ 0x55);
      load(part);
    }
    for (const std::size_t bytes :
         {std::size_t{1}, whole.bytes - 1, whole.bytes + 1, std::size_t{1} << 31, SIZE_MAX}) {
      FatbinPart part = whole;
      part.bytes = bytes;
      EXPECT_EQ(load(part), CUDA_ERROR_INVALID_IMAGE) << bytes;
      EXPECT_THAT(api().device->last_error(), ::testing::HasSubstr("damaged"));
    }
  }
}

// Answers of an H100 with driver 580: the number of the part that it ran, or its error.
TEST_F(Loading, OfAFatbinTheNewestTextThatRunsHereIsTaken) {
  // Each kernel writes its number.
  const auto text = [](const std::string& target, int number, const char* version = "9.0") {
    const std::string digits = target.substr(0, target.find_first_of("af"));
    FatbinPart part;
    part.ptx = std::string(".version ") + version + "\n.target sm_" + target +
               "\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b64 %d; .reg .b32 "
               "%r; ld.param.u64 %d, [out]; mov.u32 %r, " +
               std::to_string(number) + "; st.global.u32 [%d], %r; ret; }\n";
    part.architecture = static_cast<std::uint32_t>(std::stoul(digits));
    part.flags |= target.back() == 'a' ? 0x100000 : target.back() == 'f' ? 0x200000 : 0;
    return part;
  };
  const FatbinPart old = text("75", 1), own = text("90", 2), later = text("120", 3),
                   exact = text("90a", 4), family = text("100f", 5), other = text("90", 6),
                   beyond = text("90", 7, "9.1");
  const auto damaged = [](FatbinPart part) {
    part.flags |= kZstd;
    part.bytes = part.ptx.size() * 3;
    return part;
  };
  const struct {
    std::vector<FatbinPart> parts;
    int answer;  ///< a result, negative
  } rows[] = {{{old, own, later}, 2},
              {{later, own, old}, 2},
              {{old}, 1},
              {{later}, -CUDA_ERROR_NO_BINARY_FOR_GPU},
              {{family}, -CUDA_ERROR_NO_BINARY_FOR_GPU},
              {{exact}, 4},
              {{own, exact}, 4},
              {{exact, own}, 4},
              {{old, family}, 1},
              {{own, other}, 6},
              {{old, beyond}, -CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
              {{beyond, own}, 2},
              // Only here:
              {{old, damaged(own)}, -CUDA_ERROR_INVALID_IMAGE},
              {{own, damaged(later), damaged(old)}, 2}};
  for (const auto& row : rows) {
    CUmodule module = nullptr;
    const CUresult result = api().load(&module, fatbin(row.parts).c_str());
    if (row.answer < 0) {
      EXPECT_EQ(result, -row.answer) << api().device->last_error();
      continue;
    }
    ASSERT_CU(result);
    CUfunction function = nullptr;
    ASSERT_CU(api().function(&function, module, "k"));
    Array<int> out(1);
    ASSERT_CU(launch(function, {}, {}, 0, out.address));
    ASSERT_CU(out.fetch());
    EXPECT_EQ(out.host[0], row.answer);
  }
}

TEST_F(Loading, FatbinsWithPlainPtxAreRead) {
  CUmodule module = nullptr;
  const std::string plain = fatbin(kTwoKernels, 0x11);
  ASSERT_CU(CALL(cuModuleLoadFatBinary)(&module, plain.c_str()));
  CUfunction function = nullptr;
  ASSERT_CU(api().function(&function, module, "add_one"));
  std::string damaged = plain;
  damaged[8 + 7] = '\x7f';  // its size
  EXPECT_EQ(api().load(&module, damaged.c_str()), CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(Loading, EveryWayToLaunch) {
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  ASSERT_CU(api().load(&module, kTwoKernels));
  ASSERT_CU(api().function(&scale, module, "scale"));
  Array<std::int32_t> data({1, 10});

  // A packed buffer; of 12 bytes the last parameter is 0.
  struct {
    CUdeviceptr data;
    std::uint32_t n, factor;
    std::uint64_t padding;
  } packed{data.address, 2, 4, 0};
  const auto launch_packed = [&](std::size_t size) {
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    return api().launch(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra);
  };
  ASSERT_CU(launch_packed(16));
  EXPECT_EQ(launch_packed(sizeof packed), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  Array<std::int32_t> other({1, 10});
  packed.data = other.address;
  ASSERT_CU(launch_packed(12));
  ASSERT_CU(other.fetch());
  EXPECT_EQ(other.host, std::vector<std::int32_t>({0, 0}));

  std::uint32_t n = 2, factor = 3;
  void* pointers[] = {&data.address, &n, &factor};
  CUlaunchAttribute attributes[2]{};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[0].value.cooperative = 1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  ASSERT_CU(CALL(cuLaunchKernelEx)(&config, scale, pointers, nullptr));
  EXPECT_EQ(CALL(cuLaunchKernelEx)(nullptr, scale, pointers, nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuLaunchCooperativeKernel)(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, pointers));
  // 132 multiprocessors take two blocks of 1024 threads each.
  ASSERT_CU(CALL(cuLaunchCooperativeKernel)(scale, 264, 1, 1, 1024, 1, 1, 0, nullptr, pointers));
  EXPECT_EQ(CALL(cuLaunchCooperativeKernel)(scale, 265, 1, 1, 1024, 1, 1, 0, nullptr, pointers),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);

  // The functions by which CUDA 3 launched kernels.
  ASSERT_CU(CALL(cuFuncSetBlockShape)(scale, 32, 1, 1));
  ASSERT_CU(CALL(cuParamSetv)(scale, 0, &data.address, 8));
  ASSERT_CU(CALL(cuParamSeti)(scale, 8, 2));
  ASSERT_CU(CALL(cuParamSeti)(scale, 12, 5));
  ASSERT_CU(CALL(cuParamSetSize)(scale, 16));
  ASSERT_CU(CALL(cuLaunchGrid)(scale, 1, 1));
  ASSERT_CU(CALL(cuLaunch)(scale));
  EXPECT_EQ(CALL(cuLaunchGrid)(scale, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuParamSetv)(scale, 40000, &n, 4), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 2 * 2 * 3 * 3 * 3 * 5 * 5);
  EXPECT_EQ(data.host[1], 10 * data.host[0]);
}

TEST_F(Loading, Occupancy) {
  CUfunction k = body("");
  int blocks = 0, grid = 0, block = 0;
  ASSERT_CU(CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, k, 256, 0));
  EXPECT_EQ(blocks, 8) << "2048 threads";
  ASSERT_CU(CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, k, 32, 100 << 10));
  EXPECT_EQ(blocks, 2) << "228 KiB of shared memory, 1 KiB reserved for each block";
  ASSERT_CU(CALL(cuOccupancyMaxPotentialBlockSize)(&grid, &block, k, nullptr, 0, 0));
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 264);
  ASSERT_CU(CALL(cuOccupancyMaxPotentialBlockSize)(
      &grid, &block, k, [](int threads) -> std::size_t { return threads * 256; }, 0, 200));
  EXPECT_LE(block, 200);
  EXPECT_EQ(CALL(cuOccupancyMaxPotentialBlockSize)(nullptr, &block, k, nullptr, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  std::size_t dynamic = 0;
  ASSERT_CU(CALL(cuOccupancyAvailableDynamicSMemPerBlock)(&dynamic, k, 2, 256));
  EXPECT_EQ(dynamic, (114u << 10) - 1024);
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {4, 2, 1};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 8;
  config.blockDimX = 256;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0, size = 0;
  ASSERT_CU(CALL(cuOccupancyMaxActiveClusters)(&clusters, k, &config));
  EXPECT_EQ(clusters, 132 * 8 / 8);
  ASSERT_CU(CALL(cuOccupancyMaxPotentialClusterSize)(&size, k, &config));
  EXPECT_EQ(size, 8) << "the largest that is portable";
  cluster.value.clusterDim = {4, 8, 1};
  EXPECT_EQ(CALL(cuOccupancyMaxActiveClusters)(&clusters, k, &config),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(CALL(cuOccupancyMaxActiveClusters)(&clusters, k, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// H200's numbers: a warp's registers come by 256 from one of four parts of 16384.
TEST_F(Loading, RegistersThatAreToldLimitBlocks) {
  struct Row {
    int registers, most_threads, blocks_of_256;
  };
  for (const Row& row : {Row{32, 1024, 8}, Row{40, 1024, 6}, Row{64, 1024, 4}, Row{65, 896, 3},
                         Row{128, 512, 2}, Row{168, 384, 1}, Row{255, 256, 1}}) {
    configure(("{\"registers\": {\"k\": " + std::to_string(row.registers) + "}}").c_str());
    CUfunction k = body("st.global.u32 [%rd1], 7;");
    int value = 0;
    ASSERT_CU(CALL(cuFuncGetAttribute)(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, k));
    EXPECT_EQ(value, row.registers);
    ASSERT_CU(CALL(cuFuncGetAttribute)(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k));
    EXPECT_EQ(value, row.most_threads);
    ASSERT_CU(CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&value, k, 256, 0));
    EXPECT_EQ(value, row.blocks_of_256) << row.registers;
    Array<std::int32_t> data({0, 0});
    ASSERT_CU(launch(k, {1}, {static_cast<unsigned>(row.most_threads)}, 0, data.address));
    if (row.most_threads == 1024) continue;
    EXPECT_EQ(launch(k, {1}, {static_cast<unsigned>(row.most_threads) + 1}, 0, data.address),
              CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    EXPECT_THAT(api().device->last_error(), ::testing::HasSubstr("registers for each"));
  }
  configure(R"({"registers": {"k": 0}})");
  int value = 0;
  ASSERT_CU(CALL(cuFuncGetAttribute)(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, body("")));
  EXPECT_EQ(value, 32) << "nobody knows";
}

TEST_F(Loading, SharedMemoryUpTo227KiB) {
  constexpr unsigned kMost = 232448;
  CUfunction k = body(
      "mov.u32 %r1, 232444;\nmov.u32 %r2, 41;\nst.shared.u32 [%r1], %r2;\n"
      "ld.shared.u32 %r3, [%r1];\nst.global.u32 [%rd1], %r3;");
  Array<std::int32_t> data({0, 0});
  EXPECT_EQ(launch(k, {1}, {1}, kMost, data.address), CUDA_ERROR_INVALID_VALUE) << "no opt-in";
  EXPECT_EQ(CALL(cuFuncSetAttribute)(k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kMost + 1),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuFuncSetAttribute)(k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kMost));
  EXPECT_EQ(launch(k, {1}, {1}, kMost + 1, data.address), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(launch(k, {1}, {1}, kMost, data.address));
  ASSERT_CU(data.fetch());
  EXPECT_EQ(data.host[0], 41);
}

}  // namespace
}  // namespace warpmark::test
