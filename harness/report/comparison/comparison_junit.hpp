// A bench as JUnit XML, by what a comparison says of its cases.
#pragma once

#include <string>

#include "report/comparison/comparison_report.hpp"
#include "report/run/junit.hpp"

namespace warpmark {

/// The cases of a bench that was compared: a case fails if it did, or if the comparison does.
JunitDocument comparison_junit(const ComparedBenches& compared);
/// The same of one that could not be compared for this reason.
JunitDocument bench_junit(const BenchResult& result, const std::string& error);

}  // namespace warpmark
