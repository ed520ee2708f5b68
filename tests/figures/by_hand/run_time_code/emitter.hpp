// Makes code of a basic block with AsmJit, for the experiment of run_time_code.cpp.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace run_time_code {
using namespace asmjit;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class Checks { none, bounds, all };
enum class Kind {
  broadcast_param,
  move,
  add,
  add_constant,
  multiply,
  multiply_add,
  widen,
  shift,
  fma,
  load,
  store,
  less,
  at_least
};

// Registers 0 to 31 have 32 bits, registers from 32 on 64 bits; each takes 256 bytes of the file.
struct Op {
  Kind kind;
  int d, a = 0, b = 0, c = 0;
  long imm = 0;         // a constant, or the offset of an access or a parameter
  int region = 0;       // of an access
  bool rows = false;    // a load: the groups of eight lanes are in order, or each at one place
  bool at_one = false;  // … at one place, not in order
  bool apart = false;   // a load of what the kernel does not write
};
constexpr bool wide(int reg) {
  return reg >= 32;
}

struct Block {
  std::vector<Op> ops;
  std::vector<int> live;  // registers that are read after it
  int weight;             // PTX instructions
  bool loops = false;     // it repeats itself while its predicate holds in all lanes
};

struct Row {  // of 128 bytes of global memory, as races/race_memory.hpp
  u64 write = 0, read = 0, other = 0;
};
struct Read {  // as races/deferred_reads.hpp
  u64 shape, record;
  u32 starts[4];
};
struct Region {
  u64 begin, size, host, init, rows;
};
struct Warp {  // all that the code reads and writes
  std::byte* registers;
  u64 mine, threshold, threshold_shared, executed, budget, warp_instructions, predicate;
  u64 visits[8], lanes[8];
  Region regions[5];  // of global memory; then the two of shared memory
  Read *reads, *reads_end;
  u64 any_undefined;
  u64 parameters[8];
};
#define AT(member) static_cast<int>(offsetof(Warp, member))
inline int at_region(int k, std::size_t member) {
  return AT(regions) + k * static_cast<int>(sizeof(Region)) + static_cast<int>(member);
}

class Emitter {
 public:
  Emitter(x86::Compiler& code, int level, Checks checks)
      : c(code), lanes(level == 4 ? 16 : 8), checks(checks) {}

