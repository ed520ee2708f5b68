// Linking several images: what the driver is asked, what is released, and its texts in errors.
#include "driver/linker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_driver.hpp"

namespace warpmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Linking : public testing::Test {
 protected:
  FakeDriver fake_;
  std::shared_ptr<Context> context_ = Context::create(fake_.device());
};

TEST_F(Linking, GivesAllImagesToTheDriverAndItsImageBack) {
  {
    Linker linker(context_);
    linker.add("\177ELF main", "main.cu");
    linker.add(".version 8.0 helper", "helper.cu");
    // The fake's link is its inputs one after another; a text has its end.
    using namespace std::string_literals;
    EXPECT_EQ(linker.complete(), "\177ELF main|.version 8.0 helper\0"s);
    EXPECT_EQ(linker.log(), "");
    EXPECT_EQ(fake_.live()["link"], 1);
  }
  EXPECT_EQ(fake_.live()["link"], 0);
  EXPECT_THAT(fake_.misuse, IsEmpty());
}

TEST_F(Linking, AFailureHasTheLinkersText) {
  fake_.jit_error_log = "error : Undefined reference to '_Z1ff' in 'main.cu'\n";
  for (const char* symbol : {"cuLinkAddData_v2", "cuLinkComplete"}) {
    fake_.fail(symbol, CUDA_ERROR_INVALID_PTX);
    Linker linker(context_);
    try {
      linker.add("main", "main.cu");
      linker.complete();
      ADD_FAILURE() << symbol;
    } catch (const DriverError& error) {
      EXPECT_THAT(error.message(), HasSubstr("link of main.cu"));
      EXPECT_THAT(error.message(), HasSubstr("Undefined reference to '_Z1ff'"));
      EXPECT_EQ(linker.log(), "error : Undefined reference to '_Z1ff' in 'main.cu'");
    }
  }
  EXPECT_EQ(fake_.live()["link"], 0);
  EXPECT_THAT(fake_.misuse, IsEmpty());
}

TEST_F(Linking, ADriverWithoutALinkerSaysSo) {
  EXPECT_TRUE(Linker::is_there(*context_));
  DriverTable table = FakeDriver::table();
  table.link_complete.pointer = nullptr;
  const auto driver = Driver::from_table(table, "small");
  const auto context = Context::create({driver, 0});
  EXPECT_FALSE(Linker::is_there(*context));
}

}  // namespace
}  // namespace warpmark
