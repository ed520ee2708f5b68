#include "driver/choose.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/places.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

struct Request {
  std::string name;
  std::optional<int> index;
};

Request parse_request(std::string_view text) {
  Request request;
  const size_t colon = text.find(':');
  request.name = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view number = text.substr(colon + 1);
    int value = -1;
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (code == std::errc{} && end == number.data() + number.size() && value >= 0) {
      request.index = value;
    }
  }
  const bool plain =
      request.name.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
  if (request.name.empty() || !plain || (colon != std::string_view::npos && !request.index)) {
    throw usage_error(fmt::format("`{}` names no device", printable(text)), {},
                      "use auto, gpu, cpu or a driver library's name, or one of them with a "
                      "number, as in gpu:1");
  }
  return request;
}

// True for "gpu7" and "cpu1", which somebody wrote for gpu:7.
bool lacks_colon(const std::string& name) {
  const size_t digits = name.find_first_of("0123456789");
  return (name.starts_with("gpu") || name.starts_with("cpu")) && digits == 3 &&
         name.find_first_not_of("0123456789", digits) == std::string::npos;
}

[[noreturn]] void refuse_without_colon(const std::string& name, const DriverOpeners& openers) {
  const std::string kind = name.substr(0, 3);
  std::string there;
  try {
    const std::shared_ptr<Driver> driver = kind == "gpu" ? openers.gpu() : openers.library(kind);
    driver->init();
    const int count = Device::count(*driver);
    there = fmt::format("this machine has {} {}{}", count, kind == "gpu" ? "GPU" : "CPU device",
                        count == 1 ? "" : "s");
  } catch (const Error& error) {
    there = fmt::format("this machine has no {}: {}", kind == "gpu" ? "GPU" : "CPU device",
                        error.message());
  }
  throw usage_error(fmt::format("`{}` names no device; {}", name, there), {},
                    fmt::format("devices are counted from 0, behind a colon: {}:0", kind));
}

Device first_device(const std::shared_ptr<Driver>& driver, const Request& request) {
  driver->init();
  return {driver, request.index.value_or(0)};
}

}  // namespace

DriverOpeners DriverOpeners::standard() {
  return {&Driver::open_gpu, &open_driver_library};
}

DeviceChoice choose_device(std::string_view request, const DriverOpeners& openers) {
  const Request wanted = parse_request(request);
  if (wanted.name == "all") {
    throw usage_error(
        "`all` is no single device, and only `check`, `grade` and `judge` take several", {},
        "name one, as in gpu:1");
  }
  if (wanted.name == "gpu") return {first_device(openers.gpu(), wanted), "gpu", ""};
  if (lacks_colon(wanted.name)) refuse_without_colon(wanted.name, openers);
  if (wanted.name != "auto") {
    return {first_device(openers.library(wanted.name), wanted), wanted.name, ""};
  }
  std::string without_gpu;
  try {
    Device device = first_device(openers.gpu(), wanted);
    std::string reason = "using " + device.identify();
    return {std::move(device), "gpu", std::move(reason)};
  } catch (const Error& error) {
    without_gpu = "no GPU: " + error.message();
  }
  try {
    return {first_device(openers.library("cpu"), wanted), "cpu",
            without_gpu + "; using the CPU device"};
  } catch (const Error& error) {
    throw environment_error(
        fmt::format("there is no device: {}; no CPU device: {}", without_gpu, error.message()),
        error.hint());
  }
}

std::string driver_library_file(const std::string& name) {
  return fmt::format("libwarpmark_{}.so", name);
}

std::shared_ptr<Driver> open_driver_library(const std::string& name) {
  const std::string file = driver_library_file(name);
  std::vector<std::string> looked;
  for (const fs::path& folder : library_search_path()) {
    const fs::path path = folder / file;
    looked.push_back(folder.string());
    std::error_code code;
    // An absolute path, because dlopen searches elsewhere for a name without a slash.
    if (fs::exists(path, code)) return Driver::open(fs::absolute(path).string());
  }
  throw environment_error(fmt::format("no {} in {}", file, join(looked, " or ")),
                          "build it, or add its folder to WARPMARK_PLUGIN_PATH");
}

void check_compiler_fits(const Device& device, int nvrtc_major, int nvrtc_minor) {
  if (device.has(Capability::image_ptx)) return;
  const int version = device.driver()->version();
  const int driver_major = version / 1000;
  if (nvrtc_major <= driver_major) return;
  throw environment_error(
      fmt::format("NVRTC {}.{} is newer than the driver of {}, which supports CUDA {}.{}",
                  nvrtc_major, nvrtc_minor, device.identify(), driver_major, version % 1000 / 10),
      fmt::format("install a driver for CUDA {}, or set WARPMARK_NVRTC to an NVRTC {}.x{}",
                  nvrtc_major, driver_major,
                  own_places().installed ? "" : " (`./bootstrap` takes one that fits)"));
}

}  // namespace warpmark
