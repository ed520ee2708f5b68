#include "ranks/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json_text.hpp"
#include "base/loader.hpp"
#include "base/places.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "warpmark-mpi.so";

Error no_library(const std::string& why) {
  return environment_error("mpirun started this program, which cannot use MPI: " + why,
                           "build Warpmark where CMake finds an MPI (Debian: libopenmpi-dev), or "
                           "start it without mpirun: "
                           "then one process runs a case on several devices");
}

std::string library_file() {
  std::vector<std::string> looked;
  for (const fs::path& folder : library_search_path()) {
    std::error_code ignored;
    if (fs::exists(folder / kFile, ignored)) return fs::absolute(folder / kFile).string();
    looked.push_back(folder.string());
  }
  throw no_library(fmt::format("there is no {} in {}", kFile, join(looked, " or ")));
}

}  // namespace

std::shared_ptr<Ranks> Ranks::join(const LaunchedRank& launched) {
  const std::string file = library_file();
  dlerror();
  // RTLD_GLOBAL is for libraries that MPI itself opens, which may look for MPI's functions.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw no_library(loader_error());
  const auto functions =
      reinterpret_cast<warpmark_ranks_function>(dlsym(library, WARPMARK_RANKS_SYMBOL));
  if (functions == nullptr || functions()->size < sizeof(warpmark_ranks)) {
    throw no_library(file + " is of another version of Warpmark");
  }
  warpmark_ranks_place place{};
  if (functions()->start(&place) != WARPMARK_RANKS_OK) throw no_library(functions()->error());
  if (place.size != launched.size || place.rank != launched.rank) {
    throw no_library(
        fmt::format("the launcher started {} processes, and MPI counts {}; {} is of another MPI",
                    launched.size, place.size, file));
  }
  return std::make_shared<Ranks>(*functions(), place);
}

void Ranks::check(int result, int peer, const std::function<bool()>& late) {
  if (result == WARPMARK_RANKS_OK) return;
  whole_ = false;
  if (result == WARPMARK_RANKS_STOPPED && !late()) throw StoppedWait{};
  throw environment_error(fmt::format(
      "rank {} does not answer{}", peer,
      result == WARPMARK_RANKS_STOPPED ? "" : fmt::format(": {}", printable(functions_.error()))));
}

template <typename Transfer>
void Ranks::transfer(int peer, std::optional<double> limit_s, const Transfer& start) {
  struct Wait {
    const std::function<bool()>& stops;
    std::optional<Clock::time_point> deadline;
    bool late() const { return deadline && Clock::now() > *deadline; }
  };
  Wait wait{stops_, limit_s ? std::optional(in_seconds(*limit_s)) : std::nullopt};
  const auto go_on = [](void* state) -> int {
    const Wait& one = *static_cast<const Wait*>(state);
    return one.late() || (one.stops && one.stops()) ? 0 : 1;
  };
  check(start(go_on, &wait), peer, [&] { return wait.late(); });
}

void Ranks::send_bytes(int to, std::span<const std::byte> bytes) {
  transfer(to, {}, [&](warpmark_ranks_go_on go_on, void* state) {
    return functions_.send(to, bytes.data(), bytes.size(), go_on, state);
  });
}

void Ranks::receive_bytes(int from, std::span<std::byte> bytes, std::optional<double> limit_s) {
  transfer(from, limit_s, [&](warpmark_ranks_go_on go_on, void* state) {
    return functions_.receive(from, bytes.data(), bytes.size(), go_on, state);
  });
}

void Ranks::send(int to, const nlohmann::json& message) {
  const std::string text = json_line(message);
  const uint64_t size = text.size();
  send_bytes(to, std::as_bytes(std::span(&size, 1)));
  send_bytes(to, std::as_bytes(std::span(text)));
}

nlohmann::json Ranks::receive(int from, std::optional<double> limit_s) {
  uint64_t size = 0;
  receive_bytes(from, std::as_writable_bytes(std::span(&size, 1)), limit_s);
  std::string text(size, '\0');
  receive_bytes(from, std::as_writable_bytes(std::span(text)), limit_s);
  return try_parse_json(text);
}

void Ranks::share_cpu_devices() const {
  ::setenv("WARPMARK_CPU_DEVICES", std::to_string(place_.node_size).c_str(), 0);
}

void Ranks::leave() noexcept {
  functions_.finish();
}

void Ranks::abort(ExitCode code) noexcept {
  functions_.abort(static_cast<int>(code));
}

void refuse_ranks(const std::string& what, const std::string& hint) {
  const auto launched = launched_rank();
  if (!launched) return;
  throw usage_error(fmt::format("{} one process, and mpirun started {}", what, launched->size), {},
                    hint);
}

}  // namespace warpmark
