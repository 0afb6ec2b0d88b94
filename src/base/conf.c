/* SPDX-License-Identifier: BSD-3-Clause */
/* conf.c - the table of every option, and the only getenv and setenv of the library. See conf.h. */
#include "base/conf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/conf_text.h"

#define PREFIX "EYOT_"
#define EXPECTED_BYTES 160

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define UNITS_MAX (UINT64_C(1) << 24)
#define DAY_NS (UINT64_C(86400) * 1000 * 1000 * 1000)

#define NUMBER(key, name, opt, letter, kind, value, low, high, text) \
  [EYOTI_CONF_##key] = {.env = PREFIX name,                          \
                        .flag = opt,                                 \
                        .short_flag = letter,                        \
                        .type = EYOTI_CONF_##kind,                   \
                        .def = value,                                \
                        .min = low,                                  \
                        .max = high,                                 \
                        .help = text}
#define SWITCH(key, name, opt, value, text)      \
  [EYOTI_CONF_##key] = {.env = PREFIX name,      \
                        .flag = opt,             \
                        .type = EYOTI_CONF_BOOL, \
                        .def = value,            \
                        .max = 1,                \
                        .help = text}
#define CHOICE(key, name, opt, value, list, text) \
  [EYOTI_CONF_##key] = {.env = PREFIX name,       \
                        .flag = opt,              \
                        .type = EYOTI_CONF_ENUM,  \
                        .def = value,             \
                        .choices = list,          \
                        .help = text}
#define STRING(key, name, opt, value, text) \
  [EYOTI_CONF_##key] = {                    \
      .env = PREFIX name, .flag = opt, .type = EYOTI_CONF_STRING, .def = value, .help = text}

