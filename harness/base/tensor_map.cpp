#include "base/tensor_map.hpp"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

namespace warpmark {
namespace {

template <typename Setting>
struct WordedSetting {
  using Type = Setting;
};
template <typename Setting>
struct WordedSetting<std::optional<Setting>> {
  using Type = Setting;
};

// In no manual: a driver of version 580 takes boxes of 228 KiB, and none of 256.
constexpr uint64_t kBoxEnd = uint64_t{256} << 10;
constexpr uint64_t kMostRank = 5, kMostBox = 256, kMostStep = 8;
constexpr uint64_t kStrideEnd = uint64_t{1} << 40, kMostExtent = uint64_t{1} << 32;

std::string axis_text(size_t axis, size_t rank) {
  return axis + 1 == rank ? "the last axis" : fmt::format("axis {}", axis);
}

std::optional<TensorMapProblem> problem_of_box(const TensorMapForm& form) {
  const size_t rank = form.shape.size();
  uint64_t bytes = bytes_of(form.type);
  for (size_t axis = 0; axis < rank; ++axis) {
    const uint64_t box = form.box[axis], step = form.element_strides[axis];
    if (step < 1 || step > kMostStep) {
      return TensorMapProblem{"element_strides",
                              fmt::format("an element stride is 1 to {}, and that of {} is {}",
                                          kMostStep, axis_text(axis, rank), step),
                              ""};
    }
    if (box < 1 || box > kMostBox) {
      return TensorMapProblem{
          "box",
          fmt::format("a box has 1 to {} elements along an axis, and {} along {}", kMostBox, box,
                      axis_text(axis, rank)),
          "let the kernel copy several boxes"};
    }
    bytes *= axis + 1 == rank ? box : (box + step - 1) / step;
  }
  const uint64_t inner = form.box.back() * bytes_of(form.type);
  const std::string type(to_text(form.type));
  const bool interleaved = form.settings.interleave != TensorInterleave::none;
  if (inner % 16 != 0) {
    return TensorMapProblem{
        "box",
        fmt::format("the last axis of a box takes a multiple of 16 bytes, and {} elements of {} "
                    "take {}",
                    form.box.back(), type, inner),
        fmt::format("{} elements of {} are 16 bytes", 16 / bytes_of(form.type), type)};
  }
  const uint64_t span = uint64_t{16} << static_cast<unsigned>(form.settings.swizzle);
  if (!interleaved && form.settings.swizzle != TensorSwizzle::none && inner > span) {
    return TensorMapProblem{
        "box",
        fmt::format("with a swizzle of {} bytes the last axis of a box takes at most as many, and "
                    "{} elements of {} take {}",
                    span, form.box.back(), type, inner),
        fmt::format("{} elements of {} are {} bytes", span / bytes_of(form.type), type, span)};
  }
  if (bytes >= kBoxEnd) {
    return TensorMapProblem{
        "box", fmt::format("a box takes less than {} bytes, and this one {}", kBoxEnd, bytes), ""};
  }
  return std::nullopt;
}

std::optional<TensorMapProblem> problem_of_place(const TensorMapForm& form) {
  const size_t rank = form.shape.size();
  const uint64_t aligned = form.settings.interleave == TensorInterleave::bytes_32 ? 32 : 16;
  if (form.lead % aligned != 0) {
    return TensorMapProblem{
        "tensor_map",
        fmt::format("a tensor begins at a multiple of {} bytes, and the array's first element is "
                    "{} bytes behind one",
                    aligned, form.lead % aligned),
        "change the `offset` of the array"};
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    if (form.shape[axis] < 1 || form.shape[axis] > kMostExtent) {
      return TensorMapProblem{"shape",
                              fmt::format("a tensor has 1 to 2**32 elements along an axis, and {} "
                                          "along {}",
                                          form.shape[axis], axis_text(axis, rank)),
                              ""};
    }
    if (axis + 1 == rank) break;
    const uint64_t stride = form.strides[axis];
    if (stride % aligned == 0 && stride < kStrideEnd) continue;
    return TensorMapProblem{
        "strides",
        fmt::format("strides are multiples of {} below 2**40, and from one element to the next "
                    "along {} there are {} bytes",
                    aligned, axis_text(axis, rank), stride),
        "give the array a `pitch` that is a multiple of 16, or choose another number of elements"};
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::pair<std::string, std::vector<std::string>>>& tensor_map_words() {
  static const auto kWords = [] {
    std::vector<std::pair<std::string, std::vector<std::string>>> all;
    TensorMapSettings settings;
    each_setting(settings, [&](const char* key, auto& setting) {
      using Setting = typename WordedSetting<std::decay_t<decltype(setting)>>::Type;
      std::vector<std::string>& own = all.emplace_back(key, std::vector<std::string>{}).second;
      for (const Setting value : each_value<Setting>()) own.emplace_back(to_text(value));
    });
    return all;
  }();
  return kWords;
}

std::optional<TensorType> tensor_type_of(const DType& dtype) {
  for (const TensorType type : each_value<TensorType>()) {
    if (to_text(type) == dtype.name) return type;
  }
  if (dtype.kind == DTypeKind::record) return std::nullopt;
  for (const TensorType type :
       {TensorType::uint8, TensorType::uint16, TensorType::uint32, TensorType::uint64}) {
    if (bytes_of(type) == dtype.bytes) return type;
  }
  return std::nullopt;
}

uint32_t bytes_of(TensorType type) {
  switch (type) {
    case TensorType::uint8:
      return 1;
    case TensorType::uint16:
    case TensorType::float16:
    case TensorType::bfloat16:
      return 2;
    case TensorType::uint64:
    case TensorType::int64:
    case TensorType::float64:
      return 8;
    default:
      return 4;
  }
}

std::optional<TensorMapProblem> problem_of(const TensorMapForm& form) {
  const size_t rank = form.shape.size();
  if (rank < 1 || rank > kMostRank) {
    return TensorMapProblem{
        "shape", fmt::format("a tensor map has 1 to {} axes, and the tensor {}", kMostRank, rank),
        "`shape` gives it another shape"};
  }
  const auto count = [&](const char* key, size_t there,
                         size_t wanted) -> std::optional<TensorMapProblem> {
    if (there == wanted) return std::nullopt;
    return TensorMapProblem{
        key,
        fmt::format("`{}` has {} number{}, and the tensor {} {}", key, there, there == 1 ? "" : "s",
                    rank, rank == 1 ? "axis" : "axes"),
        wanted == rank ? "one for each axis, in NumPy's order" : "one for each axis but the last"};
  };
  if (auto problem = count("box", form.box.size(), rank)) return problem;
  if (auto problem = count("element_strides", form.element_strides.size(), rank)) return problem;
  if (auto problem = count("strides", form.strides.size(), rank - 1)) return problem;
  const TensorMapSettings& settings = form.settings;
  if (settings.interleave != TensorInterleave::none && rank < 3) {
    return TensorMapProblem{
        "interleave", fmt::format("an interleaved tensor has 3 to 5 axes, and this one {}", rank),
        ""};
  }
  if (settings.interleave == TensorInterleave::bytes_32 &&
      settings.swizzle != TensorSwizzle::bytes_32) {
    return TensorMapProblem{"interleave", "with `interleave: 32B` the swizzle is 32B, too",
                            "add `swizzle: 32B`"};
  }
  const bool real = form.type >= TensorType::float16;
  if (settings.fill == TensorFill::nan && !real) {
    return TensorMapProblem{
        "fill",
        fmt::format("only floats are filled with NaN, and the elements are {}", to_text(form.type)),
        ""};
  }
  if (auto problem = problem_of_box(form)) return problem;
  return problem_of_place(form);
}

uint64_t extent_of(const TensorMapForm& form) {
  uint64_t bytes = form.shape.back() * bytes_of(form.type);
  bool overflows = false;
  for (size_t axis = 0; axis + 1 < form.shape.size(); ++axis) {
    uint64_t of_axis = 0;
    overflows |= __builtin_mul_overflow(form.shape[axis] - 1, form.strides[axis], &of_axis);
    overflows |= __builtin_add_overflow(bytes, of_axis, &bytes);
  }
  return overflows ? std::numeric_limits<uint64_t>::max() : bytes;
}

}  // namespace warpmark
