#include "debug/libdw.hpp"

#include <dlfcn.h>

namespace warpmark::debugging {
namespace {

// Closed never: objects of it may be alive at the end of the process.
bool open(Libdw& functions) {
  void* library = ::dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool whole = true;
  const auto load = [&]<typename Function>(Function& function, const char* name) {
    // Those of libelf are found, too: libdw depends on it.
    function = reinterpret_cast<Function>(::dlsym(library, name));
    whole = whole && function != nullptr;
  };
#define WARPMARK_LOAD(function) load(functions.function, #function)
  WARPMARK_LOAD(elf_version);
  WARPMARK_LOAD(elf_memory);
  WARPMARK_LOAD(elf_end);
  WARPMARK_LOAD(dwarf_begin_elf);
  WARPMARK_LOAD(dwarf_end);
  WARPMARK_LOAD(dwarf_nextcu);
  WARPMARK_LOAD(dwarf_offdie);
  WARPMARK_LOAD(dwarf_child);
  WARPMARK_LOAD(dwarf_siblingof);
  WARPMARK_LOAD(dwarf_tag);
  WARPMARK_LOAD(dwarf_diename);
  WARPMARK_LOAD(dwarf_dieoffset);
  WARPMARK_LOAD(dwarf_lowpc);
  WARPMARK_LOAD(dwarf_highpc);
  WARPMARK_LOAD(dwarf_attr);
  WARPMARK_LOAD(dwarf_attr_integrate);
  WARPMARK_LOAD(dwarf_formudata);
  WARPMARK_LOAD(dwarf_formsdata);
  WARPMARK_LOAD(dwarf_formblock);
  WARPMARK_LOAD(dwarf_formref_die);
  WARPMARK_LOAD(dwarf_getlocation);
  WARPMARK_LOAD(dwarf_getlocation_addr);
#undef WARPMARK_LOAD
  return whole;
}

}  // namespace

const Libdw* Libdw::find() {
  static Libdw functions;
  static const bool found = open(functions);
  return found ? &functions : nullptr;
}

}  // namespace warpmark::debugging
