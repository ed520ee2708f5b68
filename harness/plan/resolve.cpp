// Evaluates what a plan left open until arrays and device were there.
#include <fmt/format.h>

#include <cstdint>

#include "plan/plan.hpp"

namespace warpmark {
namespace {

class Resolver {
 public:
  Resolver(const Plan& plan, const Facts& facts, const PositionMap& positions)
      : facts_(facts), positions_(positions), scope_(axes_of(plan)) {
    for (const auto& [name, value] : facts.device) scope_.set("device." + name, value);
    for (const Buffer& buffer : plan.buffers) {
      if (!has_shape(buffer.direction)) set_array(buffer.name, nullptr);
    }
  }

  void buffer(Buffer& buffer) {
    if (!has_shape(buffer.direction)) return;
    const std::vector<int64_t> shape = extents(buffer.shape);
    try {
      set_array(buffer.name, &shape);
    } catch (const Error& error) {
      throw error.at(positions_.find(buffer.at));
    }
  }

  void placement(Buffer& buffer) {
    if (buffer.pitch) number(*buffer.pitch);
    if (buffer.offset) number(*buffer.offset);
    placed_[buffer.name] = &buffer;
  }

  void scalar(Scalar& scalar) {
    if (scalar.tensor_map) {
      PlanTensorMap& map = *scalar.tensor_map;
      (void)extents(map.shape);
      for (std::vector<Size>* sizes : {&map.box, &map.element_strides, &map.strides}) {
        for (Size& size : *sizes) number(size);
      }
    }
    const auto* symbolic = scalar.integer ? std::get_if<Symbolic>(&*scalar.integer) : nullptr;
    if (symbolic == nullptr) return;
    scalar.integer = whole(*symbolic);
  }

  void step(LaunchStep& launch) {
    for (Size& size : launch.grid) number(size);
    for (Size& size : launch.block) number(size);
    if (launch.cluster) {
      for (Size& size : *launch.cluster) number(size);
    }
    number(launch.shared);
    for (ElementPointer& pointer : launch.pointers) {
      number(pointer.element);
      require_element(launch.arguments[pointer.argument], pointer);
    }
  }
  void step(CopyStep& copy) { require_alike(copy.from, copy.to, copy.at, "copied"); }
  void step(FillStep& fill) {
    const Buffer& buffer = *placed_.at(fill.buffer);
    if (buffer.is_dense()) return;
    throw usage_error(fmt::format("`{}` has {}, and a fill would set the bytes around its elements",
                                  buffer.name, buffer.pitch ? "a pitch" : "an offset"),
                      positions_.find(fill.at), "set its elements by a kernel");
  }

  void swap(const Swap& swap) { require_alike(swap.first, swap.second, swap.at, "swapped"); }

  void amount(std::optional<Amount>& amount) {
    const auto* symbolic = amount ? std::get_if<Symbolic>(&*amount) : nullptr;
    if (symbolic == nullptr) return;
    const ArithmeticValue value = evaluate(*symbolic);
    if (const auto* number = std::get_if<double>(&value); number != nullptr && *number >= 0) {
      amount = *number;
    } else {
      amount = count(*symbolic, value);
    }
  }

  void access(Access& access) {
    for (Size* size : {&access.start, &access.step}) {
      if (const auto* symbolic = std::get_if<Symbolic>(size)) *size = whole(*symbolic);
    }
    number(access.count);
  }

  const Scope& scope() const { return scope_; }

  // From here on arithmetic is about what one device has.
  void divide(Plan& plan) {
    if (!plan.devices) return;
    const int64_t devices = devices_of(plan, facts_.device, positions_);
    plan.devices = devices;
    for (const Buffer& buffer : plan.buffers) {
      if (!buffer.partition) continue;
      std::vector<int64_t> shape =
          std::get<std::vector<int64_t>>(*scope_.find(buffer.name + ".shape"));
      if (shape.empty() || shape[0] % devices != 0) {
        throw usage_error(
            fmt::format("{} devices cannot share `{}`: its first axis has {} elements", devices,
                        buffer.name, shape.empty() ? 0 : shape[0]),
            positions_.find(buffer.at), "make it a multiple of the number of devices");
      }
      shape[0] /= devices;
      set_array(buffer.name, &shape);
    }
  }

