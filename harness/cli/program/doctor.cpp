#include "cli/program/doctor.hpp"

#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "cli/program/device_survey.hpp"
#include "compiler/cache.hpp"
#include "compiler/nvrtc.hpp"
#include "driver/choose.hpp"
#include "driver/nvml.hpp"
#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

class Doctor {
 public:
  Doctor(Output& out, const MachineQuestion& asked)
      : out_(out), json_(asked.json), timeout_s_(asked.timeout_s), examples_(asked.examples) {}

  /// True if cases can be checked on some device.
  bool examine() {
    const std::shared_ptr<const Nvrtc> nvrtc = examine_nvrtc();
    examine_devices(nvrtc.get());
    examine_nvml();
    const bool numpy = examine_python();
    const bool plugins = examine_plugins();
    examine_cache();
    examine_examples();
    const bool able = nvrtc && numpy && plugins && !usable_.empty();
    if (json_) {
      write_json(able);
    } else if (able) {
      out_.print("\nWarpmark can check kernels on {}.\n", join(usable_, ", "));
    } else {
      out_.write("\nWarpmark cannot check kernels on this machine: see what is missing above.\n");
    }
    return able;
  }

 private:
  enum class Mark { ok, missing };

  void row(Mark mark, const std::string& what, const std::string& text) {
    if (json_) {
      rows_.push_back({{"what", what},
                       {"ok", mark == Mark::ok},
                       {"text", printable(text)},
                       {"notes", nlohmann::ordered_json::array()}});
      return;
    }
    const std::vector<std::string> lines = split(printable(text), '\n');
    // The names of driver libraries may be of any length.
    out_.print("{:<9}{:<10} {}\n", mark == Mark::ok ? "ok" : "missing", what, lines.front());
    for (size_t i = 1; i < lines.size(); ++i) note(std::string(trim(lines[i])));
  }
  void note(const std::string& text) {
    if (text.empty()) return;
    if (json_) {
      if (!rows_.empty()) rows_.back()["notes"].push_back(printable(text));
    } else {
      out_.print("{:20}{}\n", "", printable(text));
    }
  }
  void write_json(bool able) {
    const nlohmann::ordered_json whole = {
        {"warpmark", 1}, {"able", able}, {"devices", usable_}, {"found", rows_}};
    out_.write(json_document(whole));
  }
  void missing(const std::string& what, const std::string& reason, const std::string& remedy) {
    row(Mark::missing, what, reason);
    if (!remedy.empty()) note("hint: " + remedy);
  }

  std::shared_ptr<const Nvrtc> examine_nvrtc() {
    try {
      std::shared_ptr<const Nvrtc> nvrtc = Nvrtc::open();
      nvrtc->table();  // also one that is known from before has to open
      row(Mark::ok, "NVRTC", fmt::format("{} at {}", nvrtc->version(), nvrtc->path()));
      const std::vector<std::string>& folders = nvrtc->include_folders();
      note(folders.empty() ? "without the toolkit's headers: kernels can include none of them"
                           : "headers in " + join(folders, ", "));
      return nvrtc;
    } catch (const Error& error) {
      missing("NVRTC", error.message(), error.hint());
      return nullptr;
    }
  }

  void examine_devices(const Nvrtc* nvrtc) {
    const DeviceSurvey survey = survey_devices(timeout_s_);
    for (const FoundDriver& driver : survey.drivers) {
      if (!driver.failure.empty()) {
        missing(driver.kind, driver.failure, driver.remedy);
        continue;
      }
      row(Mark::ok, driver.kind,
          fmt::format("{}, for CUDA {}", driver.file, version_text(driver.version)));
      for (const FoundDevice& found : survey.devices) {
        if (found.kind == driver.kind) examine_device(found, nvrtc);
      }
    }
  }

  void examine_device(const FoundDevice& found, const Nvrtc* nvrtc) {
    const Device& device = found.device;
    const ComputeCapability capability = found.compute_capability;
    note(fmt::format("{}:{} {}, compute capability {}, compiled for {}, {}", found.kind,
                     device.index(), device.name(), version_text(capability),
                     found.architecture.name(), format_bytes(found.memory_bytes)));
    if (nvrtc == nullptr) return;
    try {
      check_compiler_fits(device, nvrtc->major(), nvrtc->minor());
      nvrtc->check_architecture(found.architecture);
      usable_.push_back(fmt::format("{}:{}", found.kind, device.index()));
    } catch (const Error& error) {
      missing("", error.message(), error.hint());
    }
  }

