#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>

#include "warpmark/processors.hpp"

namespace warpmark {

namespace {

uint32_t processors() {
  static const uint32_t count = usable_processors();
  return count;
}

}  // namespace

std::vector<Range> ranges_of(size_t count, size_t grain) {
  const size_t grains = (count + grain - 1) / grain;
  const size_t parts = std::clamp<size_t>(grains, 1, processors());
  std::vector<Range> ranges;
  for (size_t i = 0; i < parts; ++i) {
    const size_t begin = grains * i / parts * grain, end = grains * (i + 1) / parts * grain;
    ranges.push_back({begin, std::min(end, count)});
  }
  return ranges;
}

void in_parallel(const std::vector<Range>& ranges,
                 const std::function<void(size_t number, Range range)>& work) {
  std::vector<std::exception_ptr> errors(ranges.size());
  const auto guarded = [&](size_t number) {
    try {
      work(number, ranges[number]);
    } catch (...) {
      errors[number] = std::current_exception();
    }
  };
  size_t started = 1;
  {
    std::vector<std::jthread> threads;
    try {
      for (; started < ranges.size(); ++started) threads.emplace_back(guarded, started);
    } catch (const std::system_error&) {  // no more threads are to be had: the rest is done here
    }
    guarded(0);
    for (; started < ranges.size(); ++started) guarded(started);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

bool same_bytes(std::span<const std::byte> one, std::span<const std::byte> other) {
  constexpr size_t kGrain = size_t{4} << 20;  // about what one thread compares while others start
  if (one.size() != other.size()) return false;
  if (one.data() == other.data()) return true;
  std::atomic<bool> same = true;
  in_parallel(ranges_of(one.size(), kGrain), [&](size_t /*number*/, Range range) {
    const size_t bytes = range.end - range.begin;
    if (bytes != 0 && std::memcmp(&one[range.begin], &other[range.begin], bytes) != 0) same = false;
  });
  return same;
}

}  // namespace warpmark
