#include "base/date_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"

namespace warpmark {

namespace {

// Reads a time from its start.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  // Exactly so many digits.
  bool number(int digits, int& into) {
    into = 0;
    for (int i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return false;
      into = 10 * into + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return true;
  }
  bool accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void skip_digits() {
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') rest_.remove_prefix(1);
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// Seconds that local time is before UTC's.
bool read_zone(TimeReader& reader, int64_t& offset) {
  reader.accept(" ");
  offset = 0;
  if (reader.accept("Z") || reader.accept("z") || reader.accept("UTC")) return true;
  const bool east = reader.accept("+");
  if (!east && !reader.accept("-")) return false;
  int hours = 0, minutes = 0;
  if (!reader.number(2, hours)) return false;
  reader.accept(":");
  if (!reader.number(2, minutes) || hours > 23 || minutes > 59) return false;
  offset = (hours * 60 + minutes) * 60 * (east ? 1 : -1);
  return true;
}

}  // namespace

std::optional<int64_t> parse_time(std::string_view text) {
  TimeReader reader(trim(text));
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!reader.number(4, year) || !reader.accept("-") || !reader.number(2, month) ||
      !reader.accept("-") || !reader.number(2, day))
    return std::nullopt;
  if (!reader.accept("T") && !reader.accept("t") && !reader.accept(" ")) return std::nullopt;
  if (!reader.number(2, hour) || !reader.accept(":") || !reader.number(2, minute))
    return std::nullopt;
  if (reader.accept(":")) {
    if (!reader.number(2, second)) return std::nullopt;
    if (reader.accept(".")) reader.skip_digits();
  }
  int64_t offset = 0;
  if (!read_zone(reader, offset) || !reader.at_end()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // A leap second counts as the one before it.
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return int64_t{days} * 86400 + hour * 3600 + minute * 60 + std::min(second, 59) - offset;
}

std::string time_text(int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string duration_words(int64_t seconds) {
  struct Unit {
    int64_t seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
  std::string text;
  int used = 0;
  for (const Unit& unit : kUnits) {
    const int64_t count = seconds / unit.seconds;
    seconds %= unit.seconds;
    if (used == 0 && count == 0) continue;
    if (++used > 2) break;
    if (count != 0)
      text += fmt::format("{}{} {}{}", text.empty() ? "" : " and ", count, unit.name,
                          count == 1 ? "" : "s");
  }
  return text.empty() ? "0 seconds" : text;
}

}  // namespace warpmark
