#include "python/blocks.hpp"

#include <string>

#include "python/blocks_text.hpp"
#include "warpmark/processors.hpp"

namespace warpmark::objects {

namespace {

bool blocks_are_loaded = false;  // read and written with Python's lock held

py::object blocks_module() {
  blocks_are_loaded = true;
  return own_module("blocks", kBlocksText);
}

uint32_t threads() {
  static const uint32_t count = usable_processors();
  return count;
}

py::object draw_by_blocks(Seen seen) {
  return py::cpp_function([seen](const py::object& generator, const py::object& name,
                                 const py::object& parameters, const py::object& options,
                                 const py::object& shape) -> py::object {
    const py::object made =
        blocks_module().attr("draw")(generator, name, parameters, options, shape, threads());
    return seen == Seen::by_expression ? made : made.attr("__array__")();
  });
}

}  // namespace

py::object seen_array(const py::object& array, Seen seen) {
  const bool is_plain = seen == Seen::by_function ||
                        array.attr("size").cast<int64_t>() < kLeastBlocked ||
                        array.attr("dtype").attr("kind").cast<std::string>() == "V";
  return is_plain ? array : blocks_module().attr("blocks_of")(array, threads());
}

py::object generator_object(const GeneratorKey& key, Seen seen) {
  const py::bytes digest =
      py::module_::import("hashlib").attr("sha256")(py::bytes(key.message())).attr("digest")();
  const std::string first_half = std::string(digest).substr(0, 16);
  const py::object number = py::module_::import("builtins")
                                .attr("int")
                                .attr("from_bytes")(py::bytes(first_half), "little");
  return own_module("draws", kDrawsText)
      .attr("generator")(number, kLeastBlocked, draw_by_blocks(seen));
}

bool is_blocked(const py::handle& value) {
  return blocks_are_loaded && py::isinstance(value, blocks_module().attr("Blocks"));
}

bool put_blocks(const py::object& value, const py::object& target,
                const std::optional<std::pair<py::object, py::object>>& range) {
  const py::object into = value.attr("into");
  return (range ? into(target, range->first, range->second) : into(target)).cast<bool>();
}

}  // namespace warpmark::objects
