// The plugin `array`: expressions over whole arrays with NumPy's meaning, written into kernels.
#include <algorithm>
#include <string>

#include "codegen/elements.hpp"
#include "codegen/kernel_keys.hpp"
#include "codegen/source.hpp"
#include "codegen/usage.hpp"
#include "emit.hpp"
#include "prelude.hpp"
#include "steps.hpp"
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;
using namespace warpmark::array;
namespace codegen = warpmark::codegen;

constexpr const char* kExpression = "/kernel/expression";

// Threads for a tile of 32 by 32: more blocks at once hide the barrier between reading and writing.
// Four rows of threads were faster than eight on an H200 (docs/plugin-array.md).
constexpr int64_t kTiledBlock = 128;

class Planner {
 public:
  explicit Planner(const Json& which)
      : which_(which),
        kernel_(which.at("kernel")),
        text_(codegen::required_text(kernel_, "expression"), kExpression),
        tuning_(codegen::read_tuning(kernel_, codegen::kElementsTuning)),
        name_(codegen::kernel_name(which)),
        names_(which),
        assignments_(parse_assignments(text_)),
        python_(python_text(names_, text_, assignments_)) {}

  Json plan() {
    Json plan = warpmark::plugin::plan_of_arguments(which_);
    const std::vector<Step> steps = make_steps(names_, text_, assignments_);
    for (const Step& step : steps) add_step(step, plan);
    add_shapes(plan);
    add_expected(plan);
    return plan;
  }

 private:
  void add_step(const Step& step, Json& plan) {
    for (const Array* array : step.copied) copy(*array, plan);
    const size_t number = plan["units"].size();
    const Emitted emitted = emit(names_, step, number);
    Json kernel = kernel_;
    Json options = Json::array();
    const Json given = kernel_.value("options", Json::array());
    const bool chosen = std::ranges::any_of(given, [](const Json& option) {
      return option.get<std::string>().find("fmad") != std::string::npos;
    });
    if (!chosen) options.push_back("--fmad=false");  // NumPy rounds each operation by itself
    options.insert(options.end(), given.begin(), given.end());
    kernel["options"] = options;
    codegen::ElementsKernel elements;
    elements.name = number == 0 ? name_ : name_ + "_" + std::to_string(number + 1);
    elements.tuning = tuning_;
    elements.operation = emitted.operation;
    elements.parameters = emitted.parameters;
    elements.layout = codegen::lay_out(
        emitted.parameters, codegen::Expression(emitted.operation, kExpression, Json::object()));
    if (emitted.tiles) {
      if (!has_block()) elements.tuning.block = kTiledBlock;
      elements.operation_parameters = emitted.tiles->parameters();
      elements.body = emitted.tiles->body(
          elements.tuning.block, codegen::arguments_from_memory(elements.layout, "warpmark_i"));
    }
    plan["units"].push_back(elements.source(kernel, prelude(emitted.helpers)).unit(kernel));
    plan["units"].back()["at"] = kExpression;
    Json arguments(emitted.arguments);
    for (const Emitted::Integer& integer : emitted.integers) {
      add_scalar(integer.name, integer.value, plan);
    }
    const std::string count = "warpmark_" + std::to_string(number) + "_n";
    add_scalar(count, emitted.count, plan);
    arguments.push_back(count);
    const int64_t each = elements.elements_of_block();
    const int64_t blocks = emitted.tiles ? emitted.tiles->blocks(emitted.sizes)
                                         : std::max<int64_t>(1, (emitted.count + each - 1) / each);
    if (blocks > INT32_MAX) throw Failure(kExpression, "the arrays are too large for one launch");
    codegen::add_launch(
        plan, {elements.name, {blocks, 1, 1}, elements.tuning.block, arguments, "/kernel", number});
  }

  bool has_block() const {
    return kernel_.contains("tune") && kernel_.at("tune").contains("block");
  }

  static void add_scalar(const std::string& name, int64_t value, Json& plan) {
    plan["scalars"].push_back({{"name", name}, {"dtype", "int64"}, {"integer", value}});
  }

