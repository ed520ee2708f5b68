// Copies in batches: several in one call, which the stream orders as one, and nothing among
// themselves.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/batch_types.hpp"
#include "api/capture.hpp"
#include "api/copy.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::size_t kNoCopy = SIZE_MAX;  // which copy failed, if it is none in particular

struct Batch {
  std::vector<CUDA_MEMCPY3D> copies;
  std::size_t failed = kNoCopy;
  CUresult fail_at(std::size_t i, const char* why) {
    failed = i;
    return fail(CUDA_ERROR_INVALID_VALUE, "copy " + std::to_string(i) + ": " + why);
  }
};

// The furthest end of the accesses that begin before an address, and the furthest end among those
// of other copies.
class Furthest {
 public:
  void add(const CopyRange& range, std::size_t copy) {
    const Reach reach{range.place + range.bytes, copy};
    if (copy == first_.copy || reach.end > first_.end) {
      if (copy != first_.copy) second_ = first_;
      first_ = {std::max(reach.end, copy == first_.copy ? first_.end : 0), copy};
    } else if (reach.end > second_.end) {
      second_ = reach;
    }
  }
  // A copy other than `copy` that reaches beyond the place; kNoCopy if there is none.
  [[nodiscard]] std::size_t beyond(std::uint64_t place, std::size_t copy) const {
    const Reach& other = first_.copy == copy ? second_ : first_;
    return other.end > place ? other.copy : kNoCopy;
  }

 private:
  struct Reach {
    std::uint64_t end = 0;
    std::size_t copy = kNoCopy;
  };
  Reach first_, second_;  // of two copies
};

// Reports the first place that one copy writes and another reads or writes.
void look_for_races(Context& context, const char* name, const Batch& batch) {
  if (!context.launch_limits.checks.race || batch.copies.size() < 2) return;
  struct Access {
    CopyRange range;
    std::size_t copy;
  };
  std::vector<Access> accesses;
  std::vector<CopyRange> ranges;
  for (std::size_t i = 0; i < batch.copies.size(); ++i) {
    ranges.clear();
    if (ranges_of(context, batch.copies[i], ranges) != CUDA_SUCCESS) return;
    for (const CopyRange& range : ranges) accesses.push_back({range, i});
  }
  std::ranges::sort(accesses,
                    [](const Access& a, const Access& b) { return a.range.place < b.range.place; });
  Furthest reads, writes;
  for (const Access& access : accesses) {
    const auto [range, copy] = access;
    const std::size_t writer = writes.beyond(range.place, copy);
    const std::size_t reader = range.write ? reads.beyond(range.place, copy) : kNoCopy;
    if (writer != kNoCopy)
      return report_batch_race(context, name, {writer, true}, {copy, range.write}, range.address);
    if (reader != kNoCopy)
      return report_batch_race(context, name, {reader, false}, {copy, true}, range.address);
    (range.write ? writes : reads).add(range, copy);
  }
}

