#include "cli/program/device_survey.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <set>
#include <thread>

#include "base/places.hpp"
#include "base/spawn.hpp"
#include "driver/choose.hpp"
#include "jobs/forked_process.hpp"
#include "runtime/session.hpp"
#include "suite/suite.hpp"
#include "worker/channel.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "libwarpmark_";
constexpr std::string_view kSuffix = ".so";

std::set<std::string> library_names() {
  std::set<std::string> names = {"cpu"};
  for (const fs::path& folder : library_search_path()) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string file = entry->path().filename();
      if (file.size() <= kPrefix.size() + kSuffix.size() || !file.starts_with(kPrefix) ||
          !file.ends_with(kSuffix)) {
        continue;
      }
      names.insert(file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size()));
    }
  }
  return names;
}

// One device that is of no use keeps nobody from the others.
void add_devices(DeviceSurvey& survey, const std::string& kind,
                 const std::shared_ptr<Driver>& driver, int count) {
  for (int index = 0; index < count; ++index) {
    try {
      const Device device(driver, index);
      survey.devices.push_back({kind, device, device.compute_capability(), device.architecture(),
                                device.total_memory(), device.uuid()});
    } catch (const Error& error) {
      survey.drivers.push_back(
          {fmt::format("{}:{}", kind, index), driver->path(), 0, error.message(), error.hint()});
      const auto* failure = dynamic_cast<const DriverError*>(&error);
      // The count was wrong, and could be any number.
      if (failure != nullptr && failure->result() == CUDA_ERROR_INVALID_DEVICE) return;
    }
  }
}

using Open = std::function<std::shared_ptr<Driver>()>;

DeviceSurvey survey_driver(const std::string& kind, const Open& open) {
  DeviceSurvey survey;
  FoundDriver found;
  found.kind = kind;
  std::shared_ptr<Driver> driver;
  int count = 0;
  try {
    driver = open();
    found.file = driver->path();
    driver->init();
    found.version = driver->version();
    count = Device::count(*driver);
    if (count <= 0) found.failure = fmt::format("{} has no device", driver->name());
  } catch (const Error& error) {
    found.failure = error.message();
    found.remedy = error.hint();
  }
  survey.drivers.push_back(std::move(found));
  add_devices(survey, kind, driver, count);
  return survey;
}

// A thread that a driver does not return from is left behind; nothing but the end of the process
// ends it.
void add(DeviceSurvey& survey, const std::string& kind, Open open, double timeout_s) {
  std::packaged_task<DeviceSurvey()> task(
      [kind, open = std::move(open)] { return survey_driver(kind, open); });
  std::future<DeviceSurvey> answer = task.get_future();
  std::thread(std::move(task)).detach();
  if (answer.wait_for(std::chrono::duration<double>(timeout_s)) != std::future_status::ready) {
    survey.drivers.push_back({kind, "", 0,
                              fmt::format("the driver gave no answer within {:g} s", timeout_s),
                              "--timeout-s gives a slow driver more time"});
    return;
  }
  DeviceSurvey found = answer.get();
  std::move(found.drivers.begin(), found.drivers.end(), std::back_inserter(survey.drivers));
  std::move(found.devices.begin(), found.devices.end(), std::back_inserter(survey.devices));
}

}  // namespace

DeviceSurvey survey_devices(double timeout_s) {
  DeviceSurvey survey;
  add(survey, "gpu", &Driver::open_gpu, timeout_s);
  for (const std::string& name : library_names()) {
    add(
        survey, name, [name] { return open_driver_library(name); }, timeout_s);
  }
  return survey;
}

std::shared_ptr<double> add_survey_timeout(const ArgumentParser& command) {
  constexpr double least = 0.001, most = 86400;
  auto timeout_s = std::make_shared<double>(120);
  command.add_option("--timeout-s", *timeout_s, "Seconds to wait for each driver")
      .value_text("S (default 120)")
      .in_range(least, most);
  return timeout_s;
}

std::string version_text(const ComputeCapability& capability) {
  return capability_text(capability.architecture());
}

std::string version_text(int cuda_version) {
  return fmt::format("{}.{}", cuda_version / 1000, cuda_version % 1000 / 10);
}

std::vector<std::string> capabilities(const Device& device) {
  std::vector<std::string> names;
  for (const std::string& name : capability_names()) {
    const std::optional<Capability> capability = find_capability(name);
    if (capability && device.has(*capability)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> all_gpus() {
  auto [ours, theirs] = Channel::pair();
  const pid_t process = fork_process(nullptr, [&channel = theirs] {
    const DeviceSurvey survey = survey_devices(SessionOptions{}.start_timeout_s);
    size_t count = 0;
    std::string reason;
    for (const FoundDevice& found : survey.devices) count += found.kind == "gpu" ? 1 : 0;
    for (const FoundDriver& found : survey.drivers) {
      if (found.kind == "gpu") reason = found.failure;
    }
    channel.send({{"count", count}, {"reason", reason}});
  });
  { const Channel closed = std::move(theirs); }
  const Channel::Received received = ours.receive();
  await_exit(process);
  const nlohmann::json found = received.message ? received.message->body : nlohmann::json::object();
  std::vector<std::string> devices;
  for (size_t i = 0; i < found.value("count", size_t{0}); ++i) {
    devices.push_back("gpu:" + std::to_string(i));
  }
  if (devices.empty()) {
    const std::string reason = found.value("reason", "the driver gave no answer");
    throw NoDeviceError(environment_error("no GPU: " + reason, "--device cpu needs none"));
  }
  return devices;
}

}  // namespace warpmark
