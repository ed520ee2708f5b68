// Messages between our processes about devices, kernels and errors come back whole.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error_json.hpp"
#include "worker/device_facts_json.hpp"
#include "worker/measurement_json.hpp"
#include "worker/protocol.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::json;

// Gives every member a value that it does not begin with, and no other member has.
class Filler {
 public:
  template <typename... Members>
  size_t fill(Members&... members) {
    (set(members), ...);
    return sizeof...(members);
  }

 private:
  void set(std::string& text) { text = "text " + std::to_string(++last_); }
  void set(bool& flag) { flag = true; }
  void set(int& number) { number = ++last_; }
  void set(int64_t& number) { number = ++last_; }
  void set(uint64_t& number) { number = static_cast<uint64_t>(++last_); }
  void set(double& number) { number = ++last_ + 0.5; }
  void set(std::array<int64_t, 3>& sizes) {
    for (int64_t& size : sizes) set(size);
  }
  void set(std::vector<std::string>& texts) { set(texts.emplace_back()); }
  void set(std::map<std::string, int64_t>& values) { set(values["a"]); }
  template <typename T>
  void set(std::optional<T>& value) {
    set(value.emplace());
  }

  int last_ = 0;
};

// One binding for each member: where a struct has a new one, this does not compile until the member
// is named here, and the test fails until each_field names it.
template <typename Visit>
auto members(DeviceFacts& facts, const Visit& visit) {
  auto& [kind, name, reason, uuid, architecture, target, driver_version, driver, nvrtc_version,
         nvrtc, capabilities, attributes, sandbox] = facts;
  return visit(kind, name, reason, uuid, architecture, target, driver_version, driver,
               nvrtc_version, nvrtc, capabilities, attributes, sandbox);
}
template <typename Visit>
auto members(KernelFacts& kernel, const Visit& visit) {
  auto& [entry, grid, block, registers, shared_bytes, local_bytes, active_blocks, occupancy] =
      kernel;
  return visit(entry, grid, block, registers, shared_bytes, local_bytes, active_blocks, occupancy);
}
template <typename Visit>
auto members(DeviceState& state, const Visit& visit) {
  auto& [sm_clock, memory_clock, max_sm_clock, temperature, power, ecc, mig, throttling] = state;
  return visit(sm_clock, memory_clock, max_sm_clock, temperature, power, ecc, mig, throttling);
}
template <typename Visit>
auto members(Ceilings& ceilings, const Visit& visit) {
  auto& [copy_rate, read_rate, array_bytes, launch, memory, float64, float32, float16, headroom] =
      ceilings;
  return visit(copy_rate, read_rate, array_bytes, launch, memory, float64, float32, float16,
               headroom);
}
template <typename Visit>
auto members(Position& where, const Visit& visit) {
  auto& [file, line, column] = where;
  return visit(file, line, column);
}

template <typename Object>
class FactsJson : public ::testing::Test {};
using Objects = ::testing::Types<DeviceFacts, KernelFacts, DeviceState, Ceilings, Position>;
TYPED_TEST_SUITE(FactsJson, Objects);

TYPED_TEST(FactsJson, EveryMemberComesBack) {
  const auto tied = [](auto&... each) { return std::tie(each...); };
  Filler filler;
  TypeParam object;
  const size_t count = members(object, [&](auto&... each) { return filler.fill(each...); });
  const Json wire = json_of<Json>(object);
  EXPECT_EQ(wire.size(), count) << wire;
  TypeParam back = object_from<TypeParam>(Json::parse(wire.dump()));
  EXPECT_TRUE(members(back, tied) == members(object, tied)) << json_of<Json>(back) << wire;
  // A record has the same members, in the order of the struct.
  EXPECT_EQ(Json(json_of<nlohmann::ordered_json>(object)), wire);
}

TYPED_TEST(FactsJson, EveryMemberIsDemanded) {
  const Json whole = json_of<Json>(TypeParam());
  for (const auto& [name, value] : whole.items()) {
    Json less = whole;
    less.erase(name);
    EXPECT_THROW(object_from<TypeParam>(less), Json::exception) << name;
  }
}

TEST(ErrorJson, EveryPartComesBack) {
  for (const ExitCode code :
       {ExitCode::verdict, ExitCode::usage, ExitCode::environment, ExitCode::internal}) {
    const Error error(code, "a message", {"a file", 3, 4}, "a hint");
    const Error back = error_from(Json::parse(error_json(error).dump()));
    EXPECT_EQ(back.code(), code);
    EXPECT_EQ(back.message(), error.message());
    EXPECT_EQ(back.where(), error.where());
    EXPECT_EQ(back.hint(), error.hint());
    EXPECT_STREQ(back.what(), error.what());
  }
}

TEST(ErrorJson, ACodeThatIsNoErrorsIsInternal) {
  Json wire = error_json(usage_error("a message"));
  for (const int code : {0, 77, 130, -1, 1000}) {
    wire["code"] = code;
    EXPECT_EQ(error_from(wire).code(), ExitCode::internal) << code;
  }
}

TEST(FailureJson, EveryPartComesBack) {
  protocol::Failure failure =
      protocol::Failure::of(verdict_error("a message", {"f", 1, 2}, "hint"));
  failure.result = 700;
  failure.sticky = failure.launched = failure.no_device = failure.refused = true;
  failure.reports.push_back({{"kind", "fault"}});
  failure.places.push_back({"x", "float32", 4096, 64});
  const Json wire = protocol::to_json(failure);
  const protocol::Reply reply = protocol::reply_from_json(Json::parse(wire.dump()));
  const auto& back = std::get<protocol::Failure>(reply);
  EXPECT_EQ(protocol::to_json(back), wire);
  EXPECT_EQ(back.message, "a message");
  EXPECT_EQ(back.where.line, 1);
  EXPECT_EQ(back.result, 700);
  EXPECT_TRUE(back.sticky && back.launched && back.no_device && back.refused);
  EXPECT_EQ(back.places.at(0).address, 4096U);
}

}  // namespace
}  // namespace warpmark
