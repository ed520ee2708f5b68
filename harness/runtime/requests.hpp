// Makes the requests to a worker for a case.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "python/array.hpp"
#include "runtime/inputs.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// The request to compile and load a case. Reads its source files; throws a verdict error, at the
/// place that names it, for a file that cannot be read.
protocol::Prepare prepare_request(const Suite& suite, const PlannedCase& planned);

/// Converts a worker's place, relative to the suite's folder, to one relative to the current
/// folder.
Position in_suite(Position where, const Suite& suite);

/// One run of a resolved plan, without the limits of a device.
protocol::Run run_request(const ReadyCase& ready);

/// The memory of one buffer, as a worker gets it; either may be null.
struct BufferArrays {
  const Array* initial = nullptr;
  const Array* result = nullptr;
};

/// The memory of each buffer of a request for `run`, with `results` of each.
std::vector<BufferArrays> buffer_arrays(const protocol::Run& run, const ReadyCase& ready,
                                        const std::map<std::string, Array>* results = nullptr);

/// The descriptors that travel with a request for `run`: initial values and results of each buffer.
/// `run` then says where in them the values are.
std::vector<int> descriptors(protocol::Run& run, const std::vector<BufferArrays>& buffers);

/// Throws a verdict error, at the argument, for an array whose shape no texture or surface has.
void check_images(const ReadyCase& ready);

}  // namespace warpmark
