// Says for each suite file on the command line whether the loader takes it: "ok", or
// "LINE:COLUMN message | hint".
#include <cstdint>
#include <iostream>

#include "plan/plugin_loader.hpp"

int main(int count, char** arguments) {
  warpmark::PluginLoader plugins({arguments[1]});
  for (int i = 2; i < count; ++i) {
    try {
      const auto suite = warpmark::load_suite(arguments[i]);
      const auto no_python = [](const warpmark::Located&) {
        return std::vector<warpmark::ArithmeticValue>{int64_t{1}};
      };
      for (const warpmark::Case& one : warpmark::cases(suite, no_python)) {
        (void)warpmark::make_plan(one, plugins);
      }
      std::cout << "ok\n";
    } catch (const warpmark::Error& error) {
      std::cout << error.where().line << ":" << error.where().column << " " << error.message()
                << (error.hint().empty() ? "" : " | ") << error.hint() << "\n";
    }
  }
}