  void skip(PlannedSkip& rule) {
    const auto* symbolic = std::get_if<Symbolic>(&rule.when);
    if (symbolic == nullptr) return;
    const ArithmeticValue value = evaluate(*symbolic);
    const auto* holds = std::get_if<bool>(&value);
    if (holds == nullptr) {
      throw usage_error(fmt::format("`when` must be True or False, and is {}", to_text(value)),
                        positions_.find(symbolic->at), "compare: n > 100");
    }
    rule.when = *holds;
  }

 private:
  // Evaluates the elements of a shape, which may be tuples.
  std::vector<int64_t> extents(std::vector<Size>& sizes) {
    std::vector<int64_t> shape;
    for (const Size& extent : sizes) {
      if (const auto* value = std::get_if<int64_t>(&extent)) {
        shape.push_back(*value);
        continue;
      }
      const auto& symbolic = std::get<Symbolic>(extent);
      const ArithmeticValue value = evaluate(symbolic);
      if (const auto* tuple = std::get_if<std::vector<int64_t>>(&value)) {
        shape.insert(shape.end(), tuple->begin(), tuple->end());
      } else {
        shape.push_back(count(symbolic, value));
      }
    }
    sizes.assign(shape.begin(), shape.end());
    return shape;
  }

  void require_alike(const std::string& first, const std::string& second, const std::string& at,
                     const std::string& what) const {
    const DType& one = facts_.arrays.at(first).dtype;
    const DType& other = facts_.arrays.at(second).dtype;
    const ArithmeticValue& shape = *scope_.find(first + ".shape");
    const ArithmeticValue& other_shape = *scope_.find(second + ".shape");
    const Buffer& place = *placed_.at(first);
    const Buffer& other_place = *placed_.at(second);
    const bool same_place = place.pitch == other_place.pitch && place.offset == other_place.offset;
    if (one == other && shape == other_shape && !same_place) {
      throw usage_error(fmt::format("`{}` and `{}` differ in pitch or offset: arrays that are {} "
                                    "must be alike",
                                    first, second, what),
                        positions_.find(at));
    }
    if (one == other && shape == other_shape) return;
    throw usage_error(
        fmt::format("`{}` is {} of shape {}, and `{}` is {} of shape {}: arrays that are {} must "
                    "be alike",
                    first, one.name, to_text(shape), second, other.name, to_text(other_shape),
                    what),
        positions_.find(at));
  }

  // One past the last is where an empty rest begins.
  void require_element(const std::string& name, const ElementPointer& pointer) const {
    const auto size = std::get<int64_t>(*scope_.find(name + ".size"));
    const auto element = std::get<int64_t>(pointer.element);
    if (element <= size) return;
    throw usage_error(fmt::format("`{}` has {} elements, and a pointer to element {} is given",
                                  name, size, element),
                      positions_.find(pointer.at));
  }

  void set_array(const std::string& name, const std::vector<int64_t>* shape) {
    const auto found = facts_.arrays.find(name);
    if (found == facts_.arrays.end()) {
      throw internal_error(fmt::format("the plan's buffer `{}` has no facts to resolve it", name));
    }
    scope_.set_array(name, shape != nullptr ? *shape : found->second.shape,
                     found->second.dtype.bytes);
  }

  ArithmeticValue evaluate(const Symbolic& symbolic) {
    const Expression expression = Expression::parse(symbolic.text, positions_.find(symbolic.at));
    if (symbolic.with.empty()) return expression.evaluate(scope_);
    Scope scope = scope_;
    for (const PlanAxis& name : symbolic.with) scope.set(name.name, name.value);
    return expression.evaluate(scope);
  }

