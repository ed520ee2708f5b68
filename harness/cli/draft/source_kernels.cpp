#include "cli/draft/source_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/draft/suite_draft.hpp"
#include "compiler/host_code.hpp"
#include "compiler/includes.hpp"
#include "runtime/struct_layout.hpp"

namespace warpmark {
namespace {

// The architecture of the CPU device; a signature is the same for all.
constexpr Architecture kUsual = 90;

class Maker {
 public:
  Maker(const Compiler& compiler, const KernelSource& source)
      : compiler_(compiler), source_(source), text_(read_file(source.file)), facts_({}) {}

  SourceKernels run() {
    try {
      made_ = compiler_.compile(request());
    } catch (const RefusedError& error) {
      throw Error(error.code(), error.message(), error.where(),
                  error.for_cpu() ? host_code_hint(error.where().line) : error.hint());
    }
    read_headers();
    if (source_.entries.empty()) guess_instances();
    choose();
    ask_compiler();
    return std::move(result_);
  }

 private:
  CompileRequest request() const {
    CompileRequest compile;
    compile.source = text_;
    compile.name = source_.relative();
    compile.folder = source_.folder;
    compile.architecture = source_.arch.empty() ? kUsual : parse_architecture(source_.arch);
    compile.include_folders = source_.include;
    compile.options = source_.options;
    for (const std::string& entry : source_.entries) {
      if (entry.find('<') != std::string::npos) compile.further_entries.push_back(entry);
    }
    return compile;
  }

  std::string host_code_hint(int line) const {
    const std::string parameter = host_parameter_hint(text_, line);
    if (!parameter.empty()) return parameter;
    for (const HostCode& one : find_host_code(text_)) {
      if (one.kind == HostCodeKind::function) continue;
      return fmt::format(
          "line {} is for the CPU (`{}`): put such code into another file, or between `#ifndef "
          "__CUDACC_RTC__` and `#endif`",
          one.line, printable(one.name));
    }
    return "put code for the CPU between `#ifndef __CUDACC_RTC__` and `#endif`";
  }

  // Reads the headers, which may have kernels and types.
  void read_headers() {
    IncludeSearch search;
    search.folder = source_.folder;
    search.folders = source_.include;
    headers_ = resolve_includes(text_, source_.relative(), search).headers;
    std::erase_if(headers_, [](const Header& header) { return header.path.empty(); });
    std::vector<std::string_view> sources = {text_};
    for (const Header& header : headers_) sources.push_back(header.text);
    facts_ = SourceFacts(sources);
    own_count_ = declared_kernels(text_).size();
  }

  // Compiles templates without an instance with arguments that are guessed, as far as the compiler
  // takes them: all at once, or else each until one of its guesses is good.
  void guess_instances() {
    std::vector<std::vector<std::string>> guesses;
    CompileRequest all = request();
    for (const DeclaredKernel& kernel : templates_without_instance()) {
      guesses.push_back(guessed_instances(kernel));
      if (guesses.back().empty()) continue;
      all.further_entries.push_back(guesses.back().front());
      guessed_.insert(kernel.scope + kernel.name);
    }
    if (all.further_entries.empty() || try_to_compile(all)) return;
    CompileRequest good = request();
    for (const std::vector<std::string>& instances : guesses) {
      for (const std::string& instance : instances) {
        CompileRequest more = good;
        more.further_entries.push_back(instance);
        if (!try_to_compile(more)) continue;
        good = more;
        break;
      }
    }
  }

  bool try_to_compile(const CompileRequest& request) {
    try {
      made_ = compiler_.compile(request);
      return true;
    } catch (const Error& error) {
      if (error.code() != ExitCode::verdict) throw;
      return false;
    }
  }

  // Those of the file itself: headers have templates for many files.
  std::vector<DeclaredKernel> templates_without_instance() const {
    std::vector<DeclaredKernel> templates;
    for (size_t i = 0; i < own_count_; ++i) {
      const DeclaredKernel& kernel = facts_.kernels[i];
      if (kernel.is_template && !is_instantiated(kernel.name)) templates.push_back(kernel);
    }
    return templates;
  }

