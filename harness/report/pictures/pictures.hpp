// Pictures of what went wrong in a launch: races, bank conflicts, wasted sectors, parted warps.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/page/picture.hpp"
#include "report/pictures/sampled_access.hpp"
#include "worker/counters.hpp"

namespace warpmark {

/// The two accesses of a race on a time line, one thread beside the other, and what is missing
/// between them. Nothing for another finding.
std::optional<Picture> race_picture(const ReportJson& finding);

/// The lanes of a request to shared memory, the banks that they want, and the words of each bank
/// that have to wait for each other.
std::optional<Picture> bank_picture(const SampledAccess& access);

/// The sectors of 32 bytes that a request moves, in lines of 128 bytes, with the bytes that lanes
/// asked for.
std::optional<Picture> sector_picture(const SampledAccess& access);

/// The lanes of a warp at the branches where they part: `way` or one of `partings` of a device's
/// samples.
std::optional<Picture> branch_picture(const ReportJson& way);

/// The rates of a GPU. By default they are those of NVIDIA's data sheet of the H200 SXM: memory, and
/// vector units by type.
struct Roofs {
  std::string device = "an H200";
  double memory = 4800;                     ///< GB/s
  double float32 = 67000, float64 = 34000;  ///< GFLOP/s
};
/// Those that a bench has measured (its run in a journal); of what it has not, the data sheet's.
/// Nothing if it has measured none.
std::optional<Roofs> measured_roofs(const ReportJson& run);

/// Where a kernel's counted operations and bytes lie under the roofs (Williams, Waterman, Patterson:
/// Roofline, CACM 52, 2009). Nothing without operations or bytes.
std::optional<Picture> count_roofline(const CounterSums& counters, const Roofs& roofs = {});

/// The races among findings, at most `most`.
std::vector<Picture> pictures_of_findings(const std::vector<ReportJson>& findings, size_t most);
/// The samples among the counters of launches (warpmark/device.h), of which each line and kind of
/// traffic is drawn once, at its worst; at most `most` requests and as many branches.
std::vector<Picture> pictures_of_counters(const std::vector<ReportJson>& launches, size_t most);

struct MostPictures {
  size_t races = 0, samples = 0;
};
/// Races first, then the worst requests and branches, and where all that was counted lies under the
/// roofs.
std::vector<Picture> pictures_of_case(const std::vector<ReportJson>& findings,
                                      const std::vector<ReportJson>& launches,
                                      const MostPictures& most, const Roofs& roofs = {});

}  // namespace warpmark
