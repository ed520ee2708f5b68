/* One broken plugin for each value of BROKEN, for the tests of the loader. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "warpmark/plugin.h"

static const char kPlan[] =
    "{\"units\":[],\"buffers\":[],\"scalars\":[],\"steps\":[],\"expected\":[]}";

static void emit(const warpmark_plugin_host* host, const char* text) {
  host->emit(host->user, text, strlen(text));
}

static int plan(const char* text, size_t length, const warpmark_plugin_host* host) {
  (void)text;
  (void)length;
  switch (BROKEN) {
    case 10:
      return 0; /* neither */
    case 11:
      emit(host, kPlan);
      emit(host, kPlan);
      return 0; /* twice */
    case 12:
      emit(host, "{\"units\": [");
      return 0; /* not JSON */
    case 13:
      emit(host, "{\"units\": \"\xff\"}");
      return 0; /* not UTF-8 */
    case 14:
      emit(host,
           "{\"units\":[],\"buffers\":[],\"scalars\":[],\"steps\":[],\"expected\":[],"
           "\"surprise\":1}");
      return 0;
    case 15:
      emit(host, kPlan);
      host->fail(host->user, "", "m", "");
      return 1;
    case 16:
      emit(host, kPlan);
      return 3;
    case 17:
      host->fail(host->user, "", "m", "");
      return 0;
    case 18:
      host->fail(host->user, "/launch/block", "the block is odd", "make it even");
      return 1;
    case 19:
      host->fail(host->user, NULL, NULL, NULL);
      return 1;
    case 20:
      host->emit(host->user, NULL, 0);
      return 0;
    case 21:
      host->fail(host->user, "", "evil \x1b[31m \xff", "");
      return 1;
    default:
      emit(host, kPlan);
      return 0;
  }
}

static const char kTrial[] =
    "{\"plan\":{\"units\":[],\"buffers\":[{\"name\":\"l\",\"direction\":\"out\",\"shape\":[4]}],"
    "\"scalars\":[],\"steps\":[],\"expected\":[]},\"claims\":[{\"broken\":\"no law\",\"at\":\"\","
    "\"left\":{\"text\":\"L\",\"buffer\":\"l\"},\"right\":{\"text\":\"L\",\"buffer\":\"l\"},"
    "\"operands\":[],\"between\":[]}]}";

static int trial(const char* text, size_t length, const warpmark_plugin_host* host) {
  (void)text;
  (void)length;
  emit(host, BROKEN == 23 ? "null" : BROKEN == 24 ? "{\"claims\": []}" : kTrial);
  return 0;
}

WARPMARK_PLUGIN_EXPORT const warpmark_plugin* warpmark_plugin_v1(void);

#if BROKEN != 1
const warpmark_plugin* warpmark_plugin_v1(void) {
  static warpmark_plugin plugin = {sizeof(warpmark_plugin), WARPMARK_PLUGIN_VERSION, NAME, plan,
                                   BROKEN >= 22 ? trial : NULL};
  switch (BROKEN) {
    case 2:
      return NULL;
    case 3:
      plugin.version = 99;
      break;
    case 4:
      plugin.size = 8;
      break;
    case 5:
      plugin.name = "other";
      break;
    case 6:
      plugin.plan = NULL;
      break;
    case 25: /* of a version of the header without `trial` */
      plugin.size = offsetof(warpmark_plugin, trial);
      break;
    default:
      break;
  }
  return &plugin;
}
#endif
