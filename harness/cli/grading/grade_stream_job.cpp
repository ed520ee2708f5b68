#include "cli/grading/grade_stream_job.hpp"

#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/wake_up.hpp"

namespace warpmark {

void write_answer(const nlohmann::ordered_json& answer, Output& out) {
  out.print("{}\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  out.flush();
}

ExitCode stream_grades(
    GradeStreamOptions options, bool quiet, Output& out,
    const std::function<void(const GradeStreamAnswer&, const DeviceFacts&)>& answer) {
  const WakeUp wake;
  const InterruptGuard guard([&wake] { wake.raise(); });
  options.wake_fd = wake.fd();
  DeviceFacts device;
  const GradeStreamEnd end = run_grade_stream(
      options,
      [&](const DeviceFacts& found, size_t processes) {
        device = found;
        if (quiet) return;
        print_error(out,
                    fmt::format("grades on {}, {} at a time; {}", device.name, processes,
                                device.sandbox.empty() ? "NO SANDBOX confines them"
                                                       : "sandbox: " + join(device.sandbox, ", ")));
      },
      [&](const GradeStreamAnswer& one) { answer(one, device); });
  for (const std::string& reason : end.missing)
    print_error(out, "warning: went on without " + reason);
  if (!quiet) {
    print_error(out, fmt::format("{} graded, {} failed in the grader, {} lines were no requests",
                                 end.graded, end.failed, end.wrong));
  }
  if (end.interrupted) return guard.exit_code();
  if (end.failed > 0) return ExitCode::internal;
  return end.wrong > 0 ? ExitCode::usage : ExitCode::success;
}

}  // namespace warpmark