  bool is_instantiated(const std::string& name) const {
    return std::ranges::any_of(made_.entries, [&](const Entry& entry) {
      const std::string called = entry.called();
      const std::string plain = called.substr(0, called.find('<'));
      return plain.substr(plain.rfind(':') + 1) == name;
    });
  }

  void choose() {
    for (const std::string& wanted : source_.entries) {
      CompileRequest asked = request();
      asked.entry = wanted;
      require_instance(wanted);
      add(made_.entry(asked));
    }
    if (!source_.entries.empty()) return;
    for (const Entry& entry : made_.entries) add(entry);
    for (const DeclaredKernel& kernel : templates_without_instance()) {
      result_.left_out.push_back(template_text(kernel));
    }
  }

  void require_instance(const std::string& wanted) const {
    if (wanted.find('<') != std::string::npos) return;
    for (const DeclaredKernel& kernel : templates_without_instance()) {
      if (kernel.name == wanted || kernel.scope + kernel.name == wanted) {
        throw usage_error(template_text(kernel));
      }
    }
  }

  static std::string template_text(const DeclaredKernel& kernel) {
    const std::vector<std::string> guessed = guessed_instances(kernel);
    return fmt::format("`{}` is a template: name an instance, as in --kernel '{}'", kernel.text,
                       guessed.empty() ? kernel.scope + kernel.name + "<float>" : guessed.front());
  }

  void add(const Entry& entry) {
    DraftKernel kernel = draft_kernel(entry, made_, facts_);
    const std::string plain = kernel.entry.substr(0, kernel.entry.find('<'));
    kernel.is_guessed = guessed_.contains(plain);
    const std::string obstacle = launch_obstacle(kernel);
    if (obstacle.empty()) {
      result_.kernels.push_back(std::move(kernel));
    } else {
      result_.left_out.push_back(fmt::format("`{}`: {}", printable(kernel.entry), obstacle));
    }
  }

  // Asks for the layout of structs and for constants. A struct that the compiler lays out otherwise
  // is given as bytes.
  void ask_compiler() {
    CompileRequest asked = request();
    std::vector<DraftStruct> structs;
    for (const DraftKernel& kernel : result_.kernels) {
      asked.further_entries.push_back(kernel.entry);
      for (DraftStruct& one : kernel.structs()) structs.push_back(std::move(one));
    }
    for (const DraftStruct& one : structs) {
      LayoutQuestion question{one.name, {}};
      for (const DraftField& field : one.fields) question.fields.push_back(field.name);
      asked.layouts.push_back(std::move(question));
    }
    for (const DeclaredConstant& one : facts_.constants) {
      if (!one.has_value && !result_.kernels.empty()) asked.variables.push_back(one.name);
    }
    if (asked.layouts.empty() && asked.variables.empty()) return;
    if (!try_to_compile(asked)) {
      CompileRequest good = asked;
      good.variables.clear();
      for (const std::string& name : asked.variables) {
        CompileRequest more = good;
        more.variables.push_back(name);
        if (try_to_compile(more)) good = more;
      }
      if (good.variables.empty() && !try_to_compile(good)) made_.layouts.clear();
    }
    for (DraftKernel& kernel : result_.kernels) {
      for (size_t i = 0; i < structs.size(); ++i) {
        const bool is_known =
            i < made_.layouts.size() &&
            !layout_difference(structs[i].name, structs[i].dtype, made_.layouts[i]);
        if (!is_known) kernel.forget_struct(structs[i].name);
      }
      kernel.constants = draft_constants(kernel, made_.variables, made_.ptx);
    }
  }

  const Compiler& compiler_;
  const KernelSource& source_;
  std::string text_;
  std::vector<Header> headers_;
  SourceFacts facts_;
  size_t own_count_ = 0;  ///< kernels that the file itself declares, which are the first
  CompileResult made_;
  std::set<std::string> guessed_;  ///< templates whose arguments are guessed
  SourceKernels result_;
};

}  // namespace

SourceKernels source_kernels(const Compiler& compiler, const KernelSource& source) {
  return Maker(compiler, source).run();
}

}  // namespace warpmark
