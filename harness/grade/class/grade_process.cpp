#include "grade/class/grade_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "base/error_json.hpp"
#include "base/exception.hpp"
#include "base/hex.hpp"
#include "base/spawn.hpp"
#include "grade/grader/grader.hpp"
#include "worker/device_facts_json.hpp"

namespace warpmark {

namespace {

// The time limits of a process for sending the rest of a message, and for ending.
constexpr std::chrono::seconds kMessage{30};
constexpr std::chrono::milliseconds kPatience{500};

nlohmann::json to_message(const GradeSetup& setup) {
  return {{"do", "start"},
          {"assignment", setup.assignment.string()},
          {"assignment_sha256", setup.assignment_sha256},
          {"assignment_word", setup.assignment_word},
          {"device", setup.device},
          {"secret", to_hex(setup.secret)},
          {"no_sandbox", setup.no_sandbox}};
}

nlohmann::json file_message(const SubmittedFile& file) {
  nlohmann::json json = {{"file", file.file},
                         {"text", file.text},
                         {"own_sha256", file.own_sha256},
                         {"refusal", file.refusal},
                         {"headers", nlohmann::json::array()}};
  for (const OwnHeader& header : file.headers) {
    json["headers"].push_back({{"spelling", header.spelling},
                               {"name", header.name},
                               {"text", header.text},
                               {"sha256", header.sha256}});
  }
  return json;
}

void take_file(SubmittedFile& file, const nlohmann::json& json) {
  file.file = json.at("file");
  file.path = file.file;
  file.text = json.at("text");
  file.own_sha256 = json.at("own_sha256");
  file.refusal = json.at("refusal");
  for (const nlohmann::json& one : json.at("headers")) {
    file.headers.push_back({one.at("spelling"), one.at("name"), one.at("text"), one.at("sha256")});
  }
}

nlohmann::json to_message(const Submission& submission) {
  nlohmann::json json = file_message(submission);
  json["do"] = "grade";
  json["student"] = submission.student;
  json["sha256"] = submission.sha256;
  json["note"] = submission.note;
  json["files"] = nlohmann::json::array();
  for (const SubmittedFile& file : submission.files) json["files"].push_back(file_message(file));
  return json;
}

Submission submission_from(const nlohmann::json& json) {
  Submission submission;
  take_file(submission, json);
  submission.student = json.at("student");
  submission.sha256 = json.at("sha256");
  submission.note = json.at("note");
  for (const nlohmann::json& one : json.at("files")) {
    take_file(submission.files.emplace_back(), one);
  }
  return submission;
}

}  // namespace

GradeProcess::GradeProcess(const GradeSetup& setup) {
  auto [ours, theirs] = Channel::pair();
  channel_.emplace(std::move(ours));
  SpawnOptions options;
  options.descriptors = {
      {kChannelDescriptor, theirs.fd()}, {STDIN_FILENO}, {STDOUT_FILENO}, {STDERR_FILENO}};
  options.own_group = true;
  process_ = spawn_own("a process to grade", "warpmark", {"grade-worker"}, options);
  channel_->send(to_message(setup));
}

GradeProcess::~GradeProcess() {
  if (process_ <= 0) return;
  ::shutdown(channel_->fd(), SHUT_RDWR);  // the process takes this for the end
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (::waitpid(process_, nullptr, WNOHANG) != 0) return;
    ::usleep(1000);
  }
  kill();
}

std::string GradeProcess::kill() {
  if (process_ <= 0) return "had ended";
  int status = 0;
  pid_t ended = ::waitpid(process_, &status, WNOHANG);
  const bool by_itself = ended == process_;
  if (!by_itself) {
    ::kill(process_, SIGKILL);
    await_exit(process_);
  }
  process_ = -1;
  if (!by_itself) return "had to be ended";
  return (WIFSIGNALED(status) ? "was " : "") + exit_text(status);
}

void GradeProcess::grade(const Submission& submission) {
  channel_->send(to_message(submission));  // receive() notices if the process is gone
}

GradeAnswer GradeProcess::receive() {
  const Channel::Received received = channel_->receive(std::chrono::steady_clock::now() + kMessage);
  if (received.message) {
    const nlohmann::json& body = received.message->body;
    try {
      if (body.contains("ready")) return object_from<DeviceFacts>(body.at("ready"));
      if (body.contains("error")) return error_from(body.at("error"));
      return grade_result_from_json(nlohmann::ordered_json(body.at("result")));
    } catch (const nlohmann::json::exception&) {
    } catch (const Error&) {
    }
    kill();
    return GradeProcessEnd{"sent what is no result", false};
  }
  // The connection ends a moment before the process does.
  for (int wait = 0; wait < 100 && process_ > 0; ++wait) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0) {
      break;
    }
    ::usleep(1000);
  }
  return GradeProcessEnd{kill(), false};
}

int run_grade_worker(
    int socket, const std::function<Interpreter&()>& python,
    const std::function<std::shared_ptr<const Assignment>(const std::filesystem::path&)>& load) {
  // The parent does not wait for further output of this process.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  Channel channel{UniqueFd(socket)};
  std::unique_ptr<SubmissionGrader> grader;
  for (;;) {
    const Channel::Received received = channel.receive();
    if (!received.message) return 0;
    const nlohmann::json& request = received.message->body;
    nlohmann::json reply;
    try {
      if (request.at("do") == "start") {
        const auto assignment = load(request.at("assignment").get<std::string>());
        if (assignment->sha256 != request.at("assignment_sha256").get<std::string>()) {
          throw usage_error(
              "the assignment, or a file that it names, was changed while it was used", {},
              "grade again");
        }
        GraderOptions options;
        options.device = request.at("device");
        options.no_sandbox = request.at("no_sandbox");
        options.secret = Secret(from_hex(request.at("secret").get_ref<const std::string&>()));
        options.assignment_word = request.at("assignment_word");
        options.serves_many = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
        grader = std::make_unique<SubmissionGrader>(python(), assignment, std::move(options));
        reply["ready"] = json_of<nlohmann::json>(grader->prepare());
      } else {
        reply["result"] = to_json(grader->grade(submission_from(request)));
      }
    } catch (...) {
      reply = {{"error", error_json(to_error(std::current_exception()))}};
    }
    if (!channel.send(reply)) return 0;
  }
}

}  // namespace warpmark
