#include "runtime/tensor_maps.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "runtime/placement.hpp"

namespace warpmark {
namespace {

constexpr size_t kMapBytes = 128, kMapAlignment = 64;  // CUtensorMap in cuda.h

std::vector<uint64_t> numbers(const std::vector<Size>& sizes) {
  std::vector<uint64_t> values;
  for (const Size& size : sizes) values.push_back(static_cast<uint64_t>(resolved(size)));
  return values;
}

// The form of one map, made from its array where the suite says nothing.
class Maker {
 public:
  Maker(const Scalar& scalar, const ReadyCase& ready)
      : scalar_(scalar),
        map_(*scalar.tensor_map),
        ready_(ready),
        array_(*ready.planned.plan.find_buffer(map_.array)),
        shape_(part_of(buffer_shape(array_, ready.inputs))),
        placement_(placement_of(array_, shape_, ready.planned.positions)) {}

  TensorMapForm make() const {
    TensorMapForm form;
    form.settings = map_.settings;
    form.type = type();
    form.lead = placement_.lead;
    form.box = numbers(map_.box);
    const bool own_shape = !map_.shape.empty();
    form.shape =
        own_shape ? numbers(map_.shape) : std::vector<uint64_t>(shape_.begin(), shape_.end());
    form.element_strides = map_.element_strides.empty()
                               ? std::vector<uint64_t>(form.shape.size(), 1)
                               : numbers(map_.element_strides);
    form.strides = map_.strides.empty() ? strides(form, own_shape) : numbers(map_.strides);
    if (const auto problem = problem_of(form)) fail(problem->key, problem->text, problem->hint);
    const uint64_t there = placement_.bytes() - placement_.lead;
    if (extent_of(form) <= there) return form;
    fail(own_shape ? "shape" : "strides",
         fmt::format("the tensor takes {} bytes, and `{}` has {}", extent_of(form), array_.name,
                     there),
         "");
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& text,
                         const std::string& hint) const {
    throw verdict_error(fmt::format("the tensor map `{}`: {}", scalar_.name, text),
                        ready_.planned.positions.find(map_.at + "/" + key), hint);
  }

  // Several devices have equal parts of an array.
  Shape part_of(Shape shape) const {
    const auto& devices = ready_.planned.plan.devices;
    if (array_.partition && devices && !shape.empty()) shape[0] /= resolved(*devices);
    return shape;
  }

  TensorType type() const {
    const DType& dtype = *array_.dtype;
    const std::optional<TensorType> own = tensor_type_of(dtype);
    if (!map_.settings.dtype && !own) {
      fail("dtype",
           fmt::format("no tensor map has elements of {}, which `{}` has", dtype.name, array_.name),
           "give the map a `dtype`, and a `shape` in elements of it");
    }
    const TensorType type = map_.settings.dtype.value_or(own.value_or(TensorType::uint8));
    if (bytes_of(type) != dtype.bytes && map_.shape.empty()) {
      fail("dtype",
           fmt::format("its elements are {} of {} bytes, and those of `{}` {} of {}", to_text(type),
                       bytes_of(type), array_.name, dtype.name, dtype.bytes),
           "add `shape`, in elements of the map");
    }
    return type;
  }

  // The array's own shape lies in rows with its pitch, another one without gaps.
  std::vector<uint64_t> strides(const TensorMapForm& form, bool own_shape) const {
    std::vector<uint64_t> strides(form.shape.empty() ? 0 : form.shape.size() - 1);
    uint64_t stride = own_shape && !form.shape.empty() ? form.shape.back() * bytes_of(form.type)
                                                       : placement_.pitch;
    for (size_t axis = strides.size(); axis-- > 0;) {
      strides[axis] = stride;
      stride *= form.shape[axis];
    }
    return strides;
  }

  const Scalar& scalar_;
  const PlanTensorMap& map_;
  const ReadyCase& ready_;
  const Buffer& array_;
  const Shape shape_;
  const Placement placement_;
};

}  // namespace

void check_tensor_map(const Scalar& scalar, const EntryParameter& parameter, const Entry& entry,
                      const PositionMap& positions) {
  const bool pointer = parameter.type.find_first_of("*&") != std::string::npos;
  // The compiler's own type says how it is aligned; a binary does not.
  const bool loose = !parameter.type.empty() && parameter.alignment < kMapAlignment;
  if (parameter.bytes == kMapBytes && !pointer && !loose) return;
  const std::string what = parameter.type.empty() ? fmt::format("{} bytes", parameter.bytes)
                                                  : fmt::format("`{}`", parameter.type);
  throw verdict_error(
      fmt::format("argument `{}` is a tensor map, and the kernel takes {}{}: {}", scalar.name, what,
                  loose && !pointer && parameter.bytes == kMapBytes
                      ? fmt::format(", aligned to {} bytes and not to {}", parameter.alignment,
                                    kMapAlignment)
                      : "",
                  entry.text()),
      positions.find(scalar.at), "its parameter is `const __grid_constant__ CUtensorMap`");
}

TensorMapForm tensor_map_form(const Scalar& scalar, const ReadyCase& ready) {
  return Maker(scalar, ready).make();
}

void check_tensor_maps(const ReadyCase& ready) {
  for (const Scalar& scalar : ready.planned.plan.scalars) {
    if (scalar.tensor_map) (void)tensor_map_form(scalar, ready);
  }
}

}  // namespace warpmark
