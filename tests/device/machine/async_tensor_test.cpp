// Copies of boxes of tensors: right on the CPU device, and the same bytes as a GPU gives where
// there is one (label `gpu`; skipped elsewhere).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "device/machine/copies.hpp"
#include "device/machine/tensors.hpp"
#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

using At = std::array<int, 5>;

// Each element of a box in turn: where it lies in the box's memory, and in the tensor's, or -1
// outside.
template <typename Body>
void each_element(const Tensor& tensor, const At& at, std::size_t shared, bool stored, Body body) {
  // Stores write whole chunks of 16 bytes.
  const std::size_t chunk = stored ? 16 / tensor.element() : 1;
  const auto row_end = static_cast<long long>((tensor.dims[0] + chunk - 1) / chunk * chunk);
  std::size_t elements = 1;
  for (unsigned d = 0; d < tensor.rank(); ++d) elements *= tensor.count(d);
  for (std::size_t n = 0; n < elements; ++n) {
    std::size_t rest = n;
    long long there = 0;
    for (unsigned d = 0; d < tensor.rank(); ++d) {
      const long long c = at[d] + static_cast<long long>(rest % tensor.count(d)) *
                                      (d == 0 ? 1 : static_cast<long long>(tensor.steps[d]));
      rest /= tensor.count(d);
      if (c < 0 || c >= (d == 0 ? row_end : static_cast<long long>(tensor.dims[d]))) there = -1;
      if (there >= 0)
        there += c * static_cast<long long>(d == 0 ? tensor.element() : tensor.strides[d - 1]);
    }
    // With a swizzle each row has a span to itself.
    const std::size_t row = n / tensor.count(0), pitch = tensor.pitch();
    std::size_t here = row * pitch + n % tensor.count(0) * tensor.element() + shared;
    // CuTe has these patterns as Swizzle<1, 4, 3>, <2, 4, 3> and <3, 4, 3>.
    if (tensor.swizzle == CU_TENSOR_MAP_SWIZZLE_32B) here ^= (here >> 7 & 1) << 4;
    if (tensor.swizzle == CU_TENSOR_MAP_SWIZZLE_64B) here ^= (here >> 7 & 3) << 4;
    if (tensor.swizzle == CU_TENSOR_MAP_SWIZZLE_128B) here ^= (here >> 7 & 7) << 4;
    body(here - shared, there);
  }
}

constexpr std::size_t kDump = 16384;  ///< bytes of shared memory that kernels have for boxes

std::string text_of(const At& at, unsigned rank) {
  std::string text = "{";
  for (unsigned d = 0; d < rank; ++d) text += (d > 0 ? ", " : "") + std::to_string(at[d]);
  return text + "}";
}

// `map` in %rd9 as a generic address, `in` in %rd1, `out` in %rd2; %r1 is the thread, %r3 the box,
// `place` bytes behind a multiple of 1024, %r4 an mbarrier. There are 128 threads.
std::string kernel(const std::string& body, std::size_t place, bool cluster = false) {
  return ".version 8.6\n.target sm_90\n.address_size 64\n"
         ".global .align 64 .b8 global_map[128];\n"
         ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out)\n" +
         std::string(cluster ? ".explicitcluster .reqnctapercluster 2, 1, 1\n" : "") +
         "{\n.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"
         ".shared .align 1024 .b8 box[" +
         std::to_string(kDump) +
         "]; .shared .align 8 .b64 bar;\n"
         "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
         "cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n"
         "mov.b64 %rd9, map; cvta.param.u64 %rd9, %rd9;\n"
         "mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, box; mov.u32 %r4, bar;\n"
         "cvt.u64.u32 %rd5, %r3; add.u32 %r3, %r3, " +
         std::to_string(place) + "; setp.eq.u32 %p1, %r1, 0;\n" + body + "\nret;\n}\n";
}

