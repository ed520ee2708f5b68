// Says for each assignment on the command line whether the loader takes it: "ok", or
// "LINE:COLUMN message | hint".
#include <iostream>

#include "grade/assignment/assignment.hpp"

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    try {
      (void)warpmark::load_assignment(arguments[i]);
      std::cout << "ok\n";
    } catch (const warpmark::Error& error) {
      std::cout << error.where().line << ":" << error.where().column << " " << error.message()
                << (error.hint().empty() ? "" : " | ") << error.hint() << "\n";
    }
  }
}