  // Benchmarks run without NVML, too; their results then have no clocks, power or throttling.
  void examine_nvml() {
    std::string why;
    if (const std::shared_ptr<const Nvml> nvml = Nvml::open(&why)) {
      row(Mark::ok, "NVML", nvml->path());
    } else {
      missing("NVML", why,
              "only benchmarks on a GPU ask it for clocks and throttling; NVIDIA's driver brings "
              "it, or WARPMARK_NVML names its file");
    }
  }

  bool examine_python() {
    try {
      Interpreter python;
      row(Mark::ok, "Python", python.choice().text());
      return examine_numpy(python);
    } catch (const Error& error) {
      missing("Python", error.message(), error.hint());
      missing("NumPy", "there is no Python to look in", "");
      return false;
    }
  }

  bool examine_numpy(Interpreter& python) {
    try {
      const NumPy& numpy = python.require_numpy();
      row(Mark::ok, "NumPy", fmt::format("{} in {}", numpy.version, numpy.folder.string()));
      return true;
    } catch (const Error& error) {
      missing("NumPy", error.message(), error.hint());
      return false;
    }
  }

  // Suites need the plugins that they name; without any there is nothing to check.
  bool examine_plugins() {
    PluginLoader loader;
    bool some = false;
    for (const PluginLoader::Available& plugin : loader.available()) {
      try {
        loader.load(plugin.name, plugin.file.parent_path(), {});
        row(Mark::ok, "plugin", fmt::format("{} at {}", plugin.name, plugin.file.string()));
        some = true;
      } catch (const Error& error) {
        missing("plugin", error.message(), error.hint());
      }
    }
    if (!some) {
      std::vector<std::string> folders;
      for (const fs::path& folder : library_search_path()) folders.push_back(folder.string());
      missing("plugin", "no usable warpmark-plugin-*.so in " + join(folders, ", "),
              (own_places().installed ? "install Warpmark again" : "build Warpmark") +
                  std::string(", or add the plugins' folder to WARPMARK_PLUGIN_PATH"));
    }
    return some;
  }

  // Without a cache every kernel is compiled each time; that is slower, and no obstacle.
  void examine_cache() {
    const CompileCache cache(cache_folder());
    if (!cache.enabled()) {
      missing("cache", "no folder for compiled kernels, which are compiled each time",
              "set WARPMARK_CACHE_DIR, XDG_CACHE_HOME or HOME");
      return;
    }
    const std::string text =
        fmt::format("{}: {}", cache.folder().string(), cache.entries().words());
    if (const std::string reason = why_not_writable(cache.folder()); !reason.empty()) {
      missing("cache", text + "\n" + reason, "set WARPMARK_CACHE_DIR to a folder of your own");
    } else {
      row(Mark::ok, "cache", text);
    }
  }

  // A copy of the program alone can check kernels, too.
  void examine_examples() {
    const fs::path data = own_places().data;
    if (examples_ > 0) {
      row(Mark::ok, "examples",
          fmt::format("{}: {}, see `warpmark examples`", data.string(),
                      counted(examples_, "example")));
    } else {
      missing("examples", "none in " + data.string(),
              "the program was copied without the rest of its folder");
    }
  }

  // Asks of the nearest folder that exists, because the cache's own is made when first needed.
  static std::string why_not_writable(const fs::path& folder) {
    fs::path there = fs::absolute(folder / "kernels");
    std::error_code ignored;
    while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    if (!fs::is_directory(there, ignored)) return there.string() + " is no folder";
    if (::access(there.c_str(), W_OK | X_OK) != 0) return there.string() + " is not writable";
    return "";
  }

  Output& out_;
  bool json_;
  double timeout_s_;
  size_t examples_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
  std::vector<std::string> usable_;
};

}  // namespace

bool examine_machine(Output& out, const MachineQuestion& asked) {
  return Doctor(out, asked).examine();
}

}  // namespace warpmark
