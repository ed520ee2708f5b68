// Arguments that cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col take and refuse, as a GPU's
// driver does where there is one (label `gpu`; skipped elsewhere), and launches with invalid maps.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "device/machine/copies.hpp"
#include "device/machine/tensors.hpp"
#include "device/support/client.hpp"
#include "machine/tensor_map.hpp"

namespace warpmark::test {
namespace {

// --- the driver's answers

struct Question {
  std::string name;
  Tensor tensor;
  CUdeviceptr address = 0x7f0000000000;  ///< nothing need lie there
  unsigned map_offset = 0;
};

std::vector<Question> questions() {
  std::vector<Question> all;
  const Tensor good = tensor(kF32, {64, 40, 8}, {16, 8, 2});
  const auto ask = [&](const std::string& name, auto change) {
    Question question{name, good};
    change(question);
    all.push_back(question);
  };
  ask("good", [](Question&) {});
  ask("address + 8", [](Question& q) { q.address += 8; });
  ask("address + 16", [](Question& q) { q.address += 16; });
  ask("null strides", [](Question& q) { q.tensor.no_strides = true; });
  ask("null strides in 1d", [](Question& q) {
    q.tensor = tensor(kF32, {64}, {16});
    q.tensor.no_strides = true;
  });
  ask("1d", [](Question& q) { q.tensor = tensor(kF32, {64}, {16}); });
  ask("address 0", [](Question& q) { q.address = 0; });
  for (const unsigned offset : {1, 8, 16, 32})
    ask("map + " + std::to_string(offset), [&](Question& q) { q.map_offset = offset; });
  ask("dimension 0", [](Question& q) { q.tensor.dims[1] = 0; });
  ask("dimension 2^32", [](Question& q) { q.tensor.dims[2] = cuuint64_t{1} << 32; });
  ask("dimension 2^32 + 1", [](Question& q) { q.tensor.dims[2] = (cuuint64_t{1} << 32) + 1; });
  ask("stride + 8", [](Question& q) { q.tensor.strides[0] += 8; });
  ask("stride + 16", [](Question& q) { q.tensor.strides[0] += 16; });
  ask("stride 0", [](Question& q) { q.tensor.strides[0] = 0; });
  ask("stride of less than a row", [](Question& q) { q.tensor.strides[0] = 128; });
  ask("stride less than the one before", [](Question& q) { q.tensor.strides[1] = 16; });
  ask("stride 2^40 - 16", [](Question& q) { q.tensor.strides[1] = (cuuint64_t{1} << 40) - 16; });
  ask("stride 2^40", [](Question& q) { q.tensor.strides[1] = cuuint64_t{1} << 40; });
  ask("box 0", [](Question& q) { q.tensor.box[1] = 0; });
  ask("box 256", [](Question& q) { q.tensor.box[0] = 256; });
  ask("box 257", [](Question& q) { q.tensor.box[1] = 257; });
  ask("box greater than the tensor", [](Question& q) { q.tensor.box[2] = 200; });
  ask("box beyond shared memory", [](Question& q) { q.tensor.box = {256, 256, 256}; });
  for (const unsigned kilobytes : {48, 64, 96, 127, 128, 129, 160, 192, 224, 227, 228, 256})
    ask("box of " + std::to_string(kilobytes) + " KiB", [&](Question& q) {
      q.tensor = tensor(kF32, {256, 256, 256}, {256, kilobytes, 1});
    });
  ask("box of 8 bytes", [](Question& q) { q.tensor.box[0] = 2; });
  ask("box of 24 bytes", [](Question& q) { q.tensor.box[0] = 6; });
  ask("element stride 0", [](Question& q) { q.tensor.steps[1] = 0; });
  ask("element stride 8", [](Question& q) { q.tensor.steps[1] = 8; });
  ask("element stride 9", [](Question& q) { q.tensor.steps[1] = 9; });
  ask("first element stride 0", [](Question& q) { q.tensor.steps[0] = 0; });
  ask("first element stride 9", [](Question& q) { q.tensor.steps[0] = 9; });
  for (unsigned i = 1; i <= 7; ++i) {
    ask("swizzle " + std::to_string(i), [&](Question& q) {
      q.tensor.box[0] = 8;
      q.tensor.swizzle = i;
    });
    ask("swizzle " + std::to_string(i) + ", rows of 256 bytes", [&](Question& q) {
      q.tensor.box[0] = 64;
      q.tensor.swizzle = i;
    });
  }
  for (unsigned i = 0; i <= 17; ++i) {
    for (const bool nan : {false, true}) {
      ask("type " + std::to_string(i) + (nan ? ", NaN" : ""), [&](Question& q) {
        q.tensor.type = i;
        q.tensor.dims[0] = q.tensor.box[0] = 128;
        q.tensor.strides = {2048, 2048 * 40};
        q.tensor.fill = nan ? 1 : 0;
      });
    }
  }
  ask("promotion 3", [](Question& q) { q.tensor.promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B; });
  ask("promotion 4", [](Question& q) { q.tensor.promotion = 4; });
  ask("fill 2", [](Question& q) { q.tensor.fill = 2; });
  ask("interleave 3", [](Question& q) { q.tensor.interleave = 3; });
  ask("interleave 16 in 2d", [](Question& q) {
    q.tensor = tensor(kF16, {64, 40}, {16, 8});
    q.tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
  });
  return all;
}

// Arguments of cuTensorMapEncodeIm2col; `good` ones are taken.
struct ColumnsQuestion {
  std::string name;
  Columns columns;
  bool good = false;
};
std::vector<ColumnsQuestion> columns_questions() {
  std::vector<ColumnsQuestion> all;
  const Columns plane{tensor(kF16, {32, 9, 7, 3}, {1, 1, 1, 1}), {-1, -1}, {-1, -1}, 16, 40};
  const auto ask = [&](const std::string& name, bool good, auto change) {
    ColumnsQuestion question{"im2col, " + name, plane, good};
    change(question.columns);
    all.push_back(question);
  };
  ask("good", true, [](Columns&) {});
  ask("corner -128", true, [](Columns& c) { c.lower[0] = -128; });
  ask("corner -129", false, [](Columns& c) { c.lower[0] = -129; });
  ask("corner 127", true, [](Columns& c) { c.upper[1] = 127; });
  ask("corner 128", false, [](Columns& c) { c.upper[1] = 128; });
  ask("one pixel", true, [](Columns& c) { c.lower[0] = 0, c.upper[0] = -8; });
  ask("no pixel", false, [](Columns& c) { c.lower[0] = 0, c.upper[0] = -9; });
  ask("256 channels", true, [](Columns& c) { c.channels = 256; });
  ask("257 channels", false, [](Columns& c) { c.channels = 257; });
  ask("no channels", false, [](Columns& c) { c.channels = 0; });
  ask("8 bytes of channels", false, [](Columns& c) { c.channels = 4; });
  ask("1024 pixels", true, [](Columns& c) { c.pixels = 1024; });
  ask("1025 pixels", false, [](Columns& c) { c.pixels = 1025; });
  ask("0 pixels", false, [](Columns& c) { c.pixels = 0; });
  ask("2 dimensions", false, [](Columns& c) { c.tensor = tensor(kF16, {32, 9}, {1, 1}); });
  ask("element stride 9", false, [](Columns& c) { c.tensor.steps[1] = 9; });
  return all;
}

CUresult answer(const Machine& machine, const ColumnsQuestion& question) {
  machine.enter();
  alignas(128) CUtensorMap map{};
  return question.columns.encode(machine, &map, 0x7f0000000000);
}

CUresult answer(const Machine& machine, const Question& question) {
  machine.enter();
  alignas(128) std::array<std::byte, 256> memory{};
  auto* map = reinterpret_cast<CUtensorMap*>(memory.data() + question.map_offset);
  return question.tensor.encode(machine, map, question.address);
}

TEST(TensorMaps, OfWrongDescriptionsAreRefused) {
  for (const Question& question : questions()) {
    const CUresult got = answer(cpu_machine(), question);
    const std::string& name = question.name;
    const bool good = name == "good" || name.starts_with("map +") || name == "box of 228 KiB" ||
                      name.ends_with("+ 16") || name == "dimension 2^32" ||
                      name == "stride 2^40 - 16" || name == "element stride 8" ||
                      name == "promotion 3";
    if (good) {
      EXPECT_EQ(got, CUDA_SUCCESS) << name;
    }
    if (name == "address + 8" || name == "stride + 8" || name == "box of 256 KiB" ||
        name == "first element stride 0" || name == "dimension 0" || name == "dimension 2^32 + 1" ||
        name == "stride 2^40" || name == "box 0" || name == "box 257" || name == "box of 8 bytes" ||
        name == "box of 24 bytes" || name == "element stride 0" || name == "element stride 9" ||
        name.ends_with("of 256 bytes") || name == "promotion 4" || name == "fill 2" ||
        name == "interleave 3" || name == "interleave 16 in 2d" || name == "type 17" ||
        name == "type 2, NaN") {
      EXPECT_NE(got, CUDA_SUCCESS) << name;
    }
  }
}

TEST(TensorMaps, OfWrongColumnsAreRefused) {
  for (const ColumnsQuestion& question : columns_questions()) {
    EXPECT_EQ(answer(cpu_machine(), question) == CUDA_SUCCESS, question.good) << question.name;
  }
}

TEST(OnGpu, TensorMapsAreRefusedTheSame) {
  if (!gpu_machine().usable()) GTEST_SKIP() << "no GPU";
  std::size_t differ = 0;
  const auto compare = [&](const auto& question) {
    const CUresult here = answer(cpu_machine(), question), there = answer(gpu_machine(), question);
    if (here == there) return;
    ++differ;
    std::printf("tensor map, %s: %d, on the GPU %d\n", question.name.c_str(), here, there);
  };
  for (const Question& question : questions()) compare(question);
  for (const ColumnsQuestion& question : columns_questions()) compare(question);
  EXPECT_EQ(differ, 0U);
}

// --- maps that are none

class TensorFaults : public DeviceTest {
 protected:
  static constexpr std::size_t kArray = 64 * 40 * 4;
  /// A kernel that loads a box, and one that stores it.
  CUfunction load(const char* dimensions = "2d", const char* at = "{%r1, %r2}",
                  bool columns = false) {
    return tensor_kernel(std::string("cp.async.bulk.tensor.") + dimensions +
                         ".shared::cluster.global" + (columns ? ".im2col" : ".tile") +
                         ".mbarrier::complete_tx::bytes [s], [%rd1, " + at + "], [b]" +
                         (columns ? ", {7};" : ";"));
  }
  CUfunction store() {
    return tensor_kernel(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [s];\n"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
  }
  CUfunction tensor_kernel(const std::string& text) {
    return kernel_of(
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .align 64 .b8 map[128], .param .u32 x, .param .u32 y)\n{\n"
        ".reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<2>;\n"
        ".shared .align 128 .b8 s[8192]; .shared .align 8 .b64 b;\n"
        "mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u32 %r1, [x]; ld.param.u32 %r2, "
        "[y];\nmbarrier.init.shared.b64 [b], 1;\n" +
            text + "\nmbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\nret;\n}\n",
        "k");
  }
};

TEST_F(TensorFaults, AMapThatIsNone) {
  CUtensorMap map{};
  ASSERT_CU(launch(load(), {}, {}, 0, map, 0, 0));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
  const Json report = reports().at(0);
  EXPECT_EQ(report["kind"], "invalid_handle");
  EXPECT_THAT(std::string(report["message"]), ::testing::HasSubstr("tensor map"));
}

TEST_F(TensorFaults, AMapOfAnotherRank) {
  Array<std::uint8_t> array(kArray);
  CUtensorMap map{};
  const Tensor made = tensor(kF32, {64, 40}, {32, 16});
  ASSERT_CU(made.encode(cpu_machine(), &map, array.address));
  ASSERT_CU(launch(load("3d", "{%r1, %r2, 0}"), {}, {}, 0, map, 0, 0));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

// So on an H200, for the whole launch.
TEST_F(TensorFaults, ABoxThatBeginsBetweenChunks) {
  Array<std::uint8_t> array(kArray);
  CUtensorMap map{};
  ASSERT_CU(tensor(kF32, {64, 40}, {32, 16}).encode(cpu_machine(), &map, array.address));
  ASSERT_CU(launch(load(), {}, {}, 0, map, 6, 0));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(std::string(reports().at(0)["message"]),
              ::testing::HasSubstr("at multiples of 16 bytes of a row, and this one at element 6"));
}

TEST_F(TensorFaults, AStoreThatBeginsBeforeTheTensor) {
  Array<std::uint8_t> array(kArray);
  CUtensorMap map{};
  ASSERT_CU(tensor(kF32, {64, 40}, {32, 16}).encode(cpu_machine(), &map, array.address));
  ASSERT_CU(launch(store(), {}, {}, 0, map, 8, -1));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_THAT(std::string(reports().at(0)["message"]),
              ::testing::HasSubstr("does not begin before the tensor"));
}

// The address alone is changed by cuTensorMapReplaceAddress, and by nobody else.
TEST_F(TensorFaults, AMapWithAnotherAddress) {
  Array<std::uint8_t> array(kArray), other(random_bytes(kArray, 5));
  CUtensorMap map{};
  const auto replace =
      api().find<decltype(::cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
  const Tensor made = tensor(kF32, {64, 40}, {32, 16});
  EXPECT_EQ(replace(&map, reinterpret_cast<void*>(other.address)), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(made.encode(cpu_machine(), &map, array.address));
  EXPECT_EQ(replace(&map, reinterpret_cast<void*>(other.address + 8)), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(replace(&map, reinterpret_cast<void*>(other.address)));
  ASSERT_CU(launch(store(), {}, {}, 0, map, 0, 0));
  ASSERT_CU(other.fetch());
  EXPECT_EQ(other.host[0], 0);  // shared memory begins as zeros here
  EXPECT_EQ(other.host[16 * 256], random_bytes(kArray, 5)[16 * 256]);
}

// A swizzle moves the last chunk of a box beyond its bytes, where there is nothing any more.
TEST_F(TensorFaults, ASwizzleBeyondSharedMemory) {
  Array<std::uint8_t> array(kArray);
  CUtensorMap map{};
  Tensor made = tensor(kU8, {64, 40}, {16, 9});  // the ninth row is a line's first chunk
  made.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  ASSERT_CU(made.encode(cpu_machine(), &map, array.address));
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .align 64 .b8 map[128])\n{\n.reg .b64 %rd<3>;\n"
      ".shared .align 1024 .b8 s[144];\nmov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {0, 0}], [s];\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nret;\n}\n";
  ASSERT_CU(launch(kernel_of(text, "k"), {}, {}, 0, map));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(reports().at(0)["space"], "shared");
}

// Whatever a map says, with checks and without, every access stays inside the device's memory.
TEST_F(TensorFaults, RandomMapsStayInsideTheDevice) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 600; ++round) {
    if (context_ == nullptr) {
      ASSERT_CU(api().create_context(&context_, 0, 0));
    }
    configure(round % 2 == 0 ? R"({"check": "none", "instruction_budget": 100000})"
                             : R"({"check": "memory", "instruction_budget": 100000})");
    Array<std::uint8_t> array(kArray);
    const auto some = [&](std::uint64_t most) { return random() >> random() % 64 & (most - 1); };
    cpu::TensorMap map;
    map.address = round % 3 == 0 ? some(std::uint64_t{1} << 48) & ~std::uint64_t{15}
                                 : array.address + 16 * (random() % 64);
    map.rank = 2;
    map.type = static_cast<cpu::TensorMap::Type>(random() % 13);
    map.swizzle = static_cast<cpu::TensorMap::Swizzle>(random() % 4);
    for (std::size_t d = 0; d < 2; ++d) {
      map.last[d] = static_cast<std::uint32_t>(some(std::uint64_t{1} << 32));
      map.box[d] = static_cast<std::uint16_t>(1 + random() % 256);
      map.steps[d] = static_cast<std::uint8_t>(1 + random() % 8);
    }
    map.box[0] = static_cast<std::uint16_t>(round % 5 == 0 ? map.box[0] : 16);
    if (const bool columns = round % 8 > 5; columns) {
      map.rank = 3;
      map.im2col = 1;
      map.box[2] = map.steps[2] = 1;
      map.last[2] = static_cast<std::uint32_t>(some(64));
      map.strides[1] = 16 * (random() % 1024);
      map.lower[0] = static_cast<std::int16_t>(random());
      map.upper[0] = static_cast<std::int16_t>(random());
      map.pixels = static_cast<std::uint16_t>(1 + random() % 256);
    }
    map.strides[0] = some(std::uint64_t{1} << 40) & ~std::uint64_t{15};
    map.make_seal();
    if (round % 7 == 0) {  // any bits at all, sealed or not
      auto* words = reinterpret_cast<unsigned char*>(&map);
      for (std::size_t i = 0; i < sizeof map; ++i)
        if (random() % 4 == 0) words[i] = static_cast<unsigned char>(random());
      if (round % 2 == 0) map.make_seal();
    }
    CUtensorMap opaque;
    std::memcpy(&opaque, &map, sizeof map);
    const auto x = static_cast<int>(some(std::uint64_t{1} << 32)), y = static_cast<int>(some(4096));
    const CUfunction function = round % 8 > 5   ? load("3d", "{0, %r1, %r2}", true)
                                : round % 4 < 2 ? load()
                                                : store();
    ASSERT_CU(launch(function, {}, {}, 0, opaque, x, -y));
    if (api().synchronize() != CUDA_SUCCESS) {
      api().destroy_context(context_);
      context_ = nullptr;
    } else {
      ASSERT_CU(api().free(array.address));
    }
    reports();
  }
}

}  // namespace
}  // namespace warpmark::test
