// Compiles the units of a Prepare request, before a worker loads anything.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compiler.hpp"
#include "compiler/confined_program.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// The beginning of the notice that says which code for the CPU a unit has lost.
constexpr std::string_view kLeftOut = "left out of ";

class UnitCompiler {
 public:
  /// With `headers`, units can include only these, and no file is opened.
  explicit UnitCompiler(Compiler compiler, std::shared_ptr<const std::vector<Header>> headers = {})
      : compiler_(std::move(compiler)), headers_(std::move(headers)) {}

  /// Units of that compiler are compiled by this program from now on.
  void add(const std::string& name, std::shared_ptr<ConfinedProgram> program) {
    programs_[name] = std::move(program);
  }
  void add(std::shared_ptr<const Assembler> assembler) { compiler_.add(std::move(assembler)); }
  /// Has each program enter its sandbox, and returns what holds in all of them; nothing if there
  /// are none.
  std::optional<std::vector<std::string>> enter_programs() const;

  struct Compiled : Signatures {              ///< kernels are those that the request names
    std::vector<protocol::UnitImage> images;  ///< images of each unit
    std::vector<std::string> notices;
    bool from_cache = true;
  };
  /// Throws verdict errors for units that do not compile or have no such kernel.
  Compiled compile(const protocol::Prepare& request, const Architecture& architecture) const;

  const Compiler& compiler() const { return compiler_; }

 private:
  CompileRequest request_for(const protocol::Prepare& request, size_t unit,
                             const Architecture& architecture, bool relocatable) const;

  std::shared_ptr<const std::vector<Header>> with_own(const protocol::UnitText& unit,
                                                      std::vector<std::string>& notices) const;

  Compiler compiler_;
  std::shared_ptr<const std::vector<Header>> headers_;
  std::map<std::string, std::shared_ptr<ConfinedProgram>> programs_;
};

/// The request to load the compiled images: PTX if the device takes it, else cubins.
protocol::Load load_request(const protocol::Prepare& request, const std::vector<Entry>& kernels,
                            const std::vector<protocol::UnitImage>& images, bool as_ptx);

/// Marks the units of a request or of a plan that others link with: they are not loaded alone.
template <typename Units>
std::vector<bool> linked_units(const Units& units) {
  std::vector<bool> linked(units.size());
  for (const auto& unit : units) {
    for (const size_t other : unit.link) linked.at(other) = true;
  }
  return linked;
}

}  // namespace warpmark
