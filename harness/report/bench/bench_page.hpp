// Results of benches as one HTML page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "report/page/report_table.hpp"

namespace warpmark {

struct SuitePictures {
  std::string suite;
  struct Picture {
    std::string caption;
    std::string svg;  ///< an element, put into the page as it is
  };
  std::vector<Picture> lines, strips;
  size_t left_out = 0;  ///< pictures of lines beyond what a page has room for
};

/// The page loads nothing and runs no script (its policy forbids both), follows the reader's dark
/// or light scheme, and escapes all that the results say. `no_pictures` is why there are none.
std::string bench_page(const std::vector<NamedResult>& results,
                       const std::vector<SuitePictures>& pictures,
                       const std::string& no_pictures = "");

}  // namespace warpmark
