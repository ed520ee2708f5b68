// Which device a request gets, and what is said about it.
#include "driver/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/file.hpp"
#include "support/fake_driver.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Choose : public testing::Test {
 protected:
  std::string error_of(const char* request) {
    try {
      choose_device(request, openers_);
    } catch (const Error& error) {
      code_ = error.code();
      return error.what();
    }
    return "no error";
  }
  void without_gpu() {
    openers_.gpu = []() -> std::shared_ptr<Driver> {
      throw environment_error("cannot open the driver libcuda.so.1: no such file", "install it");
    };
  }

  FakeDriver fake_;
  DriverOpeners openers_{[] { return Driver::from_table(FakeDriver::table(), "libcuda.so.1"); },
                         [](const std::string& name) {
                           return Driver::from_table(FakeDriver::table(),
                                                     "libwarpmark_" + name + ".so");
                         }};
  ExitCode code_ = ExitCode::success;
};

TEST_F(Choose, AutoTakesTheGpuAndSaysWhich) {
  const DeviceChoice choice = choose_device("auto", openers_);
  EXPECT_EQ(choice.kind, "gpu");
  EXPECT_EQ(choice.device.driver()->name(), "libcuda.so.1");
  EXPECT_EQ(choice.reason, "using device 0 (Fake GPU)");
}

TEST_F(Choose, AutoWithoutALibraryTakesTheCpuAndSaysWhy) {
  without_gpu();
  const DeviceChoice choice = choose_device("auto", openers_);
  EXPECT_EQ(choice.kind, "cpu");
  EXPECT_EQ(choice.reason,
            "no GPU: cannot open the driver libcuda.so.1: no such file; using the CPU device");
}

TEST_F(Choose, AutoWithADriverThatCannotStartTakesTheCpu) {
  fake_.fail("cuInit", CUDA_ERROR_NO_DEVICE);
  const DeviceChoice choice = choose_device("auto", openers_);
  EXPECT_EQ(choice.kind, "cpu");
  EXPECT_THAT(choice.reason, HasSubstr("cuInit failed with"));
}

TEST_F(Choose, GpuWithoutAGpuIsAnEnvironmentError) {
  without_gpu();
  EXPECT_THAT(error_of("gpu"), HasSubstr("libcuda.so.1"));
  EXPECT_EQ(code_, ExitCode::environment);
  EXPECT_EQ(choose_device("cpu", openers_).reason, "");
}

TEST_F(Choose, NeitherDeviceNamesBothReasons) {
  without_gpu();
  openers_.library = [](const std::string&) -> std::shared_ptr<Driver> {
    throw environment_error("no libwarpmark_cpu.so", "build it");
  };
  EXPECT_THAT(error_of("auto"),
              AllOf(HasSubstr("libcuda.so.1"), HasSubstr("no libwarpmark_cpu.so")));
  EXPECT_EQ(code_, ExitCode::environment);
}

TEST_F(Choose, NumbersPickADeviceOfSeveral) {
  fake_.devices = 3;
  EXPECT_EQ(choose_device("gpu:2", openers_).device.index(), 2);
  EXPECT_THAT(error_of("gpu:3"), HasSubstr("there is no device 3: libcuda.so.1 has 3 devices"));
}

TEST_F(Choose, ANumberWithoutAColonIsToldHowManyDevicesThereAre) {
  fake_.devices = 2;
  EXPECT_THAT(error_of("gpu7"), AllOf(HasSubstr("`gpu7` names no device; this machine has 2 GPUs"),
                                      HasSubstr("gpu:0")));
  EXPECT_EQ(code_, ExitCode::usage);
  fake_.devices = 1;
  EXPECT_THAT(error_of("cpu1"), HasSubstr("this machine has 1 CPU device"));
  without_gpu();
  EXPECT_THAT(error_of("gpu7"), HasSubstr("this machine has no GPU: "));
  EXPECT_EQ(choose_device("gpu7x", openers_).kind, "gpu7x");  // a library's name
}

TEST_F(Choose, UnreadableRequestsAreUsageErrors) {
  for (const char* request :
       {"", ":1", "gpu:", "gpu:x", "gpu:-1", "gpu:1x", "../evil", "gpu:1:2"}) {
    EXPECT_THAT(error_of(request), HasSubstr("names no device")) << request;
    EXPECT_EQ(code_, ExitCode::usage) << request;
  }
}

TEST_F(Choose, AnyOtherNameIsADriverLibrary) {
  const DeviceChoice choice = choose_device("mine", openers_);
  EXPECT_EQ(choice.kind, "mine");
  EXPECT_EQ(choice.device.driver()->name(), "libwarpmark_mine.so");
}

TEST(DriverLibraries, AreLookedForInThePathThenBesideTheProgram) {
  setenv("WARPMARK_PLUGIN_PATH", "/one::/two", 1);
  try {
    open_driver_library("absent");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("libwarpmark_absent.so in /one or /two or /"),
                                    HasSubstr("lib/warpmark")));
  }
  unsetenv("WARPMARK_PLUGIN_PATH");
}

TEST(DriverLibraries, TheFirstFolderThatHasTheFileWins) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "libwarpmark_junk.so", "not a library");
  setenv("WARPMARK_PLUGIN_PATH", folder.path().c_str(), 1);
  try {
    open_driver_library("junk");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder.path() / "libwarpmark_junk.so").string()));
  }
  unsetenv("WARPMARK_PLUGIN_PATH");
}

TEST(CompilerFits, ANewerMajorVersionThanTheDriversNamesBothAndTheFix) {
  FakeDriver fake;
  fake.driver_version = 12040;
  const Device device = fake.device();
  EXPECT_NO_THROW(check_compiler_fits(device, 12, 9));
  try {
    check_compiler_fits(device, 13, 0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("NVRTC 13.0"), HasSubstr("CUDA 12.4"),
                                    HasSubstr("WARPMARK_NVRTC")));
  }
}

TEST(CompilerFits, ADeviceThatTakesPtxTakesAnyCompiler) {
  FakeDriver fake;
  fake.driver_version = 12040;
  warpmark_device extension{};
  extension.size = sizeof(extension);
  extension.version = WARPMARK_DEVICE_VERSION;
  extension.capabilities = WARPMARK_IMAGE_PTX;
  fake.extension = &extension;
  EXPECT_NO_THROW(check_compiler_fits(fake.device(), 13, 0));
}

}  // namespace
}  // namespace warpmark
