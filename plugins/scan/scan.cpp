// The plugin `scan`: what each element and all before it combine to, written into a kernel.

#include "codegen/kernel_keys.hpp"
#include "generator.hpp"
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;

struct Scan {
  Json trial(const Json& which) const { return warpmark::codegen::ScanGenerator(which).trial(); }
  Json plan(const Json& which) const {
    warpmark::codegen::require_keys(which, "scan",
                                    "`kernel.tune: {block: …, vectors: …}` changes it");
    return warpmark::codegen::ScanGenerator(which).plan();
  }
};

}  // namespace

WARPMARK_PLUGIN(scan, Scan);
