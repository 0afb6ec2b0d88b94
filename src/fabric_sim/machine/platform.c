/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.c - the table of presets, and the parser of --platform. See platform.h. */
#include "fabric_sim/machine/platform.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/dragonfly.h"
#include "fabric_sim/machine/platform_keys.h"

static const struct sim_plat PRESETS[] = {
#define PRESET(preset, ...) {.name = #preset, __VA_ARGS__},
#include "fabric_sim/machine/presets.def"
};

/* "xc40, xe6, ...", for messages */
static const char PRESET_LIST[] =
#define PRESET(preset, ...) #preset ", "
#include "fabric_sim/machine/presets.def"
    ;

/* A SimGrid platform: latency and bandwidth of the network are the file's, as SimGrid sums them;
 * the NIC adds a posting cost and a message gap of a current InfiniBand adapter, and memory is that
 * of xc40's node as one domain. */
static const struct sim_plat XML = {
    .kind = SIM_PLAT_XML,
    .model = "SimGrid platform",
    .numa = 1,
    .packet = 4096,
    .price =
        {
            .overhead_ps = {SIM_NS(100), SIM_NS(100), SIM_NS(100)},
            .gap_ps = SIM_NS(10),
            .amo_gap_ps = SIM_NS(30),
            .intra_overhead_ps = SIM_NS(20),
            .intra_ps = {SIM_NS(5), SIM_NS(60), SIM_NS(130)},
            .local_ps = SIM_NS(10),
            .copy_bytes_per_s = SIM_GBPS(12),
            .memory_bytes_per_s = SIM_GBPS(55),
        },
    .sources =
        (const struct sim_source[]){
            {"overhead_put overhead_get overhead_atomic gap atomic_gap",
             "our judgement of a current InfiniBand adapter"},
            {"packet", "InfiniBand's largest payload"},
            {"tx rx router ack read respond rx_get atomic", "in the latencies of the file's links"},
            {"bw_nic_put bw_nic_get", "the file's links limit it"},
            {"overhead_node lat_self lat_numa lat_node local bw_copy bw_memory",
             "those of xc40's node, as one domain"},
            {NULL, NULL}},
};

uint32_t sim_plat_blue(const struct sim_plat *p, uint32_t groups) {
  uint32_t routers = p->chassis * p->blades;
  if (groups <= 1) return 1;
  uint32_t allowed = (uint32_t)((uint64_t)routers * p->ports / (groups - 1)),
           wanted = p->blue != 0 ? p->blue : SIM_DF_BLUE_MAX;
  uint32_t most = allowed < routers ? allowed : routers;
  return wanted < most ? wanted : most;
}

sim_per_byte_t sim_plat_per_byte(uint64_t bytes_per_s) {
  return bytes_per_s == 0 ? 0 : (SIM_PS_PER_S * SIM_PER_BYTE_ONE + bytes_per_s / 2) / bytes_per_s;
}

/* Returns the preset whose name is the first `len` characters of `text`; NULL: none. */
static const struct sim_plat *find_preset(const char *text, size_t len) {
  for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS; i++)
    if (strlen(PRESETS[i].name) == len && strncmp(text, PRESETS[i].name, len) == 0)
      return &PRESETS[i];
  return NULL;
}

static bool ends_in_xml(const char *text, size_t len) {
  return len > 4 && strncmp(text + len - 4, ".xml", 4) == 0;
}

/* The characters before the colon that keys follow: a path may have colons of its own. */
static size_t name_length(const char *text) {
  const char *colon = strrchr(text, ':');
  size_t len = strlen(text);
  bool no_keys = colon == NULL || ends_in_xml(text, len) || strchr(colon, '/') != NULL;
  return no_keys ? len : (size_t)(colon - text);
}

int sim_plat_parse(const char *text, struct sim_plat *out) {
  size_t len = name_length(text);
  const struct sim_plat *preset = find_preset(text, len);
  if (preset == NULL && memchr(text, '/', len) == NULL && !ends_in_xml(text, len))
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "unknown platform '%.*s'; expected %sor the path of a SimGrid platform (ends in .xml or "
        "contains '/'), and :key=value,... after it if figures are to differ",
        (int)len, text, PRESET_LIST);
  struct sim_plat p = preset != NULL ? *preset : XML;
  if (preset == NULL) {
    p.name = text;
    p.path_len = (uint32_t)len;
  }
  if (text[len] == ':') EYOTI_TRY(sim_plat_keys(text + len + 1, &p));
  *out = p;
  return 0;
}