// Words of 4 bytes, of all of the box's memory.
std::string copy_box(const std::string& name, const std::string& from, const std::string& to,
                     const std::string& at_from, const std::string& at_to) {
  return "mov.u32 %r10, %r1;\n" + name + ":\nshl.b32 %r11, %r10, 2; cvt.u64.u32 %rd10, %r11;\n" +
         "add.s64 %rd11, " + at_from + ", %rd10; add.s64 %rd12, " + at_to + ", %rd10;\nld." + from +
         ".u32 %r12, [%rd11]; st." + to + ".u32 [%rd12], %r12;\n" +
         "add.u32 %r10, %r10, 128; setp.lt.u32 %p5, %r10, " + std::to_string(kDump / 4) +
         "; @%p5 bra " + name + ";\n";
}
const std::string kFill = "st.shared.u32 [%rd11], -858993460;\n";

// Waits for phase 0 of the mbarrier, for some time only: a GPU must not hang.
const std::string kAwait =
    "mov.u32 %r20, 0;\nPOLL: mbarrier.try_wait.parity.shared.b64 %p6, [%r4], 0; @%p6 bra DONE;\n"
    "add.u32 %r20, %r20, 1; setp.lt.u32 %p7, %r20, 100000; @%p7 bra POLL; trap;\nDONE:\n";
const std::string kInit =
    "@%p1 mbarrier.init.shared.b64 [%r4], 1;\n@%p1 fence.mbarrier_init.release.cluster;\n";

// The box's memory, which has `before` in it, is copied out after one box has come into it.
CopyCase load_case(const std::string& name, const Tensor& tensor, const At& at,
                   std::size_t place = 0) {
  CopyCase test;
  test.name = "load " + name;
  test.threads = 128;
  test.parameters = "mio";
  test.in = random_bytes(tensor.bytes(), static_cast<unsigned>(name.size()) + 1);
  test.out = random_bytes(kDump, 2);
  test.expected = test.out;
  test.map = [tensor](const Machine& machine, CUtensorMap* map, CUdeviceptr in, CUdeviceptr) {
    return tensor.encode(machine, map, in);
  };
  test.ptx =
      kernel(kInit + copy_box("FILL", "global", "shared", "%rd2", "%rd5") +
                 "fence.proxy.async;\nbar.sync 0;\n@!%p1 bra WAIT;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r4], " +
                 std::to_string(tensor.box_bytes()) + ";\ncp.async.bulk.tensor." +
                 std::to_string(tensor.rank()) +
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%rd9, " +
                 text_of(at, tensor.rank()) + "], [%r4];\nWAIT:\n" + kAwait +
                 copy_box("OUT", "shared", "global", "%rd5", "%rd2"),
             place);
  each_element(tensor, at, place, false, [&](std::size_t here, long long there) {
    for (unsigned byte = 0; byte < tensor.element(); ++byte)
      test.expected[place + here + byte] =
          there < 0 ? std::uint8_t{0} : test.in[static_cast<std::size_t>(there) + byte];
  });
  return test;
}

// The box's memory holds `in` and is stored into the tensor `out`; with an operation, reduced.
CopyCase store_case(const std::string& name, const Tensor& tensor, const At& at,
                    const std::string& operation = "", std::size_t place = 0) {
  CopyCase test;
  test.name = (operation.empty() ? "store " : operation + " ") + name;
  test.threads = 128;
  test.parameters = "mio";
  test.in = random_bytes(kDump, static_cast<unsigned>(name.size()) + 3);
  test.out = random_bytes(tensor.bytes(), 4);
  test.map = [tensor](const Machine& machine, CUtensorMap* map, CUdeviceptr, CUdeviceptr out) {
    return tensor.encode(machine, map, out);
  };
  const std::string words =
      operation.empty() ? "cp.async.bulk.tensor." : "cp.reduce.async.bulk.tensor.";
  test.ptx = kernel(copy_box("FILL", "global", "shared", "%rd1", "%rd5") +
                        "fence.proxy.async;\nbar.sync 0;\n@!%p1 bra END;\n" + words +
                        std::to_string(tensor.rank()) + "d.global.shared::cta" +
                        (operation.empty() ? "" : "." + operation) + ".tile.bulk_group [%rd9, " +
                        text_of(at, tensor.rank()) +
                        "], [%r3];\n"
                        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:",
                    place);
  if (!operation.empty()) return test;
  test.expected = test.out;
  each_element(tensor, at, place, true, [&](std::size_t here, long long there) {
    for (unsigned byte = 0; byte < tensor.element() && there >= 0; ++byte)
      test.expected[static_cast<std::size_t>(there) + byte] = test.in[place + here + byte];
  });
  return test;
}

