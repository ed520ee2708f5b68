// Results of the driver API for right and wrong calls, as a GPU's driver would give them.
#include <array>
#include <string>
#include <thread>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

// Runs first, in its own process: nothing has called cuInit yet.
TEST(ApiBeforeInit, EverythingButTheVersionIsRefused) {
  int value = 0;
  CUcontext context = nullptr;
  EXPECT_EQ(api().device_count(&value), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(api().create_context(&context, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(api().get_current(&context), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(api().find<CUresult(int*)>("cuDriverGetVersion")(&value), CUDA_SUCCESS);
  EXPECT_EQ(value, 13000);
  EXPECT_EQ(api().device->configure(nullptr, R"({"cc": [9, 6]})"), 0);
  EXPECT_NE(api().device->configure(nullptr, R"({"cc": 86})"), 0);
  EXPECT_EQ(api().init(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().init(0), CUDA_SUCCESS);
  EXPECT_EQ(api().device_attribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 6);
  EXPECT_NE(api().device->configure(nullptr, R"({"cc": [9, 0]})"), 0);
}

class ApiTest : public DeviceTest {};

TEST_F(ApiTest, Device) {
  int value = 0;
  ASSERT_CU(api().device_count(&value));
  EXPECT_EQ(value, 1);
  EXPECT_EQ(api().device_count(nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(api().device_attribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  EXPECT_EQ(value, 32);
  EXPECT_EQ(api().device_attribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(api().device_attribute(&value, static_cast<CUdevice_attribute>(-1), 0),
            CUDA_ERROR_INVALID_VALUE);
  for (const CUdevice_attribute positive :
       {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE}) {
    ASSERT_CU(api().device_attribute(&value, positive, 0));
    EXPECT_GT(value, 0);
  }
  char name[8];
  ASSERT_CU(api().device_name(name, sizeof name, 0));
  EXPECT_STREQ(name, "Warpmar") << "cut to fit, with its end";
}

TEST_F(ApiTest, ContextsOfTheThread) {
  CUcontext current = nullptr, popped = nullptr;
  CUdevice device = 9;
  ASSERT_CU(api().get_current(&current));
  EXPECT_EQ(current, context_);
  ASSERT_CU(api().context_device(&device));
  EXPECT_EQ(device, 0);
  ASSERT_CU(api().pop(&popped));
  EXPECT_EQ(popped, context_);
  EXPECT_EQ(api().pop(&popped), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_CU(api().get_current(&current));
  EXPECT_EQ(current, nullptr);
  EXPECT_EQ(api().context_device(&device), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(api().push(reinterpret_cast<CUcontext>(0x1234)), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_CU(api().push(context_));
  std::thread other([&] {
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_INVALID_CONTEXT) << "currency is a thread's own";
  });
  other.join();
}

TEST_F(ApiTest, PrimaryContext) {
  CUcontext first = nullptr, second = nullptr;
  ASSERT_CU(api().retain(&first, 0));
  ASSERT_CU(api().retain(&second, 0));
  EXPECT_EQ(first, second);
  EXPECT_EQ(api().destroy_context(first), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_CU(api().release(0));
  ASSERT_CU(api().release(0));
  EXPECT_EQ(api().release(0), CUDA_ERROR_INVALID_CONTEXT);
  // The handle stays that of the primary context, which is not active until it is retained again.
  CUdeviceptr address = 0;
  ASSERT_CU(api().push(first));
  EXPECT_EQ(api().alloc(&address, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ASSERT_CU(api().retain(&second, 0));
  EXPECT_EQ(first, second);
  EXPECT_CU(api().alloc(&address, 16));
  ASSERT_CU(api().release(0));
  ASSERT_CU(api().pop(&second));
  EXPECT_EQ(api().retain(&first, 3), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(ApiTest, HandlesAreLookedUpNeverFollowed) {
  CUfunction function = nullptr;
  CUmodule module = nullptr;
  const auto bad = reinterpret_cast<void*>(0x10);
  EXPECT_EQ(api().function(&function, static_cast<CUmodule>(bad), "k"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api().unload(static_cast<CUmodule>(bad)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(
      api().launch(static_cast<CUfunction>(bad), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api().stream_synchronize(static_cast<CUstream>(bad)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api().event_record(static_cast<CUevent>(bad), nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api().load(nullptr, ".version 9.0"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().load(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ApiTest, LaunchConfigurations) {
  CUfunction k = body("");
  CUdeviceptr none = 0;
  EXPECT_CU(launch(k, {1}, {1024}, 0, none));
  EXPECT_CU(launch(k, {2, 3, 4}, {8, 8, 16}, 49152, none));
  for (const auto& [grid, block] : {std::pair<Dim, Dim>{{0}, {1}},
                                    {{1, 0}, {1}},
                                    {{1, 65536}, {1}},
                                    {{1}, {0}},
                                    {{1}, {1025}},
                                    {{1}, {1, 1, 65}},
                                    {{1}, {32, 33}}}) {
    EXPECT_EQ(launch(k, grid, block, 0, none), CUDA_ERROR_INVALID_VALUE);
    EXPECT_STRNE(api().device->last_error(), "");
  }
  EXPECT_EQ(launch(k, {1}, {1}, 49153, none), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(
      api().set_function_attribute(k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  EXPECT_CU(launch(k, {1}, {1}, 100000, none));
  EXPECT_EQ(
      api().set_function_attribute(k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().launch(k, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE)
      << "no parameters";
  EXPECT_EQ(launch(k, {1}, {1}, 0), CUDA_ERROR_INVALID_VALUE) << "too few";
}

// ptxas says the same: 768 bytes of the two, whatever the launch asks for.
TEST_F(ApiTest, ExternalSharedVariablesWithASizeHaveTheirOwnMemory) {
  const std::string text =
      ".version 7.1\n.target sm_80\n.address_size 64\n"
      ".extern .shared .align 8 .b8 a[512];\n.extern .shared .align 8 .b8 b[256];\n"
      ".extern .shared .align 16 .b8 rest[];\n"
      ".visible .entry k(.param .u64 p) { .reg .u64 %p; .reg .u32 %r<5>;\n"
      "st.shared.u32 [a+508], 7; st.shared.u32 [b+12], 8; st.shared.u32 [rest], 9;\n"
      "ld.shared.u32 %r1, [a+508]; ld.shared.u32 %r2, [b+12]; ld.shared.u32 %r3, [rest];\n"
      "ld.param.u64 %p, [p]; st.global.u32 [%p], %r1; st.global.u32 [%p+4], %r2;\n"
      "st.global.u32 [%p+8], %r3; ret; }";
  CUmodule module = nullptr;
  CUfunction k = nullptr;
  ASSERT_CU(api().load(&module, text.c_str()));
  ASSERT_CU(api().function(&k, module, "k"));
  CUdeviceptr out = 0;
  ASSERT_CU(api().alloc(&out, 12));
  ASSERT_CU(launch(k, {1}, {1}, 4, out));
  ASSERT_CU(api().synchronize());
  std::array<std::uint32_t, 3> values{};
  ASSERT_CU(api().to_host(values.data(), out, sizeof values));
  EXPECT_EQ(values, (std::array<std::uint32_t, 3>{7, 8, 9}));
}

TEST_F(ApiTest, MemoryArguments) {
  CUdeviceptr a = 0;
  EXPECT_EQ(api().alloc(&a, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().alloc(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().alloc(&a, std::size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
  std::size_t free_before = 0, free_after = 0, total = 0;
  ASSERT_CU(api().info(&free_before, &total));
  ASSERT_CU(api().alloc(&a, 1000));
  ASSERT_CU(api().info(&free_after, &total));
  EXPECT_LT(free_after, free_before);
  int data[2] = {1, 2};
  EXPECT_EQ(api().to_device(a + 996, data, 8), CUDA_ERROR_INVALID_VALUE)
      << "one byte too many is too many";
  EXPECT_CU(api().to_device(a + 992, data, 8));
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  ASSERT_CU(api().range(&base, &bytes, a + 999));
  EXPECT_EQ(base, a);
  EXPECT_EQ(bytes, 1000u);
  ASSERT_CU(api().fill32(a, 0xabcd, 250));
  int back[2] = {};
  ASSERT_CU(api().copy(reinterpret_cast<CUdeviceptr>(back), a + 4, 8));
  EXPECT_EQ(back[1], 0xabcd);
  EXPECT_EQ(api().fill32(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(api().free(0));
  ASSERT_CU(api().free(a));
  ASSERT_CU(api().info(&free_after, &total));
  EXPECT_EQ(free_after, free_before);
  EXPECT_CU(api().host_register(data, sizeof data, 0));
  EXPECT_EQ(api().host_register(data, 4, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_CU(api().host_unregister(data));
  EXPECT_EQ(api().host_unregister(data), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(ApiTest, DeviceMemoryIsNotTheHosts) {
  CUdeviceptr a = 0;
  ASSERT_CU(api().alloc(&a, 64));
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(a) = 1, "");
}

TEST_F(ApiTest, EventsMeasureTime) {
  CUevent start = nullptr, end = nullptr;
  float ms = -1;
  ASSERT_CU(api().event_create(&start, 0));
  ASSERT_CU(api().event_create(&end, 0));
  EXPECT_EQ(api().elapsed(&ms, start, end), CUDA_ERROR_INVALID_HANDLE) << "not recorded yet";
  ASSERT_CU(api().event_record(start, nullptr));
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  ASSERT_CU(api().event_record(end, nullptr));
  ASSERT_CU(api().event_synchronize(end));
  ASSERT_CU(api().elapsed(&ms, start, end));
  EXPECT_GE(ms, 3.0f);
  ASSERT_CU(api().event_destroy(start));
  EXPECT_EQ(api().event_destroy(start), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(ApiTest, AFailedLaunchIsLearntByTheNextCallThatWaits) {
  CUfunction k = body("mov.u32 %r1, 1; st.global.u32 [%rd1], %r1;");
  CUevent event = nullptr;
  ASSERT_CU(api().event_create(&event, 0));
  ASSERT_CU(launch(k, {1}, {1}, 0, CUdeviceptr{0}));
  EXPECT_CU(api().event_record(event, nullptr)) << "does not wait";
  EXPECT_CU(launch(k, {1}, {1}, 0, CUdeviceptr{0})) << "is only queued";
  EXPECT_EQ(api().event_synchronize(event), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(launch(k, {1}, {1}, 0, CUdeviceptr{0}), CUDA_ERROR_ILLEGAL_ADDRESS) << "sticky";
  EXPECT_EQ(reports().size(), 1u) << "the second launch never ran";
}

TEST_F(ApiTest, GetProcAddressKnowsVersions) {
  void *old_form = nullptr, *new_form = nullptr, *unknown = this;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  ASSERT_CU(api().proc("cuCtxSynchronize", &old_form, 12000, 0, nullptr));
  ASSERT_CU(api().proc("cuCtxSynchronize", &new_form, 13000, 0, nullptr));
  EXPECT_EQ(old_form, dlsym(api().library, "cuCtxSynchronize"));
  EXPECT_NE(old_form, new_form);
  EXPECT_CU(reinterpret_cast<CUresult (*)(CUcontext)>(new_form)(context_));
  EXPECT_EQ(dlsym(api().library, "cuCtxSynchronize_v2"), nullptr);
  EXPECT_EQ(dlsym(api().library, "cuCtxGetDevice_v2"), nullptr);
  ASSERT_CU(api().proc("cuNoSuchThing", &unknown, 13000, 0, &status));
  EXPECT_EQ(unknown, nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  ASSERT_CU(api().proc("cuLaunchKernelEx", &unknown, 11000, 0, &status));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(api().proc("cuInit", &unknown, 99000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(api().proc("cuMemAlloc", &unknown, 3020, 0, nullptr));
  EXPECT_EQ(unknown, dlsym(api().library, "cuMemAlloc_v2"));
}

TEST_F(ApiTest, ErrorsInPtxReachTheLogAndLastError) {
  char log[200] = "x";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(std::size_t{sizeof log})};
  CUmodule module = nullptr;
  EXPECT_EQ(api().load_ex(
                &module,
                ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { add.s32 %r1, 1, 2; ",
                2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log, ::testing::HasSubstr("line 4"));
  EXPECT_STREQ(api().device->last_error(), log);
  EXPECT_EQ(reinterpret_cast<std::size_t>(values[1]), std::string(log).size() + 1);
  EXPECT_EQ(api().load(&module,
                       "\x7f"
                       "ELF and more"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(ApiTest, AnUnsupportedInstructionIsNamedWithItsLines) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  const char* text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry good() { ret; }\n.entry "
      "bad(.param .texref t) {\n.reg .b32 %r<6>;\n"
      ".loc 1 77 3\ntex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4},\n  [t, {%r5}];\nret; }\n.file 1 "
      "\"some.cu\"\n";
  ASSERT_CU(api().load(&module, text));
  EXPECT_CU(api().function(&function, module, "good"));
  EXPECT_EQ(api().function(&function, module, "bad"), CUDA_ERROR_NOT_SUPPORTED);
  const std::string error = api().device->last_error();
  EXPECT_THAT(error, ::testing::HasSubstr("line 8"));
  EXPECT_THAT(error, ::testing::HasSubstr("tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [t, {%r5}];"));
  EXPECT_THAT(error, ::testing::HasSubstr("some.cu:77"));
  EXPECT_EQ(api().function(&function, module, "missing"), CUDA_ERROR_NOT_FOUND);
}

// An instruction that no device has is an error of the text, in whatever function it is, and also
// behind one that only this device lacks.
TEST_F(ApiTest, AMisspeltInstructionIsAnErrorWhenTheModuleIsLoaded) {
  const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";
  const std::string registers = "{ .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n";
  for (const auto& [statement, why] :
       {std::pair<std::string, std::string>{"foo.u32 %r1;", "'foo' is no instruction"},
        {"ld.globl.u32 %r1, [%rd1];", ".globl"},
        {"exit.foo;", "unknown modifier '.foo'"},
        {"fma.f32 %f1, %f2, %f3, %f4;", "needs a rounding modifier"},
        {"div.f32 %f1, %f2, %f3;", "needs a rounding modifier"},
        {"sin.f32 %f1, %f2;", "needs .approx"},
        {"suld.b.1d.b32.trap {%rd1}, [%rd1, {%r3}]; add.foo.u32 %r1, %r2, %r3;",
         "unknown modifier '.foo'"}}) {
    for (const char* function : {".entry k() ", ".func nobody_calls() "}) {
      char log[400] = "";
      CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
      void* values[] = {log, reinterpret_cast<void*>(std::size_t{sizeof log})};
      CUmodule module = nullptr;
      const std::string text = head + function + registers + statement + "\nret; }\n";
      EXPECT_EQ(api().load_ex(&module, text.c_str(), 2, options, values), CUDA_ERROR_INVALID_PTX)
          << text;
      EXPECT_THAT(log, ::testing::HasSubstr("line 5: "));
      EXPECT_THAT(log, ::testing::HasSubstr(why));
    }
  }
}

TEST_F(ApiTest, PartsOfAddressesAreInitialValues) {
  CUmodule module = nullptr;
  ASSERT_CU(api().load(&module,
                       ".version 9.0\n.target sm_90\n.address_size 64\n"
                       ".visible .global .u32 x[4];\n.visible .global .u32 low = x+4;\n"
                       ".visible .global .u8 bytes[10] = {7, 0xFF(x+4), 0xFF00(generic(x)+4), "
                       "0xFF0000(x+4), 0xFF000000(x+4), 0xFF00000000(x+4), 0xFF0000000000(x+4), "
                       "0xFF000000000000(x+4), 0xFF00000000000000(x+4), 9};\n"
                       ".entry k() { ret; }\n"));
  CUdeviceptr x = 0, at = 0;
  std::size_t size = 0;
  ASSERT_CU(api().global(&x, nullptr, module, "x"));
  x += 4;
  std::uint32_t low = 0;
  ASSERT_CU(api().global(&at, &size, module, "low"));
  ASSERT_CU(api().to_host(&low, at, size));
  EXPECT_EQ(low, static_cast<std::uint32_t>(x));
  unsigned char bytes[10] = {};
  ASSERT_CU(api().global(&at, &size, module, "bytes"));
  ASSERT_CU(api().to_host(bytes, at, size));
  EXPECT_EQ(bytes[0], 7);
  EXPECT_EQ(bytes[9], 9);
  EXPECT_EQ(std::memcmp(bytes + 1, &x, sizeof x), 0);
  ASSERT_CU(api().unload(module));
}

TEST_F(ApiTest, ConfigureRefusesWhatItDoesNotKnow) {
  for (const char* bad :
       {"", "[]", R"({"instruction_buget": 1})", R"({"instruction_budget": -1})",
        R"({"check": "all"})", R"({"registers": {"k": 256}})", R"({"registers": 32})"}) {
    EXPECT_NE(api().device->configure(nullptr, bad), 0) << bad;
    EXPECT_STRNE(api().device->last_error(), "");
  }
  EXPECT_NE(api().device->label(nullptr, 0x1000, 4, "a", "float32"), 0);
}

TEST_F(ApiTest, ProtectedMemoryIsReadByKernelsAndWrittenByTheHostAlone) {
  CUmodule module = nullptr;
  CUfunction doublify = nullptr;
  ASSERT_CU(api().load(&module, read_text("seeds.sm_90.ptx").c_str()));
  ASSERT_CU(api().function(&doublify, module, "doublify"));
  Array<float> a(std::vector<float>(16, 3));
  a.label("a", "float32");
  const warpmark_device& device = *api().device;
  EXPECT_NE(device.protect(nullptr, a.address, 60, 1), 0) << "half an allocation";
  EXPECT_NE(device.protect(nullptr, a.address + 4, 60, 1), 0);
  EXPECT_NE(device.protect(nullptr, 0, 0, 1), 0);
  EXPECT_NE(device.forget(nullptr, a.address, 65), 0);
  EXPECT_EQ(device.forget(nullptr, a.address, 64), 0);
  EXPECT_NE(device.elements(nullptr, a.address + 4, 4), 0) << "no label begins there";
  EXPECT_EQ(device.elements(nullptr, a.address, 4), 0);
  ASSERT_EQ(device.protect(nullptr, a.address, 64, 1), 0);
  const float zero = 0;
  EXPECT_CU(api().find<CUresult(CUdeviceptr, const void*, std::size_t)>("cuMemcpyHtoD_v2")(
      a.address, &zero, sizeof zero));
  ASSERT_EQ(device.protect(nullptr, a.address, 64, 0), 0);
  ASSERT_CU(launch(doublify, {1}, {4, 4}, 0, a.address));
  ASSERT_CU(a.fetch());
  EXPECT_EQ(a.host[0], 0);
  EXPECT_EQ(a.host[1], 6);
  ASSERT_EQ(device.protect(nullptr, a.address, 64, 1), 0);
  ASSERT_CU(launch(doublify, {1}, {4, 4}, 0, a.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const Json report = reports().at(0);
  EXPECT_EQ(report["access"], "write");
  EXPECT_EQ(report["count"], 16);
  EXPECT_EQ(report["index"], 0);
  EXPECT_EQ(report["allocation"]["side"], "inside");
  EXPECT_EQ(report["allocation"]["read_only"], true);
  EXPECT_THAT(report["message"].get<std::string>(),
              ::testing::HasSubstr("forbidden global write of 4 bytes at a[0]"));
}

TEST_F(ApiTest, ThreadsMayUseTheDeviceAtOnce) {
  const std::string text = read_text("seeds.sm_90.ptx");
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      ASSERT_CU(api().set_current(context_));
      CUmodule module = nullptr;
      CUfunction k = nullptr;
      ASSERT_CU(api().load(&module, text.c_str()));
      ASSERT_CU(api().function(&k, module, "doublify"));
      for (int round = 0; round < 20; ++round) {
        Array<float> a(std::vector<float>(16, static_cast<float>(id)));
        ASSERT_CU(launch(k, {1}, {4, 4}, 0, a.address));
        ASSERT_CU(a.fetch());
        EXPECT_EQ(a.host, std::vector<float>(16, static_cast<float>(2 * id)));
        ASSERT_CU(api().free(a.address));
      }
      ASSERT_CU(api().unload(module));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace warpmark::test
