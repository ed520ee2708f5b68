// The plugin `reduction`: maps arrays to values and combines them to one, written into a kernel.

#include "codegen/kernel_keys.hpp"
#include "codegen/lexer.hpp"
#include "codegen/parameters.hpp"
#include "codegen/source.hpp"
#include "codegen/usage.hpp"
#include "codegen/vectors.hpp"
#include "generator.hpp"
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;

struct Reduction {
  Json trial(const Json& which) const {
    return warpmark::codegen::ReductionGenerator(which).trial();
  }
  Json plan(const Json& which) const {
    warpmark::codegen::require_keys(which, "reduction",
                                    "`kernel.tune: {block: …, blocks: …}` changes it");
    return warpmark::codegen::ReductionGenerator(which).plan();
  }
};

}  // namespace

WARPMARK_PLUGIN(reduction, Reduction);
