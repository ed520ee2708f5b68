// The functions of elfutils' libdw, which is opened when a debugger needs it: a program that was
// built where it is runs where it is not.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>

namespace warpmark::debugging {

struct Libdw {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it names a member
#define WARPMARK_LIBDW(function) decltype(&::function) function = nullptr
  WARPMARK_LIBDW(elf_version);
  WARPMARK_LIBDW(elf_memory);
  WARPMARK_LIBDW(elf_end);
  WARPMARK_LIBDW(dwarf_begin_elf);
  WARPMARK_LIBDW(dwarf_end);
  WARPMARK_LIBDW(dwarf_nextcu);
  WARPMARK_LIBDW(dwarf_offdie);
  WARPMARK_LIBDW(dwarf_child);
  WARPMARK_LIBDW(dwarf_siblingof);
  WARPMARK_LIBDW(dwarf_tag);
  WARPMARK_LIBDW(dwarf_diename);
  WARPMARK_LIBDW(dwarf_dieoffset);
  WARPMARK_LIBDW(dwarf_lowpc);
  WARPMARK_LIBDW(dwarf_highpc);
  WARPMARK_LIBDW(dwarf_attr);
  WARPMARK_LIBDW(dwarf_attr_integrate);
  WARPMARK_LIBDW(dwarf_formudata);
  WARPMARK_LIBDW(dwarf_formsdata);
  WARPMARK_LIBDW(dwarf_formblock);
  WARPMARK_LIBDW(dwarf_formref_die);
  WARPMARK_LIBDW(dwarf_getlocation);
  WARPMARK_LIBDW(dwarf_getlocation_addr);
#undef WARPMARK_LIBDW

  /// Opened at the first call; null if this machine has no such library.
  static const Libdw* find();
};

}  // namespace warpmark::debugging
