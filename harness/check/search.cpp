#include "check/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <set>
#include <utility>
#include <variant>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/split_mix.hpp"
#include "base/text.hpp"
#include "check/search_space.hpp"
#include "check/shrink.hpp"
#include "compiler/source_tokens.hpp"

namespace warpmark {
namespace {

using Clock = std::chrono::steady_clock;

// A search tells how often it ran into points that it knows: then there are hardly any others.
constexpr int kMostKnown = 400;
// After so many cases in a row that fail in known ways, the mistakes hide whatever else there is.
constexpr int kMostFailing = 64;
// Questions to make one failure smaller, and kinds of failures for each suite.
constexpr size_t kMostQuestions = 400, kMostFailures = 8;

uint64_t seed_of(uint64_t seed, const std::string& suite) {
  const std::string hash = sha256_hex(fmt::format("warpmark search 1\n{}\n{}", seed, suite));
  uint64_t number = 0;
  std::from_chars(hash.data(), hash.data() + 16, number, 16);
  return number;
}

// Whole numbers in the kernel's text: sizes of tiles, limits, factors. Those of the suite's own file
// come with the axes.
void add_constants(const Suite& suite, std::set<int64_t>& sizes) {
  std::string text;
  if (suite.kernel.source) text = suite.kernel.source->text;
  if (suite.kernel.file) {
    try {
      text = read_file(suite.folder / suite.kernel.file->text);
    } catch (const Error&) {  // the first case says that it cannot be read
    }
  }
  constexpr size_t kMost = 48;
  for (const SourceToken& token : source_tokens(text)) {
    if (token.kind != TokenKind::number || sizes.size() >= kMost) continue;
    const bool hex = token.text.starts_with("0x") || token.text.starts_with("0X");
    const char* begin = token.text.data() + (hex ? 2 : 0);
    int64_t number = 0;
    const auto [end, error] =
        std::from_chars(begin, token.text.data() + token.text.size(), number, hex ? 16 : 10);
    // A suffix is an integer's; a point is a float's.
    const bool whole = error == std::errc() &&
                       (*end == 0 || std::string_view("uUlL").find(*end) != std::string_view::npos);
    if (whole && number > 1) sizes.insert(number);
  }
}

void add_blocks(const Plan& plan, std::set<int64_t>& sizes) {
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    int64_t threads = 1;
    for (const Size& extent : launch->block) {
      const auto* number = std::get_if<int64_t>(&extent);
      if (number == nullptr || *number <= 1) continue;
      sizes.insert(*number);
      threads *= *number;
    }
    if (threads > 1) sizes.insert(threads);
  }
}

// The way in which a case fails: others of the same kind are taken for the same mistake.
std::string kind_of_failure(const Outcome& outcome) {
  std::string kind(to_text(outcome.failure));
  if (!outcome.findings.empty()) kind += "/" + outcome.findings.front().value("kind", "");
  return kind;
}

// The suite with a limit of time for each case, so that a kernel that hangs does not take all of it.
std::shared_ptr<const Suite> bounded(const Suite& suite) {
  auto changed = std::make_shared<Suite>(suite);
  if (!suite.limits.timeout_s) changed->limits.timeout_s = Expression::parse("10", {});
  return changed;
}

class Search {
 public:
  Search(const std::shared_ptr<const Suite>& suite, const std::vector<Case>& usual,
         CaseRunner& runner, PluginLoader& plugins, const SearchLimits& limits, uint64_t seed,
         const std::function<bool()>& stopped)
      : suite_(suite),
        space_(bounded(*suite), usual),
        runner_(runner),
        plugins_(plugins),
        limits_(limits),
        stopped_(stopped),
        numbers_(seed_of(seed, suite->name)) {
    add_constants(*suite, sizes_);
  }

