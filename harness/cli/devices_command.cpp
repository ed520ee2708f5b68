// `warpmark devices`: the values of --device, and why a GPU is not among them.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/program/command.hpp"
#include "cli/program/device_survey.hpp"
#include "driver/allotment.hpp"
#include "warpmark/processors.hpp"

namespace warpmark {
namespace {

nlohmann::ordered_json as_json(const DeviceSurvey& survey) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const FoundDevice& found : survey.devices) {
    const Device& device = found.device;
    devices.push_back({{"kind", found.kind},
                       {"index", device.index()},
                       {"name", device.name()},
                       {"compute_capability", version_text(found.compute_capability)},
                       {"memory_bytes", found.memory_bytes},
                       {"uuid", found.uuid},
                       {"capabilities", capabilities(device)},
                       {"driver", device.driver()->path()}});
  }
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (const FoundDriver& driver : survey.drivers) {
    if (driver.failure.empty()) continue;
    missing.push_back(
        {{"kind", driver.kind}, {"reason", driver.failure}, {"remedy", driver.remedy}});
  }
  return {{"warpmark", 1}, {"devices", std::move(devices)}, {"missing", std::move(missing)}};
}

void print_for_people(const DeviceSurvey& survey, Output& out) {
  for (const FoundDevice& found : survey.devices) {
    out.print("{}:{}  {}\n", found.kind, found.device.index(), found.device.name());
    const std::vector<std::string> names = capabilities(found.device);
    out.print("  compute capability {}, {}{}\n", version_text(found.compute_capability),
              format_bytes(found.memory_bytes), found.uuid.empty() ? "" : ", " + found.uuid);
    out.print("  capabilities: {}\n",
              names.empty() ? "those of the driver API" : join(names, ", "));
  }
  for (const FoundDriver& driver : survey.drivers) {
    if (driver.failure.empty()) continue;
    out.print("no {}: {}\n", driver.kind, printable(driver.failure));
    if (!driver.remedy.empty()) out.print("  hint: {}\n", driver.remedy);
  }
}

using Json = nlohmann::ordered_json;

// The status of the symbols of each driver that lists them; a driver with several devices is listed
// once.
Json symbols_of(const DeviceSurvey& survey) {
  Json drivers = Json::array();
  std::vector<const Driver*> seen;
  for (const FoundDevice& found : survey.devices) {
    const Driver* driver = found.device.driver().get();
    if (std::ranges::find(seen, driver) != seen.end()) continue;
    seen.push_back(driver);
    Json symbols = Json::array();
    std::size_t implemented = 0;
    driver->list_symbols([&](std::string_view line) {
      symbols.push_back(parse_json(line));
      if (symbols.back().value("state", "") == "implemented") ++implemented;
    });
    if (symbols.empty()) continue;
    const std::size_t stubs = symbols.size() - implemented;
    drivers.push_back({{"kind", found.kind},
                       {"driver", driver->path()},
                       {"implemented", implemented},
                       {"stubs", stubs},
                       {"symbols", std::move(symbols)}});
  }
  return drivers;
}

void print_symbols(const Json& drivers, Output& out) {
  for (const Json& driver : drivers) {
    out.print("{}: {} functions of the driver API, {} more return CUDA_ERROR_NOT_SUPPORTED\n",
              driver["kind"].get<std::string>(), driver["implemented"].get<std::size_t>(),
              driver["stubs"].get<std::size_t>());
    for (const Json& symbol : driver["symbols"]) {
      const bool exported = symbol.value("exported", true);
      out.print("  {:11}  {}{}\n", symbol["state"].get<std::string>(),
                printable(symbol["symbol"].get<std::string>()),
                !exported                       ? "  (by cuGetProcAddress only)"
                : symbol.contains("per_thread") ? "  and for per-thread streams"
                                                : "");
    }
  }
}

// The file for `ctest --resource-spec-file`. CPU devices replace the GPUs where there are none, so
// that the same tests run there; a GPU is for one test at a time, a CPU device for one on each
// core.
Json resource_spec(const DeviceSurvey& survey) {
  const auto devices_of = [&survey](std::string_view kind, unsigned slots) {
    Json devices = Json::array();
    for (const FoundDevice& found : survey.devices) {
      if (found.kind != kind) continue;
      devices.push_back({{"id", *resource_id(kind, found.device.index())}, {"slots", slots}});
    }
    return devices;
  };
  Json devices = devices_of("gpu", 1);
  if (devices.empty()) devices = devices_of("cpu", usable_processors());
  Json types = {{"gpus", std::move(devices)}};
  return {{"version", {{"major", 1}, {"minor", 0}}}, {"local", Json::array({std::move(types)})}};
}

ExitCode list_api(const DeviceSurvey& survey, bool json, Output& out) {
  Json drivers = symbols_of(survey);
  const bool none = drivers.empty();
  if (json) {
    Json whole = as_json(survey);
    whole["api"] = std::move(drivers);
    out.write(json_document(whole));
  } else if (none) {
    out.print("no driver here lists its functions: the CPU device is missing\n");
  } else {
    print_symbols(drivers, out);
  }
  return none ? ExitCode::environment : ExitCode::success;
}

}  // namespace

Command devices_command(const ArgumentParser& program) {
  const auto json = std::make_shared<bool>(false), api = std::make_shared<bool>(false),
             resources = std::make_shared<bool>(false);
  const ArgumentParser app =
      program.add_subcommand("devices", "List the devices that --device can name");
  const CommandOption json_flag = app.add_flag("--json", *json, "As JSON");
  const CommandOption api_flag = app.add_flag(
      "--api", *api, "List which functions of the CUDA driver API the CPU device has instead");
  app.add_flag("--resource-spec", *resources,
               "Print the GPUs, else CPU devices, for ctest's --resource-spec-file")
      .excludes(json_flag)
      .excludes(api_flag);
  const auto timeout_s = add_survey_timeout(app);
  return {app, [json, api, resources, timeout_s](Output& out) {
            const DeviceSurvey survey = survey_devices(*timeout_s);
            if (*api) return list_api(survey, *json, out);
            if (*resources) {
              out.write(json_document(resource_spec(survey)));
            } else if (*json) {
              out.write(json_document(as_json(survey)));
            } else {
              print_for_people(survey, out);
            }
            return survey.devices.empty() ? ExitCode::environment : ExitCode::success;
          }};
}

}  // namespace warpmark
