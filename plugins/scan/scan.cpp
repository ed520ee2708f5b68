// The plugin `scan`: what each element and all before it combine to, written into a kernel.
#include <string>

#include "generator.hpp"
#include "warpmark/plugin.hpp"

namespace {

using warpmark::plugin::Failure;
using warpmark::plugin::Json;

struct Scan {
  Json trial(const Json& which) const { return warpmark::codegen::ScanGenerator(which).trial(); }
  Json plan(const Json& which) const {
    warpmark::plugin::only_keys(
        which.at("kernel"), {"parameters", "map", "reduce", "neutral", "accumulate", "exclusive",
                             "segment", "preamble", "define", "options", "name", "tune"});
    if (which.contains("launch")) {
      throw Failure("/launch", "`scan` chooses the launch geometry itself",
                    "leave `launch` out; `kernel.tune: {block: …, vectors: …}` changes it");
    }
    return warpmark::codegen::ScanGenerator(which).plan();
  }
};

}  // namespace

WARPMARK_PLUGIN(scan, Scan);
