// The function table, opening libraries, capabilities and error texts.
#include "driver/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "driver/memory.hpp"
#include "support/fake_driver.hpp"

namespace warpmark {
namespace {

using testing::HasSubstr;

template <typename Run>
std::string error_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(DriverTable, AsksForVersionedSymbolsWhateverTheHeaderCallsThem) {
  std::set<std::string> asked;
  load_driver_table(
      [&](const char* symbol) {
        asked.insert(symbol);
        return FakeDriver::lookup(symbol) != nullptr ? FakeDriver::lookup(symbol)
                                                     : reinterpret_cast<void*>(&asked);
      },
      "test");
  for (const char* symbol : {"cuMemAlloc_v2", "cuMemFree_v2", "cuCtxCreate_v2", "cuCtxDestroy_v2",
                             "cuMemcpyHtoD_v2", "cuStreamDestroy_v2", "cuEventElapsedTime"}) {
    EXPECT_TRUE(asked.contains(symbol)) << symbol;
  }
  for (const char* symbol : {"cuMemAlloc", "cuCtxCreate", "cuCtxCreate_v4", "cuCtxSynchronize_v2",
                             "cuEventElapsedTime_v2"}) {
    EXPECT_FALSE(asked.contains(symbol)) << symbol;
  }
}

TEST(DriverTable, NamesTheLibraryAndEveryMissingRequiredSymbol) {
  const std::string text = error_of([] {
    load_driver_table(
        [](const char* symbol) -> void* {
          const std::string_view name(symbol);
          if (name == "cuMemAlloc_v2" || name == "cuLaunchKernel") return nullptr;
          return FakeDriver::lookup(symbol);
        },
        "libbroken.so");
  });
  EXPECT_THAT(text, HasSubstr("libbroken.so"));
  EXPECT_THAT(text, HasSubstr("cuMemAlloc_v2"));
  EXPECT_THAT(text, HasSubstr("cuLaunchKernel"));
}

TEST(DriverTable, DocumentedNamesHaveNoVersion) {
  EXPECT_EQ(documented_name("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(documented_name("cuInit"), "cuInit");
  EXPECT_EQ(documented_name("cu_vx"), "cu_vx");
}

TEST(Driver, AnAbsentOptionalFunctionIsAClearErrorWhenCalled) {
  FakeDriver fake;
  DriverTable table = FakeDriver::table();
  table.mem_host_register.pointer = nullptr;
  const auto driver = Driver::from_table(table, "libold.so");
  const auto context = Context::create(Device(driver, 0));
  const std::string text = error_of([&] { HostRegistration(context, &fake, 4096); });
  EXPECT_THAT(text, HasSubstr("libold.so lacks cuMemHostRegister_v2 (needed for fast copies"));
  EXPECT_EQ(fake.current_contexts(), 0);
}

TEST(Driver, OpeningALibraryThatIsNotThereSaysWhatToDo) {
  EXPECT_THAT(
      error_of([] { Driver::open("/nowhere/libwarpmark_x.so"); }),
      testing::AllOf(HasSubstr("/nowhere/libwarpmark_x.so"), HasSubstr("WARPMARK_PLUGIN_PATH")));
}

TEST(Driver, AMissingGpuDriverSaysWhatToDo) {
  std::string text;
  try {
    Driver::open_gpu();
    GTEST_SKIP() << "this machine has libcuda.so.1";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    text = error.what();
  }
  EXPECT_THAT(text, HasSubstr("libcuda.so.1"));
  EXPECT_THAT(text, HasSubstr("--device cpu"));
}

TEST(Driver, OpeningAnOrdinaryLibraryNamesWhatItLacks) {
  EXPECT_THAT(error_of([] { Driver::open("libm.so.6"); }),
              testing::AllOf(HasSubstr("libm.so.6 is no usable CUDA driver"), HasSubstr("cuInit")));
}

TEST(Driver, AToolkitsStubHasEverySymbolAndItsErrorsAreReported) {
  const std::string stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (!std::filesystem::exists(stub)) GTEST_SKIP() << "no " << stub;
  const auto driver = Driver::open(stub);
#define DRIVER_FUNCTION(member, symbol, ...) EXPECT_TRUE(driver->table().member) << (symbol);
#include "driver/functions.def"
#undef DRIVER_FUNCTION
  EXPECT_FALSE(driver->has(Capability::image_ptx));
  EXPECT_THAT(driver->path(), HasSubstr("libcuda"));
  EXPECT_THAT(error_of([&] { driver->init(); }), HasSubstr("cuInit failed with"));
}

TEST(DriverError, CarriesCodeNameTextCallAndObject) {
  FakeDriver fake;
  const auto context = Context::create(fake.device());
  fake.fail("cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY);
  try {
    DeviceMemory(context, 1600, "dest");
    FAIL() << "no error";
  } catch (const DriverError& error) {
    EXPECT_EQ(error.result(), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_FALSE(error.sticky());
    EXPECT_EQ(error.code(), ExitCode::environment);
    for (const char* part :
         {"cuMemAlloc failed with CUDA_ERROR_OUT_OF_MEMORY (2): the fake was asked to",
          "1,600 bytes for `dest`", "device 0 (Fake GPU)"}) {
      EXPECT_THAT(error.message(), HasSubstr(part));
    }
  }
}

TEST(DriverError, KnowsStickyCodes) {
  for (const int code : {700, 702, 710, 714, 715, 716, 717, 718, 719}) {
    EXPECT_TRUE(DriverError::is_sticky(static_cast<CUresult>(code))) << code;
  }
  for (const int code : {0, 1, 2, 201, 209, 218, 500, 701, 720}) {
    EXPECT_FALSE(DriverError::is_sticky(static_cast<CUresult>(code))) << code;
  }
}

// A library from the time when the struct ended before drain_counters.
warpmark_device old_extension() {
  warpmark_device out{};
  out.size = offsetof(warpmark_device, drain_counters);
  out.version = WARPMARK_DEVICE_VERSION;
  out.capabilities = WARPMARK_IMAGE_PTX | WARPMARK_REPORTS;
  out.drain_reports = [](warpmark_device_context, warpmark_device_sink sink, void* user) {
    sink(user, "{\"launch\": 1}", 13);
    sink(user, "{\"launch\": 2}", 13);
  };
  // Members past `size` are not the library's and must not be called.
  out.drain_counters = reinterpret_cast<decltype(out.drain_counters)>(1);
  out.last_error = reinterpret_cast<decltype(out.last_error)>(1);
  out.elements = reinterpret_cast<decltype(out.elements)>(1);
  return out;
}

TEST(Capabilities, MembersPastTheLibrarysSizeAreNotUsed) {
  FakeDriver fake;
  const warpmark_device extension = old_extension();
  fake.extension = &extension;
  const auto driver = fake.driver();
  EXPECT_TRUE(driver->has(Capability::image_ptx));
  EXPECT_FALSE(driver->has(Capability::counters));
  std::vector<std::string> lines;
  const auto sink = [&](std::string_view line) { lines.emplace_back(line); };
  driver->drain_counters(nullptr, sink);
  EXPECT_EQ(driver->last_error(), "");
  driver->elements(nullptr, 0, 4);
  driver->drain_reports(nullptr, sink);
  EXPECT_THAT(lines, testing::ElementsAre("{\"launch\": 1}", "{\"launch\": 2}"));
}

TEST(Capabilities, AnotherVersionIsRefused) {
  FakeDriver fake;
  warpmark_device extension = old_extension();
  extension.version = 2;
  fake.extension = &extension;
  EXPECT_THAT(error_of([&] { fake.driver(); }), HasSubstr("speaks version 2"));
}

TEST(Capabilities, ALibraryWithoutTheSymbolHasNone) {
  FakeDriver fake;
  const auto driver = fake.driver();
  for (const char* name : {"image_ptx", "exact_bounds", "reports", "counters", "deterministic",
                           "checks", "profile", "baseline_features", "debugger"}) {
    const auto capability = find_capability(name);
    ASSERT_TRUE(capability.has_value()) << name;
    EXPECT_EQ(capability_name(*capability), name);
    EXPECT_FALSE(driver->has(*capability));
  }
  EXPECT_FALSE(find_capability("speed").has_value());
  EXPECT_THAT(error_of([&] { driver->configure(nullptr, "{}"); }), HasSubstr("no options"));
  driver->label(nullptr, 0, 4, "a", "float32");
  driver->elements(nullptr, 0, 4);
}

TEST(Capabilities, DecideWhatKernelsAreCompiledFor) {
  FakeDriver fake;
  EXPECT_EQ(fake.device().architecture().name(), "sm_90a");
  warpmark_device extension = old_extension();
  extension.capabilities |= WARPMARK_BASELINE_FEATURES;
  fake.extension = &extension;
  EXPECT_EQ(fake.device().architecture().name(), "sm_90");
}

TEST(Capabilities, TheLibrarysOwnWordsAreInTheError) {
  FakeDriver fake;
  warpmark_device extension = old_extension();
  extension.size = sizeof(extension);
  extension.drain_counters = nullptr;
  extension.last_error = [] { return "line 7: no opcode `frob`"; };
  extension.configure = [](warpmark_device_context, const char*) { return 1; };
  fake.extension = &extension;
  const auto driver = fake.driver();
  EXPECT_THAT(error_of([&] { driver->configure(nullptr, R"({"x":1})"); }),
              HasSubstr(R"(refused the options {"x":1}: line 7: no opcode `frob`)"));
}

}  // namespace
}  // namespace warpmark