  SearchResult run() {
    result_.has_points = space_.has_points();
    if (space_.kinds() == 0) return std::move(result_);
    edges_ = space_.edges({sizes_.begin(), sizes_.end()});
    simplest();
    next_edge_.assign(edges_.size(), 0);
    while (more()) {
      for (size_t range = 0; range < edges_.size() && more(); ++range) edge(range);
      for (size_t i = 0; i < std::max<size_t>(edges_.size(), 1) && more(); ++i)
        try_point(random_point());
      if (known_ > kMostKnown) {
        result_.whole = true;
        break;
      }
    }
    for (size_t range = 0; range < edges_.size(); ++range) {
      const int64_t reached = ceiling(range);
      if (reached < space_.greatest(range) && !result_.whole)
        result_.up_to.push_back(fmt::format("{} up to {}", space_.ranges()[range]->name, reached));
    }
    return std::move(result_);
  }

 private:
  bool more() const {
    if (result_.all_fail || stopped_() || result_.found.size() >= kMostFailures ||
        known_ > kMostKnown)
      return false;
    if (limits_.cases && result_.tried >= *limits_.cases) return false;
    return !limits_.seconds ||
           std::chrono::duration<double>(Clock::now() - begin_).count() < *limits_.seconds;
  }

  SearchPoint least_point(size_t kind) const {
    SearchPoint point;
    point.kind = kind;
    for (size_t range = 0; range < space_.ranges().size(); ++range)
      point.numbers.push_back(space_.least(range));
    point.patterns.assign(space_.varied().size(), 0);
    return point;
  }

  // The least point of each kind; the plans also tell the sizes of blocks.
  void simplest() {
    constexpr size_t kMostKinds = 32;
    for (size_t kind = 0; kind < std::min(space_.kinds(), kMostKinds) && more(); ++kind) {
      const SearchPoint point = least_point(kind);
      try {
        add_blocks(make_plan(space_.case_of(point), plugins_).plan, sizes_);
      } catch (const Error&) {  // the case itself says so
      }
      edges_ = space_.edges({sizes_.begin(), sizes_.end()});  // with the sizes of blocks
      try_point(point);
    }
  }

  // The greatest number of a range up to which random ones go: larger ones come later, as they take
  // longer, so that an early end leaves out the large ones.
  int64_t ceiling(size_t range) const {
    const size_t next = next_edge_[range];
    return next < edges_[range].size() ? edges_[range][next] : space_.greatest(range);
  }

  // The next number of a range that code often gets wrong, with small ones of the others.
  void edge(size_t range) {
    if (next_edge_[range] >= edges_[range].size()) return;
    SearchPoint point = least_point(numbers_.below(space_.kinds()));
    for (size_t other = 0; other < edges_.size(); ++other) {
      if (other == range)
        point.numbers[other] = edges_[range][next_edge_[range]];
      else if (numbers_.one_of(3))
        point.numbers[other] = space_.nearest(other, edges_[range][next_edge_[range]]);
      else
        point.numbers[other] = random_number(other);
    }
    ++next_edge_[range];
    try_point(point);
  }

  // Uniform in the logarithm, uniform, or beside an edge; never beyond what edges have reached.
  int64_t random_number(size_t range) {
    const int64_t least = space_.least(range), most = std::max(ceiling(range), least);
    const auto width = static_cast<uint64_t>(most - least) + 1;
    switch (numbers_.below(3)) {
      case 0: {
        const auto bits = static_cast<uint64_t>(std::bit_width(width));
        const uint64_t end = uint64_t{1} << (numbers_.below(bits) + 1);
        return space_.nearest(range,
                              least + static_cast<int64_t>(numbers_.below(std::min(end, width))));
      }
      case 1:
        return space_.nearest(range, least + static_cast<int64_t>(numbers_.below(width)));
      default: {
        const size_t reached = std::max<size_t>(next_edge_[range], 1);
        return edges_[range][numbers_.below(reached)];
      }
    }
  }

  SearchPoint random_point() {
    SearchPoint point;
    const bool beside = !telling_.empty() && numbers_.one_of(3);
    point = beside ? telling_[numbers_.below(telling_.size())]
                   : least_point(numbers_.below(space_.kinds()));
    for (size_t range = 0; range < point.numbers.size(); ++range) {
      if (!beside || numbers_.one_of(2)) {
        point.numbers[range] = random_number(range);
      } else if (numbers_.one_of(2)) {
        const int64_t off = static_cast<int64_t>(numbers_.below(9)) - 4;
        point.numbers[range] = space_.nearest(
            range, point.numbers[range] + off * space_.ranges()[range]->any->multiple_of);
      }
    }
    for (size_t i = 0; i < point.patterns.size(); ++i) {
      if (numbers_.one_of(2)) point.patterns[i] = numbers_.below(space_.patterns(i) + 1);
    }
    if (!space_.has_points() || numbers_.one_of(4)) point.trial = 1 + numbers_.below(1000);
    return point;
  }

