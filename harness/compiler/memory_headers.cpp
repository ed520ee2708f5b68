#include "compiler/memory_headers.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "compiler/compiler.hpp"
#include "compiler/header_pack.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/shims.hpp"

namespace warpmark {

namespace {

// The headers that a source which is not there may reach in the toolkit.
std::vector<Header> closure_of(const std::string& source, const Nvrtc& nvrtc,
                               const CompileCache& cache) {
  const HeaderPack pack(cache, join(nvrtc.include_folders(), "\n") + "\n" + source);
  if (std::optional<std::vector<Header>> known = pack.read()) return std::move(*known);
  IncludeSearch search;
  for (const std::string& folder : nvrtc.include_folders()) search.folders.emplace_back(folder);
  search.roots = search.folders;
  if (!search.folders.empty()) search.folder = search.folders.front();
  search.virtual_root = kVirtualRoot;
  IncludeClosure closure = resolve_includes(source, "headers.cu", search);
  pack.write(closure.headers, closure.files);
  return std::move(closure.headers);
}

}  // namespace

std::vector<Header> read_headers(const Nvrtc& nvrtc, const std::vector<std::string>& names,
                                 const std::vector<Header>& own, const CompileCache& cache) {
  std::vector<Header> headers;
  std::set<std::string> spellings;
  const auto add = [&](Header header) {
    if (spellings.insert(header.spelling).second) headers.push_back(std::move(header));
  };
  for (const Header& header : own) add(header);
  // In front of the toolkit's own, as everywhere.
  for (const std::string_view name : shim_names()) {
    add({std::string(name),
         fmt::format("#line 1 \"{}{}\"\n{}", kVirtualRoot, name, find_shim(name).value()), ""});
  }

  // A source that includes them all has them as its closure.
  std::string source;
  for (const std::string_view name : shim_names()) source += fmt::format("#include <{}>\n", name);
  for (const std::string& name : names) {
    if (spellings.contains(name)) continue;
    if (const auto stand_in = find_stand_in(name)) {  // which includes what kernels use of it
      add({name, fmt::format("#line 1 \"{}{}\"\n{}", kVirtualRoot, name, *stand_in), ""});
      source += fmt::format("{}\n", *stand_in);
    } else {
      source += fmt::format("#include <{}>\n", name);
    }
  }
  for (Header& header : closure_of(source, nvrtc, cache)) add(std::move(header));

  for (const std::string& name : names) {
    if (spellings.contains(name)) continue;
    // libcu++ comes apart from the toolkit at times, and is in every assignment's list.
    if (name.starts_with("cuda/")) continue;  // CUB, a part of the same, has a stand-in
    throw environment_error(
        fmt::format("the toolkit of {} has no header <{}>", nvrtc.path(), name),
        "looked in " + (nvrtc.include_folders().empty() ? std::string("no folder: it has none")
                                                        : join(nvrtc.include_folders(), ", ")));
  }
  return headers;
}

}  // namespace warpmark