  // The function takes a Warp, and returns 0 or 1 + the instruction at which it gave up.
  void block(const Block& block, int number) {
    FuncNode* function = c.addFunc(FuncSignatureT<u64, Warp*>());
    if (lanes == 16) function->frame().setAvx512Enabled();
    function->frame().setAvxEnabled();
    w = c.newUIntPtr("w");
    file = c.newUIntPtr("file");
    result = c.newUInt64("result");
    function->setArg(0, w);
    const Label top = c.newLabel(), end = c.newLabel();
    c.xor_(result, result);
    c.mov(file, x86::qword_ptr(w, AT(registers)));
    numbers(4, steps32);
    numbers(8, steps64);
    c.bind(top);
    values.clear();
    shared.clear();
    dirty.clear();
    if (checks == Checks::all) {
      c.cmp(x86::qword_ptr(w, AT(any_undefined)), 0);
      c.jne(give_up(block, 0));
    }
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
      now = {&block, i};
      emit(block.ops[i]);
    }
    for (int reg : block.live) write_back(reg);
    c.add(x86::qword_ptr(w, AT(warp_instructions)), block.weight);
    c.add(x86::qword_ptr(w, AT(visits) + 8 * number), 1);
    c.add(x86::qword_ptr(w, AT(lanes) + 8 * number), 32);
    const x86::Gp executed = c.newUInt64();
    c.mov(executed, x86::qword_ptr(w, AT(executed)));
    c.add(executed, 32 * block.weight);
    c.mov(x86::qword_ptr(w, AT(executed)), executed);
    if (block.loops) {
      c.cmp(executed, x86::qword_ptr(w, AT(budget)));
      c.ja(end);
      c.cmp(x86::dword_ptr(w, AT(predicate)), -1);
      c.je(top);
    }
    c.bind(end);
    c.ret(result);
    for (const Exit& exit : exits) {
      c.bind(exit.label);
      for (const auto& [reg, vectors] : exit.kept) put(reg, vectors);
      c.mov(result, exit.code);
      c.ret(result);
    }
    exits.clear();
    c.endFunc();
  }

 private:
  using Vectors = std::vector<x86::Vec>;
  struct Exit {
    Label label;
    u64 code;
    std::set<int> dirty;
    std::map<int, Vectors> kept;
  };

  x86::Vec vector() {
    return lanes == 16 ? static_cast<x86::Vec>(c.newZmm()) : static_cast<x86::Vec>(c.newYmm());
  }
  x86::Mem memory(const x86::Gp& base, int offset) {
    return x86::Mem(base, offset, static_cast<u32>(4 * lanes));
  }
  x86::Mem memory(const x86::Gp& base, const x86::Gp& index, int offset) {
    return x86::Mem(base, index, 0, offset, static_cast<u32>(4 * lanes));
  }
  int count(int reg) const { return (wide(reg) ? 64 : 32) / lanes; }

  // 0, `bytes`, 2 * `bytes` … in lanes of `bytes` bytes.
  void numbers(int bytes, x86::Vec& out) {
    alignas(64) u64 all[8];
    for (int i = 0; i < 8; ++i)
      all[i] = bytes == 8 ? 4ull * i : (4ull * (2 * i + 1)) << 32 | 4ull * (2 * i);
    out = vector();
    c.emit(x86::Inst::kIdVmovups, out,
           c.newConst(ConstPoolScope::kLocal, all, static_cast<size_t>(4 * lanes)));
  }
  x86::Vec spread32(u32 value) {
    const x86::Gp gp = c.newUInt32();
    c.mov(gp, value);
    return spread(gp, false);
  }
  x86::Vec spread(const x86::Gp& gp, bool is_wide) {
    const x86::Vec out = vector();
    const x86::Xmm low = c.newXmm();
    if (is_wide)
      c.vmovq(low, gp);
    else
      c.vmovd(low, gp.r32());
    c.emit(is_wide ? x86::Inst::kIdVpbroadcastq : x86::Inst::kIdVpbroadcastd, out, low);
    return out;
  }

  Vectors& get(int reg) {
    auto [found, is_new] = values.try_emplace(reg);
    if (is_new) {
      for (int k = 0; k < count(reg); ++k) {
        found->second.push_back(vector());
        c.emit(x86::Inst::kIdVmovups, found->second[k], memory(file, reg * 256 + k * 4 * lanes));
      }
    }
    return found->second;
  }
  void set(int reg, Vectors vectors) {
    values[reg] = std::move(vectors);
    shared.erase(reg);
    dirty.insert(reg);
  }
  void put(int reg, const Vectors& vectors) {
    for (int k = 0; k < count(reg); ++k)
      c.emit(x86::Inst::kIdVmovups, memory(file, reg * 256 + k * 4 * lanes), vectors[k]);
  }
  void write_back(int reg) {
    if (dirty.contains(reg)) put(reg, values[reg]);
  }
  // Where the code goes on if it is not made for what happens: registers that are needed become
  // memory.
  Label give_up(const Block& block, std::size_t at) {
    if (!exits.empty() && exits.back().code == at + 1 && exits.back().dirty == dirty)
      return exits.back().label;
    std::set<int> needed(block.live.begin(), block.live.end());
    for (std::size_t i = block.ops.size(); i-- > at;) {
      const Op& op = block.ops[i];
      needed.erase(op.kind == Kind::store ? -1 : op.d);
      for (int reg : {op.a, op.b, op.c, op.kind == Kind::store ? op.d : -1}) needed.insert(reg);
    }
    Exit exit{c.newLabel(), at + 1, dirty, {}};
    for (int reg : needed)
      if (dirty.contains(reg)) exit.kept[reg] = values[reg];
    exits.push_back(exit);
    return exit.label;
  }
  Label give_up() { return give_up(*now.first, now.second); }

  void each(int d, x86::Inst::Id id, const Vectors& a, const Vectors& b) {
    Vectors out;
    for (int k = 0; k < count(d); ++k) {
      out.push_back(vector());
      c.emit(id, out[k], a[k], b[k]);
    }
    set(d, out);
  }
  Vectors repeated(const x86::Vec& one, int reg) {
    return Vectors(static_cast<std::size_t>(count(reg)), one);
  }

  void emit(const Op& op) {
    switch (op.kind) {
      case Kind::broadcast_param: {
        const x86::Gp gp = c.newUInt64();
        c.mov(gp, x86::qword_ptr(w, AT(parameters) + static_cast<int>(op.imm)));
        return set(op.d, repeated(spread(gp, wide(op.d)), op.d));
      }
      case Kind::move:
        return set(op.d, Vectors(get(op.a)));
      case Kind::add:
        return each(op.d, wide(op.d) ? x86::Inst::kIdVpaddq : x86::Inst::kIdVpaddd, get(op.a),
                    get(op.b));
      case Kind::add_constant: {
        const x86::Gp gp = c.newUInt64();
        c.mov(gp, op.imm);
        return each(op.d, wide(op.d) ? x86::Inst::kIdVpaddq : x86::Inst::kIdVpaddd, get(op.a),
                    repeated(spread(gp, wide(op.d)), op.d));
      }
      case Kind::multiply:
        return each(op.d, x86::Inst::kIdVpmulld, get(op.a), get(op.b));
      case Kind::multiply_add:
        each(op.d, x86::Inst::kIdVpmulld, get(op.a), get(op.b));
        return each(op.d, x86::Inst::kIdVpaddd, get(op.d), get(op.c));
      case Kind::shift: {
        Vectors out;
        for (const x86::Vec& one : get(op.a)) {
          out.push_back(vector());
          c.emit(x86::Inst::kIdVpslld, out.back(), one, op.imm);
        }
        return set(op.d, out);
      }
      case Kind::widen:
        return widen(op);
      case Kind::fma: {  // d = a * b + c
        Vectors out;
        for (int k = 0; k < count(op.d); ++k) {
          out.push_back(vector());
          c.emit(x86::Inst::kIdVmovups, out[k], get(op.c)[k]);
          c.emit(x86::Inst::kIdVfmadd231ps, out[k], get(op.a)[k], get(op.b)[k]);
        }
        return set(op.d, out);
      }
      case Kind::less:
      case Kind::at_least:
        return compare(op);
      case Kind::load:
      case Kind::store:
        return op.rows ? access_rows(op) : access(op);
    }
  }

  // mul.wide.s32 with a constant.
  void widen(const Op& op) {
    const x86::Gp gp = c.newUInt64();
    c.mov(gp, op.imm);
    const x86::Vec factor = spread(gp, true);
    Vectors out;
    for (const x86::Vec& one : get(op.a)) {
      for (int half = 0; half < 2; ++half) {
        const x86::Vec part = vector();
        if (lanes == 16) {
          const x86::Ymm source = c.newYmm();
          c.vextracti64x4(source, one.zmm(), half);
          c.vpmovsxdq(part.zmm(), source);
        } else {
          const x86::Xmm source = c.newXmm();
          c.vextracti128(source, one.ymm(), half);
          c.vpmovsxdq(part.ymm(), source);
        }
        c.emit(x86::Inst::kIdVpmuldq, part, part, factor);
        out.push_back(part);
      }
    }
    set(op.d, out);
  }

  void compare(const Op& op) {
    const Vectors &a = get(op.a), &b = get(op.b);
    const x86::Gp all = c.newUInt32();
    c.xor_(all, all);
    for (int k = count(op.a); k-- > 0;) {
      const x86::Gp part = c.newUInt32();
      if (lanes == 16) {
        const x86::KReg mask = c.newKw();
        c.vpcmpd(mask, a[k].zmm(), b[k].zmm(), op.kind == Kind::less ? 1 : 5);
        c.kmovw(part, mask);
        c.shl(all, 16);
      } else {
        const x86::Ymm mask = c.newYmm();
        c.vpcmpgtd(mask, b[k].ymm(), a[k].ymm());
        c.vmovmskps(part, mask);
        if (op.kind == Kind::at_least) c.xor_(part, 0xff);
        c.shl(all, 8);
      }
      c.or_(all, part);
    }
    c.mov(x86::dword_ptr(w, AT(predicate)), all);
  }

  // Gives up unless lane L's address, in `vectors`, is the first one's plus 4 * L.
  void expect_order(const Vectors& vectors, const x86::Vec& first, bool is_wide) {
    const x86::Inst::Id add = is_wide ? x86::Inst::kIdVpaddq : x86::Inst::kIdVpaddd;
    const x86::Inst::Id exclusive = lanes == 16 ? x86::Inst::kIdVpxord : x86::Inst::kIdVpxor;
    const x86::Inst::Id any = lanes == 16 ? x86::Inst::kIdVpord : x86::Inst::kIdVpor;
    const x86::Vec expected = vector(), apart = vector(), difference = vector();
    const int here = is_wide ? lanes / 2 : lanes;
    const x86::Gp stride = c.newUInt64();
    c.mov(stride, 4 * here);
    const x86::Vec step = spread(stride, is_wide);
    c.emit(add, expected, first, is_wide ? steps64 : steps32);
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      if (k == 0) {
        c.emit(exclusive, apart, vectors[k], expected);
        continue;
      }
      c.emit(add, expected, expected, step);
      c.emit(exclusive, difference, vectors[k], expected);
      c.emit(any, apart, apart, difference);
    }
    expect_zero(apart);
  }
  void expect_zero(const x86::Vec& vector) {
    if (lanes == 16) {
      const x86::KReg mask = c.newKw();
      c.vptestmd(mask, vector.zmm(), vector.zmm());
      c.kortestw(mask, mask);
    } else {
      c.vptest(vector.ymm(), vector.ymm());
    }
    c.jnz(give_up());
  }
  // The first lane of a vector.
  x86::Gp first_of(const x86::Vec& vector, bool is_wide) {
    const x86::Gp out = c.newUInt64();
    if (is_wide)
      c.vmovq(out, vector.xmm());
    else
      c.vmovd(out.r32(), vector.xmm());
    return out;
  }
  // `offset`, which becomes one into the region, must leave room for `bytes`.
  void expect_inside(const x86::Gp& offset, int region, int bytes) {
    const x86::Gp last = c.newUInt64();
    c.sub(offset, x86::qword_ptr(w, at_region(region, offsetof(Region, begin))));
    c.mov(last, x86::qword_ptr(w, at_region(region, offsetof(Region, size))));
    c.sub(last, bytes);
    c.jb(give_up());
    c.cmp(offset, last);
    c.ja(give_up());
    if (checks == Checks::none) return;
    c.test(offset.r8(), 3);
    c.jnz(give_up());
  }

  // All 32 lanes in order.
  void access(const Op& op) {
    const bool store = op.kind == Kind::store, global = wide(op.a);
    const Vectors& addresses = get(op.a);
    if (!shared.contains(op.a)) {  // a register that has been looked at does so no more
      const x86::Gp start = first_of(addresses[0], global);
      expect_order(addresses, spread(start, global), global);
      shared[op.a] = {start};
    }
    const x86::Gp offset = c.newUInt64();
    c.mov(offset, shared[op.a][0]);
    if (op.imm != 0) c.add(offset, op.imm);
    expect_inside(offset, op.region, 128);
    if (checks == Checks::all) {
      follow_values(op, offset, store);
      if (store || !op.apart) follow_row(op, offset, store);
    }
    const x86::Gp host = c.newUIntPtr();
    c.mov(host, x86::qword_ptr(w, at_region(op.region, offsetof(Region, host))));
    Vectors data = store ? get(op.d) : Vectors{};
    for (int k = 0; k < 32 / lanes; ++k) {
      const x86::Mem place = memory(host, offset, k * 4 * lanes);
      if (store) {
        c.emit(x86::Inst::kIdVmovups, place, data[k]);
      } else {
        data.push_back(vector());
        c.emit(x86::Inst::kIdVmovups, data[k], place);
      }
    }
    if (!store) set(op.d, data);
  }
  void follow_values(const Op& op, const x86::Gp& offset, bool store) {
    const x86::Gp bits = c.newUIntPtr();
    c.test(offset.r8(), 7);
    c.jnz(give_up());
    c.mov(bits, offset);
    c.shr(bits, 3);
    c.add(bits, x86::qword_ptr(w, at_region(op.region, offsetof(Region, init))));
    for (int k = 0; k < 2; ++k) {
      if (store) {
        c.mov(x86::qword_ptr(bits, 8 * k), -1);
      } else {
        c.cmp(x86::qword_ptr(bits, 8 * k), -1);
        c.jne(give_up());
      }
    }
  }
  // An earlier record is no danger if it is old, or of the same thread and epoch.
  void expect_settled(const x86::Gp& record, const x86::Gp& mine, const x86::Gp& threshold) {
    const Label good = c.newLabel();
    c.cmp(record, threshold);
    c.jl(good);
    c.xor_(record, mine);
    c.shr(record, 21);
    c.jnz(give_up());
    c.bind(good);
  }
  void follow_row(const Op& op, const x86::Gp& offset, bool store) {
    const x86::Gp row = c.newUIntPtr(), record = c.newUInt64(), mine = c.newUInt64(),
                  threshold = c.newUInt64();
    if (!op.rows) {
      c.test(offset.r8(), 127);
      c.jnz(give_up());
    }
    c.mov(row, offset);
    c.shr(row, op.rows ? 6 : 7);  // rows of a tile of 16 columns
    c.imul(row, row, sizeof(Row));
    c.add(row, x86::qword_ptr(w, at_region(op.region, offsetof(Region, rows))));
    c.mov(mine, x86::qword_ptr(w, AT(mine)));
    c.or_(mine, static_cast<int>(now.second));  // the statement
    c.mov(threshold, x86::qword_ptr(w, wide(op.a) ? AT(threshold) : AT(threshold_shared)));
    for (const std::size_t member :
         {offsetof(Row, write), offsetof(Row, read), offsetof(Row, other)}) {
      c.mov(record, x86::qword_ptr(row, static_cast<int>(member)));
      expect_settled(record, mine, threshold);
    }
    c.mov(x86::qword_ptr(row, store ? offsetof(Row, write) : offsetof(Row, read)), mine);
  }

  // Groups of lanes: each vector of lanes in order, or at one place.
  void access_rows(const Op& op) {
    const bool store = op.kind == Kind::store, global = wide(op.a);
    const std::size_t of_each = global ? 2 : 1;
    if (!shared.contains(op.a)) {
      const Vectors addresses = get(op.a);
      for (std::size_t k = 0; k < addresses.size(); k += of_each) {
        const x86::Gp start = first_of(addresses[k], global);
        if (op.at_one) {
          const x86::Vec difference = vector();
          c.emit(lanes == 16 ? x86::Inst::kIdVpxord : x86::Inst::kIdVpxor, difference, addresses[k],
                 spread(start, false));
          expect_zero(difference);
        } else {
          const auto first = addresses.begin() + static_cast<long>(k);
          expect_order(Vectors(first, first + static_cast<long>(of_each)), spread(start, global),
                       global);
        }
        shared[op.a].push_back(start);
      }
    }
    const x86::Gp host = c.newUIntPtr(), bits = c.newUIntPtr(), read = c.newUIntPtr(),
                  record = c.newUInt64();
    c.mov(host, x86::qword_ptr(w, at_region(op.region, offsetof(Region, host))));
    const bool lists = checks == Checks::all && !global && !store;
    if (lists) {
      c.mov(read, x86::qword_ptr(w, AT(reads)));
      c.cmp(read, x86::qword_ptr(w, AT(reads_end)));
      c.je(give_up());
      c.mov(record, x86::qword_ptr(w, AT(mine)));
      c.or_(record, static_cast<int>(now.second));
      c.mov(x86::qword_ptr(read, 8), record);
      c.mov(x86::qword_ptr(read, 0), op.at_one ? 0xf04 : 0x004);
      c.add(x86::qword_ptr(w, AT(reads)), sizeof(Read));
    }
    Vectors data = store ? get(op.d) : Vectors{};
    const std::vector<x86::Gp> starts = shared[op.a];
    for (int k = 0; k < static_cast<int>(starts.size()); ++k) {
      const x86::Gp offset = c.newUInt64();
      if (global)
        c.lea(offset,
              x86::ptr(starts[static_cast<std::size_t>(k)].r64(), static_cast<int>(op.imm)));
      else
        c.lea(offset.r32(),
              x86::ptr(starts[static_cast<std::size_t>(k)].r64(), static_cast<int>(op.imm)));
      for (int group = 0; lists && group < lanes / 8; ++group) {
        const x86::Gp later = c.newUInt32();
        c.lea(later, x86::ptr(offset, op.at_one ? 0 : 32 * group));
        c.mov(x86::dword_ptr(read, 16 + 4 * (k * lanes / 8 + group)), later);
      }
      expect_inside(offset, op.region, op.at_one ? 4 : 4 * lanes);
      if (checks == Checks::all) {  // of one place its neighbours must have a value here, too
        c.mov(bits, offset);
        c.shr(bits, 3);
        c.add(bits, x86::qword_ptr(w, at_region(op.region, offsetof(Region, init))));
        const x86::Mem own = op.at_one    ? x86::byte_ptr(bits)
                             : lanes == 8 ? x86::dword_ptr(bits)
                                          : x86::qword_ptr(bits);
        if (store) {
          c.mov(own, -1);
        } else {
          c.cmp(own, -1);
          c.jne(give_up());
        }
        if (store) follow_row(op, offset, true);
      }
      const x86::Mem place = memory(host, offset, 0);
      if (store) {
        c.emit(x86::Inst::kIdVmovups, place, data[static_cast<std::size_t>(k)]);
        continue;
      }
      data.push_back(vector());
      if (op.at_one)
        c.emit(x86::Inst::kIdVbroadcastss, data.back(), x86::Mem(host, offset, 0, 0, 4));
      else
        c.emit(x86::Inst::kIdVmovups, data.back(), place);
    }
    if (!store) set(op.d, data);
  }

  x86::Compiler& c;
  int lanes;  // of a vector
  Checks checks;
  x86::Gp w, file, result;
  x86::Vec steps32, steps64;
  std::map<int, Vectors> values;
  std::map<int, std::vector<x86::Gp>>
      shared;  // first addresses of registers that accesses have looked at
  std::set<int> dirty;
  std::vector<Exit> exits;
  std::pair<const Block*, std::size_t> now;
};

}  // namespace run_time_code
