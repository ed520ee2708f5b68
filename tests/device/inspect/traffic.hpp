// Shared by tests of counted traffic: counters by name, and kernels of a few lines.
#pragma once

#include <map>
#include <string>

#include "device/support/image.hpp"
#include "inspect/counters/traffic.hpp"

namespace warpmark::test {

using Counts = std::map<std::string, std::uint64_t>;

inline bool is_traffic(const std::string& name) {
  for (const cpu::TrafficCounter& counter : cpu::traffic_counters()) {
    if (counter.name == name) return true;
  }
  return false;
}

// The traffic of a launch or of one of its lines, without what is 0.
inline Counts traffic_of(const Json& counted) {
  Counts counts;
  for (const auto& [name, value] : counted.items()) {
    if (is_traffic(name) && value != 0) counts[name] = value;
  }
  return counts;
}

// Counters of one kind of shared memory: requests, bytes, wavefronts and their ideal number, and
// what a block of one row wastes.
inline Counts banked(const std::string& kind, std::uint64_t requests, std::uint64_t bytes,
                     std::uint64_t wavefronts, std::uint64_t ideal) {
  Counts counts = {{kind + "_requests", requests},
                   {kind + "_bytes", bytes},
                   {kind + "_wavefronts", wavefronts},
                   {kind + "_ideal_wavefronts", ideal}};
  if (wavefronts > ideal) counts[kind + "_row_excess"] = wavefronts - ideal;  // one row of threads
  return counts;
}
// … and of one of memory behind caches: requests, bytes, sectors, unique bytes, and ideal sectors,
// 0 where they are those of all requests together.
inline Counts cached(const std::string& kind, std::uint64_t requests, std::uint64_t bytes,
                     std::uint64_t sectors, std::uint64_t unique, std::uint64_t ideal = 0) {
  return {{kind + "_requests", requests},
          {kind + "_bytes", bytes},
          {kind + "_sectors", sectors},
          {kind + "_unique_bytes", unique},
          {kind + "_ideal_sectors", ideal != 0 ? ideal : (unique + 31) / 32}};
}
inline Counts operator+(Counts a, const Counts& b) {
  a.insert(b.begin(), b.end());
  return a;
}

class Traffic : public ImageTest {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    configure(R"({"counters": ["traffic"]})");
  }
  // One launch of a kernel's body with a pointer of 16 KiB in %rd1, %tid.x in %r1, and the
  // addresses of shared and local arrays in %r30 and %r31.
  Json count(const std::string& text, unsigned threads = 32, unsigned blocks = 1) {
    const CUfunction function = body(
        ".shared .align 128 .b8 s[16384]; .local .align 16 .b8 l[64];\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r30, s; mov.u32 %r31, l;\n" +
        text);
    Array<std::uint8_t> out(16384);
    EXPECT_CU(launch(function, {blocks}, {threads}, 0, out.address));
    const std::vector<Json> lines = counters();
    EXPECT_CU(api().synchronize()) << text;
    EXPECT_CU(api().free(out.address));
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? Json() : lines[0];
  }
  Counts moved(const std::string& text, unsigned threads = 32) {
    return traffic_of(count(text, threads));
  }
  // %rd3 = out + offset + stride * (lane expression in %r2).
  static std::string global_at(int stride, int offset = 0, const std::string& lane = "") {
    return (lane.empty() ? "mov.u32 %r2, %r1;" : lane) + " mul.wide.u32 %rd2, %r2, " +
           std::to_string(stride) + "; add.s64 %rd3, %rd1, %rd2; add.s64 %rd3, %rd3, " +
           std::to_string(offset) + ";\n";
  }
  // %r3 = s + stride * %tid.x.
  static std::string shared_at(int stride) {
    return "mad.lo.u32 %r3, %r1, " + std::to_string(stride) + ", %r30;\n";
  }
};

}  // namespace warpmark::test
