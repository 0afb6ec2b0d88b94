/* SPDX-License-Identifier: BSD-3-Clause */
/* conf.h - configuration: one table of every option, with type, default and meaning; the only
 * getenv of the library.
 *
 * Every option is an environment variable EYOT_<NAME>; eyotrun turns --name VALUE into it;
 * eyot-info prints the table. Values are parsed at each read (start-up only), so nothing is stored.
 * An unknown EYOT_* variable is warned of once per run with the nearest known name. */
#ifndef EYOT_BASE_CONF_H
#define EYOT_BASE_CONF_H

#include <eyot/types.h>

enum eyoti_conf_type {
  EYOTI_CONF_U64,
  EYOTI_CONF_BYTES,
  EYOTI_CONF_TIME_NS,
  EYOTI_CONF_BOOL,
  EYOTI_CONF_STRING,
  EYOTI_CONF_ENUM
};

struct eyoti_conf_entry {
  const char *env;  /* "EYOT_HEAP_SIZE" */
  const char *flag; /* eyotrun's option without dashes, "heap-size", or NULL */
  char short_flag;  /* 'n' or 0 */
  enum eyoti_conf_type type;
  const char *def; /* default as text */
  /* "a|b|c" for ENUM; words that a U64 may be beside numbers: max + 1, max + 2, ...; else NULL */
  const char *choices;
  uint64_t min, max; /* for numbers */
  const char *help;  /* one line */
};

enum eyoti_conf {
  EYOTI_CONF_FABRIC,         /* EYOT_FABRIC       mpi|sim; default mpi */
  EYOTI_CONF_MPI,            /* EYOT_MPI          auto|mpich|openmpi; see init/which_mpi.h */
  EYOTI_CONF_UNITS,          /* EYOT_N            number of units, -n */
  EYOTI_CONF_PLATFORM,       /* EYOT_PLATFORM     xc40|xe6|dragonfly:...|FILE.xml */
  EYOTI_CONF_UNITS_PER_NODE, /* EYOT_UNITS_PER_NODE  0: the platform's */
  EYOTI_CONF_SEED,           /* EYOT_SEED */
  EYOTI_CONF_ENGINE,         /* EYOT_ENGINE       fiber|simgrid */
  /* EYOT_ORDER        strict|rdma|chaos|tso: which legal reorderings the simulator shows */
  EYOTI_CONF_ORDER,
  EYOTI_CONF_COMPUTE,          /* EYOT_COMPUTE      declared|measured */
  EYOTI_CONF_STATS,            /* EYOT_STATS        bool */
  EYOTI_CONF_STATS_CSV,        /* EYOT_STATS_CSV    file, empty: none */
  EYOTI_CONF_PROGRESS_LINE,    /* EYOT_PROGRESS_LINE bool: a line while it runs */
  EYOTI_CONF_TRACE_HASH,       /* EYOT_TRACE_HASH   bool: print the hash of all events */
  EYOTI_CONF_SHARED_GLOBALS,   /* EYOT_SHARED_GLOBALS bool */
  EYOTI_CONF_STACK_SIZE,       /* EYOT_STACK_SIZE   bytes a simulated unit */
  EYOTI_CONF_WATCHDOG,         /* EYOT_WATCHDOG     ns of wall time without a fabric call; 0: off */
  EYOTI_CONF_MAX_VIRTUAL_TIME, /* EYOT_MAX_VIRTUAL_TIME ns of virtual time; 0: no bound */
  EYOTI_CONF_MAX_STEPS,        /* EYOT_MAX_STEPS    events of a run; 0: no bound */
  EYOTI_CONF_DEADLOCK_DOT,     /* EYOT_DEADLOCK_DOT file for the wait graph, empty: none */
  EYOTI_CONF_FAULT,            /* EYOT_FAULT        faults of the simulated machine, empty: none */
  EYOTI_CONF_RACES,            /* EYOT_RACES        bool: look for data races */
  EYOTI_CONF_HEAP_SIZE,        /* EYOT_HEAP_SIZE    bytes of symmetric heap a unit */
  /* EYOT_HEAP_MAX     bytes up to which it grows; 0: see the help text */
  EYOTI_CONF_HEAP_MAX,
  /* EYOT_HEAP_KEEP    bytes of free heap that a unit keeps from the system */
  EYOTI_CONF_HEAP_KEEP,
  /* EYOT_HEAP_PINNED  auto|on|off: MPI may pin the heap in memory, for a network that reads it by
   *                   itself */
  EYOTI_CONF_HEAP_PINNED,
  /* EYOT_HEAP_HUGE    bool: huge pages for the heap where the system has them */
  EYOTI_CONF_HEAP_HUGE,
  /* EYOT_HEAP_TOUCH   bool: the owner touches all pages of its heap at start */
  EYOTI_CONF_HEAP_TOUCH,
  EYOTI_CONF_NODE_SIZE,       /* EYOT_NODE_SIZE    mpi: units a virtual node; 0: real nodes */
  EYOTI_CONF_MAX_OUTSTANDING, /* EYOT_MAX_OUTSTANDING operations in flight a unit */
  /* EYOT_PROGRESS     mpi: progress processes a node, or a thread a unit
   *                   (EYOTI_CONF_PROGRESS_THREAD) */
  EYOTI_CONF_PROGRESS,
  /* EYOT_PROGRESS_BYTES mpi: non-blocking transfers from this size on are a progress process's */
  EYOTI_CONF_PROGRESS_BYTES,
  /* EYOT_PROGRESS_PRIVATE auto|off (EYOTI_CONF_PRIVATE_...): mpi: private buffers are a progress
   * process's too */
  EYOTI_CONF_PROGRESS_PRIVATE,
  EYOTI_CONF_PROGRESS_PRIVATE_BYTES, /* EYOT_PROGRESS_PRIVATE_BYTES mpi: from this size on */
  /* EYOT_ATOMICS      auto|mpi|owner (EYOTI_CONF_ATOMICS_...): who executes atomics in jobs of
   *                   several nodes */
  EYOTI_CONF_ATOMICS,
  EYOTI_CONF_PACK_BYTES, /* EYOT_PACK_BYTES   pack buffer of strided transfers */
  /* EYOT_BULK_ATOMIC  elements up to which array accumulates go word by word */
  EYOTI_CONF_BULK_ATOMIC,
  /* EYOT_CHECK        bool: check remote non-collective pointers at the target too */
  EYOTI_CONF_CHECK,
  EYOTI_CONF_LOG, /* EYOT_LOG          silent|error|warn|info|debug */
  EYOTI_CONF_COUNT
};

