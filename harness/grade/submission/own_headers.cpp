#include "grade/submission/own_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "compiler/include_scan.hpp"
#include "compiler/shims.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

bool leads_out(const fs::path& name) {
  return name.empty() || name.is_absolute() || std::ranges::find(name, "..") != name.end();
}

class HeaderTaker {
 public:
  HeaderTaker(SubmittedFile& file, const SubmissionRules& rules, const ReadHeader& read)
      : file_(file), rules_(rules), read_(read) {}

  void run() {
    follow(file_.text, {});
    // follow() appends to the list that this walks.
    for (size_t i = 0; i < file_.headers.size() && file_.refusal.empty(); ++i) {
      const std::string text = file_.headers[i].text;
      follow(text, fs::path(file_.headers[i].name).parent_path());
    }
    if (!file_.refusal.empty()) file_.headers.clear();
  }

 private:
  void follow(const std::string& text, const fs::path& folder) {
    for (const IncludeDirective& directive : scan_includes(text)) {
      if (!file_.refusal.empty()) return;
      // A name that only a preprocessor knows is left to the compiler, which finds no file.
      if (!directive.computed && !is_ours(directive.name)) visit(directive.name, folder);
    }
  }

  bool is_ours(const std::string& name) const {
    const auto& toolkit = rules_.toolkit_headers;
    return find_shim(name) || std::ranges::find(toolkit, name) != toolkit.end() ||
           std::ranges::any_of(rules_.headers,
                               [&](const fs::path& header) { return header.filename() == name; });
  }

  void visit(const std::string& spelling, const fs::path& folder) {
    if (leads_out(spelling) || !is_own_header(spelling)) return;
    for (const fs::path& place : {folder / spelling, fs::path(spelling)}) {
      const std::string name = place.lexically_normal().generic_string();
      const auto known = names_.find(spelling);
      if (known != names_.end() && known->second == name) return;
      std::optional<HeaderBytes> found = read_(name);
      if (!found) continue;
      if (known == names_.end()) return add(spelling, name, std::move(*found));
      // The compiler asks for headers by what stands between the quotes.
      file_.refusal =
          fmt::format("`{}` means two headers: `{}` and `{}`. Give them different names.",
                      printable(spelling), printable(known->second), printable(name));
      return;
    }
  }

  void add(const std::string& spelling, const std::string& name, HeaderBytes found) {
    names_[spelling] = name;
    if (!found.refusal.empty()) {
      file_.refusal = found.refusal;
      return;
    }
    const bool is_new =
        std::ranges::none_of(file_.headers, [&](const OwnHeader& one) { return one.name == name; });
    if (is_new) {
      ++count_;
      bytes_ += found.bytes.size();
    }
    if (count_ > rules_.own_headers) {
      file_.refusal =
          fmt::format("`{}` includes more than {} of your own. Put several headers into one.",
                      printable(file_.file), counted(rules_.own_headers, "header"));
      return;
    }
    if (bytes_ > rules_.max_bytes) {
      file_.refusal = fmt::format(
          "The headers that `{}` includes have more than {} together. Leave out what the kernel "
          "does not need.",
          printable(file_.file), format_bytes(rules_.max_bytes));
      return;
    }
    OwnHeader header{spelling, name, "", sha256_hex(found.bytes)};
    header.text = without_byte_order_mark(found.bytes);
    file_.headers.push_back(std::move(header));
  }

  SubmittedFile& file_;
  const SubmissionRules& rules_;
  const ReadHeader& read_;
  std::map<std::string, std::string> names_;  ///< what each spelling means
  uint64_t count_ = 0;                        ///< of headers, whatever they are included as
  uint64_t bytes_ = 0;
};

}  // namespace

void take_own_headers(SubmittedFile& file, const SubmissionRules& rules, const ReadHeader& read) {
  // Then they are not there, as the compiler says.
  if (rules.own_headers > 0) HeaderTaker(file, rules, read).run();
}

bool is_own_header(const fs::path& name) {
  constexpr std::string_view kExtensions[] = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"};
  const std::string extension = lower_case(name.extension().string());
  return std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

}  // namespace warpmark
