#include "grade/class/grade_worker.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/file.hpp"
#include "base/json_fields.hpp"
#include "jobs/process_pool.hpp"
#include "results/grade_result.hpp"
#include "runtime/compile_forks.hpp"

namespace warpmark {

WARPMARK_FIELDS(OwnHeader, spelling, name, text, sha256)
WARPMARK_FIELDS(SubmittedFile, file, text, may_have_host_code, own_sha256, refusal, headers)
WARPMARK_FIELDS(Submission, file, text, may_have_host_code, own_sha256, refusal, headers, student,
                sha256, note, files)

namespace {

Submission submission_from(const nlohmann::json& request) {
  auto submission = object_from<Submission>(request);
  submission.path = submission.file;
  for (SubmittedFile& one : submission.files) one.path = one.file;
  return submission;
}

}  // namespace

nlohmann::json to_message(const Submission& submission, bool more) {
  return {{"submission", json_of<nlohmann::json>(submission)}, {"more", more}};
}

void serve_as_grader(const GradeSetup& setup, Channel& channel) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, "warpmark-grader");
  std::signal(SIGTERM, SIG_DFL);
  const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(nowhere.get(), standard);
  }
  std::unique_ptr<SubmissionGrader> grader;
  const auto start = [&] {
    GraderOptions options = setup.grading;
    options.serves_many = options.serves_many && CompileForks::adopt();
    grader =
        std::make_unique<SubmissionGrader>(*setup.python, setup.assignment, std::move(options));
    return grader->prepare();
  };
  serve_jobs(channel, start, [&](const nlohmann::json& request) {
    return nlohmann::json(
        to_message(grader->grade(submission_from(request.at("submission")), request.at("more"))));
  });
}

}  // namespace warpmark