/* clang-format off */
static const struct eyoti_conf_entry TABLE[EYOTI_CONF_COUNT] = {
    CHOICE(FABRIC, "FABRIC", "fabric", "mpi", "mpi|sim", "the fabric: MPI processes, or units simulated in one process"),
    CHOICE(MPI, "MPI", "mpi", "auto", "auto|mpich|openmpi",
           "mpi: the MPI to run on; auto: that of the program or its launcher, else the first that eyot was built for"),
    NUMBER(UNITS, "N", "units", 'n', U64, "1", 1, UNITS_MAX, "number of units"),
    STRING(PLATFORM, "PLATFORM", "platform", "xc40",
           "sim: the machine: xc40, xe6, dragonfly:KEY=VALUE,..., or a SimGrid platform file (.xml)"),
    NUMBER(UNITS_PER_NODE, "UNITS_PER_NODE", "units-per-node", 0, U64, "0", 0, UNITS_MAX, "sim: units placed on a node; 0: one a core"),
    NUMBER(SEED, "SEED", "seed", 0, U64, "1", 0, UINT64_MAX, "sim: seed of every random choice"),
    CHOICE(ENGINE, "ENGINE", "engine", "fiber", "fiber|simgrid",
           "sim: what runs the units: fibers (fast), or SimGrid's actors (the reference)"),
    CHOICE(ORDER, "ORDER", "order", "rdma", "strict|rdma|chaos|tso",
           "sim: reorderings shown: none; legal ones, now and then; often and with long delays; and (eyotcheck) those of an x86 CPU"),
    CHOICE(COMPUTE, "COMPUTE", "compute", "declared", "declared|measured",
           "sim: what computation costs: what eyot_compute declares, or measured time"),
    SWITCH(STATS, "STATS", "stats", "off", "a summary at the end: time per phase, operations and bytes by distance"),
    STRING(STATS_CSV, "STATS_CSV", "stats-csv", "", "sim: file for the summary as CSV; empty: none"),
    SWITCH(PROGRESS_LINE, "PROGRESS_LINE", "progress-line", "off", "sim: a line on stderr while the run goes on"),
    SWITCH(TRACE_HASH, "TRACE_HASH", "trace-hash", "off", "sim: print the hash of all events at the end"),
    SWITCH(SHARED_GLOBALS, "SHARED_GLOBALS", "shared-globals", "off", "sim: load the program once, so that units share its globals"),
    NUMBER(STACK_SIZE, "STACK_SIZE", "stack-size", 0, BYTES, "256K", 16 * KIB, 64 * GIB, "sim: stack of a unit"),
    NUMBER(WATCHDOG, "WATCHDOG", "watchdog", 0, TIME_NS, "10s", 0, DAY_NS,
           "sim: wall time that a unit may run without a fabric call before it is named; 0: off"),
    NUMBER(MAX_VIRTUAL_TIME, "MAX_VIRTUAL_TIME", "max-virtual-time", 0, TIME_NS, "0", 0, DAY_NS,
           "sim: virtual time after which the run is a livelock; 0: no bound"),
    NUMBER(MAX_STEPS, "MAX_STEPS", "max-steps", 0, U64, "0", 0, UINT64_MAX, "sim: steps after which the run is a livelock; 0: no bound"),
    STRING(DEADLOCK_DOT, "DEADLOCK_DOT", "deadlock-dot", "", "sim: file for a deadlock's graph of who waits for whom (DOT); empty: none"),
    STRING(FAULT, "FAULT", "fault", "",
           "sim: faults, separated by ;: crash:unit=U,at=TIME|op=N, slow:..., noise:..., link-down:..., link-slow:...; empty: none"),
    SWITCH(RACES, "RACES", "races", "off", "sim: look for data races; those found are told at the end, with exit code 1"),
    NUMBER(HEAP_SIZE, "HEAP_SIZE", "heap-size", 0, BYTES, "64M", 64 * KIB, 1024 * GIB, "symmetric heap of a unit, as promised at start; it grows, see EYOT_HEAP_MAX"),
    NUMBER(HEAP_MAX, "HEAP_MAX", "heap-max", 0, BYTES, "0", 0, 16 * 1024 * GIB,
           "up to where the heap of a unit grows; 0: sixteen times EYOT_HEAP_SIZE, less where there is no room or MPI pins what is reserved"),
    NUMBER(HEAP_KEEP, "HEAP_KEEP", "heap-keep", 0, BYTES, "64M", 0, 1024 * GIB, "mpi: free memory of the heap that a unit keeps for the next allocation; more goes back to the system"),
    CHOICE(HEAP_PINNED, "HEAP_PINNED", "heap-pinned", "auto", "auto|on|off",
           "mpi: may MPI pin the heap for a network that reads it by itself (then it neither grows unasked nor returns memory); auto: with several nodes, if the machine has such a device"),
    SWITCH(HEAP_HUGE, "HEAP_HUGE", "heap-huge", "off", "mpi: ask for huge pages for the heap; the system decides (transparent_hugepage/shmem_enabled)"),
    SWITCH(HEAP_TOUCH, "HEAP_TOUCH", "heap-touch", "off", "mpi: each unit touches its heap at start, so that pages are near it and no first use is slow"),
    NUMBER(NODE_SIZE, "NODE_SIZE", "node-size", 0, U64, "0", 0, UNITS_MAX, "mpi: units of a virtual node; 0: real nodes"),
    NUMBER(MAX_OUTSTANDING, "MAX_OUTSTANDING", "max-outstanding", 0, U64, "256", 1, 1 << 20, "operations in flight of a unit"),
    [EYOTI_CONF_PROGRESS] = {.env = PREFIX "PROGRESS", .flag = "progress", .type = EYOTI_CONF_U64, .def = "0", .choices = "thread",
                             .max = EYOTI_CONF_PROGRESS_MAX, .help = "mpi: progress processes of a node, beside its units, or a thread in each unit"},
    NUMBER(PROGRESS_BYTES, "PROGRESS_BYTES", "progress-bytes", 0, BYTES, "4K", 1, GIB * 1024,
           "mpi: non-blocking transfers of at least this size go to progress processes"),
    CHOICE(PROGRESS_PRIVATE, "PROGRESS_PRIVATE", "progress-private", "auto", "auto|off",
           "mpi: progress processes take transfers of private buffers (malloc, stack) too, where the system lets them; off: of global memory only"),
    NUMBER(PROGRESS_PRIVATE_BYTES, "PROGRESS_PRIVATE_BYTES", "progress-private-bytes", 0, BYTES, "64K", 1, GIB * 1024,
           "mpi: transfers of private buffers of at least this size, and of EYOT_PROGRESS_BYTES, go to progress processes"),
    CHOICE(ATOMICS, "ATOMICS", "atomics", "auto", "auto|mpi|owner",
           "mpi, several nodes: atomics and signals are all MPI's, or the processors' of the owner's node (needs progress processes)"),
    NUMBER(PACK_BYTES, "PACK_BYTES", "pack-bytes", 0, BYTES, "4K", 64, GIB, "pack buffer of strided transfers with small blocks"),
    NUMBER(BULK_ATOMIC, "BULK_ATOMIC", "bulk-atomic", 0, U64, "4294967295", 0, UINT32_MAX, "elements up to which array accumulates go word by word"),
    SWITCH(CHECK, "CHECK", "check", "off", "check pointers to non-collective memory at their target too"),
    CHOICE(LOG, "LOG", "log", "warn", "silent|error|warn|info|debug", "what is logged on stderr"),
};

