// Compiles what json_templates.hpp declares as compiled.
#define WARPMARK_TEMPLATE template

#include "base/json_templates.hpp"
