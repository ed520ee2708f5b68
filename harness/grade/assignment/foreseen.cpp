#include "grade/assignment/foreseen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/dtype.hpp"
#include "runtime/comparison.hpp"
#include "runtime/expectation.hpp"
#include "runtime/trivial_element.hpp"

namespace warpmark {
namespace {

// The most trials to look at: a result that chance makes the same in so many is not worth the
// trouble. For large arrays the least number is enough, as no chance makes them the same.
constexpr uint64_t kMostForeseenTrials = 16;
constexpr uint64_t kLeastTrials = 2;
constexpr uint64_t kMostForeseenElements = uint64_t{1} << 20;

// The first few refute most answers, at little cost.
constexpr size_t kFirstElements = 64;

// The threads of a launch or block; nothing if they are unknown or too many.
std::optional<int64_t> product(const std::array<Size, 3>& sizes) {
  int64_t all = 1;
  for (const Size& size : sizes) {
    const auto* number = std::get_if<int64_t>(&size);
    if (number == nullptr || *number < 1 || __builtin_mul_overflow(all, *number, &all)) {
      return std::nullopt;
    }
  }
  return all;
}

// True if the first `count` elements pass.
bool passes(const std::function<int64_t(int64_t)>& value, size_t count, const DType& dtype,
            const ReferenceValue& reference, const ComparisonRule& whole) {
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = value(static_cast<int64_t>(i));
  std::vector<std::byte> bytes(count * dtype.bytes);
  cast_elements({*find_dtype("int64"), std::as_bytes(std::span(values))}, dtype, bytes.data());
  const auto head = [count](auto all) { return all.size() <= 1 ? all : all.first(count); };
  const ComparisonRule rule{whole.kind, whole.nan, head(whole.ulp), head(whole.rtol),
                            head(whole.atol)};
  const TypedBytes expected{reference.dtype,
                            std::span(reference.bytes).first(count * reference.dtype.bytes)};
  return compare({dtype, bytes}, expected, rule, std::nullopt).passed();
}

uint64_t hash_of(const ReferenceValue& reference) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(reference.bytes.data()), reference.bytes.size()});
}

bool fills_all(const ReadyCase& ready) {
  const Plan& plan = ready.planned.plan;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    const std::optional<int64_t> grid = product(launch->grid), block = product(launch->block);
    int64_t threads = 0;
    if (!grid || !block || __builtin_mul_overflow(*grid, *block, &threads)) return false;
    const bool full = std::ranges::any_of(plan.buffers, [&](const Buffer& buffer) {
      return element_count(buffer_shape(buffer, ready.inputs)) == threads;
    });
    if (!full) return false;
  }
  return true;
}

}  // namespace

bool ForeseenCheck::look(const ReadyCase& ready, bool random) {
  const Plan& plan = ready.planned.plan;
  const PythonScope scope = reference_scope(plan, ready.inputs);
  const bool first = trials_++ == 0;
  if (first) fills_blocks_ = fills_all(ready);
  size_t at = 0;
  bool any = false;
  for (const Expected& expected : plan.expected) {
    const DType& dtype = ready.inputs.dtypes.at(expected.output);
    const Shape shape = buffer_shape(*plan.find_buffer(expected.output), ready.inputs);
    const auto count = static_cast<size_t>(element_count(shape));
    if (count == 0 || !is_single_number(dtype)) continue;
    const std::vector<PartExpectation> parts =
        evaluate_expectation(python_, ready.planned, scope, expected, dtype, shape);
    const Expectation& expectation = parts.front().expectation;
    const uint64_t hash = hash_of(expectation.reference);
    if (first) {
      elements_ += count;
      Output output{expected.output, {}, hash, false};
      const auto add = [&](const char* words, const std::function<int64_t(int64_t)>& value) {
        output.candidates.push_back({words, value, false});
      };
      // With a single element they are a zero and a one, which are tried anyway.
      if (count > 1) {
        add("wrote each element's index", [](int64_t i) { return i; });
        add("wrote each element's index plus 1", [](int64_t i) { return i + 1; });
      }
      if (count > 1 && shape.size() > 1) {
        const int64_t width = shape.back();
        add("wrote each element's row", [=](int64_t i) { return i / width; });
        add("wrote each element's column", [=](int64_t i) { return i % width; });
      }
      outputs_.push_back(std::move(output));
    } else if (at >= outputs_.size() || outputs_[at].name != expected.output) {
      return false;  // sizes are random, too
    }
    Output& output = outputs_[at++];
    output.changes = output.changes || output.first != hash;
    const ComparisonRule rule = expectation.rule();
    const ComparisonRule exact{ToleranceKind::exact, rule.nan};
    std::erase_if(output.candidates, [&](Candidate& one) {
      const auto does = [&](size_t elements, const ComparisonRule& by) {
        return passes(one.value, elements, dtype, expectation.reference, by);
      };
      if (!does(std::min(count, kFirstElements), rule) || !does(count, rule)) return true;
      one.by_tolerance = one.by_tolerance || !does(count, exact);
      return false;
    });
    any = any || !output.changes || !output.candidates.empty();
  }
  if (!any || !random || trials_ >= kMostForeseenTrials) return false;
  return trials_ < kLeastTrials || (trials_ + 1) * elements_ < kMostForeseenElements;
}