/* Variables of the tools and of the search for fabrics: known, but no options of a run. */
static const char *const COMPANIONS[] = {"EYOT_FABRIC_DIR", "EYOT_MPIEXEC", "EYOT_CC", "EYOT_CXX", "EYOT_BUILD_DIR"};
/* clang-format on */

const struct eyoti_conf_entry *eyoti_conf_entry(enum eyoti_conf key) {
  EYOTI_ASSERT((uint32_t)key < EYOTI_CONF_COUNT);
  return &TABLE[key];
}

const char *eyoti_conf_foreign_env(const char *name) {
  return getenv(name);
}

int eyoti_conf_foreign_default(const char *name, const char *value) {
  if (setenv(name, value, 0) != 0)
    return EYOTI_FAIL(EYOT_ENOMEM, "cannot set %s: the environment cannot grow", name);
  return EYOT_OK;
}

static bool in_range(const struct eyoti_conf_entry *e, uint64_t v) {
  return v >= e->min && v <= e->max;
}

static bool conf_parse(const struct eyoti_conf_entry *e, const char *text, uint64_t *value) {
  uint64_t v = 0;
  bool ok = true;
  switch (e->type) {
    case EYOTI_CONF_U64:
      if (e->choices != NULL && eyoti_text_choice(e->choices, text, &v))
        v += e->max + 1;
      else
        ok = eyoti_text_u64(text, &v) && in_range(e, v);
      break;
    case EYOTI_CONF_BYTES:
      ok = eyoti_text_bytes(text, &v) && in_range(e, v);
      break;
    case EYOTI_CONF_TIME_NS:
      ok = eyoti_text_time_ns(text, &v) && in_range(e, v);
      break;
    case EYOTI_CONF_BOOL:
      ok = eyoti_text_bool(text, &v);
      break;
    case EYOTI_CONF_ENUM:
      ok = eyoti_text_choice(e->choices, text, &v);
      break;
    case EYOTI_CONF_STRING:
      break;
  }
  if (ok) *value = v;
  return ok;
}

/* What the option accepts, for a message. */
static void conf_describe(const struct eyoti_conf_entry *e, char *out, size_t size) {
  switch (e->type) {
    case EYOTI_CONF_U64:
      snprintf(out, size, "a whole number from %" PRIu64 " to %" PRIu64 "%s%s", e->min, e->max,
               e->choices != NULL ? ", or " : "", e->choices != NULL ? e->choices : "");
      break;
    case EYOTI_CONF_BYTES:
      snprintf(out, size,
               "bytes from %" PRIu64 " to %" PRIu64
               ", with or without a suffix K, M or G, as in %s",
               e->min, e->max, e->def);
      break;
    case EYOTI_CONF_TIME_NS:
      snprintf(out, size, "0 or a time with its unit ns, us, ms or s, as in %s, of at most a day",
               e->def);
      break;
    case EYOTI_CONF_BOOL:
      snprintf(out, size, "on or off (1, 0, true, false, yes, no)");
      break;
    case EYOTI_CONF_ENUM:
      snprintf(out, size, "one of %s", e->choices);
      break;
    case EYOTI_CONF_STRING:
      snprintf(out, size, "text");
      break;
  }
}

