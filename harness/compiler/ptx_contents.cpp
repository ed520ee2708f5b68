#include "compiler/ptx_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "compiler/ptx_registers.hpp"
#include "ptx/error.hpp"
#include "ptx/lexer.hpp"
#include "ptx/parser.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostNames = 4096;  // of each kind: a hundred times what a large kernel has
constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

std::optional<PtxSpace> space_of(const cpu::Variable& variable) {
  switch (variable.space) {
    case cpu::Space::global:
      return PtxSpace::global;
    case cpu::Space::constant:
      return PtxSpace::constant;
    case cpu::Space::shared:
      return PtxSpace::shared;
    case cpu::Space::local:
      return PtxSpace::local;
    default:
      return std::nullopt;
  }
}

// The contents of a module that was read tolerantly.
class Contents {
 public:
  explicit Contents(std::string_view ptx) : module_(cpu::read_ptx(ptx, cpu::Bodies::read)) {}

  PtxContents run() {
    if (!module_.trouble.empty()) found_.trouble = "PTX " + module_.trouble;
    for (const cpu::Function& one : module_.functions) function(one);
    variables();
    find_changes();
    // NVRTC declares functions before it defines them.
    std::erase_if(found_.externs,
                  [defined = std::set(found_.functions.begin(), found_.functions.end())](
                      const std::string& name) { return defined.contains(name); });
    return std::move(found_);
  }

 private:
  using Uses = std::unordered_map<std::string_view, PtxUse*>;

  void trouble(uint32_t line, std::string_view what) {
    if (found_.trouble.empty()) found_.trouble = fmt::format("PTX line {}: {}", line, what);
  }

  PtxPlace place_of(const cpu::Statement& statement) const {
    return warpmark::place_of(module_, statement);
  }

  void count(std::map<std::string, PtxUse>& uses, Uses& known, std::string_view name,
             const cpu::Statement& statement) {
    PtxUse*& use = known[name];
    if (use == nullptr && uses.size() < kMostNames)
      use = &uses.emplace(name, PtxUse{place_of(statement), 0}).first->second;
    if (use == nullptr) return trouble(statement.line, "too many names");
    ++use->count;
  }

  void keep(std::vector<std::string>& names, const cpu::Function& function) {
    if (names.size() >= kMostNames) return trouble(function.line, "too many names");
    names.emplace_back(function.name);
  }

  void function(const cpu::Function& one) {
    if (!one.has_body) {
      if (one.linkage == cpu::Linkage::external || !one.entry) keep(found_.externs, one);
      return;
    }
    keep(one.entry ? found_.entries : found_.functions, one);
    flow_.begin_function(one);
    special_.clear();
    for (const cpu::Statement& statement : one.statements) {
      count(found_.opcodes, opcodes_, statement.opcode, statement);
      for (const cpu::Operand& operand : one.operands_of(statement)) {
        for (const cpu::Operand& name : one.elements_of(operand)) special(name, statement);
      }
      if (statement.facts->mnemonic == cpu::Mnemonic::call) call(one, statement);
      flow_.add_instruction(one, statement);
    }
  }

  void special(const cpu::Operand& name, const cpu::Statement& statement) {
    if (!name.text.starts_with('%')) return;
    const auto [found, fresh] = special_.try_emplace(name.text, false);
    if (fresh) found->second = is_special_register(name.text);
    if (found->second || name.kind == cpu::OperandKind::name)
      count(found_.registers, registers_, name.text, statement);
  }

  // call.uni (result), name, (parameters), prototype;
  void call(const cpu::Function& function, const cpu::Statement& statement) {
    const std::span<const cpu::Operand> operands = function.operands_of(statement);
    const size_t at = !operands.empty() && operands[0].kind == cpu::OperandKind::vector ? 1 : 0;
    if (at >= operands.size() || operands[at].count == 0)
      return trouble(statement.line, "a call of nothing");
    const std::string_view name = function.elements_of(operands[at])[0].text;
    count(found_.calls, calls_, name.starts_with('%') ? "" : name, statement);
  }