#define EYOTI_CONF_PROGRESS_MAX 64u
#define EYOTI_CONF_PROGRESS_THREAD (EYOTI_CONF_PROGRESS_MAX + 1)
#define EYOTI_CONF_PRIVATE_AUTO 0u
#define EYOTI_CONF_PRIVATE_OFF 1u
#define EYOTI_CONF_ATOMICS_AUTO 0u
#define EYOTI_CONF_ATOMICS_MPI 1u
#define EYOTI_CONF_ATOMICS_OWNER 2u

EYOT_API const struct eyoti_conf_entry *eyoti_conf_entry(enum eyoti_conf key);

/* The value now: the environment's or the default. Errors: EINVAL (logged with what was given and
 * what is accepted). BOOL and ENUM (index) as u64 too. */
EYOT_API int eyoti_conf_u64(enum eyoti_conf key, uint64_t *value);
/* The same without a log line: for the log itself. */
EYOT_API int eyoti_conf_u64_quiet(enum eyoti_conf key, uint64_t *value);
EYOT_API int eyoti_conf_string(enum eyoti_conf key, const char **value);
/* Whether the environment gives the option; otherwise its default counts. */
EYOT_API bool eyoti_conf_is_set(enum eyoti_conf key);
/* Checks and sets (setenv) an option from text. Errors: EINVAL. */
EYOT_API int eyoti_conf_set(enum eyoti_conf key, const char *text);
/* Finds an option by eyotrun flag name; or the nearest known name to an unknown one (never
 * NULL). */
EYOT_API const struct eyoti_conf_entry *eyoti_conf_by_flag(const char *flag, enum eyoti_conf *key);
EYOT_API const char *eyoti_conf_nearest_flag(const char *flag);
EYOT_API const char *eyoti_conf_nearest_env(const char *env);
/* Warns of every unknown EYOT_* variable in the environment; returns how many. Also validates all
 * known ones: EINVAL if one is malformed. */
EYOT_API int eyoti_conf_check_env(uint32_t *unknown);
/* Not an option: the environment variable `name` of another system (MPI launchers, TMPDIR), or
 * NULL. Kept here so that getenv has one home. */
EYOT_API const char *eyoti_conf_foreign_env(const char *name);
/* Sets such a variable unless it is set already, also to nothing. Errors: ENOMEM. */
EYOT_API int eyoti_conf_foreign_default(const char *name, const char *value);
#endif