CUresult run(Context& context, const char* name, CUstream stream, Batch& batch) {
  // Driver 580 refuses to record a batch, and the capture stays valid.
  if (capturing(context, stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  for (std::size_t i = 0; i < batch.copies.size(); ++i) {
    const CUresult result = check_copy(context, batch.copies[i]);
    if (result == CUDA_SUCCESS) continue;
    batch.failed = i;
    return result;
  }
  if (context.pending != CUDA_SUCCESS) return CUDA_SUCCESS;
  look_for_races(context, name, batch);
  for (const CUDA_MEMCPY3D& copy : batch.copies) {
    const CUresult result = perform_copy(context, copy);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

// A batch that `fill` makes of the caller's arrays.
template <typename Fill>
CUresult submit_batch(const char* name, CUstream stream, std::size_t* failed, Fill fill) {
  Batch batch;
  const CUresult result =
      with_owner_reports(name, Waits::no, stream, [&](Context& context) -> CUresult {
        if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
        if (find_stream(context, stream) == nullptr)
          return fail(CUDA_ERROR_INVALID_VALUE, "the legacy default stream takes no batches");
        const CUresult filled = fill(batch);
        return filled != CUDA_SUCCESS ? filled : run(context, name, stream, batch);
      });
  if (failed != nullptr) *failed = batch.failed;
  return result;
}

// The attributes are hints but for these; copies are made in the order of the stream, which serves
// whoever asks for less.
template <typename Attributes>
bool are_valid(const Attributes& attributes) {
  constexpr unsigned int stream_order = 1, any_order = 3;  // CU_MEMCPY_SRC_ACCESS_ORDER_…
  constexpr unsigned int overlap = 1;                      // CU_MEMCPY_FLAG_PREFER_OVERLAP_…
  const unsigned int order = number_in(attributes.srcAccessOrder);
  return order >= stream_order && order <= any_order && (attributes.flags & ~overlap) == 0;
}

struct Linear {
  const CUdeviceptr *to, *from;
  const std::size_t* bytes;
  std::size_t count;
  const CUmemcpyAttributes* attributes;
  const std::size_t* firsts;  // the first copy that each of the attributes is of
  std::size_t kinds;
};

CUresult fill_linear(const Linear& given, Batch& batch) {
  if (given.to == nullptr || given.from == nullptr || given.bytes == nullptr ||
      given.attributes == nullptr || given.firsts == nullptr || given.count == 0 ||
      given.kinds == 0 || given.kinds > given.count || given.firsts[0] != 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < given.kinds; ++i) {
    if (given.firsts[i] >= given.count || (i > 0 && given.firsts[i] <= given.firsts[i - 1]))
      return fail(CUDA_ERROR_INVALID_VALUE, "the first copies of the attributes do not ascend");
    if (!are_valid(given.attributes[i]))
      return batch.fail_at(given.firsts[i], "its order of access or its flags are no such");
  }
  for (std::size_t i = 0; i < given.count; ++i) {
    if (given.to[i] == 0 || given.from[i] == 0 || given.bytes[i] == 0)
      return batch.fail_at(i, "it has a null address or no bytes");
    batch.copies.push_back(linear_copy(given.to[i], CU_MEMORYTYPE_UNIFIED, given.from[i],
                                       CU_MEMORYTYPE_UNIFIED, given.bytes[i])
                               .copy);
  }
  return CUDA_SUCCESS;
}

CUresult copy_linear(const char* name, const Linear& given, std::size_t* failed, CUstream stream) {
  return submit_batch(name, stream, failed,
                      [&](Batch& batch) { return fill_linear(given, batch); });
}

constexpr unsigned int kPointer = 1, kArray = 2;  // CU_MEMCPY_OPERAND_TYPE_…

// Bytes of an array's elements; 0 if the operand is of no live array.
std::size_t element_of(const CUmemcpy3DOperand& operand) {
  const Context* owner = owner_of(operand.op.array.array);
  return owner == nullptr ? 0 : owner->images.find(operand.op.array.array)->image.format.bytes();
}

// One side of a copy in bytes.
struct CopyOperand {
  CUmemorytype type = CU_MEMORYTYPE_UNIFIED;
  CUdeviceptr address = 0;
  CUarray array = nullptr;
  std::size_t x = 0, y = 0, z = 0, pitch = 0, height = 0;
};

bool read_operand(const CUmemcpy3DOperand& given, const CUDA_MEMCPY3D& copy, std::size_t element,
                  CopyOperand& operand) {
  if (number_in(given.type) == kArray) {
    operand.type = CU_MEMORYTYPE_ARRAY;
    operand.array = given.op.array.array;
    operand.y = given.op.array.offset.y;
    operand.z = given.op.array.offset.z;
    return !__builtin_mul_overflow(given.op.array.offset.x, element, &operand.x);
  }
  operand.address = given.op.ptr.ptr;
  operand.height = given.op.ptr.layerHeight;
  return operand.address != 0 &&
         !__builtin_mul_overflow(given.op.ptr.rowLength, element, &operand.pitch) &&
         (operand.pitch == 0 || operand.pitch >= copy.WidthInBytes) &&
         (operand.height == 0 || operand.height >= copy.Height);
}

CUresult fill_box(const CUDA_MEMCPY3D_BATCH_OP& given, std::size_t i, Batch& batch) {
  if (!are_valid(given)) return batch.fail_at(i, "its order of access or its flags are no such");
  std::size_t element = 1;
  for (const CUmemcpy3DOperand* operand : {&given.src, &given.dst}) {
    const unsigned int type = number_in(operand->type);
    if (type != kPointer && type != kArray) return batch.fail_at(i, "an operand has no type");
    if (type == kPointer) continue;
    const std::size_t bytes = element_of(*operand);
    if (bytes == 0) return batch.fail_at(i, "an operand is no array");
    if (operand == &given.dst && number_in(given.src.type) == kArray && bytes != element)
      return batch.fail_at(i, "the arrays have elements of two sizes");
    element = bytes;
  }
  CUDA_MEMCPY3D copy{};
  CopyOperand from, to;
  copy.Height = given.extent.height;
  copy.Depth = given.extent.depth;
  if (given.extent.width == 0 || copy.Height == 0 || copy.Depth == 0 ||
      __builtin_mul_overflow(given.extent.width, element, &copy.WidthInBytes) ||
      !read_operand(given.src, copy, element, from) || !read_operand(given.dst, copy, element, to))
    return batch.fail_at(i, "an address or a size is 0, or a row or a layer is too small");
  copy.srcMemoryType = from.type;
  copy.srcDevice = from.address;
  copy.srcArray = from.array;
  copy.srcXInBytes = from.x;
  copy.srcY = from.y;
  copy.srcZ = from.z;
  copy.srcPitch = from.pitch;
  copy.srcHeight = from.height;
  copy.dstMemoryType = to.type;
  copy.dstDevice = to.address;
  copy.dstArray = to.array;
  copy.dstXInBytes = to.x;
  copy.dstY = to.y;
  copy.dstZ = to.z;
  copy.dstPitch = to.pitch;
  copy.dstHeight = to.height;
  batch.copies.push_back(copy);
  return CUDA_SUCCESS;
}

CUresult copy_boxes(const char* name, const CUDA_MEMCPY3D_BATCH_OP* operations, std::size_t count,
                    unsigned long long flags, std::size_t* failed, CUstream stream) {
  return submit_batch(name, stream, failed, [&](Batch& batch) -> CUresult {
    if (operations == nullptr || count == 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      const CUresult result = fill_box(operations[i], i, batch);
      if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                               CUmemcpyAttributes* attributes, size_t* firsts, size_t kinds,
                               CUstream stream) {
  return copy_linear("cuMemcpyBatchAsync_v2", {to, from, bytes, count, attributes, firsts, kinds},
                     nullptr, stream);
}
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                            CUmemcpyAttributes* attributes, size_t* firsts, size_t kinds,
                            size_t* failed, CUstream stream) {
  return copy_linear("cuMemcpyBatchAsync", {to, from, bytes, count, attributes, firsts, kinds},
                     failed, stream);
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP* operations,
                                 unsigned long long flags, CUstream stream) {
  return copy_boxes("cuMemcpy3DBatchAsync_v2", operations, count, flags, nullptr, stream);
}
CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP* operations, size_t* failed,
                              unsigned long long flags, CUstream stream) {
  return copy_boxes("cuMemcpy3DBatchAsync", operations, count, flags, failed, stream);
}

}  // extern "C"
