// The plugin `elementwise`: an operation on each element of arrays, written into a kernel.
#include <string>

#include "codegen/elements.hpp"
#include "codegen/kernel_keys.hpp"
#include "codegen/parameters.hpp"
#include "codegen/source.hpp"
#include "codegen/usage.hpp"
#include "codegen/vectors.hpp"
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;
using namespace warpmark::codegen;

class Generator {
 public:
  explicit Generator(const Json& which)
      : which_(which),
        kernel_(which.at("kernel")),
        elements_{kernel_name(which),
                  read_tuning(kernel_, kElementsTuning),
                  required_text(kernel_, "operation"),
                  "/kernel/operation",
                  "/kernel/parameters",
                  {},
                  {},
                  {}} {
    const Expression expression(elements_.operation, elements_.operation_at, kernel_);
    elements_.parameters = read_parameters(which, {"i", "n", elements_.name});
    elements_.range = read_range(kernel_, first_array(elements_.parameters));
    elements_.layout = lay_out(elements_.parameters, expression);
    check_outputs();
  }

  Json plan() const {
    Json plan = warpmark::plugin::plan_of_arguments(which_);
    plan["units"].push_back(elements_.source(kernel_).unit(kernel_));
    Json arguments = Json::array();
    for (const Parameter& parameter : elements_.parameters) arguments.push_back(parameter.name);
    elements_.range.add_scalars(first_array(elements_.parameters), plan, arguments);
    elements_.range.add_accesses(first_array(elements_.parameters), lanes_of(elements_.layout),
                                 "operation", plan);
    Json blocks = elements_.range.count;
    blocks["arithmetic"] = "max(1, ceil_div(" +
                           elements_.range.count.at("arithmetic").get<std::string>() + ", " +
                           std::to_string(elements_.elements_of_block()) + "))";
    add_launch(plan, {elements_.name, {blocks, 1, 1}, elements_.tuning.block, arguments});
    return plan;
  }

 private:
  void check_outputs() const {
    for (const Access& access : elements_.layout.accesses) {
      const Parameter& parameter = access.parameter;
      const std::string name = "`" + parameter.name + "`";
      if (parameter.kind == "in" && access.usage.written) {
        throw Failure(parameter.pointer, name + " is an input, and `operation` writes it",
                      "an array that changes is `inout:`, or `out:` if nothing reads it before");
      }
      const bool output = parameter.kind == "out" || parameter.kind == "inout";
      if (output && access.usage.count == 0) {
        throw Failure(parameter.pointer,
                      text_of({name, " is an output, and `operation` has no ", name}),
                      "as in `" + parameter.name + "[i] = …`");
      }
    }
  }

  const Json& which_;
  const Json& kernel_;
  ElementsKernel elements_;
};

struct Elementwise {
  Json plan(const Json& which) const {
    warpmark::codegen::require_keys(which, "elementwise",
                                    "`kernel.tune: {block: …}` changes the block");
    return Generator(which).plan();
  }
};

}  // namespace

WARPMARK_PLUGIN(elementwise, Elementwise);
