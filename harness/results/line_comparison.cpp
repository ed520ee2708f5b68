#include "results/line_comparison.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>

#include "worker/counters.hpp"

namespace warpmark {

namespace {

// Texts that share a smaller part of their words are different lines.
constexpr double kAlike = 0.5;
// The worth of two equal texts, more than that of two that are alike.
constexpr double kEqual = 2;
// The number of pairs above which a table of all is too large: then lines with other texts are new.
constexpr size_t kMostPairs = 4'000'000;

// Names, numbers and signs, sorted.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (letter && inside) {
      words.back() += c;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      words.emplace_back(1, c);
    }
    inside = letter;
  }
  std::ranges::sort(words);
  return words;
}

// Dice's coefficient of the words of two lines.
double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j])
      ++common, ++i, ++j;
    else if (a[i] < b[j])
      ++i;
    else
      ++j;
  }
  return a.empty() || b.empty()
             ? 0
             : 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

// The worth of matching `b` as the changed version of `a`; 0 for none.
double worth(const CountedLine& a, const std::vector<std::string>& words_a, const CountedLine& b,
             const std::vector<std::string>& words_b) {
  if (a.text.empty() || b.text.empty()) {
    return a.text == b.text && a.number == b.number ? kEqual : 0;
  }
  if (a.text == b.text) return kEqual;
  const double alike = likeness(words_a, words_b);
  return alike < kAlike ? 0 : alike;
}

std::vector<int64_t> equal_lines(const std::vector<CountedLine>& before,
                                 const std::vector<CountedLine>& after) {
  std::map<std::string, std::vector<int64_t>> places;  // the first one last
  for (size_t i = before.size(); i-- > 0;)
    places[before[i].text].push_back(static_cast<int64_t>(i));
  std::vector<int64_t> matched;
  for (const CountedLine& line : after) {
    std::vector<int64_t>& left = places[line.text];
    matched.push_back(left.empty() ? -1 : left.back());
    if (!left.empty()) left.pop_back();
  }
  return matched;
}

std::map<std::string, std::vector<CountedLine>> by_file(const std::vector<CountedLine>& lines) {
  std::map<std::string, std::vector<CountedLine>> files;
  for (const CountedLine& line : lines) files[line.file].push_back(line);
  return files;
}

// A line that grew, and its share of what a counter grew by: the greatest of its counters.
struct Growth {
  GrownLine line;
  double share = 0;
};

Growth growth_of(const std::vector<CounterChange>& grown, const CountedLine* before,
                 const CountedLine& after) {
  Growth growth;
  growth.line.number = after.number;
  growth.line.text = after.text;
  for (const CounterChange& whole : grown) {
    CounterChange change = whole;
    change.contender = counter_value(after.counters, whole.name);
    change.baseline = before == nullptr ? 0 : counter_value(before->counters, whole.name);
    const int64_t more = *change.contender - *change.baseline;
    if (more <= 0) continue;
    growth.line.counters.push_back(change);
    growth.share =
        std::max(growth.share, static_cast<double>(more) /
                                   static_cast<double>(*whole.contender - *whole.baseline));
  }
  return growth;
}

// For a baseline without lines: the line's count of the counter that grew most.
Growth amount_of(const CounterChange& most, const CountedLine& after) {
  Growth growth;
  growth.line.number = after.number;
  growth.line.text = after.text;
  const int64_t amount = counter_value(after.counters, most.name);
  if (amount <= 0) return growth;
  growth.line.counters.push_back(most);
  growth.line.counters.back().baseline.reset();
  growth.line.counters.back().contender = amount;
  growth.share = static_cast<double>(amount);
  return growth;
}

}  // namespace

// Aligns sequences by Needleman and Wunsch (Journal of Molecular Biology 48, 1970): of all ways to
// pair lines in order, the one with the greatest worth.
std::vector<int64_t> matched_lines(const std::vector<CountedLine>& before,
                                   const std::vector<CountedLine>& after) {
  const size_t rows = before.size(), columns = after.size();
  if ((rows + 1) * (columns + 1) > kMostPairs) return equal_lines(before, after);
  std::vector<std::vector<std::string>> words_before, words_after;
  for (const CountedLine& line : before) words_before.push_back(words_of(line.text));
  for (const CountedLine& line : after) words_after.push_back(words_of(line.text));
  // best[i][j]: the greatest worth of the lines from i and j on; pair[i][j]: the worth of that
  // pair.
  std::vector<std::vector<double>> best(rows + 1, std::vector<double>(columns + 1, 0));
  std::vector<std::vector<double>> pair(rows, std::vector<double>(columns, 0));
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      pair[i][j] = worth(before[i], words_before[i], after[j], words_after[j]);
      best[i][j] = std::max(best[i + 1][j], best[i][j + 1]);
      if (pair[i][j] > 0) best[i][j] = std::max(best[i][j], pair[i][j] + best[i + 1][j + 1]);
    }
  }
  std::vector<int64_t> matched(columns, -1);
  for (size_t i = 0, j = 0; i < rows && j < columns;) {
    if (pair[i][j] > 0 && best[i][j] == pair[i][j] + best[i + 1][j + 1]) {
      matched[j++] = static_cast<int64_t>(i++);
    } else if (best[i][j] == best[i + 1][j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return matched;
}

std::vector<GrownLine> grown_lines(const ComparedPoint& point, const BenchCase& before,
                                   const BenchCase& after) {
  std::vector<CounterChange> grown;
  for (const CounterChange& change : point.counters) {
    if (change.counts && change.baseline && change.contender &&
        *change.contender > *change.baseline)
      grown.push_back(change);
  }
  // Not every counter is one of lines: launches, barriers, floating-point operations.
  const auto in_lines = [&](const CounterChange& change) {
    return std::ranges::any_of(after.lines, [&](const CountedLine& line) {
      return counter_value(line.counters, change.name) != 0;
    });
  };
  const auto most = std::ranges::find_if(grown, in_lines);
  if (most == grown.end()) return {};
  const auto files = by_file(before.lines);
  std::vector<Growth> all;
  for (const auto& [file, lines] : by_file(after.lines)) {
    const auto known = files.find(file);
    const std::vector<CountedLine> none;
    const std::vector<CountedLine>& old = known == files.end() ? none : known->second;
    const std::vector<int64_t> matched = matched_lines(old, lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      const CountedLine* then = matched[i] < 0 ? nullptr : &old[static_cast<size_t>(matched[i])];
      Growth growth =
          before.lines.empty() ? amount_of(*most, lines[i]) : growth_of(grown, then, lines[i]);
      if (growth.line.counters.empty()) continue;
      const bool inside = !after.folder.empty() && !lines[i].text.empty();
      growth.line.file =
          inside ? (std::filesystem::path(after.folder) / file).lexically_normal().string() : file;
      all.push_back(std::move(growth));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Growth::share);
  std::vector<GrownLine> lines;
  for (Growth& growth : all) lines.push_back(std::move(growth.line));
  return lines;
}

}  // namespace warpmark
