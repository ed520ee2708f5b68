// Chooses what is drawn of a case: the first of many alike, the worst of each line.
#include <map>
#include <set>
#include <tuple>

#include "report/pictures/pictures.hpp"

namespace warpmark {

namespace {

int64_t sample_excess(const SampledAccess& access) {
  return access.measure("sectors") - access.measure("ideal_sectors") +
         access.measure("wavefronts") - access.measure("ideal_wavefronts") +
         access.measure("turns");
}

// The objects of a member; none if it is no list.
std::vector<const ReportJson*> list_of(const ReportJson& json, const char* name) {
  std::vector<const ReportJson*> all;
  const auto list = json.find(name);
  if (!json.is_object() || list == json.end() || !list->is_array()) return all;
  for (const ReportJson& one : *list) {
    if (one.is_object()) all.push_back(&one);
  }
  return all;
}

using Place = std::tuple<std::string, int64_t, std::string>;

void add_accesses(const std::vector<ReportJson>& samples, size_t most,
                  std::vector<Picture>& pictures) {
  std::vector<SampledAccess> worst;
  std::map<Place, size_t> known;
  for (const ReportJson& launch : samples) {
    for (const ReportJson* json : list_of(launch, "accesses")) {
      auto access = read_sampled_access(*json);
      if (!access) continue;
      const auto [at, added] =
          known.try_emplace({access->file, access->line, access->kind}, worst.size());
      if (added)
        worst.push_back(std::move(*access));
      else if (sample_excess(*access) > sample_excess(worst[at->second]))
        worst[at->second] = std::move(*access);
    }
  }
  size_t drawn = 0;
  for (const SampledAccess& access : worst) {
    if (drawn == most) break;
    auto picture = access.is_of("shared") ? bank_picture(access) : sector_picture(access);
    if (!picture) continue;
    pictures.push_back(std::move(*picture));
    ++drawn;
  }
}

void add_branches(const std::vector<ReportJson>& samples, size_t most,
                  std::vector<Picture>& pictures) {
  std::set<std::pair<std::string, int64_t>> known;
  size_t drawn = 0;
  const auto is_new = [&](const ReportJson& one) {
    return known.insert({text_member(one, "file"), count_member(one, "line").value_or(0)}).second;
  };
  const auto add = [&](const ReportJson& way) {
    if (drawn == most) return;
    auto picture = branch_picture(way);
    if (!picture) return;
    pictures.push_back(std::move(*picture));
    ++drawn;
  };
  for (const ReportJson& launch : samples) {
    const auto way = launch.is_object() ? launch.find("way") : launch.end();
    if (!launch.is_object() || way == launch.end() || !way->is_object()) continue;
    bool any = false;
    for (const ReportJson* one : list_of(*way, "partings")) any = is_new(*one) || any;
    if (any) add(*way);
  }
  for (const ReportJson& launch : samples) {
    for (const ReportJson* one : list_of(launch, "partings")) {
      if (is_new(*one)) add(*one);
    }
  }
}

}  // namespace

std::vector<Picture> pictures_of_findings(const std::vector<ReportJson>& findings, size_t most) {
  std::vector<Picture> pictures;
  for (const ReportJson& finding : findings) {
    if (pictures.size() == most) break;
    if (auto picture = race_picture(finding)) pictures.push_back(std::move(*picture));
  }
  return pictures;
}

std::vector<Picture> pictures_of_counters(const std::vector<ReportJson>& launches, size_t most) {
  std::vector<ReportJson> samples;
  for (const ReportJson& launch : launches) {
    if (launch.is_object() && launch.contains("samples")) samples.push_back(launch["samples"]);
  }
  std::vector<Picture> pictures;
  add_accesses(samples, most, pictures);
  add_branches(samples, most, pictures);
  return pictures;
}

std::vector<Picture> pictures_of_case(const std::vector<ReportJson>& findings,
                                      const std::vector<ReportJson>& launches,
                                      const MostPictures& most, const Roofs& roofs) {
  std::vector<Picture> pictures = pictures_of_findings(findings, most.races);
  for (Picture& one : pictures_of_counters(launches, most.samples))
    pictures.push_back(std::move(one));
  if (auto roofline = count_roofline(sum_counters(launches), roofs))
    pictures.push_back(std::move(*roofline));
  return pictures;
}

}  // namespace warpmark
