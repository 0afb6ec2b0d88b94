/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.c - the table of presets, and the parser of --platform. See platform.h. */
#include "fabric_sim/machine/platform.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/dragonfly.h"
#include "fabric_sim/machine/platform_file.h"
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
            .overhead_word_ps = SIM_NS(100),
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
            {"overhead_put overhead_get overhead_atomic overhead_word gap atomic_gap",
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

uint64_t sim_plat_fixed_nodes(const struct sim_plat *p) {
  uint64_t nodes = 1;
  if (!p->fixed) return 0;
  if (p->kind == SIM_PLAT_TREE) {
    for (uint32_t l = 0; l < p->levels; l++) nodes *= p->children[l];
    return nodes;
  }
  if (p->kind == SIM_PLAT_DRAGONFLY) return (uint64_t)p->groups * p->chassis * p->blades * p->nodes;
  for (uint32_t d = 0; d < SIM_PLAT_DIMS; d++) nodes *= p->size[d];
  return nodes * p->nodes;
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

static bool ends_in(const char *text, size_t len, const char *end) {
  size_t n = strlen(end);
  return len > n && strncmp(text + len - n, end, n) == 0;
}

/* The path of a machine file, or of a SimGrid platform. */
static bool is_file(const char *text, size_t len) {
  return ends_in(text, len, ".xml") || ends_in(text, len, SIM_PLAT_MACHINE_END);
}

/* The characters before the colon that keys follow: a path may have colons of its own. */
static size_t name_length(const char *text) {
  const char *colon = strrchr(text, ':');
  size_t len = strlen(text);
  bool no_keys = colon == NULL || is_file(text, len) || strchr(colon, '/') != NULL;
  return no_keys ? len : (size_t)(colon - text);
}

/* Whether the first `len` characters of `text` name a SimGrid platform. */
static bool is_simgrid(const char *text, size_t len) {
  return find_preset(text, len) == NULL && !ends_in(text, len, SIM_PLAT_MACHINE_END) &&
         (memchr(text, '/', len) != NULL || is_file(text, len));
}

bool sim_plat_is_simgrid(const char *text) {
  return is_simgrid(text, name_length(text));
}

static int parse_machine(const char *text, size_t len, struct sim_plat *out) {
  char path[PATH_MAX];
  if (len >= sizeof path)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "the path of the machine file has %zu characters; expected at most %zu", len,
                      sizeof path - 1);
  snprintf(path, sizeof path, "%.*s", (int)len, text);
  return sim_plat_file(path, find_preset, out);
}

/* Finds the machine that the first `len` characters of `text` name. */
static int parse_name(const char *text, size_t len, struct sim_plat *out) {
  const struct sim_plat *preset = find_preset(text, len);
  if (preset != NULL) {
    *out = *preset;
    return 0;
  }
  if (ends_in(text, len, SIM_PLAT_MACHINE_END))
    EYOTI_TRY(parse_machine(text, len, out));
  else if (is_simgrid(text, len))
    *out = XML;
  else
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "unknown platform '%.*s'; expected %sthe path of a machine file (ends in .machine) or of a "
        "SimGrid platform (ends in .xml or contains '/'), and :key=value,... after it if figures "
        "are to differ",
        (int)len, text, PRESET_LIST);
  out->name = text;
  out->path_len = (uint32_t)len;
  return 0;
}

int sim_plat_parse(const char *text, struct sim_plat *out) {
  size_t len = name_length(text);
  struct sim_plat p;
  EYOTI_TRY(parse_name(text, len, &p));
  if (text[len] == ':') EYOTI_TRY(sim_plat_keys(text + len + 1, &p));
  if (!p.measured) sim_plat_resolve(&p);
  if (p.kind == SIM_PLAT_TREE) p.nodes = p.children[0];
  *out = p;
  return 0;
}
