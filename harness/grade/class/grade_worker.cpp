#include "grade/class/grade_worker.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/hex.hpp"
#include "base/json_fields.hpp"
#include "base/spawn.hpp"
#include "grade/grader/grader.hpp"
#include "jobs/process_pool.hpp"
#include "results/grade_result.hpp"
#include "runtime/compile_forks.hpp"

namespace warpmark {

WARPMARK_FIELDS(OwnHeader, spelling, name, text, sha256)
WARPMARK_FIELDS(SubmittedFile, file, text, may_have_host_code, own_sha256, refusal, headers)
WARPMARK_FIELDS(Submission, file, text, may_have_host_code, own_sha256, refusal, headers, student,
                sha256, note, files)

namespace {

nlohmann::json to_message(const GradeSetup& setup) {
  return {
      {"assignment", setup.assignment.string()},  {"assignment_sha256", setup.assignment_sha256},
      {"assignment_word", setup.assignment_word}, {"device", setup.device},
      {"secret", to_hex(setup.secret)},           {"no_sandbox", setup.no_sandbox},
      {"notes_warnings", setup.notes_warnings},   {"only", setup.only}};
}

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

pid_t start_grade_worker(const GradeSetup& setup, Channel& ours, const Channel& theirs) {
  SpawnOptions options;
  options.descriptors = {
      {kChannelDescriptor, theirs.fd()}, {STDIN_FILENO}, {STDOUT_FILENO}, {STDERR_FILENO}};
  options.own_group = true;
  const pid_t process = spawn_own("a process to grade", "warpmark", {"grade-worker"}, options);
  ours.send(to_message(setup));
  return process;
}

int run_grade_worker(
    int socket, const std::function<Interpreter&()>& python,
    const std::function<std::shared_ptr<const Assignment>(const std::filesystem::path&)>& load) {
  // The parent does not wait for further output of this process.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  Channel channel{UniqueFd(socket)};
  const Channel::Received setup = channel.receive();
  if (!setup.message) return 0;
  std::unique_ptr<SubmissionGrader> grader;
  const auto start = [&] {
    const nlohmann::json& request = setup.message->body;
    const auto assignment = load(request.at("assignment").get<std::string>());
    if (assignment->sha256 != request.at("assignment_sha256").get<std::string>()) {
      throw usage_error("the assignment, or a file that it names, was changed while it was used",
                        {}, "grade again");
    }
    GraderOptions options;
    options.device = request.at("device");
    options.no_sandbox = request.at("no_sandbox");
    options.notes_warnings = request.at("notes_warnings");
    options.only = request.at("only").get<std::vector<std::string>>();
    options.secret = Secret(from_hex(request.at("secret").get_ref<const std::string&>()));
    options.assignment_word = request.at("assignment_word");
    options.serves_many = CompileForks::adopt();
    grader = std::make_unique<SubmissionGrader>(python(), assignment, std::move(options));
    return grader->prepare();
  };
  serve_jobs(channel, start, [&](const nlohmann::json& request) {
    return nlohmann::json(
        to_message(grader->grade(submission_from(request.at("submission")), request.at("more"))));
  });
  return 0;
}

}  // namespace warpmark
