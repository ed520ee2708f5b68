#include "results/baseline_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "results/baseline_records.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// Counts up when a reader of the old form would misread the new one; version 1 is JSON lines.
constexpr int64_t kVersion = 2;
constexpr std::string_view kTitle = "warpmark baseline ";
constexpr std::string_view kForm = "CASE COUNTER VALUE";

std::optional<int64_t> count_of(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

bool separates_words(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
}

void require_word(const std::string& text, const char* what) {
  if (!text.empty() && std::ranges::none_of(text, separates_words)) return;
  throw usage_error(
      fmt::format("the {} `{}` has no place in a baseline of counters", what, printable(text)), {},
      "names there have no blanks");
}

// A value of the head is the rest of a line.
std::string value_text(const std::string& value) {
  std::string text = printable(value);
  std::ranges::replace_if(text, separates_words, ' ');
  return std::string(trim(text));
}

std::string head_text(const BenchResult& result, const std::vector<std::string>& names) {
  std::string text = fmt::format("{}{}\n", kTitle, kVersion);
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{}: {}\n", key, value_text(value));
  };
  add("version", result.version);
  add("device", result.device_name);
  add("kind", result.device_kind);
  add("architecture", std::to_string(result.architecture));
  add("nvrtc", result.nvrtc_version);
  if (!result.seed.empty()) add("seed", result.seed);
  if (result.pinned) add("pinned", "true");
  for (const std::string& name : names) {
    require_word(name, "counter");
    add("counter", name);
  }
  return text + "\n";
}

// A word of a line, and its column from 1.
struct Word {
  std::string_view text;
  int column = 0;
};

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
      continue;
    }
    const size_t end = std::min(line.find_first_of(" \t", i), line.size());
    words.push_back({line.substr(i, end - i), static_cast<int>(i) + 1});
    i = end;
  }
  return words;
}

class TextReader {
 public:
  explicit TextReader(const fs::path& file) : name_(display_path(file)) { result_.file = file; }