std::vector<CopyCase> shapes() {
  std::vector<CopyCase> cases;
  const auto both = [&](const std::string& name, const Tensor& tensor, const At& at) {
    cases.push_back(load_case(name, tensor, at));
    // A box that is stored does not begin before the tensor.
    const bool before = std::any_of(at.begin(), at.end(), [](int c) { return c < 0; });
    if (!before) cases.push_back(store_case(name, tensor, at));
  };
  both("1d", tensor(kF32, {1000}, {64}), {128});
  both("1d over the end", tensor(kF32, {1000}, {64}), {960});
  both("1d before the beginning", tensor(kF32, {1000}, {64}), {-12});
  both("1d outside", tensor(kF32, {1000}, {64}), {-64});
  both("1d of 256 bytes", tensor(kU8, {4096}, {256}), {32});
  both("2d", tensor(kF32, {64, 40}, {32, 16}), {8, 3});
  both("2d over a corner", tensor(kF32, {64, 40}, {32, 16}), {48, 35});
  both("2d before a corner", tensor(kF32, {64, 40}, {32, 16}), {-4, -7});
  both("2d with padding", tensor(kF16, {33, 20}, {32, 8}, 14), {8, 14});
  both("2d of one column", tensor(kU8, {16, 256}, {16, 256}), {0, 0});
  both("3d", tensor(kF16, {40, 9, 6}, {16, 4, 3}), {32, 7, -1});
  both("4d", tensor(kF32, {12, 5, 6, 4}, {8, 3, 4, 2}), {-4, 3, 4, 1});
  both("5d", tensor(kF32, {8, 5, 4, 4, 3}, {4, 3, 2, 3, 2}), {4, -1, 3, 2, 2});
  both("5d of bytes", tensor(kU8, {32, 4, 3, 3, 2}, {16, 2, 2, 2, 2}), {16, 1, 1, 2, 1});
  Tensor skips = tensor(kF32, {32, 50, 9}, {16, 16, 6});
  skips.steps = {1, 3, 2};
  both("every third row of every second plane", skips, {4, 7, 1});
  both("every third row over the end", skips, {20, 40, 5});
  both("every third row from outside", skips, {-4, -4, -1});
  skips.steps = {5, 8, 1};
  both("a stride of the first dimension", skips, {4, 1, 0});
  for (unsigned type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_FLOAT32; ++type) {
    const auto kind = type;
    both("type " + std::to_string(type), tensor(kind, {64, 16}, {32, 8}), {48, 10});
  }
  for (const auto kind : {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16})
    both("type " + std::to_string(kind), tensor(kind, {64, 16}, {32, 8}), {48, 10});
  return cases;
}

std::vector<CopyCase> swizzles() {
  std::vector<CopyCase> cases;
  const CUtensorMapSwizzle patterns[] = {CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                         CU_TENSOR_MAP_SWIZZLE_128B};
  for (const CUtensorMapSwizzle pattern : patterns) {
    const unsigned span = 16u << pattern;
    for (unsigned inner = 16; inner <= span; inner *= 2) {
      for (const std::size_t place : {0, 128, 512, 1152}) {
        Tensor made = tensor(kF16, {96, 50}, {inner / 2, 24});
        made.swizzle = pattern;
        const std::string name = "swizzle " + std::to_string(span) + ", rows of " +
                                 std::to_string(inner) + ", at " + std::to_string(place);
        cases.push_back(load_case(name, made, {8, 30}, place));
        cases.push_back(store_case(name, made, {8, 30}, "", place));
      }
    }
    Tensor deep = tensor(kF32, {32, 10, 6}, {span / 4, 5, 3});
    deep.swizzle = pattern;
    cases.push_back(load_case("swizzle " + std::to_string(span) + " in 3d", deep, {-4, 7, 2}));
    cases.push_back(store_case("swizzle " + std::to_string(span) + " in 3d", deep, {4, 7, 2}));
  }
  return cases;
}

