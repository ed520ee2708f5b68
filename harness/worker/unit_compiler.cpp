#include "worker/unit_compiler.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/text.hpp"
#include "compiler/image_use.hpp"
#include "worker/module_variables.hpp"

namespace warpmark {

namespace {

// Resources are always asked for, and shown to those who do so themselves: "--ptxas-options=-v".
bool asks_for_usage(const std::vector<std::string>& options) {
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (option == "--ptxas-options=-v" || option == "-Xptxas=-v") return true;
    const bool names = option == "--ptxas-options" || option == "-Xptxas";
    if (names && i + 1 < options.size() && options[i + 1] == "-v") return true;
  }
  return false;
}

// A device reads on without a word where the form of a texture is not what an instruction says.
void refuse_layered_images(const std::string& ptx, const Entry& kernel) {
  const auto use = layered_image_use(ptx, kernel.name);
  if (!use) return;
  throw verdict_error(
      fmt::format("`{}` uses a layered texture or surface, or a cube map, and a suite has none of "
                  "them: {} ({})",
                  kernel.called(), use->function, printable(use->opcode)),
      {},
      "give each layer as a separate argument, or all of them as the three axes of one, which "
      "tex3D reads; what no case uses can be left out by a macro of `define`");
}

}  // namespace

std::optional<std::vector<std::string>> UnitCompiler::enter_programs() const {
  std::optional<std::vector<std::string>> hold;
  for (const auto& [name, program] : programs_) {
    std::vector<std::string> own = program->enter();
    if (hold) keep_common(*hold, own);
    if (!hold) hold = std::move(own);
  }
  return hold;
}

CompileRequest UnitCompiler::request_for(const protocol::Prepare& request, size_t index,
                                         const Architecture& architecture, bool relocatable) const {
  const protocol::UnitText& unit = request.units[index];
  CompileRequest compile;
  compile.source = unit.source;
  compile.language = unit.language;
  compile.program = unit.compiler;
  if (const auto found = programs_.find(unit.compiler); found != programs_.end()) {
    compile.confined = found->second;
  }
  compile.may_have_host_code = unit.may_have_host_code;
  compile.assembles = request.assembles;
  compile.name = unit.name;
  compile.folder = unit.folder;
  for (const std::string& folder : unit.include) {
    compile.include_folders.push_back(compile.folder / folder);
  }
  compile.origin = unit.origin;
  compile.options = unit.options;
  compile.regions = unit.regions;
  compile.architecture = architecture;
  compile.relocatable = relocatable;
  compile.variables = unit.variables;
  compile.layouts = unit.layouts;
  for (const protocol::KernelName& kernel : request.kernels) {
    if (kernel.unit != index) continue;
    compile.further_entries.push_back(kernel.entry);
    compile.further_arguments.push_back(kernel.arguments);
  }
  return compile;
}

// The headers that there are, and those that came with the unit. None of these takes the place of
// one of CUDA's or of the course's, which may include it themselves.
std::shared_ptr<const std::vector<Header>> UnitCompiler::with_own(
    const protocol::UnitText& unit, std::vector<std::string>& notices) const {
  if (!headers_ || unit.headers.empty()) return headers_;
  auto all = std::make_shared<std::vector<Header>>(*headers_);
  std::set<std::string_view> known;
  for (const Header& header : *headers_) known.insert(header.spelling);
  for (const protocol::OwnHeader& own : unit.headers) {
    if (known.contains(own.spelling)) {
      notices.push_back(
          fmt::format("`{}` is a header of CUDA, of the language or of the course: that one is "
                      "used, and not the file that was handed in under its name",
                      printable(own.spelling)));
      continue;
    }
    // A name is part of a string there.
    const std::string name = join(split(printable(own.name), '"'), "'");
    all->push_back({own.spelling, fmt::format("#line 1 \"{}{}\"\n{}", kVirtualRoot, name, own.text),
                    name, true});
  }
  return all;
}

UnitCompiler::Compiled UnitCompiler::compile(const protocol::Prepare& request,
                                             const Architecture& architecture) const {
  Compiled made;
  const std::vector<bool> linked = linked_units(request.units);
  std::vector<std::pair<CompileRequest, CompileResult>> units;
  for (size_t i = 0; i < request.units.size(); ++i) {
    CompileRequest wanted =
        request_for(request, i, architecture, linked[i] || !request.units[i].link.empty());
    wanted.headers = with_own(request.units[i], made.notices);
    if (!wanted.headers) {
      for (const protocol::OwnHeader& own : request.units[i].headers)
        wanted.replaced.emplace(own.name, own.text);
    }
    CompileResult result = compiler_.compile(wanted);
    for (const std::string& notice : result.notices) made.notices.push_back(notice);
    if (!result.left_out.empty()) {
      made.notices.push_back(fmt::format("{}{}, as it is for the CPU: {}", kLeftOut,
                                         request.units[i].name, join(result.left_out, ", ")));
    }
    if (!result.not_cacheable.empty()) {
      made.notices.push_back("compiled anew each time: " + result.not_cacheable);
    }
    const std::string said =
        asks_for_usage(wanted.options) ? std::string(trim(result.log)) : result.warnings();
    if (!said.empty()) made.notices.push_back(said);
    made.from_cache = made.from_cache && result.from_cache;
    for (VariableFacts& one : result.variables) made.variables.push_back(std::move(one));
    for (LayoutFacts& one : result.layouts) made.layouts.push_back(std::move(one));
    units.emplace_back(std::move(wanted), std::move(result));
  }
  // Names are looked up before anything is loaded: a missing kernel is the better message.
  for (const protocol::KernelName& kernel : request.kernels) {
    auto& [wanted, result] = units.at(kernel.unit);
    wanted.entry = kernel.entry;
    wanted.arguments = kernel.arguments;
    made.kernels.push_back(result.entry(wanted));
    refuse_layered_images(result.ptx, made.kernels.back());
  }
  for (auto& [wanted, result] : units) {
    made.images.push_back({std::move(result.ptx), std::move(result.cubin), std::move(result.log)});
  }
  return made;
}

protocol::Load load_request(const protocol::Prepare& request, const std::vector<Entry>& kernels,
                            const std::vector<protocol::UnitImage>& images, bool as_ptx) {
  protocol::Load load;
  for (size_t i = 0; i < request.units.size(); ++i) {
    const protocol::UnitImage& image = images.at(i);
    load.units.push_back({request.units[i].name,
                          as_ptx && !image.ptx.empty() ? image.ptx : image.cubin,
                          request.units[i].link});
    if (request.times) load.units.back().variables = variable_names(image.ptx);
  }
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    load.kernels.push_back(
        {request.kernels[i].unit, kernels.at(i).name, {}, kernels.at(i).bounds.registers});
  }
  load.limits = request.limits;
  return load;
}

}  // namespace warpmark
