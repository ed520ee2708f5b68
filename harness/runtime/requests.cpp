#include "runtime/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "base/file.hpp"
#include "driver/image.hpp"
#include "runtime/output_checks.hpp"
#include "runtime/tensor_maps.hpp"

namespace warpmark {

namespace {

// A text of the suite or of a plugin: lines point to where they are written.
protocol::UnitText text_of(const Unit& unit, const Suite& suite, const PlannedCase& planned) {
  protocol::UnitText text;
  text.source = unit.source;
  text.name = suite.file.filename().string();
  // As all that a compiler sees, relative to the suite's folder.
  const auto in_folder = [&](Position where) {
    if (where.known()) where.file = text.name;
    return where;
  };
  for (const Region& region : unit.regions) {
    const bool written = !region.at.empty();
    text.regions.push_back(
        {region.line, written ? in_folder(planned.positions.find_text(region.at)) : Position{}});
  }
  if (text.regions.empty()) {
    text.origin = in_folder(planned.positions.find(unit.at));
  } else {
    text.name = suite.file.stem().string() + ".generated.cu";
  }
  return text;
}

protocol::UnitText file_of(const Unit& unit, const Suite& suite, const PlannedCase& planned) {
  protocol::UnitText text;
  text.name = unit.file;
  text.source = unit.source;
  if (!unit.source.empty()) return text;
  try {
    text.source = read_file(suite.folder / unit.file);
  } catch (const Error& error) {
    throw verdict_error(error.message(), planned.positions.find(unit.at), error.hint());
  }
  return text;
}

std::array<int64_t, 3> resolved(const std::array<Size, 3>& sizes) {
  return {resolved(sizes[0]), resolved(sizes[1]), resolved(sizes[2])};
}

int address_mode(const std::string& word) {
  if (word == "wrap") return CU_TR_ADDRESS_MODE_WRAP;
  if (word == "mirror") return CU_TR_ADDRESS_MODE_MIRROR;
  if (word == "border") return CU_TR_ADDRESS_MODE_BORDER;
  return CU_TR_ADDRESS_MODE_CLAMP;
}

// NumPy's axes are z, y, x, and behind them the channels, if there are several.
protocol::ImageShape image_shape(const Buffer& buffer, const Shape& shape,
                                 const PositionMap& positions) {
  const PlanImage& image = *buffer.image;
  protocol::ImageShape wire;
  size_t axes = shape.size();
  if (image.channels > 1) {
    if (axes == 0 || shape.back() != image.channels) {
      throw verdict_error(fmt::format("`{}` has shape {}: its last axis is not its {} channels",
                                      buffer.name, shape_text(shape), image.channels),
                          positions.find(buffer.at));
    }
    --axes;
  }
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  if (axes < 1 || axes > 3 || empty) {
    throw verdict_error(
        fmt::format("`{}` has shape {}: a texture has one to three axes, none of "
                    "length 0{}",
                    buffer.name, shape_text(shape), image.channels > 1 ? ", and its channels" : ""),
        positions.find(buffer.at));
  }
  for (size_t axis = 0; axis < axes; ++axis) {
    wire.extents[axis] = static_cast<uint64_t>(shape[axes - 1 - axis]);
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto& modes = image.address;
    wire.address[axis] = modes.empty() ? CU_TR_ADDRESS_MODE_CLAMP
                                       : address_mode(modes[std::min(axis, modes.size() - 1)]);
  }
  wire.channels = static_cast<uint64_t>(image.channels);
  wire.surface = image.surface;
  wire.linear = image.linear;
  wire.normalized = image.normalized;
  wire.read_normalized = image.read_normalized;
  return wire;
}

protocol::Step wire_step(const Step& step, const ReadyCase& ready,
                         const std::vector<size_t>& kernels, size_t& launches) {
  if (const auto* copy = std::get_if<CopyStep>(&step)) return protocol::Copy{copy->from, copy->to};
  if (const auto* fill = std::get_if<FillStep>(&step)) {
    return protocol::Fill{fill->buffer, fill->byte};
  }
  const auto& launch = std::get<LaunchStep>(step);
  protocol::Launch wire;
  wire.kernel = kernels[launches++];
  wire.grid = resolved(launch.grid);
  wire.block = resolved(launch.block);
  if (launch.cluster) wire.cluster = resolved(*launch.cluster);
  wire.cooperative = launch.cooperative;
  wire.shared = resolved(launch.shared);
  wire.arguments = launch.arguments;
  for (const ElementPointer& pointer : launch.pointers) {
    const std::string& name = launch.arguments[pointer.argument];
    const uint64_t bytes = ready.inputs.dtypes.at(name).bytes;
    const auto element = static_cast<uint64_t>(resolved(pointer.element));
    const auto placed = ready.placed.find(name);
    wire.offsets[std::to_string(pointer.argument)] =
        placed == ready.placed.end() ? element * bytes
                                     : placed->second.placement().of_element(element, bytes);
  }
  return wire;
}

// Only compilers of other languages make other code for other values. A request that has no more
// than NVRTC needs is the same for all sizes, so that a source is compiled once.
std::vector<GivenArgument> arguments_of(const LaunchStep& launch, const Plan& plan) {
  const bool has_values = !plan.units.at(launch.unit).compiler.empty();
  std::vector<GivenArgument> arguments;
  for (const std::string& name : launch.arguments) {
    if (const Buffer* buffer = plan.find_buffer(name)) {
      // Memory of its own begins at a multiple of 256 bytes.
      arguments.push_back({true, buffer->dtype, !buffer->offset});
    } else {
      const Scalar* scalar = plan.find_scalar(name);
      GivenArgument given{false, scalar != nullptr ? scalar->dtype : std::nullopt};
      const auto value =
          has_values && scalar != nullptr ? known_integer(*scalar, plan) : std::nullopt;
      if (value) {
        given.aligned = *value % 16 == 0;
        given.one = *value == 1;
      }
      arguments.push_back(given);
    }
  }
  return arguments;
}

}  // namespace

protocol::Prepare prepare_request(const Suite& suite, const PlannedCase& planned) {
  protocol::Prepare request;
  request.target = planned.plan.arch;
  request.tensor_maps = std::ranges::any_of(
      planned.plan.scalars, [](const Scalar& scalar) { return scalar.tensor_map.has_value(); });
  for (const Unit& unit : planned.plan.units) {
    protocol::UnitText text =
        unit.file.empty() ? text_of(unit, suite, planned) : file_of(unit, suite, planned);
    text.folder = suite.folder.string();
    if (!unit.image.empty()) {
      text.language = unit.image == "ptx" ? SourceLanguage::ptx : SourceLanguage::binary;
    }
    if (unit.compiler == "nvcc") {
      text.language = SourceLanguage::nvcc;
    } else if (!unit.compiler.empty()) {
      text.language = SourceLanguage::other;
      text.compiler = unit.compiler;
    }
    text.may_have_host_code = unit.may_have_host_code;
    text.options = unit.options;
    text.include = unit.include;
    text.link = unit.link;
    for (const UnitHeader& header : unit.headers) {
      text.headers.push_back({header.spelling, header.name, header.text});
    }
    request.units.push_back(std::move(text));
  }
  // Variables and structs are those of the unit that the first launch is of.
  const Plan::Kernels kernels = planned.plan.kernels();
  if (!kernels.distinct.empty()) {
    protocol::UnitText& unit = request.units.at(kernels.distinct.front()->unit);
    for (const Buffer& buffer : planned.plan.buffers) {
      if (!buffer.symbol.empty()) unit.variables.push_back(buffer.symbol);
    }
    for (const PlanType& type : planned.plan.types) {
      unit.layouts.push_back({type.name, {}});
      for (const Field& field : *type.dtype.fields)
        unit.layouts.back().fields.push_back(field.name);
    }
  }
  for (const LaunchStep* launch : kernels.distinct) {
    request.kernels.push_back({launch->unit, launch->entry, arguments_of(*launch, planned.plan)});
  }
  const PlanLimits& limits = planned.plan.limits;
  request.limits = {static_cast<uint64_t>(limits.stack_bytes.value_or(0)),
                    static_cast<uint64_t>(limits.heap_mib.value_or(0)) << 20};
  return request;
}

Position in_suite(Position where, const Suite& suite) {
  if (where.known()) where.file = display_path(suite.folder / where.file);
  return where;
}

void check_images(const ReadyCase& ready) {
  for (const Buffer& buffer : ready.planned.plan.buffers) {
    if (!buffer.image) continue;
    (void)image_shape(buffer, buffer_shape(buffer, ready.inputs), ready.planned.positions);
  }
}

protocol::Run run_request(const ReadyCase& ready) {
  protocol::Run run;
  const Plan& plan = ready.planned.plan;
  std::set<std::string> judged;
  for (const Expected& expected : plan.expected) judged.insert(expected.output);
  for (const Buffer* output : checked_outputs(plan)) judged.insert(output->name);
  for (const Buffer& buffer : plan.buffers) {
    const DType& dtype = ready.inputs.dtypes.at(buffer.name);
    const auto input = ready.inputs.arrays.find(buffer.name);
    const bool has_initial = input != ready.inputs.arrays.end();
    run.buffers.push_back({buffer.name, std::string(dtype.name), 0, has_initial,
                           buffer.direction == ArgumentKind::inout, std::nullopt});
    if (const std::string& holder = plan.holder(buffer.name); holder != buffer.name)
      run.buffers.back().holder = holder;
    run.buffers.back().pointers = buffer.pointers;
    if (buffer.image) {
      run.buffers.back().image =
          image_shape(buffer, buffer_shape(buffer, ready.inputs), ready.planned.positions);
    }
    const auto symbol = ready.inputs.symbols.find(buffer.name);
    if (symbol != ready.inputs.symbols.end()) run.buffers.back().symbol = symbol->second;
    const auto element = ready.inputs.elements.find(buffer.name);
    if (element != ready.inputs.elements.end()) run.buffers.back().element = element->second;
    run.buffers.back().bytes =
        static_cast<uint64_t>(element_count(buffer_shape(buffer, ready.inputs))) * dtype.bytes;
    run.buffers.back().judged = judged.contains(buffer.name);
    run.buffers.back().partition = buffer.partition && plan.devices && resolved(*plan.devices) > 1;
    if (const auto placed = ready.placed.find(buffer.name); placed != ready.placed.end()) {
      const Placement& placement = placed->second.placement();
      run.buffers.back().bytes = placement.bytes();
      run.buffers.back().lead = placement.lead;
      run.buffers.back().row = placement.row;
      run.buffers.back().pitch = placement.pitch;
    }
  }
  for (const auto& [name, scalar] : ready.inputs.scalars) {
    run.scalars.push_back(
        {name, {reinterpret_cast<const char*>(scalar.bytes.data()), scalar.bytes.size()}});
    for (const FieldPointer& pointer : plan.find_scalar(name)->points_to) {
      run.scalars.back().pointers.push_back(
          {offset_of_pointer(scalar.dtype, pointer.field).value(), pointer.array});
    }
  }
  for (const Scalar& scalar : plan.scalars) {
    if (!scalar.tensor_map) continue;
    run.scalars.push_back({scalar.name, {}});
    run.scalars.back().map = {scalar.tensor_map->array, tensor_map_form(scalar, ready)};
  }
  const std::vector<size_t> kernels = plan.kernels().of_launch;
  size_t launches = 0;
  for (const Step& step : plan.steps) {
    run.steps.push_back(wire_step(step, ready, kernels, launches));
  }
  run.timed_step = plan.timed_step;
  if (plan.devices) run.devices = static_cast<uint64_t>(resolved(*plan.devices));
  run.instructions = static_cast<uint64_t>(plan.limits.instructions.value_or(0));
  return run;
}

std::vector<BufferArrays> buffer_arrays(const protocol::Run& run, const ReadyCase& ready,
                                        const std::map<std::string, Array>* results) {
  std::vector<BufferArrays> all;
  for (const protocol::BufferBytes& buffer : run.buffers) {
    const auto placed = ready.placed.find(buffer.name);
    const PlacedArray* spread = placed == ready.placed.end() ? nullptr : &placed->second;
    BufferArrays& one = all.emplace_back();
    if (buffer.has_initial) {
      one.initial = spread ? &spread->initial() : &ready.inputs.arrays.at(buffer.name);
    }
    if (results == nullptr) continue;
    one.result = spread ? &spread->result() : &results->at(buffer.name);
  }
  return all;
}

std::vector<int> descriptors(protocol::Run& run, const std::vector<BufferArrays>& buffers) {
  std::vector<int> fds;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto& [initial, result] = buffers[i];
    if (initial != nullptr) {
      fds.push_back(initial->memory()->fd());
      run.buffers[i].initial_place = initial->memory()->place();
    }
    if (result != nullptr) fds.push_back(result->memory()->fd());
  }
  return fds;
}

}  // namespace warpmark