// Numbers of all kinds, whose results a GPU decides: how they are rounded, and which NaN fills.
std::vector<CopyCase> conversions() {
  std::vector<CopyCase> cases;
  for (unsigned type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ; ++type) {
    const auto kind = type;
    Tensor made = tensor(kind, {64, 40}, {16, 32});
    const std::string name = "type " + std::to_string(type);
    CopyCase test = load_case(name + ", any bits", made, {48, 0});
    for (std::size_t i = 0; i < test.in.size() && made.element() == 4; i += 64)
      test.in[i + 3] &= 0x80, test.in[i + 2] &= 0x3f;  // below the normal numbers
    for (std::size_t i = 8; i < test.in.size() && made.element() == 4; i += 64)
      test.in[i + 0] = 0,
                  test.in[i + 1] = static_cast<std::uint8_t>(test.in[i + 1] & 0xf0);  // ties
    for (std::size_t i = 16; i < test.in.size() && made.element() == 4; i += 64)
      test.in[i + 3] |= 0x7f, test.in[i + 2] |= 0x80;  // NaN
    test.expected.clear();
    cases.push_back(test);
    test = store_case(name + ", any bits", made, {48, 0});
    test.expected.clear();
    cases.push_back(test);
    if (type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16) {
      made.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
      test = load_case(name + ", NaN outside", made, {56, -3});
      test.expected.clear();
      cases.push_back(test);
    }
    for (const char* operation : {"add", "min", "max", "inc", "dec", "and", "or", "xor"}) {
      const std::string word = operation;
      const bool real = type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
      const bool small = kind == kF16 || kind == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
      const bool there =
          type >= CU_TENSOR_MAP_DATA_TYPE_UINT32 &&
          (real ? word == "add" || (small && (word == "min" || word == "max"))
                : (word != "inc" && word != "dec") || kind == CU_TENSOR_MAP_DATA_TYPE_UINT32);
      const bool bits = word == "and" || word == "or" || word == "xor";
      if (there && !(type == CU_TENSOR_MAP_DATA_TYPE_INT64 && (bits || word == "add")))
        cases.push_back(store_case(name, tensor(kind, {64, 40}, {16, 32}), {48, 20}, word));
    }
  }
  return cases;
}

// One block reads for both of the cluster.
CopyCase multicast_case() {
  const Tensor made = tensor(kF32, {64, 40}, {32, 16});
  CopyCase test = load_case("multicast", made, {40, 30});
  test.blocks = 2;
  const Bytes one = test.expected;
  test.out.resize(2 * kDump);
  test.expected.insert(test.expected.end(), one.begin(), one.end());
  test.ptx =
      kernel(kInit + copy_box("FILL", "global", "shared", "%rd2", "%rd5") +
                 "fence.proxy.async;\nsetp.eq.and.u32 %p2, %r2, 0, %p1;\n"
                 "mul.wide.u32 %rd6, %r2, " +
                 std::to_string(kDump) +
                 "; add.s64 %rd6, %rd6, %rd2;\n"
                 "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], " +
                 std::to_string(made.box_bytes()) +
                 ";\nbar.sync 0;\nbarrier.cluster.arrive; barrier.cluster.wait;\n@!%p2 bra WAIT;\n"
                 "mov.b16 %h1, 3;\ncp.async.bulk.prefetch.tensor.2d.L2.global [%rd9, {40, 30}];\n"
                 "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%r3], [%rd9, {40, 30}], [%r4], %h1;\nWAIT:\n" +
                 kAwait + copy_box("OUT", "shared", "global", "%rd5", "%rd6") +
                 "barrier.cluster.arrive; barrier.cluster.wait;\n",
             0, true);
  return test;
}