  int64_t whole(const Symbolic& symbolic) {
    const ArithmeticValue value = evaluate(symbolic);
    const auto* integer = std::get_if<int64_t>(&value);
    if (integer != nullptr) return *integer;
    throw usage_error(
        fmt::format("`{}` is {}: a whole number is needed", symbolic.text, to_text(value)),
        positions_.find(symbolic.at));
  }

  int64_t count(const Symbolic& symbolic, const ArithmeticValue& value) {
    const auto* integer = std::get_if<int64_t>(&value);
    if (integer != nullptr && *integer >= 0) return *integer;
    throw usage_error(fmt::format("`{}` is {}: a whole number, 0 or more, is needed", symbolic.text,
                                  to_text(value)),
                      positions_.find(symbolic.at));
  }

  void number(Size& size) {
    const auto* symbolic = std::get_if<Symbolic>(&size);
    if (symbolic != nullptr) size = count(*symbolic, evaluate(*symbolic));
  }

  const Facts& facts_;
  const PositionMap& positions_;
  Scope scope_;
  std::map<std::string, const Buffer*> placed_;  ///< by name
};

}  // namespace

Scope axes_of(const Plan& plan) {
  Scope axes;
  for (const PlanAxis& axis : plan.point) axes.set(axis.name, axis.value);
  return axes;
}

std::optional<int64_t> known_integer(const Scalar& scalar, const Plan& plan) {
  const bool integer = !scalar.dtype || is_integer(*scalar.dtype);
  if (!integer || scalar.null || scalar.tensor_map || scalar.value.function) return std::nullopt;
  if (scalar.integer) {
    const auto* value = std::get_if<int64_t>(&*scalar.integer);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
  try {
    const Folded folded = Expression::parse(scalar.value.text, {}).fold(axes_of(plan));
    const auto* value = folded.value ? std::get_if<int64_t>(&*folded.value) : nullptr;
    return value != nullptr ? std::optional(*value) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // NumPy, which only the interpreter reads
  }
}

int64_t devices_of(const Plan& plan, const std::map<std::string, int64_t>& device,
                   const PositionMap& positions) {
  if (!plan.devices) return 1;
  const Position where = positions.find("/devices");
  ArithmeticValue value;
  if (const auto* symbolic = std::get_if<Symbolic>(&*plan.devices)) {
    Scope scope = axes_of(plan);
    for (const auto& [name, known] : device) scope.set("device." + name, known);
    value = Expression::parse(symbolic->text, where).evaluate(scope);
  } else {
    value = std::get<int64_t>(*plan.devices);
  }
  const auto* count = std::get_if<int64_t>(&value);
  if (count != nullptr && *count >= 1) return *count;
  throw usage_error(
      fmt::format("`devices` is {}: a whole number, 1 or more, is needed", to_text(value)), where);
}

Plan resolve(Plan plan, const Facts& facts, const PositionMap& positions) {
  Resolver resolver(plan, facts, positions);
  for (Buffer& buffer : plan.buffers) resolver.buffer(buffer);
  for (Buffer& buffer : plan.buffers) resolver.placement(buffer);
  Resolver parts = resolver;
  parts.divide(plan);
  for (Scalar& scalar : plan.scalars) parts.scalar(scalar);
  for (Step& step : plan.steps) {
    std::visit([&](auto& one) { parts.step(one); }, step);
  }
  for (const Swap& swap : plan.swaps) parts.swap(swap);
  resolver.amount(plan.bytes);
  resolver.amount(plan.flops);
  resolver.amount(plan.peak_flops_per_s);
  check_peak(plan, positions);
  for (CounterBound& counter : plan.counters) resolver.amount(counter.bound);
  resolver.amount(plan.composites.tiled);
  resolver.amount(plan.composites.work_efficient);
  for (PlannedSkip& rule : plan.skip) resolver.skip(rule);
  for (Access& access : plan.accesses) resolver.access(access);
  check_accesses(plan, resolver.scope(), positions);
  return plan;
}

}  // namespace warpmark
