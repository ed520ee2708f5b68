// Which device a request means in a test that ctest gave one.
#include "driver/allotment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

std::string request_with(const Variables& variables, std::string_view request) {
  return allotted_request(request, [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Variables given(const std::string& devices) {
  return {{"CTEST_RESOURCE_GROUP_COUNT", "1"},
          {"CTEST_RESOURCE_GROUP_0", "gpus"},
          {"CTEST_RESOURCE_GROUP_0_GPUS", devices}};
}

TEST(Allotment, WithoutOneRequestsStay) {
  for (const char* request : {"auto", "gpu", "cpu:1", "no device"}) {
    EXPECT_EQ(request_with({}, request), request);
    EXPECT_EQ(request_with({{"CTEST_RESOURCE_GROUP_COUNT", "0"}}, request), request);
    // Left over from the ctest that started this one, which allots nothing.
    EXPECT_EQ(request_with({{"CTEST_RESOURCE_GROUP_0_GPUS", "nonsense"}}, request), request);
    EXPECT_EQ(request_with({{"CTEST_RESOURCE_GROUP_COUNT", "1"},
                            {"CTEST_RESOURCE_GROUP_0", "cards,licences"}},
                           request),
              request);
  }
}

TEST(Allotment, AGpuIsTakenByAutoAndByGpu) {
  EXPECT_EQ(request_with(given("id:3,slots:1"), "auto"), "gpu:3");
  EXPECT_EQ(request_with(given("id:3,slots:1"), "gpu"), "gpu:3");
  EXPECT_EQ(request_with(given("id:gpu_12,slots:40"), "auto"), "gpu:12");
  EXPECT_EQ(request_with(given("id:1,slots:1;id:0,slots:1"), "auto"), "gpu:1");
}

TEST(Allotment, WhoNamesADeviceGetsIt) {
  EXPECT_EQ(request_with(given("id:3,slots:1"), "gpu:0"), "gpu:0");
  EXPECT_EQ(request_with(given("id:3,slots:1"), "auto:0"), "auto:0");
  EXPECT_EQ(request_with(given("id:3,slots:1"), "cpu"), "cpu");
}

TEST(Allotment, ACpuDeviceIsTakenByAutoAndByCpuButNoGpu) {
  EXPECT_EQ(request_with(given("id:cpu_1,slots:1"), "auto"), "cpu:1");
  EXPECT_EQ(request_with(given("id:cpu_1,slots:1"), "cpu"), "cpu:1");
  EXPECT_EQ(request_with(given("id:my_driver_2,slots:1"), "auto"), "my_driver:2");
  EXPECT_EQ(request_with(given("id:cpu_1,slots:1"), "gpu"), "gpu");
}

TEST(Allotment, IdsAreThoseOfTheList) {
  EXPECT_EQ(resource_id("gpu", 2), "2");
  EXPECT_EQ(resource_id("cpu", 0), "cpu_0");
  EXPECT_EQ(resource_id("Mine", 0), std::nullopt);
  EXPECT_EQ(resource_id("my-driver", 0), std::nullopt);
  for (const char* kind : {"gpu", "cpu", "my_driver2"}) {
    const std::string devices = "id:" + resource_id(kind, 5).value() + ",slots:1";
    EXPECT_EQ(request_with(given(devices), kind), std::string(kind) + ":5");
  }
}

TEST(Allotment, UnreadableVariablesAreUsageErrorsThatNameThem) {
  const auto error_of = [](const Variables& variables) -> std::string {
    try {
      return request_with(variables, "cpu:0");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
  };
  for (const char* devices :
       {"", "0", "id:0", "id:,slots:1", "id:0,slots:", "id:0,slots:x", "id:card,slots:1",
        "id:_1,slots:1", "id:-1,slots:1", "id:cpu_,slots:1", "id:99999999999,slots:1",
        "id:0,slots:1,more:2", ";id:0,slots:1"}) {
    EXPECT_THAT(error_of(given(devices)),
                AllOf(HasSubstr("CTEST_RESOURCE_GROUP_0_GPUS is `" + std::string(devices) + "`"),
                      HasSubstr("warpmark devices --resource-spec")))
        << devices;
  }
  EXPECT_THAT(error_of({{"CTEST_RESOURCE_GROUP_COUNT", "many"}}),
              HasSubstr("CTEST_RESOURCE_GROUP_COUNT is `many`"));
  EXPECT_THAT(error_of({{"CTEST_RESOURCE_GROUP_COUNT", "1"}}),
              HasSubstr("CTEST_RESOURCE_GROUP_0 is not set"));
  EXPECT_THAT(error_of({{"CTEST_RESOURCE_GROUP_COUNT", "1"}, {"CTEST_RESOURCE_GROUP_0", "gpus"}}),
              HasSubstr("CTEST_RESOURCE_GROUP_0_GPUS is not set"));
}

}  // namespace
}  // namespace warpmark