  BenchResult read(std::string_view text) {
    size_t begin = 0;
    for (size_t end = 0; (end = text.find('\n', begin)) != std::string_view::npos;
         begin = end + 1) {
      ++line_;
      std::string_view line = text.substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);  // git writes them on Windows
      read_line(line);
    }
    if (part_ != Part::behind || begin != text.size()) {
      throw usage_error("the baseline is cut off: its last line is not `end`", {name_, 0, 0},
                        "take the whole file from version control");
    }
    return finished();
  }

 private:
  enum class Part { title, head, cases, behind };

  Error error(const std::string& message, int column, const std::string& hint = "") const {
    return usage_error(message, {name_, line_, column}, hint);
  }

  void read_line(std::string_view line) {
    if (is_conflict_marker(line)) {
      throw error("a merge left a conflict in the baseline", 1,
                  "take either side of the file, and write it again with --update-baseline");
    }
    switch (part_) {
      case Part::title:
        return read_title(line);
      case Part::head:
        return read_head(line);
      case Part::cases:
        return read_count(line);
      case Part::behind:
        throw error("there is a line behind the last one, `end`", 1);
    }
  }

  void read_title(std::string_view line) {
    const auto version = count_of(line.substr(kTitle.size()));
    if (!version) throw error("the version of the baseline is no number", int{kTitle.size()} + 1);
    if (*version != kVersion) {
      throw error(fmt::format("the baseline is of version {}, and this Warpmark knows versions up "
                              "to {}",
                              *version, kVersion),
                  int{kTitle.size()} + 1,
                  "read it with the Warpmark that wrote it, or a newer one");
    }
    part_ = Part::head;
  }

  void read_head(std::string_view line) {
    if (line.empty()) return end_head();
    const size_t colon = line.find(": ");
    const std::string key(line.substr(0, colon));
    const std::map<std::string, std::string*> texts = {{"version", &result_.version},
                                                       {"device", &result_.device_name},
                                                       {"kind", &result_.device_kind},
                                                       {"architecture", &architecture_},
                                                       {"nvrtc", &result_.nvrtc_version},
                                                       {"seed", &result_.seed},
                                                       {"pinned", &pinned_}};
    const auto known = texts.find(key);
    if (colon == std::string_view::npos || (known == texts.end() && key != "counter")) {
      throw error(fmt::format("`{}` is no line of the baseline's head", printable(line)), 1,
                  "an empty line parts the head from the counts");
    }
    const std::string value(line.substr(colon + 2));
    const auto [first, is_new] = head_.emplace(key == "counter" ? std::string(line) : key, line_);
    if (!is_new) {
      throw error(fmt::format("a second line `{}`", printable(first->first)), 1,
                  fmt::format("the first is line {}", first->second));
    }
    if (known == texts.end()) {
      counters_.emplace(value, names_.size());
      names_.push_back(value);
    } else {
      *known->second = value;
    }
  }

  void end_head() {
    for (const char* key : {"version", "device", "kind", "architecture", "nvrtc"}) {
      if (!head_.contains(key)) throw error(fmt::format("the head has no line `{}`", key), 1);
    }
    const auto wrong = [&](const char* key, const char* wanted) {
      line_ = head_.at(key);
      return error(fmt::format("`{}` must be {}", key, wanted),
                   static_cast<int>(std::string_view(key).size()) + 3);
    };
    const auto architecture = count_of(architecture_);
    if (!architecture) throw wrong("architecture", "a whole number");
    result_.architecture = *architecture;
    const bool digits = result_.seed.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) throw wrong("seed", "a whole number");
    if (!pinned_.empty() && pinned_ != "true") throw wrong("pinned", "true");
    result_.pinned = !pinned_.empty();
    part_ = Part::cases;
  }

  void read_count(std::string_view line) {
    if (line == "end") {
      part_ = Part::behind;
      return;
    }
    const std::vector<Word> words = words_of(line);
    if (words.size() != 3) {
      const int column = words.size() > 3 ? words[3].column : static_cast<int>(line.size()) + 1;
      throw error(fmt::format("a line of the baseline is `{}`, and this has {}", kForm,
                              counted(words.size(), "word")),
                  column);
    }
    const std::string counter(words[1].text);
    const auto known = counters_.find(counter);
    if (known == counters_.end()) {
      const std::string meant = nearest(counter, names_);
      throw error(fmt::format("the baseline's head has no counter `{}`", printable(counter)),
                  words[1].column, meant.empty() ? "" : "did you mean `" + meant + "`?");
    }
    const auto value = count_of(words[2].text);
    if (!value) {
      throw error(fmt::format("`{}` is no count: a whole number from 0 to {}",
                              printable(words[2].text), INT64_MAX),
                  words[2].column);
    }
    add(std::string(words[0].text), known->second, *value);
  }

  void add(const std::string& id, size_t counter, int64_t value) {
    const auto [place, is_new_case] = cases_.emplace(id, result_.cases.size());
    if (is_new_case) {
      BenchCase& one = result_.cases.emplace_back();
      one.suite = id.substr(0, id.find('.'));
      one.id = id;
      one.line = line_;
      for (const std::string& name : names_) one.counters.emplace_back(name, 0);
    }
    const auto [first, is_new] = lines_.emplace(std::pair(place->second, counter), line_);
    if (!is_new) {
      throw error(fmt::format("a second line of {} of {}", names_[counter], printable(id)), 1,
                  fmt::format("the first is line {}", first->second));
    }
    result_.cases[place->second].counters[counter].second = value;
  }

  BenchResult finished() {
    result_.capabilities = {"counters"};
    result_.complete = true;
    return std::move(result_);
  }

  std::string name_;
  int line_ = 0;
  Part part_ = Part::title;
  BenchResult result_;
  std::string architecture_, pinned_;
  std::map<std::string, int> head_;  ///< line by key
  std::vector<std::string> names_;
  std::map<std::string, size_t> counters_;          ///< index by name
  std::map<std::string, size_t> cases_;             ///< index by id
  std::map<std::pair<size_t, size_t>, int> lines_;  ///< line by case and counter
};

}  // namespace

bool is_baseline_text(std::string_view text) {
  return text.starts_with(kTitle);
}

std::string baseline_text(const BenchResult& result, std::vector<std::string> names,
                          const std::vector<const BenchCase*>& cases) {
  std::string text = head_text(result, names);
  std::ranges::sort(names);
  for (const BenchCase* one : cases) {
    require_word(one->id, "case");
    const size_t before = text.size();
    for (const std::string& name : names) {
      const int64_t value = one->counter(name).value_or(0);
      if (value < 0) {
        throw usage_error(fmt::format("{} of {} is {}, and no count is less than 0", name,
                                      printable(one->id), value));
      }
      if (value > 0) text += fmt::format("{} {} {}\n", one->id, name, value);
    }
    // A case that counted nothing is a case all the same.
    if (text.size() == before) text += fmt::format("{} {} 0\n", one->id, names.front());
  }
  return text + "end\n";
}

BenchResult read_baseline_text(const fs::path& file, std::string_view text) {
  return TextReader(file).read(text);
}

}  // namespace warpmark
