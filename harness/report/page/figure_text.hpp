// Figures of a benchmark as people read them, the same in every report.
#pragma once

#include <cstdint>
#include <string>

#include "results/bench_result.hpp"

namespace warpmark {

/// Four significant digits with a unit that fits: "1.234 ms", "15.68 µs", "980.0 ns". A time of 0
/// is "0 ns".
std::string time_text(double seconds);

/// Half of an interval's width over the median: "±0.42 %", "±12 %"; "" for an infinite one.
std::string half_width_text(double half_width);

/// Four significant digits without an exponent: "4123", "41.23", "0.041".
std::string rate_text(double rate);

/// "102 %", "0.41 %".
std::string share_text(double share);

/// All digits, in groups of three: "1,073,741,824".
std::string whole_text(int64_t number);

/// "13.0" of 13000: cuDriverGetVersion counts 1000 for a major and 10 for a minor version.
std::string cuda_version_text(int64_t version);

/// A ratio as a change in percent with so many digits behind the point, without the sign of percent:
/// "+4.9"; no "-0.0".
std::string change_percent(double ratio, int decimals);

/// "+4.9 %": times are never known to more than a thousandth.
std::string change_of_time(double ratio);

/// "0.31 of its baseline's 12.40 µs (0.30 to 0.32)", and the same of further modes; "" for a case that
/// took no turns.
std::string relative_text(const CaseMeasurement& one);

/// The reason why a case fails that takes more than `most` of its baseline's time in the first mode.
std::string slower_text(const CaseMeasurement& one, double most);

/// The remark of a row whose time may come from runs that reuse earlier results, with the reason.
std::string untested_text(const std::string& why);

/// "+0.012 %": a change of exact numbers is never nothing, and has two significant digits. "from 0"
/// for an infinite change.
std::string change_of_count(double ratio);

}  // namespace warpmark
