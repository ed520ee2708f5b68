// `warpmark devices`: what --device can name, and why a GPU is not among it.
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/device_survey.hpp"

namespace warpmark {
namespace {

std::string as_json(const DeviceSurvey& survey) {
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
  const nlohmann::ordered_json whole = {
      {"warpmark", 1}, {"devices", std::move(devices)}, {"missing", std::move(missing)}};
  return json_output(whole);
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

}  // namespace

Command devices_command(CLI::App& program) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* app = program.add_subcommand("devices", "List the devices that --device can name");
  app->add_flag("--json", *json, "As JSON");
  const auto timeout_s = add_survey_timeout(*app);
  return {app, [json, timeout_s](Output& out) {
            const DeviceSurvey survey = survey_devices(*timeout_s);
            if (*json) {
              out.write(as_json(survey));
            } else {
              print_for_people(survey, out);
            }
            return survey.devices.empty() ? ExitCode::environment : ExitCode::success;
          }};
}

}  // namespace warpmark
