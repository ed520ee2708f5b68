// The ranks of a program that mpirun starts (warpmark/ranks.h), by the C interface of MPI.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "warpmark/ranks.h"

namespace {

// MPI counts in int, and some of its transports in 32 bits.
constexpr std::uint64_t kMostAtATime = std::uint64_t{1} << 30;
constexpr int kTag = 0;

MPI_Comm world = MPI_COMM_NULL;
std::string last_error;  // NOLINT(cert-err58-cpp): an empty string throws nothing

int failed(int code, const char* what) {
  char words[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(code, words, &length);
  last_error = std::string(what) + ": " + words;
  return WARPMARK_RANKS_FAILED;
}

// MPI's own waits keep a processor busy, which the worker and its kernel want.
int wait_for(MPI_Request& request, const char* what, warpmark_ranks_go_on go_on, void* state) {
  constexpr std::chrono::microseconds kLongest(1000);
  std::chrono::microseconds pause(0);
  for (;;) {
    int done = 0;
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return failed(code, what);
    if (done != 0) return WARPMARK_RANKS_OK;
    if (go_on != nullptr && go_on(state) == 0) return WARPMARK_RANKS_STOPPED;
    std::this_thread::sleep_for(pause);
    pause = std::min(kLongest, pause + std::chrono::microseconds(5));
  }
}

// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): it takes no MPI_Test for a wait
template <typename Start>
int in_parts(std::uint64_t size, const char* what, warpmark_ranks_go_on go_on, void* state,
             const Start& start) {
  for (std::uint64_t at = 0; at < size; at += kMostAtATime) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = start(at, static_cast<int>(std::min(kMostAtATime, size - at)), request);
    if (code != MPI_SUCCESS) return failed(code, what);
    if (const int end = wait_for(request, what, go_on, state); end != WARPMARK_RANKS_OK) return end;
  }
  return WARPMARK_RANKS_OK;
}

// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

int find_node(warpmark_ranks_place& place) {
  MPI_Comm node = MPI_COMM_NULL;
  int code = MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &node);
  if (code != MPI_SUCCESS) return code;
  MPI_Comm_rank(node, &place.node_rank);
  MPI_Comm_size(node, &place.node_size);
  place.node = place.rank;
  code = MPI_Bcast(&place.node, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  return code;
}

int start(warpmark_ranks_place* place) {
  int initialized = 0, provided = 0;
  MPI_Initialized(&initialized);
  int code = initialized != 0 ? MPI_SUCCESS
                              : MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (code != MPI_SUCCESS) return failed(code, "MPI does not start");
  code = MPI_Comm_dup(MPI_COMM_WORLD, &world);
  if (code != MPI_SUCCESS) return failed(code, "MPI does not start");
  // Otherwise MPI ends the program, with words of its own.
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_rank(world, &place->rank);
  MPI_Comm_size(world, &place->size);
  code = find_node(*place);
  return code == MPI_SUCCESS ? WARPMARK_RANKS_OK
                             : failed(code, "the ranks of a node are not known");
}

int send(int to, const void* bytes, std::uint64_t size, warpmark_ranks_go_on go_on, void* state) {
  const auto* from = static_cast<const char*>(bytes);
  return in_parts(size, "cannot send", go_on, state,
                  [&](std::uint64_t at, int count, MPI_Request& request) {
                    return MPI_Isend(from + at, count, MPI_BYTE, to, kTag, world, &request);
                  });
}

int receive(int from, void* bytes, std::uint64_t size, warpmark_ranks_go_on go_on, void* state) {
  auto* into = static_cast<char*>(bytes);
  return in_parts(size, "cannot receive", go_on, state,
                  [&](std::uint64_t at, int count, MPI_Request& request) {
                    return MPI_Irecv(into + at, count, MPI_BYTE, from, kTag, world, &request);
                  });
}

void finish() {
  if (world != MPI_COMM_NULL) MPI_Comm_free(&world);
  MPI_Finalize();
}

void end_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

const char* error() {
  return last_error.c_str();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const warpmark_ranks* warpmark_ranks_v1();

const warpmark_ranks* warpmark_ranks_v1() {
  static const warpmark_ranks kRanks = {
      sizeof(warpmark_ranks), &start, &send, &receive, &finish, &end_all, &error};
  return &kRanks;
}
