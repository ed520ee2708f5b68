// How often `bench` and `compare` call what has not changed, and find what has, on this machine.
#pragma once

#include "cli/program/output.hpp"
#include "cli/request/job_request.hpp"

namespace warpmark {

/// Measures kernels of its own again and again, by processes as a user starts them, without a change
/// and with 5 % more work, compares each pair of runs, and prints how many points were called what.
/// Takes device, modes, budget, precision, samples and processes from the request. Returns success
/// whatever it finds. Throws a usage error on a device that counts, which has no times.
ExitCode bench_self_test(const JobRequest& request, Output& out);

}  // namespace warpmark
