/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.c - the table of presets, and the parser of --platform. See platform.h. */
#include "fabric_sim/machine/platform.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/dragonfly.h"
#include "fabric_sim/machine/platform_keys.h"

/* A row of presets.def. */
struct preset {
  struct sim_plat plat;
  bool parametric; /* keys may follow the name */
};

static const struct preset PRESETS[] = {
#define PRESET(preset, ...) {.plat = {.name = #preset, __VA_ARGS__}},
#define PARAMETRIC(preset, ...) {.plat = {.name = #preset, __VA_ARGS__}, .parametric = true},
#include "fabric_sim/machine/presets.def"
};

/* "xc40, xe6, ...", for messages */
static const char PRESET_LIST[] =
#define PRESET(preset, ...) #preset ", "
#define PARAMETRIC(preset, ...) #preset "[:key=value,...], "
#include "fabric_sim/machine/presets.def"
    ;

/* A SimGrid platform: latency and bandwidth of the network are the file's, as SimGrid sums them;
 * the NIC adds a posting cost and a message gap of a current InfiniBand adapter, and memory is that
 * of xc40's node as one domain. */
static const struct sim_plat XML = {
    .kind = SIM_PLAT_XML,
    .model = "SimGrid platform",
    .numa = 1,
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

/* Returns the preset whose name is `text`, or the part of it before a colon; NULL: none. */
static const struct preset *find_preset(const char *text) {
  for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS; i++) {
    const char *name = PRESETS[i].plat.name;
    size_t len = strlen(name);
    if (strncmp(text, name, len) != 0) continue;
    if (text[len] == '\0' || (text[len] == ':' && PRESETS[i].parametric)) return &PRESETS[i];
  }
  return NULL;
}

int sim_plat_parse(const char *text, struct sim_plat *out) {
  size_t len = strlen(text);
  const struct preset *preset = find_preset(text);
  if (preset != NULL) {
    struct sim_plat p = preset->plat;
    const char *colon = strchr(text, ':');
    if (colon != NULL) EYOTI_TRY(sim_plat_keys(colon + 1, &p));
    *out = p;
    return 0;
  }
  if (strchr(text, '/') != NULL || (len > 4 && strcmp(text + len - 4, ".xml") == 0)) {
    struct sim_plat p = XML;
    p.name = text;
    *out = p;
    return 0;
  }
  return EYOTI_FAIL(EYOT_EINVAL,
                    "unknown platform '%s'; expected %sor the path of a SimGrid platform (ends in "
                    ".xml or contains '/')",
                    text, PRESET_LIST);
}