// A map in global memory, where a kernel has put it.
CopyCase global_case() {
  CopyCase test = load_case("map in global memory", tensor(kF32, {64, 40}, {32, 16}), {8, 3});
  const std::string copies =
      "mov.u64 %rd20, global_map; setp.lt.u32 %p3, %r1, 32; mul.wide.u32 %rd21, %r1, 4;\n"
      "add.s64 %rd22, %rd9, %rd21; add.s64 %rd23, %rd20, %rd21;\n"
      "@%p3 ld.u32 %r21, [%rd22]; @%p3 st.global.u32 [%rd23], %r21;\n"
      "fence.proxy.tensormap::generic.release.gpu; bar.sync 0;\n"
      "cvta.global.u64 %rd9, %rd20; fence.proxy.tensormap::generic.acquire.gpu [%rd9], 128;\n"
      "prefetch.tensormap [%rd9];\n";
  const std::size_t after = test.ptx.find("fence.proxy.async");
  test.ptx.insert(after, copies);
  return test;
}

// A map in constant memory, where the host has put it.
CopyCase constant_case() {
  CopyCase test = load_case("map in constant memory", tensor(kF32, {64, 40}, {32, 16}), {8, 3});
  test.symbol = "constant_map";
  const std::string global = ".global .align 64 .b8 global_map[128];";
  test.ptx.replace(test.ptx.find(global), global.size(), ".const .align 64 .b8 constant_map[128];");
  test.ptx.insert(test.ptx.find("fence.proxy.async"),
                  "mov.u64 %rd9, constant_map; cvta.const.u64 %rd9, %rd9;\n");
  return test;
}

// The same for columns: the bounding box of an image is walked along its first dimension of space,
// then the second, then the third, then that of the next image.
template <typename Body>
void each_element(const Columns& columns, At at, const std::vector<int>& offsets, Body body) {
  const Tensor& tensor = columns.tensor;
  const unsigned images = tensor.rank() - 1;
  for (unsigned pixel = 0; pixel < columns.pixels; ++pixel) {
    for (unsigned c = 0; c < columns.channels; ++c) {
      long long there = at[0] + static_cast<int>(c);
      if (there < 0 || there >= static_cast<long long>(tensor.dims[0])) there = -1;
      if (there >= 0) there *= tensor.element();
      for (unsigned d = 1; d < tensor.rank(); ++d) {
        const long long x = at[d] + (d < images ? offsets[d - 1] : 0);
        if (x < 0 || x >= static_cast<long long>(tensor.dims[d])) there = -1;
        if (there >= 0) there += x * static_cast<long long>(tensor.strides[d - 1]);
      }
      const bool plain = tensor.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE;
      const std::size_t pitch = plain ? columns.channels * tensor.element() : 16u << tensor.swizzle;
      std::size_t here = pixel * pitch + c * tensor.element();
      if (tensor.swizzle == CU_TENSOR_MAP_SWIZZLE_64B) here ^= (here >> 7 & 3) << 4;
      body(here, there);
    }
    unsigned d = 1;
    for (; d < images; ++d) {
      at[d] += static_cast<int>(tensor.steps[d]);
      if (at[d] < static_cast<int>(tensor.dims[d]) + columns.upper[d - 1]) break;
      at[d] = columns.lower[d - 1];
    }
    if (d == images) ++at[images];
  }
}

