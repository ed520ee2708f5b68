// `warpmark doctor`: what Warpmark found on this machine, and what to do about the rest.
#include <memory>

#include "base/places.hpp"
#include "cli/draft/examples.hpp"
#include "cli/program/command.hpp"
#include "cli/program/device_survey.hpp"
#include "cli/program/doctor.hpp"

namespace warpmark {

Command doctor_command(const ArgumentParser& program) {
  const ArgumentParser app = program.add_subcommand(
      "doctor", "Show what Warpmark uses on this machine, and what is missing");
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "As JSON");
  const auto timeout_s = add_survey_timeout(app);
  return {app, [json, timeout_s](Output& out) {
            const size_t count = examples(own_places().data).size();
            return examine_machine(out, {*json, *timeout_s, count}) ? ExitCode::success
                                                                    : ExitCode::environment;
          }};
}

}  // namespace warpmark
