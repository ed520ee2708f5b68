// Looks of a debugger at a launch: its statements, threads, registers and memory.
#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/debug.hpp"
#include "api/json_text.hpp"
#include "api/report.hpp"
#include "machine/schedule.hpp"
#include "program/debug_image.hpp"
#include "program/source_place.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;
using Point = const warpmark_debug_point*;

const DebuggedLaunch& launch_of(Point point) {
  return *static_cast<const DebuggedLaunch*>(point->launch_state);
}

void give(const Json& json, warpmark_device_sink sink, void* user) {
  const std::string text = json_text(json);
  sink(user, text.data(), text.size());
}

void describe(Point point, warpmark_device_sink sink, void* user) {
  const DebuggedLaunch& launch = launch_of(point);
  Json json = {{"kernel", safe(launch.program.name)},
               {"module", launch.text()},
               {"grid", launch.shape.grid},
               {"block", launch.shape.block},
               {"cluster", launch.shape.cluster},
               {"dynamic_shared", launch.shape.dynamic_shared},
               {"shared_bytes", launch.program.shared_bytes},
               {"rotates", in_rotation(launch.program, launch.shape)}};
  std::uint64_t statements = 0;
  for (const Program::Source& source : launch.program.sources)
    statements = source.first + source.function->statements.size();
  json["statements"] = statements;
  json["parameters"] = Json::array();
  for (const Parameter& parameter : launch.program.function->parameters) {
    json["parameters"].push_back(
        {{"name", safe(parameter.name)}, {"offset", parameter.offset}, {"bytes", parameter.bytes}});
  }
  // Shared variables, which DWARF lacks if they are a function's, and where pointers to them begin.
  json["shared_window"] = launch.shared_window;
  json["shared"] = Json::array();
  for (const Program::Source& source : launch.program.sources) {
    for (const auto& [name, place] : source.places->variables) {
      if (place.space != Space::shared) continue;
      std::uint64_t bytes = 0;
      for (const auto* variables : {&source.function->variables, &launch.program.module->variables})
        for (const Variable& one : *variables) bytes = one.name == name ? one.bytes : bytes;
      json["shared"].push_back({{"name", safe(variable_name(name))},
                                {"offset", place.offset},
                                {"bytes", bytes != 0 ? bytes : launch.shape.dynamic_shared}});
    }
  }
  give(json, sink, user);
}

// For each statement whether anything is executed for it.
std::vector<bool> executed(const Program& program, std::size_t statements) {
  std::vector<bool> code(statements);
  const auto mark = [&](std::uint32_t statement) {
    if (statement < statements) code[statement] = true;
  };
  for (const Instruction& instruction : program.code) mark(instruction.statement);
  for (const BasicBlock& node : program.blocks) {
    if (node.exit != Exit::collect) mark(node.statement);
  }
  return code;
}

void statements(Point point, warpmark_device_sink sink, void* user) {
  const Program& program = launch_of(point).program;
  const Program::Source& last = program.sources.back();
  const std::vector<bool> code = executed(program, last.first + last.function->statements.size());
  std::uint32_t number = 0;
  for (const Program::Source& source : program.sources) {
    const std::string function = safe(readable_name(source.function->name));
    for (const Statement& statement : source.function->statements) {
      Json json = {{"function", function}, {"text", instruction_text(statement.text)}};
      if (source.function->name != function) json["symbol"] = safe(source.function->name);
      const std::vector<SourceLine> lines = source_lines(program, number);
      if (!lines.empty()) {
        json["file"] = safe(lines.front().file);
        json["line"] = lines.front().line;
        if (!lines.front().function.empty()) json["inside"] = safe(lines.front().function);
      }
      for (std::size_t i = 1; i < lines.size(); ++i) {
        json["inlined"].push_back({{"file", safe(lines[i].file)},
                                   {"line", lines[i].line},
                                   {"function", safe(lines[i].function)}});
      }
      if (!code[number]) json["code"] = false;
      give(json, sink, user);
      ++number;
    }
  }
}

void sections(Point point, warpmark_device_sink sink, void* user) {
  const DebuggedLaunch& launch = launch_of(point);
  const DebugImage image = debug_image(
      launch.program, [&launch](std::string_view name) { return launch.variable(name); });
  for (const DebugImage::Section& section : image.sections) {
    const std::string text = section.name + "\n" + section.bytes;
    sink(user, text.data(), text.size());
  }
}

bool exists(Point point, std::uint32_t warp, std::uint32_t lane) {
  const DebuggedLaunch& launch = launch_of(point);
  const auto& [x, y, z] = launch.shape.block;
  return launch.block != nullptr && lane < 32 && std::uint64_t{warp} * 32 + lane < x * y * z;
}

int lane(Point point, std::uint32_t warp, std::uint32_t lane, warpmark_debug_lane* into) {
  *into = {};
  if (!exists(point, warp, lane)) return 0;
  const BlockState& block = *launch_of(point).block;
  const bool active = warp == point->warp && (point->lanes >> lane & 1) != 0;
  const BlockState::Whereabouts where = block.where(warp, lane);
  into->state = static_cast<std::uint32_t>(where.state);
  into->statement = active ? point->statement : where.statement;
  const std::array<std::uint32_t, 3> thread = block.thread(warp, lane);
  std::ranges::copy(thread, into->thread);
  return 1;
}

