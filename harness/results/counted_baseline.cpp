#include "results/counted_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "results/baseline_records.hpp"
#include "results/baseline_text.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// The names of all counters, in the device's order.
std::vector<std::string> names_of(const BenchResult& result) {
  std::vector<std::string> names;
  for (const BenchCase& one : result.cases) {
    for (const auto& [name, value] : one.counters) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// The cases with counters, in the order of their ids.
std::vector<const BenchCase*> cases_of(const BenchResult& result) {
  std::vector<const BenchCase*> cases;
  for (const BenchCase& one : result.cases) {
    if (!one.counters.empty()) cases.push_back(&one);
  }
  std::ranges::sort(cases,
                    [](const BenchCase* a, const BenchCase* b) { return is_before(a->id, b->id); });
  return cases;
}

// Names how the counts of the two were made differently; "" if they were not.
std::string difference(const BenchResult& a, const BenchResult& b) {
  const auto differ = [](const char* what, const std::string& one, const std::string& other) {
    return one == other ? "" : fmt::format("{} differ: {} and {}", what, one, other);
  };
  for (const std::string& text :
       {differ("the devices", a.device_name, b.device_name),
        differ("the architectures", fmt::format("sm_{}", a.architecture),
               fmt::format("sm_{}", b.architecture)),
        differ("the compilers", "NVRTC " + a.nvrtc_version, "NVRTC " + b.nvrtc_version),
        differ("the versions of Warpmark", a.version, b.version),
        differ("the seeds", a.seed, b.seed)}) {
    if (!text.empty()) return text;
  }
  return "";
}

// True if each counter of either that is not 0 has the same value in the other.
bool has_same_counts(const BenchCase& a, const BenchCase& b) {
  const auto is_in = [](const BenchCase& one, const BenchCase& other) {
    return std::ranges::all_of(one.counters, [&](const auto& counter) {
      return counter.second == other.counter(counter.first).value_or(0);
    });
  };
  return is_in(a, b) && is_in(b, a);
}

// Adds what the lines file knows of the cases. It may be missing, and be older than the baseline:
// lines are of use only where they are those of the counts.
void add_lines(BenchResult& result, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  BenchResult lines;
  try {
    const std::string text = read_file(file);
    if (!is_baseline_records(text))
      throw usage_error("this is no file of a baseline's lines", {display_path(file), 1, 0});
    lines = read_baseline_records(file, text);
  } catch (const Error& error) {
    throw usage_error(error.message(), error.where(),
                      "delete it: the baseline is complete without it, and --update-baseline "
                      "writes a new one");
  }
  std::map<std::string_view, BenchCase*> cases;
  for (BenchCase& one : lines.cases) cases.emplace(one.id, &one);
  for (BenchCase& one : result.cases) {
    const auto found = cases.find(one.id);
    if (found == cases.end() || !has_same_counts(one, *found->second)) continue;
    one.lines = std::move(found->second->lines);
    one.sources = std::move(found->second->sources);
  }
}

// Returns true if it wrote: the file had another text, or is none that could have one.
bool write_if_other(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) && read_file(file) == text) return false;
  write_file_atomically(file, text);
  return true;
}

}  // namespace

bool is_before(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [](const std::string& text, size_t& at) {
      const size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      const std::string digits = text.substr(begin, at - begin);
      return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    };
    const std::string first = number(a, i), second = number(b, j);
    if (first.size() != second.size()) return first.size() < second.size();
    if (first != second) return first < second;
  }
  // Ids that differ only in leading zeros are ordered, too.
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

std::string counted_baseline_text(const BenchResult& result) {
  return baseline_text(result, names_of(result), cases_of(result));
}

fs::path lines_file(const fs::path& baseline) {
  fs::path file = baseline;
  return file += ".lines";
}

BenchResult read_baseline(const fs::path& file) {
  const std::string whole = read_file(file);
  const std::string_view text = without_byte_order_mark(whole);
  if (is_baseline_records(text)) return read_baseline_records(file, text);
  // Sides that differ in the first line leave their conflict in front of it.
  if (!is_baseline_text(text) && !is_conflict_marker(text)) return read_bench_result(file);
  BenchResult result = read_baseline_text(file, text);
  add_lines(result, lines_file(file));
  return result;
}

bool write_baseline(const fs::path& file, const BenchResult& result) {
  const bool changed = write_if_other(file, counted_baseline_text(result));
  std::vector<const BenchCase*> cases = cases_of(result);
  std::erase_if(cases, [](const BenchCase* one) { return one->lines.empty(); });
  std::error_code ignored;  // a device or a pipe has nothing beside it
  if (!cases.empty() && fs::is_regular_file(file, ignored)) {
    write_if_other(lines_file(file), baseline_records_text(result, names_of(result), cases));
  }
  return changed;
}

BenchResult merged_baseline(const std::vector<fs::path>& files) {
  BenchResult all = read_baseline(files.front());
  for (size_t i = 1; i < files.size(); ++i) {
    BenchResult next = read_baseline(files[i]);
    const std::string both = display_path(all.file) + " and " + display_path(next.file);
    if (const std::string text = difference(all, next); !text.empty())
      throw usage_error(fmt::format("{} are no parts of one baseline: {}", both, text));
    for (BenchCase& one : next.cases) {
      if (all.find(one.id) != nullptr)
        throw usage_error(fmt::format("the case {} is in both {}", printable(one.id), both));
      all.cases.push_back(std::move(one));
    }
    all.pinned = all.pinned || next.pinned;
  }
  return all;
}

BaselineUpdate updated_baseline(const BenchResult& old, const BenchResult& run) {
  BaselineUpdate update;
  update.result = run;
  std::erase_if(update.result.cases, [](const BenchCase& one) { return one.counters.empty(); });
  for (const BenchCase& one : update.result.cases) {
    const BenchCase* before = old.find(one.id);
    const bool known = before != nullptr && !before->counters.empty();
    size_t& count = !known                             ? update.added
                    : before->counters == one.counters ? update.same
                                                       : update.changed;
    ++count;
  }
  bool kept = false;
  for (const BenchCase& one : old.cases) {
    if (one.counters.empty() || update.result.find(one.id) != nullptr) continue;
    if (run.asked_for(one.id)) {
      ++update.removed;
      continue;
    }
    ++update.same;
    kept = true;
    update.result.cases.push_back(one);
  }
  const std::string text = kept ? difference(old, run) : "";
  if (!text.empty()) {
    throw usage_error(
        fmt::format("{} cannot be updated in a part: {}", display_path(old.file), text), {},
        "choose all cases: without --case and -k");
  }
  return update;
}

}  // namespace warpmark
