#include "cli/grading/judge_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>

#include "base/file.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"
#include "cli/grading/grade_lint.hpp"
#include "cli/grading/grade_stream_job.hpp"
#include "cli/program/device_survey.hpp"
#include "cli/program/lazy_python.hpp"
#include "compiler/assembler.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/judge/judgement_of.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A secret of this process alone: nobody can know the inputs, or ask for them again.
Secret own_secret() {
  std::array<std::byte, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw environment_error("the system gives no random numbers");
  return Secret(to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

Secret secret_of(const JudgeRequest& request, const Output& out) {
  if (request.secret.empty()) return own_secret();
  ReadSecret read = read_secret(request.secret);
  if (!read.warning.empty()) print_error(out, "warning: " + read.warning);
  return read.secret;
}

void require_sense(const JudgeRequest& request) {
  if (request.stream && !request.candidates.empty()) {
    throw usage_error("--stream reads candidates from the standard input, and files are given", {},
                      "leave out the files, or --stream");
  }
  if (!request.stream && request.candidates.empty()) {
    throw usage_error("no candidate is given", {},
                      "name files: `warpmark judge TASK kernel.cu`, or give --stream");
  }
}

// The requests of files, as a stream has them.
std::string requests_of(const std::vector<fs::path>& candidates) {
  std::string lines;
  for (const fs::path& file : candidates) {
    const Json request = {{"id", file.string()}, {"text", read_file(file)}};
    lines += request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return lines;
}

// Standard input, or a file of requests, which it closes.
class Input {
 public:
  explicit Input(const JudgeRequest& request) {
    if (request.stream) return;
    const fs::path file = folder_.path() / "requests";
    write_file_atomically(file, requests_of(request.candidates));
    fd_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) throw environment_error("cannot read " + file.string());
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  TemporaryFolder folder_{"warpmark-judge"};
  int fd_ = STDIN_FILENO;
};

// A name without line breaks, which would forge lines.
std::string one_line(const std::string& name) {
  return join(split(printable(name), '\n'), " ");
}

// A verdict for people: the candidate, its verdict, and what to hand back.
std::string text_of(const std::string& name, const Judgement& one) {
  std::string text =
      fmt::format("{}: {} ({} of {} cases, {} trials, {:.2f} s)\n", one_line(name),
                  to_text(one.verdict), one.passed, one.cases, one.trials, one.seconds);
  const std::string& more = one.verdict == JudgedAs::not_judged ? one.problem : one.feedback;
  for (const std::string& line : split(more, '\n')) text += "  " + printable(line) + "\n";
  for (const std::string& flag : one.noticed) text += "  noticed: " + printable(flag) + "\n";
  return text;
}

class Judge {
 public:
  Judge(const JudgeRequest& request, const Assignment& task, Output& out)
      : request_(request), task_(task), out_(out) {}

  void answer(const GradeStreamAnswer& answer, const DeviceFacts& device) {
    if (!answer.result) {
      write_answer({{"id", answer.id}, {"error", answer.error}}, out_);
      return;
    }
    const Judgement made = judgement_of(*answer.result, task_, device.has("reports"));
    all_right_ = all_right_ && made.verdict == JudgedAs::right;
    if (request_.json || request_.stream) {
      write_answer({{"id", answer.id}, {"judgement", to_json(made)}}, out_);
    } else {
      out_.write(text_of(answer.id.get<std::string>(), made));
      out_.flush();
    }
  }

  bool all_right() const { return all_right_; }

 private:
  const JudgeRequest& request_;
  const Assignment& task_;
  Output& out_;
  bool all_right_ = true;
};

void choose_speed(JudgeRequest& request) {
  if (request.speed.empty()) {
    if (request.device.starts_with("gpu")) request.options.speed = {"gpu"};
  } else if (request.speed == "none") {
    request.options.speed.clear();
  } else {
    request.options.speed = split(request.speed, ',');
  }
}

}  // namespace

ExitCode judge(JudgeRequest request, Output& out) {
  require_sense(request);
  GradeStreamOptions options;
  if (request.device == "all") {
    options.setup.devices = all_gpus();
    request.device = "gpu";
  }
  choose_speed(request);
  // Behind the walls a GPU's driver loads machine code alone.
  request.options.ptx = !request.device.starts_with("gpu") || !Assembler::find().empty();
  const Secret secret = secret_of(request, out);
  LazyPython python;
  const JudgeTask task(request.task, request.options, python.list_evaluator());
  const Assignment& assignment = *task.assignment();
  python.interpreter().begin_importing_numpy();
  require_whole(assignment);
  require_version(assignment);
  if (task.is_assignment()) require_lint(assignment, python, request.device, nullptr, out);
  options.setup.python = &python.interpreter();
  options.setup.assignment = task.assignment();
  GraderOptions& grading = options.setup.grading;
  grading.assignment_word = request.task.filename().string();
  grading.device = request.device;
  grading.secret = secret;
  grading.no_sandbox = request.no_sandbox;
  grading.serves_many = request.candidates.size() != 1;
  grading.notes_warnings = true;
  options.jobs = request.jobs;
  const Input input(request);
  options.input = input.fd();
  Judge judge(request, assignment, out);
  const ExitCode code = stream_grades(
      std::move(options), request.quiet || !request.stream, out,
      [&](const GradeStreamAnswer& one, const DeviceFacts& on) { judge.answer(one, on); });
  if (code != ExitCode::success || request.stream) return code;
  return judge.all_right() ? ExitCode::success : ExitCode::verdict;
}

}  // namespace warpmark