std::vector<ForeseenAnswer> ForeseenCheck::answers() const {
  std::vector<ForeseenAnswer> all;
  for (const Output& output : outputs_) {
    for (const Candidate& one : output.candidates) {
      all.push_back({output.name, one.words, one.by_tolerance, false});
    }
    if (!output.changes) {
      all.push_back({output.name, "held the results, the same in every trial,", false, true});
    }
  }
  return all;
}

void BuiltInValues::add(const std::string& name, const std::string& kernel,
                        const std::string& value) {
  const auto known = std::ranges::find_if(
      values_, [&](const Value& one) { return one.name == name && one.kernel == kernel; });
  if (known == values_.end()) {
    values_.push_back({name, kernel, value});
  } else if (known->value != value) {
    known->value.reset();
  }
}

// "`scale`", or "`scale` in a.cu" where several files have one.
std::string BuiltInValues::kernel_of(const Suite& suite) const {
  const std::string& entry = suite.kernel.entry->text();
  const std::string& file = assignment_.file_of(suite);
  bool others = false, elsewhere = false;
  for (const auto& one : assignment_.suites) {
    const bool same = one->kernel.entry->text() == entry;
    others = others || !same || assignment_.file_of(*one) != file;
    elsewhere = elsewhere || (same && assignment_.file_of(*one) != file);
  }
  if (!others) return "";
  return elsewhere ? fmt::format("`{}` in {}", entry, file) : fmt::format("`{}`", entry);
}

void BuiltInValues::add(const Case& item, const ReadyCase& ready) {
  const std::string kernel = kernel_of(*item.suite);
  for (const PointValue& point : item.point) {
    const bool number = std::holds_alternative<int64_t>(point.value) ||
                        std::holds_alternative<double>(point.value) ||
                        std::holds_alternative<bool>(point.value);
    if (number) add(point.name, kernel, to_text(point.value));
  }
  for (const auto& [argument, scalar] : ready.inputs.scalars) {
    const std::string& name = argument;
    // A compiler has parameters of its own, as Numba the size of an element.
    if (find_argument(*item.suite, name) == nullptr) continue;
    const bool axis = std::ranges::any_of(
        item.point, [&](const PointValue& point) { return point.name == name; });
    if (!axis) add(name, kernel, element_text({scalar.dtype, scalar.bytes}, 0));
  }
}

bool BuiltInValues::is_built_in(const Value& one) const {
  return one.value && std::ranges::none_of(assignment_.fixed, [&](const Located& fixed) {
           return fixed.text == one.name;
         });
}

std::vector<std::string> BuiltInValues::names() const {
  std::vector<std::string> found;
  for (const Value& one : values_) {
    const bool known = std::ranges::find(found, one.name) != found.end();
    if (is_built_in(one) && !known) found.push_back(one.name);
  }
  return found;
}

std::vector<Error> BuiltInValues::problems() const {
  std::vector<Error> found;
  for (const Value& one : values_) {
    if (!is_built_in(one)) continue;
    const bool several = !one.kernel.empty();
    found.push_back(usage_error(
        fmt::format("`{}`{} is {} in every case and trial: a kernel that has {} built in gets all "
                    "{} points",
                    one.name, several ? " of the kernel " + one.kernel : "", *one.value, *one.value,
                    several ? "of its" : fmt::format("{:.4g}", assignment_.max_points())),
        assignment_.where,
        fmt::format("give `{0}` other values in some cases; if kernels may know it, say `fixed: "
                    "[{0}]`",
                    one.name)));
  }
  return found;
}

std::vector<std::string> BuiltInValues::notes() const {
  std::vector<std::string> all;
  for (const Located& fixed : assignment_.fixed) {
    // One kernel with one value justifies the key `fixed`.
    bool any = false, several = true;
    for (const Value& one : values_) {
      if (one.name != fixed.text) continue;
      any = true;
      several = several && !one.value;
    }
    if (any && several) {
      all.push_back(fmt::format("`fixed` names `{}`, which has several values", fixed.text));
    }
  }
  return all;
}

}  // namespace warpmark
