// The mutants of several suites, run by several processes at the same time.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "jobs/process_pool.hpp"
#include "mutate/suite_mutation.hpp"

namespace warpmark {

/// Each process has Python, two workers, and the parts of suites that it takes one after another.
class MutationLanes : private PoolOwner {
 public:
  /// Forks `count` processes. To be called before this process has a session or NumPy; `work` and
  /// the interpreter must outlive it. `python` gives the interpreter, in each process for itself.
  MutationLanes(const std::vector<MutationWork>& work, const MutationOptions& options, size_t count,
                Interpreter* started, std::function<Interpreter&()> python);

  /// The results in the order of the work. `tell` is called with the number of the suite that is
  /// done. Throws environment errors of a lane.
  std::vector<SuiteMutants> run(const std::function<void(size_t done)>& tell = {});

 private:
  struct Job {
    size_t work;
    MutationPart part;
    int losses = 0;
  };

  pid_t start(size_t lane, Channel& ours, Channel& theirs) override;
  std::optional<PoolJob> next(size_t lane) override;
  bool answered(size_t job, const nlohmann::json& answer) override;
  void failed(size_t job, const Error& error) override;
  bool lost(const LostProcess& lost) override;
  void serve(Channel& channel);

  const std::vector<MutationWork>& work_;
  MutationOptions options_;
  Interpreter* started_;
  std::function<Interpreter&()> python_;
  std::vector<Job> jobs_;
  std::vector<size_t> waiting_;             ///< the next job last
  std::map<size_t, SuiteMutants> results_;  ///< by job
  ProcessPool pool_;
};

}  // namespace warpmark
