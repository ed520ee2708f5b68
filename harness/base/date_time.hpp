// Points in time as people and platforms write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmark {

/// Seconds since 1970 in UTC, of a date and time with its zone as in RFC 3339:
/// "2026-11-20T23:59:00+01:00", "2026-11-20 23:59 Z", "2026-11-20 22:59:00 UTC"; fractions of a
/// second are cut. Nothing for what is none, and for a time without a zone, which could be any.
std::optional<int64_t> parse_time(std::string_view text);

/// "2026-11-20T22:59:00Z".
std::string time_text(int64_t seconds);

/// "3 days", "1 day and 4 hours", "12 minutes": the two largest units that are not zero.
std::string duration_words(int64_t seconds);

}  // namespace warpmark