static int conf_refuse(const char *function, const struct eyoti_conf_entry *e, const char *text) {
  char expected[EXPECTED_BYTES];
  conf_describe(e, expected, sizeof expected);
  char letter[8] = "";
  if (e->short_flag != 0) snprintf(letter, sizeof letter, "-%c, ", e->short_flag);
  eyoti_log(EYOTI_LOG_ERROR, function, EYOT_EINVAL, "%s (eyotrun %s--%s) is '%s'; expected %s",
            e->env, letter, e->flag, text, expected);
  return EYOT_EINVAL;
}

/* An empty variable counts as not set. */
bool eyoti_conf_is_set(enum eyoti_conf key) {
  const char *text = getenv(eyoti_conf_entry(key)->env);
  return text != NULL && *text != '\0';
}

static const char *text_now(const struct eyoti_conf_entry *e) {
  const char *text = getenv(e->env);
  return text != NULL && *text != '\0' ? text : e->def;
}

int eyoti_conf_u64_quiet(enum eyoti_conf key, uint64_t *value) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  EYOTI_ASSERT(e->type != EYOTI_CONF_STRING);
  return conf_parse(e, text_now(e), value) ? EYOT_OK : EYOT_EINVAL;
}

int eyoti_conf_u64(enum eyoti_conf key, uint64_t *value) {
  if (eyoti_conf_u64_quiet(key, value) == 0) return EYOT_OK;
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  return conf_refuse(__func__, e, text_now(e));
}

int eyoti_conf_string(enum eyoti_conf key, const char **value) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  const char *text = text_now(e);
  uint64_t ignored;
  if (!conf_parse(e, text, &ignored)) return conf_refuse(__func__, e, text);
  *value = text;
  return EYOT_OK;
}

int eyoti_conf_set(enum eyoti_conf key, const char *text) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  uint64_t ignored;
  if (text == NULL || !conf_parse(e, text, &ignored))
    return conf_refuse(__func__, e, text != NULL ? text : "");
  if (setenv(e->env, text, 1) != 0)
    return EYOTI_FAIL(EYOT_ENOMEM, "cannot set %s: the environment cannot grow", e->env);
  return EYOT_OK;
}

const struct eyoti_conf_entry *eyoti_conf_by_flag(const char *flag, enum eyoti_conf *key) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    if (TABLE[k].flag == NULL || strcmp(TABLE[k].flag, flag) != 0) continue;
    *key = (enum eyoti_conf)k;
    return &TABLE[k];
  }
  return NULL;
}

const char *eyoti_conf_nearest_flag(const char *flag) {
  const char *best = NULL;
  uint32_t least = UINT32_MAX;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    if (TABLE[k].flag == NULL) continue;
    uint32_t d = eyoti_text_distance(flag, TABLE[k].flag);
    if (d < least) best = TABLE[k].flag, least = d;
  }
  EYOTI_ASSERT(best != NULL);
  return best;
}

const char *eyoti_conf_nearest_env(const char *env) {
  const char *best = TABLE[0].env;
  uint32_t least = eyoti_text_distance(env, best);
  for (uint32_t k = 1; k < EYOTI_CONF_COUNT; k++) {
    uint32_t d = eyoti_text_distance(env, TABLE[k].env);
    if (d < least) best = TABLE[k].env, least = d;
  }
  return best;
}

static bool is_known(const char *name) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++)
    if (strcmp(TABLE[k].env, name) == 0) return true;
  for (size_t i = 0; i < sizeof COMPANIONS / sizeof COMPANIONS[0]; i++)
    if (strcmp(COMPANIONS[i], name) == 0) return true;
  return false;
}

int eyoti_conf_check_env(uint32_t *unknown) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    const char *ignored;
    EYOTI_TRY(eyoti_conf_string((enum eyoti_conf)k, &ignored));
  }
  uint32_t n = 0;
  for (char **e = environ; e != NULL && *e != NULL; e++) {
    if (strncmp(*e, PREFIX, sizeof PREFIX - 1) != 0) continue;
    char name[EYOTI_TEXT_NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
    if (is_known(name)) continue;
    n++;
    eyoti_log(
        EYOTI_LOG_WARN, __func__, 0,
        "%s is not an option of eyot and has no effect; did you mean %s? (eyot-info lists all)",
        name, eyoti_conf_nearest_env(name));
  }
  *unknown = n;
  return EYOT_OK;
}