  void add(const cpu::Variable& variable, bool in_function) {
    const auto space = space_of(variable);
    if (!space) return;
    for (const cpu::Variable::Reference& one : variable.references) flow_.add_reference(one.symbol);
    if (*space == PtxSpace::global || *space == PtxSpace::constant)
      kept_names_.insert(variable.name);
    PtxVariable made;
    made.name = variable.name;
    made.space = *space;
    made.bytes = variable.bytes;
    made.initialised = !variable.initial.empty();
    made.external = variable.external;
    made.managed = variable.managed;
    made.in_function = in_function;
    if (found_.variables.size() >= kMostNames) return trouble(variable.line, "too many variables");
    found_.variables.push_back(std::move(made));
  }

  void variables() {
    struct Found {
      const cpu::Variable* variable;
      bool in_function;
    };
    std::vector<Found> all;
    for (const cpu::Variable& one : module_.variables) all.push_back({&one, false});
    for (const cpu::Function& function : module_.functions) {
      for (const cpu::Variable& one : function.variables) all.push_back({&one, true});
    }
    // The names are parts of the text.
    std::ranges::stable_sort(all, {}, [](const Found& one) { return one.variable->name.data(); });
    for (const Found& one : all) add(*one.variable, one.in_function);
  }

  void find_changes() {
    for (const auto& [name, change] : flow_.changes(kept_names_)) {
      for (PtxVariable& variable : found_.variables) {
        const bool kept =
            variable.space == PtxSpace::global || variable.space == PtxSpace::constant;
        if (!kept || variable.name != name) continue;
        variable.change = change.kind;
        variable.changed_at = place_of(*change.where);
      }
    }
  }

  cpu::Module module_;
  PtxContents found_;
  Uses opcodes_, registers_, calls_;  ///< of found_, by views into the module
  PtxFlow flow_;
  std::set<std::string_view> kept_names_;               ///< of global and constant variables
  std::unordered_map<std::string_view, bool> special_;  ///< names of the function
};

}  // namespace

uint64_t PtxContents::bytes_in(PtxSpace space) const {
  uint64_t sum = 0;
  for (const PtxVariable& variable : variables) {
    if (variable.space != space || variable.external) continue;
    sum = variable.bytes > kHuge - sum ? kHuge : sum + variable.bytes;
  }
  return sum;
}

PtxPlace place_of(const cpu::Module& module, const cpu::Statement& statement) {
  constexpr uint32_t kMostLines = 100000000;
  cpu::Location where = statement.location;
  if (where.inlined != 0) {
    const cpu::Location& call = module.inlined[where.inlined - 1].call;
    if (call.file != where.file) where = call;
  }
  PtxPlace place{static_cast<int>(statement.line), "", 0};
  const auto file = module.files.find(where.file);
  if (file == module.files.end() || file->second.empty()) return place;
  place.file = file->second;
  if (where.line <= kMostLines) place.line = static_cast<int>(where.line);
  return place;
}

PtxContents ptx_contents(std::string_view ptx) {
  return Contents(ptx).run();
}

bool has_matrix_instructions(std::string_view ptx) {
  const PtxContents contents = ptx_contents(ptx);
  if (!contents.trouble.empty() || contents.opcodes.empty()) return true;
  return std::ranges::any_of(contents.opcodes, [](const auto& opcode) {
    const std::string_view name = opcode.first;
    const std::string_view first = name.substr(0, name.find('.'));
    return first == "mma" || first == "wmma" || first == "wgmma" || first == "tcgen05";
  });
}

bool is_ptx(std::string_view text) {
  try {
    return cpu::Lexer(text).next().is(".version");
  } catch (const cpu::PtxError&) {
    return false;
  }
}

}  // namespace warpmark
