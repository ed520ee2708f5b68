// A measurement as a worker hands it over, and parts that the front does not take from it.
#include "worker/measurement_json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "worker/protocol.hpp"

namespace warpmark::protocol {
namespace {

using Json = nlohmann::json;

Measurement example() {
  Measurement measurement;
  measurement.series.push_back({TimingMode::cold,
                                1,
                                {2e-6, 3e-6},
                                std::nullopt,
                                {1.5e-6},
                                {2.5e-6},
                                1980,
                                0.5,
                                StopReason::budget,
                                true,
                                4});
  measurement.series.push_back(
      {TimingMode::upload, 20, {1e-6}, 4096, {}, {}, {}, {}, StopReason::samples, false, 0});
  measurement.kernels.push_back({"k", {4, 1, 1}, {64, 2, 1}, 32, 1024, 16, 8, 0.5});
  measurement.counters = {{"ptx_thread_instructions", 4096}, {"global_load_bytes", 512}};
  measurement.before.sm_clock_mhz = 1980;
  measurement.before.throttle_reasons = {"sw_power_cap"};
  measurement.after.power_w = 123.5;
  measurement.after.ecc = true;
  measurement.seconds = 0.25;
  measurement.honest = {4e-6, true, {3e-6, 2e-6}, {"a surface"}};
  measurement.outputs_differ = true;
  return measurement;
}

TEST(MeasurementJson, ComesBackAsItWent) {
  const Json wire = to_json(Timed{{}, example()});
  const Reply reply = reply_from_json(Json::parse(wire.dump()));
  const Measurement& back = std::get<Timed>(reply).measurement;
  EXPECT_EQ(json_of<Json>(back), json_of<Json>(example()));
  EXPECT_EQ(back.series.at(1).batch, 20U);
  EXPECT_EQ(back.series.at(1).moved_bytes, 4096U);
  EXPECT_EQ(back.series.at(0).moved_bytes, std::nullopt);
  EXPECT_EQ(back.series.at(0).seconds, (std::vector<double>{2e-6, 3e-6}));
  EXPECT_EQ(back.series.at(0).empty_seconds, std::vector<double>{1.5e-6});
  EXPECT_EQ(back.series.at(0).single_seconds, std::vector<double>{2.5e-6});
  EXPECT_EQ(back.honest.first_s, 4e-6);
  EXPECT_EQ(back.honest.untested, std::vector<std::string>{"a surface"});
  EXPECT_TRUE(back.outputs_differ);
  EXPECT_EQ(back.series.at(0).clock_mhz, 1980);
  EXPECT_EQ(back.series.at(1).clock_mhz, std::nullopt);
  EXPECT_EQ(back.series.at(0).clock_change, 0.5);
  EXPECT_EQ(back.series.at(1).clock_change, std::nullopt);
  EXPECT_EQ(back.before, example().before);
  EXPECT_EQ(back.after, example().after);
  EXPECT_EQ(back.counters, example().counters);
}

TEST(MeasurementJson, RequestsComeBackAsTheyWent) {
  Time request;
  request.run.buffers.push_back({"x", "float32", 64, true, true, 4});
  request.run.steps.emplace_back(Fill{"x", 7});
  request.options.modes = {TimingMode::hot, TimingMode::cold};
  request.options.profile = true;
  request.options.budget_s = 0.5;
  request.restore = Restore::each;
  const Json wire = to_json(request);
  const Request back = request_from_json(wire);
  EXPECT_EQ(to_json(std::get<Time>(back)), wire);
  EXPECT_EQ(std::get<Time>(back).run.buffers.at(0).element, 4U);
  EXPECT_TRUE(std::holds_alternative<Calibrate>(request_from_json(to_json(Calibrate{}))));
}

TEST(MeasurementJson, CeilingsMayBeAbsent) {
  const Reply none = reply_from_json(to_json(Calibrated{}));
  EXPECT_FALSE(std::get<Calibrated>(none).ceilings.has_value());
  const Reply some = reply_from_json(to_json(Calibrated{Ceilings{4e12, 5e12, 1 << 30}}));
  EXPECT_EQ(std::get<Calibrated>(some).ceilings->read_bytes_per_s, 5e12);
  Json wire = to_json(Calibrated{Ceilings{4e12, 5e12, 1 << 30}});
  wire["ceilings"]["float32_flops_per_s"] = -1;
  EXPECT_THROW(reply_from_json(wire), Error);
}

// A reader that recurses would have no stack left.
TEST(MeasurementJson, DeepRepliesAreRefused) {
  Json deep = Json::array();
  for (int i = 0; i < 200; ++i) deep = Json::array({deep});
  Json wire = to_json(Timed{{}, example()});
  wire["more"] = deep;
  EXPECT_THROW(reply_from_json(wire), Error);
}

// The worker runs what a submission may have taken over.
TEST(MeasurementJson, TimesThatCannotBeAreRefused) {
  const auto refused = [](const char* pointer, const Json& value) {
    Json wire = to_json(Timed{{}, example()});
    wire[Json::json_pointer(pointer)] = value;
    EXPECT_THROW(reply_from_json(wire), Error) << pointer << " " << value;
  };
  refused("/measurement/series/0/seconds/0", -1e-6);
  refused("/measurement/series/0/seconds/0", nullptr);
  refused("/measurement/series/0/seconds/0", "fast");
  refused("/measurement/series/0/seconds", Json::array());
  refused("/measurement/series/0/empty_seconds/0", -1e-6);
  refused("/measurement/series/0/batch", 1e300);  // no integer has such a value
  refused("/measurement/series/0/batch", 1.5);
  refused("/measurement/series/0/clock_mhz", "fast");
  refused("/measurement/series/0/clock_change", -1);
  refused("/measurement/series/0/mode", each_value<TimingMode>().size());
  refused("/measurement/series/0/stop", -1);
  refused("/measurement/seconds", std::numeric_limits<double>::infinity());
  refused("/measurement/kernels/0/grid", Json::array({1}));
  refused("/measurement/counters/0", Json::array({"name"}));
}

}  // namespace
}  // namespace warpmark::protocol
