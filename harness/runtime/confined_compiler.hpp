// The compile worker of a confined session: source in, PTX, cubin and log out, and nothing else.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/outcome.hpp"
#include "runtime/session.hpp"
#include "runtime/worker_link.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// A request to compile, and what came of it.
struct CompiledRequest {
  nlohmann::json wire;
  protocol::Prepared made;
  FailureKind failure = FailureKind::none;
  std::optional<Error> error;
};

/// The request as a compile worker gets it, whose answer is the same whatever is done with the
/// kernels on this device: loaded or not, kept or not, in a context with any heap.
protocol::Prepare compile_alone(protocol::Prepare request, const DeviceFacts& device);

/// Those of one worker. Few: a submission differs only by what axes define.
struct CompiledRequests : std::deque<CompiledRequest> {
  const CompiledRequest* find(const nlohmann::json& wire) const;
};

class ConfinedCompiler {
 public:
  /// Starts the worker and waits for nothing.
  explicit ConfinedCompiler(const SessionOptions& options);

  /// Waits for the worker, and adds NVRTC and what of the sandbox holds in both workers. Throws
  /// environment errors.
  void add_facts(DeviceFacts& facts);

  /// Compiles what compile_alone() gave, each request once, and none that SessionOptions::compiled
  /// has. Unless it succeeds the outcome is failed: FailureKind::compile if the compiler refused it,
  /// `limit` if it took more time or memory than it may, `crash` if it brought the worker down.
  /// Throws environment errors if there is no worker to be had.
  const protocol::Prepared& compile(const protocol::Prepare& request, const Case& which,
                                    Outcome& outcome);

  void interrupt() noexcept { link_.interrupt(); }

 private:
  using Known = CompiledRequest;
  Known ask(const protocol::Prepare& request, const nlohmann::json& wire, const Suite& suite,
            Outcome& outcome);
  /// It has used about what it may, of time or of anything, so that this is why it ended.
  bool took_its_time(const Worker::Usage& used) const;
  bool reached_limit(const Worker::Usage& used) const;
  uint64_t allowed_bytes() const;
  Known ended(const Worker::Usage& used, ChannelEnd end, const std::string& how) const;

  Confinement confinement_;
  std::shared_ptr<const CompiledRequests> before_;  ///< SessionOptions::compiled
  WorkerLink link_;
  CompiledRequests known_;
};

}  // namespace warpmark
