// A bench that is held against a baseline: `--compare`, or by turns `--against`.
#pragma once

#include "cli/request/job_request.hpp"

namespace warpmark {

/// Measures as `bench` does without a baseline, then compares as `warpmark compare` does. The exit
/// code is that of the gravest of both. Throws a usage error for a baseline that cannot be read,
/// before any case runs.
ExitCode bench_and_compare(const JobRequest& request, Output& out);

/// Measures the cases by turns with what the request names (Rivals), and compares both likewise.
ExitCode bench_against(const JobRequest& request, Output& out);

/// Throws a usage error if the journal of this run would be the baseline's file.
void require_other_journal(const JobRequest& request);

/// Prints a comparison with the verbosity of the request, after an empty line.
void print_comparison(const ComparedBenches& compared, const JobRequest& request, Output& out);
/// Prints a text, on standard error if the records of the request are on standard output.
void print_beside(const std::string& text, const JobRequest& request, Output& out);

}  // namespace warpmark
