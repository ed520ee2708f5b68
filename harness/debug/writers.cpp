#include "debug/writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "debug/stop_text.hpp"

namespace warpmark::debugging {
namespace {

// Takes "[8:16]" away from the end of a text, and returns its 8; 0 if there is none.
uint64_t take_slice(std::string& text) {
  const size_t bracket = text.rfind('[');
  if (!text.ends_with(']') || bracket == std::string::npos) return 0;
  uint64_t begin = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + bracket + 1, end, begin);
  if (error != std::errc() || at == end || *at != ':') return 0;
  text.resize(bracket);
  return begin;
}

// "tile[2][0:4]", of elements of one row.
std::string elements_text(std::string name, const std::vector<uint64_t>& counts, uint64_t first,
                          uint64_t begin, uint64_t end) {
  if (counts.empty()) return name;
  const uint64_t row = begin / counts.back();
  for (size_t i = 0; i + 1 < counts.size(); ++i) {
    uint64_t rows = 1;
    for (size_t inner = i + 1; inner + 1 < counts.size(); ++inner) rows *= counts[inner];
    name += fmt::format("[{}]", row / rows % counts[i]);
  }
  begin += first - row * counts.back();
  end += first - row * counts.back();
  return name +
         (end == begin + 1 ? fmt::format("[{}]", begin) : fmt::format("[{}:{}]", begin, end));
}

}  // namespace

std::string thread_text(uint32_t number, const std::array<uint32_t, 3>& block) {
  const uint32_t at[3] = {number % block[0], number / block[0] % block[1],
                          number / block[0] / block[1]};
  return triple_text(at);
}

// Elements that one statement has written, whose threads follow each other in equal steps.
struct Writers::Run {
  uint64_t begin = 0, end = 0;
  const Writer* first = nullptr;  ///< null: never written
  const Writer* last = nullptr;
  int64_t step = 0;
  uint64_t earliest = 0, latest = 0;

  bool takes(const Writer* next) {
    if (next == nullptr || first == nullptr) return next == first;
    const int64_t by = int64_t{next->thread} - last->thread;
    const bool fits = (end == begin + 1 || by == step) && next->place == first->place &&
                      next->block == first->block &&
                      next->position.launch == first->position.launch;
    if (fits) step = by;
    return fits;
  }
};

Writers::Writers(WatchedMemory memory) : memory_(std::move(memory)) {
  const ValueType& type = *memory_.value.type;
  const ValueType* element = &type;
  for (; element->kind == ValueType::Kind::array && element->element && element->count > 0;
       element = element->element.get())
    counts_.push_back(element->count);
  name_ = memory_.text;
  begin_ = counts_.size() == 1 ? take_slice(name_) : 0;
  if (type.bytes > kMostBytes)
    throw usage_error("this has more than 64 MiB: ask for a part, as in x[0:100]");
  element_bytes_ = std::max<uint64_t>(element->bytes, 1);
  last_.assign(type.bytes, 0);
}

void Writers::begin_launch() {
  if (!memory_.of_block) return;
  writers_.clear();
  std::ranges::fill(last_, 0);
}

void Writers::add(const std::vector<warpmark_debug_store>& stores, const RunPosition& position,
                  const LaunchText& text) {
  for (const warpmark_debug_store& store : stores) {
    Writer writer;
    writer.position = {position.launch, position.count - 1};
    std::copy_n(store.block, 3, writer.block.begin());
    writer.block_size = text.block;
    writer.thread = store.warp * 32 + store.lane;
    if (store.statement < text.statements.size())
      writer.place = text.statements[store.statement].place;
    writers_.push_back(std::move(writer));
    const uint64_t begin = memory_.range.address, end = begin + last_.size();
    const uint64_t from = std::max(store.address, begin);
    for (uint64_t at = from; at < std::min(store.address + store.bytes, end); ++at)
      last_[at - begin] = static_cast<uint32_t>(writers_.size());
  }
}

uint32_t Writers::writer_of(uint64_t element) const {
  const auto begin = last_.begin() + static_cast<ptrdiff_t>(element * element_bytes_);
  return *std::max_element(begin, begin + static_cast<ptrdiff_t>(element_bytes_));
}

std::string Writers::table(const RunPosition& now) const {
  const uint64_t count = last_.size() / element_bytes_;
  std::vector<Run> runs;
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t number = writer_of(i);
    const Writer* writer = number == 0 ? nullptr : &writers_[number - 1];
    const bool new_row = !counts_.empty() && i % counts_.back() == 0;
    if (runs.empty() || new_row || !runs.back().takes(writer)) {
      runs.push_back({i, i, writer});
      runs.back().earliest = runs.back().latest = writer == nullptr ? 0 : writer->position.count;
    }
    Run& run = runs.back();
    run.end = i + 1;
    run.last = writer;
    if (writer == nullptr) continue;
    run.earliest = std::min(run.earliest, writer->position.count);
    run.latest = std::max(run.latest, writer->position.count);
  }
  std::string text;
  for (const Run& run : runs) {
    if (!text.empty()) text += "\n";
    text += elements_text(name_, counts_, begin_, run.begin, run.end) + ": ";
    if (run.first == nullptr) {
      text += memory_.of_block ? "never written" : "never written by a kernel";
      continue;
    }
    const Writer& writer = *run.first;
    text += "thread" + std::string(run.step != 0 ? "s " : " ") +
            thread_text(writer.thread, writer.block_size);
    if (run.step != 0) text += " to " + thread_text(run.last->thread, writer.block_size);
    text += " of block " + triple_text(writer.block.data());
    if (writer.place.line != 0)
      text += fmt::format(" at {}:{}", writer.place.file, writer.place.line);
    if (writer.position.launch != now.launch)
      text += fmt::format(", launch {}", writer.position.launch);
    text += fmt::format(", statement {}", run.earliest);
    if (run.latest != run.earliest) text += fmt::format(" to {}", run.latest);
  }
  return text.empty() ? memory_.text + " has no elements" : text;
}

}  // namespace warpmark::debugging