  static void copy(const Array& array, Json& plan) {
    const std::string scratch = scratch_name(array.name);
    const bool known = std::ranges::any_of(
        plan["buffers"], [&](const Json& buffer) { return buffer.at("name") == scratch; });
    if (!known) {
      plan["buffers"].push_back({{"name", scratch},
                                 {"direction", "scratch"},
                                 {"dtype", name_of(array.type)},
                                 {"shape", array.shape}});
    }
    plan["steps"].push_back(
        {{"copy", {{"from", array.name}, {"to", scratch}, {"at", kExpression}}}});
  }

  // Inputs must have the shapes that the plan is made for: a wrong extent asks for one more element
  // than there are.
  void add_shapes(Json& plan) const {
    for (const Array& array : names_.arrays()) {
      if (array.kind == "out") continue;
      for (size_t i = 0; i < array.shape.size(); ++i) {
        const std::string extent = array.name + ".shape[" + std::to_string(i) + "]";
        const std::string wanted = std::to_string(array.shape[i]);
        plan["accesses"].push_back(
            {{"buffer", array.name},
             {"count",
              {{"arithmetic", codegen::text_of({array.name, ".size + min(1, max(", extent, " - ",
                                                wanted, ", ", wanted, " - ", extent, "))"})},
               {"at", array.at}}},
             {"reason", "the expression is planned for `" + array.name + "` of shape " +
                            warpmark::array::text_of(array.shape)},
             {"at", array.at}});
      }
    }
  }

  // Outputs without a reference of the suite's are compared with what Python makes of the text.
  void add_expected(Json& plan) const {
    for (const Array& array : names_.arrays()) {
      if (array.kind == "in" || is_judged(array.name)) continue;
      plan["expected"].push_back(
          {{"output", array.name},
           {"value", {{"numpy", reference(array.name)}, {"at", kExpression}}},
           {"tolerance", tolerance(array.name)}});
    }
  }

  bool is_judged(const std::string& output) const {
    const auto is_about = [&](const char* list) {
      const Json all = which_.value(list, Json::array());
      return std::ranges::any_of(all, [&](const Json& one) {
        return std::ranges::any_of(one, [&](const Json& word) { return word == output; });
      });
    };
    return is_about("reference") || is_about("checks");
  }

  Json tolerance(const std::string& output) const {
    for (const Json& own : which_.value("tolerances", Json::array())) {
      if (own.at("name") == output) return own.at("tolerance");
    }
    return which_.at("tolerance");
  }

  std::string reference(const std::string& output) const {
    std::vector<std::string> used;
    for (const Assignment& assignment : assignments_) {
      for (const Syntax& target : assignment.targets) add_names(target, used);
      add_names(assignment.value, used);
    }
    // NumPy 1 takes the type of Python numbers in np.where for a wider one than NumPy 2 does.
    static const std::string kWhere =
        "'np': np if int(np.__version__.split('.')[0]) > 1 else type('NumPy', (), "
        "{'__getattr__': lambda self, name: getattr(np, name), 'where': lambda self, c, a, b: "
        "np.where(c, *(np.asarray(v, np.result_type(a, b)) for v in (a, b)))})()";
    const bool has_where = text_.text().find("where") != std::string::npos;
    std::string names = has_where ? kWhere : "'np': np";
    for (const std::string& name : used) {
      std::string value = name;
      if (const Array* array = names_.array(name)) {
        if (array->kind == "inout") value += ".copy()";
        if (array->kind == "out") {
          value = "np.zeros(" + warpmark::array::text_of(array->shape) + ", '" +
                  name_of(array->type) + "')";
        }
      } else if (const auto scalar = names_.scalars().find(name);
                 scalar != names_.scalars().end()) {
        value = "np.dtype('" + name_of(scalar->second) + "').type(" + name + ")";
      } else if (!names_.is_axis(name)) {
        continue;  // np, builtins, and names of the text's own
      }
      names += codegen::text_of({", '", name, "': ", value});
    }
    return "(lambda names: (exec(" + Json(python_).dump() + ", names), names['" + output +
           "'])[1])({" + names + "})";
  }

  const Json& which_;
  const Json& kernel_;
  Text text_;
  codegen::Tuning tuning_;
  std::string name_;
  Names names_;
  std::vector<Assignment> assignments_;
  std::string python_;
};

struct Whole {
  Json plan(const Json& which) const {
    warpmark::codegen::require_keys(which, "array", "`kernel.tune: {block: …}` changes the block");
    return Planner(which).plan();
  }
};

}  // namespace

WARPMARK_PLUGIN(array, Whole);