  void try_point(const SearchPoint& point) {
    if (!seen_.insert(point).second) {
      ++known_;
      return;
    }
    known_ = 0;
    ++result_.tried;
    const std::string kind = failure_of(point, true);
    failing_ = kind.empty() || kinds_.insert(kind).second ? 0 : failing_ + 1;
    result_.all_fail = failing_ >= kMostFailing;
    if (kind.empty() || failing_ > 0) return;
    FoundFailure found;
    found.first_id = space_.case_of(point).id;
    found.tried = result_.tried;
    const FailsToo fails = [&](const SearchPoint& other) {
      ++found.smaller;
      return !stopped_() && failure_of(other, false) == kind;
    };
    const SearchPoint smallest =
        shrunk(space_, point, edges_, {sizes_.begin(), sizes_.end()}, kMostQuestions, fails);
    Case which = space_.case_of(smallest);
    found.which = case_at(suite_, std::move(which.point), std::move(which.contents));
    found.trial = smallest.trial;
    found.listed = space_.listed(smallest);
    result_.found.push_back(std::move(found));
  }

  // The kind of failure of a point; "" if it passes or cannot be run.
  std::string failure_of(const SearchPoint& point, bool learns) {
    auto work = std::make_unique<CaseWork>();
    try {
      work->which = space_.case_of(point);
    } catch (const Error&) {
      return "";
    }
    if (work->which.skip) return "";
    const Outcome outcome = runner_.verify(*work, point.trial);
    last_ = std::move(work);
    if (learns && is_telling(outcome.coverage)) telling_.push_back(point);
    if (outcome.verdict != Verdict::failed) return "";
    // An integer has no NaN: that pattern says nothing.
    if (outcome.failure == FailureKind::input && space_.has_real_only(point)) return "";
    return kind_of_failure(outcome);
  }

  // True if a line, a side of a branch, or this set of sides is executed for the first time.
  bool is_telling(const Coverage& coverage) {
    bool is_new = false;
    std::string sides;
    for (const auto& [name, file] : coverage.files) {
      for (const auto& [line, counted] : file.lines) {
        if (counted.count > 0) is_new |= reached_.insert(fmt::format("{}:{}", name, line)).second;
        for (const auto& [to, count] : counted.branches) {
          if (count > 0) sides += fmt::format("{}:{}>{} ", name, line, to);
        }
      }
    }
    return (!sides.empty() && reached_.insert(sides).second) || is_new;
  }

  std::shared_ptr<const Suite> suite_;
  SearchSpace space_;
  std::unique_ptr<CaseWork> last_;  ///< alive until the next one has another address
  CaseRunner& runner_;
  PluginLoader& plugins_;
  SearchLimits limits_;
  const std::function<bool()>& stopped_;
  SplitMix64 numbers_;
  Clock::time_point begin_ = Clock::now();
  std::set<int64_t> sizes_;
  std::vector<std::vector<int64_t>> edges_;
  std::vector<size_t> next_edge_;  ///< of each range
  std::set<SearchPoint> seen_;
  std::set<std::string> kinds_;  ///< of failures that were found
  std::set<std::string> reached_;
  std::vector<SearchPoint> telling_;
  int known_ = 0;    ///< points since the last new one
  int failing_ = 0;  ///< cases since the last that passed, or failed in a new way
  SearchResult result_;
};

}  // namespace

SearchResult search(const std::shared_ptr<const Suite>& suite, const std::vector<Case>& usual,
                    CaseRunner& runner, PluginLoader& plugins, const SearchLimits& limits,
                    uint64_t seed, const std::function<bool()>& stopped) {
  return Search(suite, usual, runner, plugins, limits, seed, stopped).run();
}

}  // namespace warpmark