void add_columns(const std::string& name, const Columns& columns, const At& at,
                 const std::vector<int>& offsets, std::vector<CopyCase>& cases) {
  const unsigned rank = columns.tensor.rank();
  const std::string dimensions = std::to_string(rank) + "d";
  CopyCase load;
  load.name = "load " + name;
  load.threads = 128;
  load.parameters = "mio";
  load.in = random_bytes(columns.tensor.bytes(), 21);
  load.out = random_bytes(kDump, 22);
  load.expected = load.out;
  load.map = [columns](const Machine& machine, CUtensorMap* map, CUdeviceptr in, CUdeviceptr) {
    return columns.encode(machine, map, in);
  };
  std::string registers;
  for (unsigned d = 0; d < columns.spatial(); ++d)
    registers += "mov.b16 %h" + std::to_string(d) + ", " + std::to_string(offsets[d]) + ";\n";
  std::string moved = "{%h0";
  for (unsigned d = 1; d < columns.spatial(); ++d) moved += ", %h" + std::to_string(d);
  moved += "}";
  load.ptx = kernel(
      kInit + copy_box("FILL", "global", "shared", "%rd2", "%rd5") +
          "fence.proxy.async;\nbar.sync 0;\n@!%p1 bra WAIT;\n" + registers +
          "mbarrier.arrive.expect_tx.shared.b64 _, [%r4], " + std::to_string(columns.bytes()) +
          ";\ncp.async.bulk.prefetch.tensor." + dimensions + ".L2.global.im2col [%rd9, " +
          text_of(at, rank) + "], " + moved + ";\ncp.async.bulk.tensor." + dimensions +
          ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r3], [%rd9, " +
          text_of(at, rank) + "], [%r4], " + moved + ";\nWAIT:\n" + kAwait +
          copy_box("OUT", "shared", "global", "%rd5", "%rd2"),
      0);
  each_element(columns, at, offsets, [&](std::size_t here, long long there) {
    for (unsigned byte = 0; byte < columns.tensor.element(); ++byte)
      load.expected[here + byte] =
          there < 0 ? std::uint8_t{0} : load.in[static_cast<std::size_t>(there) + byte];
  });
  cases.push_back(load);
}

