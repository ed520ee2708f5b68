#include "runtime/compile_ahead.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/requests.hpp"

namespace warpmark {

namespace {

// Compiling needs no device of the session's kind: ours starts at once.
SessionOptions compiling(const SessionOptions& options) {
  SessionOptions own;
  own.device = "cpu";
  own.program = options.program;
  own.use_cache = options.use_cache;
  own.timeout_s = options.timeout_s;
  return own;
}

}  // namespace

CompileAhead::CompileAhead(const SessionOptions& options, std::string target, size_t most)
    : options_(compiling(options)), target_(std::move(target)), most_(most) {}

CompileAhead::~CompileAhead() {
  {
    const std::lock_guard hold(lock_);
    waiting_.clear();
  }
  finish();
  for (const auto& worker : workers_) worker->interrupt();
  for (std::thread& thread : threads_) thread.join();
}

// The request to compile and not to load, which is the same for cases that are compiled alike; "" if
// there is nothing to compile, or if a file is missing.
std::string CompileAhead::request_of(const Suite& suite, const PlannedCase& planned) const {
  protocol::Prepare request;
  try {
    request = prepare_request(suite, planned);
  } catch (const Error&) {
    return "";
  }
  // A result of nvcc or of a program is in no cache of ours, and would be made once more.
  const auto compiled = [](const protocol::UnitText& unit) {
    return unit.language == SourceLanguage::cuda;
  };
  if (!std::ranges::all_of(request.units, compiled)) return "";
  if (request.target.empty()) request.target = target_;
  request.load = false;
  request.limits = {};
  return protocol::to_json(request).dump();
}

void CompileAhead::add(const Suite& suite, const PlannedCase& planned) {
  std::string request = request_of(suite, planned);
  if (request.empty() || !known_.insert(request).second) return;
  {
    const std::lock_guard hold(lock_);
    waiting_.push_back(std::move(request));
  }
  changed_.notify_all();
  if (workers_.size() >= most_) return;
  try {
    workers_.push_back(std::make_unique<WorkerLink>(options_));
    threads_.emplace_back([this, link = workers_.back().get()] { serve(*link); });
  } catch (const Error&) {
    most_ = workers_.size();
  }
}

void CompileAhead::finish() {
  {
    const std::lock_guard hold(lock_);
    finished_ = true;
  }
  changed_.notify_all();
}

void CompileAhead::serve(WorkerLink& worker) {
  std::string request;
  try {
    worker.greet();
    for (;;) {
      {
        std::unique_lock hold(lock_);
        busy_.erase(request);
        request.clear();
        changed_.notify_all();
        changed_.wait(hold, [this] { return finished_ || !waiting_.empty(); });
        if (waiting_.empty()) break;
        request = std::move(waiting_.front());
        waiting_.pop_front();
        busy_.insert(request);
      }
      // Errors are the session's to report, when the case's turn comes.
      const auto reply = worker.ask(nlohmann::json::parse(request), {}, options_.timeout_s);
      if (std::holds_alternative<WorkerLink::Silence>(reply)) break;
    }
  } catch (const std::exception&) {
    // The session compiles what is left.
  }
  worker.close();
  const std::lock_guard hold(lock_);
  busy_.erase(request);
  changed_.notify_all();
}

void CompileAhead::settle(const Suite& suite, const PlannedCase& planned,
                          const std::function<bool()>& goes_on) {
  std::unique_lock hold(lock_);
  if (waiting_.empty() && busy_.empty()) return;
  hold.unlock();
  const std::string request = request_of(suite, planned);  // reads the case's files
  hold.lock();
  std::erase(waiting_, request);
  while (busy_.contains(request) && goes_on()) {
    changed_.wait_for(hold, std::chrono::milliseconds(50));  // an interrupt wakes nobody
  }
}

}  // namespace warpmark