std::vector<BlockState::Frame> frames_of(Point point, std::uint32_t warp, std::uint32_t number) {
  warpmark_debug_lane where{};
  if (lane(point, warp, number, &where) == 0 || where.state == 0) return {};
  return launch_of(point).block->frames(warp, number, where.statement);
}

std::uint32_t frames(Point point, std::uint32_t warp, std::uint32_t lane,
                     warpmark_debug_frame* into, std::uint32_t most) {
  const std::vector<BlockState::Frame> found = frames_of(point, warp, lane);
  for (std::size_t i = 0; i < found.size() && i < most; ++i)
    into[i] = {found[i].statement, 0, found[i].base};
  return static_cast<std::uint32_t>(found.size());
}

std::uint32_t read_register(Point point, std::uint32_t warp, std::uint32_t lane,
                            std::uint32_t frame, const char* name, std::uint64_t into[2]) {
  const std::vector<BlockState::Frame> found = frames_of(point, warp, lane);
  if (frame >= found.size()) return 0;
  const DebuggedLaunch& launch = launch_of(point);
  const std::vector<Register>& registers =
      launch.program.sources[found[frame].source].function->registers;
  for (std::size_t i = 0; i < registers.size(); ++i) {
    if (registers[i].name != name) continue;
    BlockState::RegisterValue value;
    if (!launch.block->register_in(found[frame], warp, lane, static_cast<std::uint32_t>(i), value))
      return 0;
    into[0] = value.low;
    into[1] = value.high;
    return value.bits;
  }
  return 0;
}

void list_registers(Point point, std::uint32_t warp, std::uint32_t lane, std::uint32_t frame,
                    warpmark_device_sink sink, void* user) {
  const std::vector<BlockState::Frame> found = frames_of(point, warp, lane);
  if (frame >= found.size()) return;
  const Program::Source& source = launch_of(point).program.sources[found[frame].source];
  for (std::size_t i = 0; source.places != nullptr && i < source.places->slots.size(); ++i) {
    const std::string_view name = source.function->registers[i].name;
    if (source.places->slots[i] != Instruction::kNone) sink(user, name.data(), name.size());
  }
}

int read(Point point, std::uint32_t warp, std::uint32_t lane, std::uint32_t frame,
         std::uint32_t space, std::uint64_t address, void* into, std::uint64_t bytes) {
  if (!exists(point, warp, lane)) return 0;
  constexpr std::array kSpaces = {Space::generic, Space::global, Space::shared, Space::local,
                                  Space::param};
  if (space >= kSpaces.size()) return 0;
  if (space == WARPMARK_DEBUG_LOCAL) {
    const std::vector<BlockState::Frame> found = frames_of(point, warp, lane);
    if (frame >= found.size() && frame != WARPMARK_DEBUG_NO_FRAME) return 0;
    if (frame < found.size()) address += found[frame].base;
  }
  const std::byte* memory =
      launch_of(point).block->memory_at(kSpaces.at(space), address, bytes, warp, lane);
  if (memory == nullptr) return 0;
  if (bytes > 0) std::memcpy(into, memory, bytes);
  return 1;
}

void pointer(Point point, std::uint64_t address, warpmark_device_sink sink, void* user) {
  const DebuggedLaunch& launch = launch_of(point);
  if (launch.block == nullptr) return;
  const Allocation* allocation = launch.block->arena().find(address, 1);
  if (allocation == nullptr) return;
  const bool labelled = !allocation->label.empty() && address >= allocation->label_address;
  give({{"name", safe(allocation->label)},
        {"offset", address - (labelled ? allocation->label_address : allocation->address)},
        {"bytes", labelled ? allocation->label_bytes : allocation->bytes}},
       sink, user);
}

void findings(Point point, warpmark_device_sink sink, void* user) {
  const DebuggedLaunch& launch = launch_of(point);
  if (launch.faults == nullptr) return;
  for (const Fault& fault : *launch.faults) {
    const std::string line = render_fault(fault, launch.program, launch.number);
    sink(user, line.data(), line.size());
  }
}

std::uint32_t stores(Point point, warpmark_debug_store* into, std::uint32_t most) {
  const std::vector<warpmark_debug_store>& all = launch_of(point).stores;
  std::copy_n(all.begin(), std::min<std::size_t>(all.size(), most), into);
  return static_cast<std::uint32_t>(all.size());
}

}  // namespace

const warpmark_debug_view& debug_view() {
  static constexpr warpmark_debug_view kView = {sizeof(warpmark_debug_view),
                                                0,
                                                describe,
                                                statements,
                                                sections,
                                                lane,
                                                frames,
                                                read_register,
                                                list_registers,
                                                read,
                                                pointer,
                                                findings,
                                                stores};
  return kView;
}

}  // namespace warpmark::cpu
