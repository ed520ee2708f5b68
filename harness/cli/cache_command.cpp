// `warpmark cache`: the compiled kernels on the disk, and removing them.
#include "base/places.hpp"
#include "cli/program/command.hpp"
#include "compiler/cache.hpp"

namespace warpmark {
namespace {

CompileCache own_cache() {
  CompileCache cache(cache_folder());
  if (cache.enabled()) return cache;
  throw environment_error("there is no cache folder",
                          "set WARPMARK_CACHE_DIR, XDG_CACHE_HOME or HOME");
}

}  // namespace

Command cache_command(const ArgumentParser& program) {
  const ArgumentParser app = program.add_subcommand("cache", "Show the cache of compiled kernels");
  const ArgumentParser clear = app.add_subcommand("clear", "Remove all cached kernels");
  app.require_subcommand(0, 1);
  return {app, [clear](Output& out) {
            const CompileCache cache = own_cache();
            if (!clear.parsed()) {
              out.print("{}: {}\n", cache.folder().string(), cache.entries().words());
              return ExitCode::success;
            }
            const CacheEntries removed = cache.clear();
            out.print("{}: removed {}\n", cache.folder().string(), removed.words());
            const CacheEntries left = cache.entries();
            if (left.empty()) return ExitCode::success;
            throw environment_error(fmt::format("could not remove {}", left.words()),
                                    "are the files another user's?");
          }};
}

}  // namespace warpmark