std::vector<CopyCase> columns() {
  std::vector<CopyCase> cases;
  // 3 x 3 filters with a border of one pixel: from -1 on, to one before the last but one.
  Columns plane{tensor(kF16, {32, 9, 7, 3}, {1, 1, 1, 1}), {-1, -1}, {-1, -1}, 16, 40};
  add_columns("im2col of 2 dimensions", plane, {8, -1, -1, 0}, {0, 0}, cases);
  add_columns("im2col of 2 dimensions, the filter's middle", plane, {8, 3, 2, 1}, {1, 1}, cases);
  add_columns("im2col of 2 dimensions, over the last image", plane, {24, 5, 4, 2}, {2, 1}, cases);
  plane.tensor.steps = {1, 2, 3, 1};
  add_columns("im2col with strides", plane, {0, -1, -1, 0}, {2, 2}, cases);
  plane.tensor.steps = {1, 1, 1, 1};
  plane.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  plane.channels = 32;
  add_columns("im2col with a swizzle", plane, {0, 2, 3, 1}, {0, 2}, cases);
  const Columns line{tensor(kF32, {16, 40, 4}, {1, 1, 1}), {-3}, {2}, 8, 100};
  add_columns("im2col of 1 dimension", line, {4, 10, 1}, {5}, cases);
  const Columns room{
      tensor(kU8, {32, 5, 4, 3, 3}, {1, 1, 1, 1, 1}), {0, -1, -1}, {0, 1, 0}, 16, 64};
  add_columns("im2col of 3 dimensions", room, {16, 2, 1, 1, 0}, {0, 1, 2}, cases);
  return cases;
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Kernels of tensor.cu, as a course writes them.
std::vector<CopyCase> programs() {
  std::vector<CopyCase> cases;
  const auto add = [&](const char* name, const char* parameters, unsigned blocks,
                       unsigned threads) -> CopyCase& {
    CopyCase test;
    test.name = test.kernel = name;
    test.ptx = read_text("tensor.sm_90.ptx");
    test.parameters = parameters;
    test.blocks = blocks;
    test.threads = threads;
    test.in.resize(4);
    cases.push_back(test);
    return cases.back();
  };
  const auto over = [](const Tensor& tensor, bool of_out) {
    return [=](const Machine& machine, CUtensorMap* map, CUdeviceptr in, CUdeviceptr out) {
      return tensor.encode(machine, map, of_out ? out : in);
    };
  };
  constexpr auto kS32 = CU_TENSOR_MAP_DATA_TYPE_INT32;
  std::vector<int> numbers(64 * 64), more(64 * 64);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int>(i * i % 1009);
    more[i] = numbers[i] + 1;
  }
  CopyCase& increment = add("increment", "m", 4, 128);
  increment.map = over(tensor(kS32, {64, 64}, {32, 32}), true);
  increment.out = bytes_of(numbers);
  increment.expected = bytes_of(more);

  CopyCase& transpose = add("transpose", "mo", 8, 64);
  Tensor rows = tensor(kS32, {32, 64}, {32, 8});
  rows.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  transpose.map = over(rows, false);
  transpose.in = bytes_of(std::vector<int>(numbers.begin(), numbers.begin() + 32 * 64));
  std::vector<int> turned(32 * 64);
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i % 32 * 64 + i / 32] = numbers[i];
  transpose.out.resize(turned.size() * 4);
  transpose.expected = bytes_of(turned);

  CopyCase& row_sums = add("row_sums", "mon", 4, 64);
  row_sums.map = over(tensor(kF32, {128, 64}, {32, 16}), false);
  row_sums.number = 4;
  std::vector<float> reals(128 * 64), sums(64);
  for (std::size_t i = 0; i < reals.size(); ++i) {
    reals[i] = static_cast<float>(i * 7 % 101);
    sums[i / 128] += reals[i];
  }
  row_sums.in = bytes_of(reals);
  row_sums.out.resize(64 * 4);
  row_sums.expected = bytes_of(sums);

  CopyCase& histogram = add("histogram", "ion", 4, 128);
  histogram.in = random_bytes(5000, 12);
  histogram.number = 5000;
  std::vector<unsigned> bins(256);
  for (const std::uint8_t byte : histogram.in) ++bins[byte];
  histogram.out.resize(1024);
  histogram.expected = bytes_of(bins);

  CopyCase& ring = add("ring", "o", 4, 32);
  std::vector<int> sent(129);
  for (int i = 0; i < 128; ++i) {
    sent[static_cast<std::size_t>(i)] = 31 - i % 32 + 100 * ((i / 32 + 3) % 4);
    sent[128] += i % 32 + 100 * (i / 32);
  }
  ring.out.resize(129 * 4);
  ring.expected = bytes_of(sent);
  return cases;
}

std::vector<CopyCase> all_cases() {
  std::vector<CopyCase> cases = programs();
  for (const CopyCase& test : shapes()) cases.push_back(test);
  for (const CopyCase& test : swizzles()) cases.push_back(test);
  for (const CopyCase& test : columns()) cases.push_back(test);
  cases.push_back(multicast_case());
  cases.push_back(global_case());
  cases.push_back(constant_case());
  return cases;
}

TEST(TensorCopies, AreRight) {
  expect_right(all_cases());
}

TEST(TensorCopies, OfAllTypesRun) {
  expect_right(conversions());
}

// Those whose words differ.
TEST(TensorCopies, AreTakenByTheAssembler) {
  std::vector<CopyCase> some = {programs()[0], multicast_case(), global_case()};
  for (const std::vector<CopyCase>& cases : {shapes(), columns(), conversions()}) {
    for (std::size_t i = 0; i < cases.size(); i += 3) some.push_back(cases[i]);
  }
  expect_assembled(some);
}

// … after which an error may have ended the use of the GPU.
TEST(OnGpu, TensorCopiesGiveTheSame) {
  if (!gpu_machine().usable()) GTEST_SKIP() << "no GPU";
  expect_same(all_cases());
}

TEST(OnGpu, ConversionsOnTheWayGiveTheSame) {
  if (!gpu_machine().usable()) GTEST_SKIP() << "no GPU";
  expect_same(conversions());
}

}  // namespace
}  // namespace warpmark::test
