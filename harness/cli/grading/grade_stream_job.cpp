#include "cli/grading/grade_stream_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/wake_up.hpp"
#include "grade/class/grade_stream.hpp"

namespace warpmark {

ExitCode stream_grades(const Assignment& assignment, const GradeSetup& setup,
                       const std::string& secret_fingerprint, size_t jobs, bool quiet,
                       Output& out) {
  const WakeUp wake;
  const InterruptGuard guard([&wake] { wake.raise(); });
  GradeStreamOptions options;
  options.setup = setup;
  options.secret_fingerprint = secret_fingerprint;
  options.jobs = jobs;
  options.input = STDIN_FILENO;
  options.wake_fd = wake.fd();
  const GradeStreamEnd end = run_grade_stream(
      assignment, options,
      [&](const DeviceFacts& device, size_t processes) {
        if (quiet) return;
        print_error(out,
                    fmt::format("grades on {}, {} at a time; {}", device.name, processes,
                                device.sandbox.empty() ? "NO SANDBOX confines them"
                                                       : "sandbox: " + join(device.sandbox, ", ")));
      },
      [&](const nlohmann::ordered_json& answer) {
        out.print("{}\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        out.flush();  // somebody waits for it
      });
  if (!quiet) {
    print_error(out, fmt::format("{} graded, {} failed in the grader, {} lines were no requests",
                                 end.graded, end.failed, end.wrong));
  }
  if (end.interrupted) return guard.exit_code();
  if (end.failed > 0) return ExitCode::internal;
  return end.wrong > 0 ? ExitCode::usage : ExitCode::success;
}

}  // namespace warpmark
