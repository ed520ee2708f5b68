#include "grade/class/grade_stream.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/class/grade_pool.hpp"
#include "grade/class/request_id.hpp"
#include "grade/grader/grade_frame.hpp"
#include "grade/grader/grade_key.hpp"
#include "grade/submission/submission.hpp"

namespace warpmark {

namespace {

// Reads lines of an input with bounded memory.
class Lines {
 public:
  Lines(int fd, size_t most) : fd_(fd), most_(most) {}

  struct Line {
    std::string text;
    /// The end of a line that is too long, whose beginning is in `text`.
    std::optional<std::string> tail;
  };
  /// The next line that has been read.
  std::optional<Line> next() {
    const size_t end = pending_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = pending_.size();
      if (pending_.size() > most_) skip();
      if (!ended_ || (pending_.empty() && !head_)) return std::nullopt;
      searched_ = 0;
      return line_of(std::exchange(pending_, {}));
    }
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    searched_ = 0;
    return line_of(std::move(line));
  }
  /// True if the descriptor's end was reached.
  [[nodiscard]] bool ended() const { return ended_; }

  void read() {
    std::array<char, 1 << 16> chunk{};
    const ssize_t count = ::read(fd_, chunk.data(), chunk.size());
    if (count > 0) {
      pending_.append(chunk.data(), static_cast<size_t>(count));
    } else if (count == 0) {
      ended_ = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      throw environment_error(std::string("the requests cannot be read: ") + std::strerror(errno));
    }
  }

 private:
  static constexpr size_t kKept = size_t{64} << 10;  ///< kept bytes of each end of a line that is
                                                     ///< too long

  void skip() {
    if (!head_) head_ = pending_.substr(0, kKept);
    pending_.erase(0, pending_.size() - std::min(pending_.size(), kKept));
    searched_ = pending_.size();
  }

  Line line_of(std::string rest) {
    if (!head_) return {std::move(rest), std::nullopt};
    Line line{std::move(*head_), std::move(rest)};
    head_.reset();
    return line;
  }

  int fd_;
  size_t most_;
  std::string pending_;
  size_t searched_ = 0;  ///< bytes of `pending_` without an end of line
  bool ended_ = false;
  std::optional<std::string> head_;  ///< beginning of a line that is too long, whose rest is being
                                     ///< skipped
};

struct Request {
  nlohmann::json id;
  std::string text;
  std::map<std::string, std::string> files;  ///< in its place: texts by name
};

void read_files(const nlohmann::json& json, const SubmissionRules& rules, Request& into) {
  const std::vector<std::string> names = rules.files();
  if (!json.is_object() || json.empty())
    throw usage_error("`files` is an object of texts by their names");
  size_t headers = 0;
  for (const auto& [name, text] : json.items()) {
    if (!text.is_string())
      throw usage_error(fmt::format("`{}` in `files` is no text", printable(name)));
    const bool source = std::ranges::find(names, name) != names.end();
    if (rules.several() && !source && !is_own_header(name)) {
      throw usage_error(
          fmt::format("`{}` in `files` is neither a file of the assignment ({}) nor "
                      "a header",
                      printable(name), join(names, ", ")));
    }
    headers += source ? 0 : 1;
    into.files.emplace(name, text.get<std::string>());
  }
  constexpr size_t kMostHeaders = 1000;
  if (headers > kMostHeaders) throw usage_error("`files` has more texts than any submission may");
}

// Throws a usage error that says what the line lacks; `id` becomes the request's id, if it has one.
Request read_request(const std::string& line, const SubmissionRules& rules, nlohmann::json& id) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) {
    id = id_of_broken(line);
    throw usage_error("the line is no JSON object");
  }
  // An invalid id is returned, too, so that the sender finds the request.
  if (const auto found = json.find("id"); found != json.end()) id = *found;
  if (!id.is_string() && !id.is_number())
    throw usage_error("a request needs `id`, a text or a number");
  for (const auto& [key, value] : json.items()) {
    if (key != "id" && key != "text" && key != "files")
      throw usage_error(
          fmt::format("unknown key `{}`; a request has `id`, and `text` or `files`", key));
  }
  const auto text = json.find("text");
  if (const auto files = json.find("files"); files != json.end()) {
    if (text != json.end()) throw usage_error("a request has `text` or `files`, and not both");
    Request request{id, "", {}};
    read_files(*files, rules, request);
    return request;
  }
  if (rules.several()) {
    throw usage_error(fmt::format("a request needs `files`: the assignment is one of several, {}",
                                  join(rules.files(), ", ")));
  }
  if (text == json.end() || !text->is_string())
    throw usage_error("a request needs `text`, the source that is handed in");
  return {id, text->get<std::string>(), {}};
}

