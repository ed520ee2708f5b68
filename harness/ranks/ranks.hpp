// The other processes that mpirun started with this one, and messages between them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "ranks/launcher.hpp"
#include "warpmark/ranks.h"

namespace warpmark {

/// A wait for another rank that was stopped.
struct StoppedWait {};

/// Rank 0 talks to each other rank, and these only to rank 0. Every send has its receive.
class Ranks {
 public:
  /// Opens the library that has MPI, and waits for the other ranks. Throws an environment error if
  /// there is no such library, or it belongs to another MPI than the launcher.
  static std::shared_ptr<Ranks> join(const LaunchedRank& launched);

  Ranks(const warpmark_ranks& functions, const warpmark_ranks_place& place)
      : functions_(functions), place_(place) {}

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  const warpmark_ranks_place& place() const { return place_; }

  /// Sets a function that is called during waits: true ends them with StoppedWait.
  void stop_waits_if(std::function<bool()> stops) { stops_ = std::move(stops); }

  // With a limit, in seconds, a rank that takes longer is an environment error that names it. After
  // an exception of these the ranks can only be ended.
  void send(int to, const nlohmann::json& message);
  void send_bytes(int to, std::span<const std::byte> bytes);
  nlohmann::json receive(int from, std::optional<double> limit_s = {});
  void receive_bytes(int from, std::span<std::byte> bytes, std::optional<double> limit_s = {});

  /// Sets the number of CPU devices, which belong to their processes: unless WARPMARK_CPU_DEVICES
  /// gives a number, a node has one for each of its ranks.
  void share_cpu_devices() const;

  /// True if messages can still be exchanged.
  bool whole() const { return whole_; }

  /// Waits until every rank leaves.
  void leave() noexcept;
  /// Ends all processes, including this one.
  void abort(ExitCode code) noexcept;

 private:
  void check(int result, int peer, const std::function<bool()>& late);
  template <typename Transfer>
  void transfer(int peer, std::optional<double> limit_s, const Transfer& start);

  const warpmark_ranks& functions_;
  warpmark_ranks_place place_;
  std::function<bool()> stops_;
  bool whole_ = true;
};

/// Throws the usage error of a command that needs a single process, if there are several.
void refuse_ranks(const std::string& what, const std::string& hint);

}  // namespace warpmark