class GradeStream {
 public:
  GradeStream(const GradeStreamOptions& options,
              const std::function<void(GradeStreamAnswer)>& answer)
      : assignment_(*options.setup.assignment),
        options_(options),
        answer_(answer),
        pool_(assignment_, options.setup,
              [this](size_t number, GradeResult result) { finish(number, std::move(result)); }),
        version_(assignment_version(options.setup.grading.secret->bytes(), assignment_.sha256)),
        // An escape of JSON takes six bytes for one.
        lines_(options.input, 6 * most_bytes(assignment_.submission) + (size_t{1} << 16)) {}

  GradeStreamEnd run(const std::function<void(const DeviceFacts&, size_t jobs)>& started) {
    if (!pool_.start_first(options_.wake_fd)) return interrupted();
    const size_t jobs = pool_.job_count(options_.jobs, std::numeric_limits<size_t>::max());
    started(pool_.device(), jobs);
    context_ = key_context(pool_.device(), options_.setup.grading.secret->fingerprint(),
                           options_.setup.grading.no_sandbox);
    for (;;) {
      // Each process grades one submission while another waits for it.
      const bool reads = take_requests(2 * jobs);
      if (lines_.ended() && pool_.unfinished() == 0) {
        end_.missing = pool_.missing();
        return end_;
      }
      // A process that nothing is there for would cost as much as a submission.
      pool_.grow(std::clamp<size_t>(pool_.unfinished(), 1, jobs));
      pool_.expect_more(!lines_.ended());
      std::array<pollfd, 2> fds = {pollfd{options_.wake_fd, POLLIN, 0},
                                   pollfd{reads ? options_.input : -1, POLLIN, 0}};
      pool_.step(fds);
      if ((fds[0].revents & POLLIN) != 0) return interrupted();
    }
  }

 private:
  // Each file may have headers, which are as large together.
  static size_t most_bytes(const SubmissionRules& rules) {
    return rules.files().size() * (rules.own_headers > 0 ? 2 : 1) * rules.max_bytes;
  }

  GradeStreamEnd interrupted() {
    pool_.kill();
    end_.interrupted = true;
    return end_;
  }

  // Takes what can be read now, until `most` submissions are unfinished. Returns whether to wait for
  // more of it.
  bool take_requests(size_t most) {
    while (pool_.unfinished() < most) {
      if (const std::optional<Lines::Line> line = lines_.next()) {
        if (line->tail || !trim(line->text).empty()) take(*line);
        continue;
      }
      if (lines_.ended()) return false;
      std::array<pollfd, 2> fds = {pollfd{options_.wake_fd, POLLIN, 0},
                                   pollfd{options_.input, POLLIN, 0}};
      if (::poll(fds.data(), fds.size(), 0) <= 0 || fds[0].revents != 0) return true;
      lines_.read();
    }
    return false;
  }

  void take(const Lines::Line& line) {
    nlohmann::json id;
    try {
      if (line.tail) {
        id = id_of_broken(line.text, *line.tail);
        throw usage_error("the line is longer than any submission may be");
      }
      Request request = read_request(line.text, assignment_.submission, id);
      Submission submission;
      submission.student = id.is_string() ? id.get<std::string>() : id.dump();
      submission.file = assignment_.submission.file;
      if (request.files.empty()) {
        read_submission(submission, assignment_.submission, std::move(request.text));
      } else {
        read_submission(submission, assignment_.submission, request.files);
      }
      const size_t number = next_++;
      asked_[number] = {std::move(request.id), grade_key(submission, assignment_, context_)};
      if (submission.refusal.empty()) {
        pool_.add(number, std::move(submission));
        return;
      }
      GradeResult refused = unfinished_grade(assignment_, submission);
      refuse(refused, GradeState::refused, submission.refusal);
      finish(number, std::move(refused));
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      ++end_.wrong;
      answer_({std::move(id), std::nullopt, error.what()});
    }
  }

  void finish(size_t number, GradeResult result) {
    auto& [id, key] = asked_.at(number);
    result.key = key;
    result.context.assignment_version = version_;
    ++(result.state == GradeState::grader_error ? end_.failed : end_.graded);
    answer_({std::move(id), std::move(result), ""});
    asked_.erase(number);
  }

  const Assignment& assignment_;
  const GradeStreamOptions& options_;
  const std::function<void(GradeStreamAnswer)>& answer_;
  GradePool pool_;
  std::string version_;  ///< version of the assignment, for receipts
  Lines lines_;
  KeyContext context_;
  size_t next_ = 0;
  std::map<size_t, std::pair<nlohmann::json, std::string>> asked_;  ///< id and key, by number
  GradeStreamEnd end_;
};

}  // namespace

GradeStreamEnd run_grade_stream(const GradeStreamOptions& options,
                                const std::function<void(const DeviceFacts&, size_t jobs)>& started,
                                const std::function<void(GradeStreamAnswer)>& answer) {
  return GradeStream(options, answer).run(started);
}

}  // namespace warpmark
