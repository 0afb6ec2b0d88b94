/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.c - see agree.h. */
#include "fabric_real/launch/agree.h"

#include <eyot/init.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/conf.h"
#include "base/hash.h"
#include "fabric_real/endpoint/node_memory.h"
#include "fabric_real/launch/place.h"
#include "fabric_real/launch/quiet.h"
#include "fabric_real/ops/data.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/wakeup.h"
#include "rt/launcher.h"

/* Options that must be equal on all units, because layouts and protocols are computed from them on
 * each unit. */
static const enum eyoti_conf SAME[] = {
    EYOTI_CONF_HEAP_SIZE,  EYOTI_CONF_HEAP_MAX,         EYOTI_CONF_NODE_SIZE,
    EYOTI_CONF_PACK_BYTES, EYOTI_CONF_BULK_ATOMIC,      EYOTI_CONF_CHECK,
    EYOTI_CONF_STATS,      EYOTI_CONF_PROGRESS,         EYOTI_CONF_PROGRESS_BYTES,
    EYOTI_CONF_ATOMICS,    EYOTI_CONF_PROGRESS_PRIVATE, EYOTI_CONF_PROGRESS_PRIVATE_BYTES};
#define SAME_COUNT (sizeof SAME / sizeof *SAME)
#define FAILED_MS 10000u /* until all processes have met an error that they share */

/* The words of the one reduction, whose results are maxima. Words that must be equal are followed
 * by their complements: the maximum of each and the complement of its complement's are equal
 * exactly if all values are. The number of words and the place of the version are the same in all
 * versions of eyot, which find out by them that they differ. */
enum {
  VERSION = 0,                          /* version_word, and its complement */
  SAME_FIRST = VERSION + 2,             /* the options */
  FAILED = SAME_FIRST + 2 * SAME_COUNT, /* 1: a process cannot start */
  MACHINE,                              /* the machine's name, and its complement */
  APART = MACHINE + 2, /* 1: the launcher or MPI does not count all processes as neighbors */
  LACKING,             /* 1: a process sees fewer processors than processes */
  FENCELESS,           /* 1: the system has no fence for other processes */
  CONNECTED,           /* 1: a process has a connection of TCP */
  KEY,
  PROGRAM = KEY + 2, /* fmpi_data_word, and its complement */
  END = PROGRAM + 2,
  WORDS = 64
};
_Static_assert(END <= WORDS, "the words of the reduction are as many in each version");

/* Of libeyot and of the contract between its fabrics and it. */
static uint64_t version_word(void) {
  uint32_t major = 0, minor = 0, patch = 0;
  (void)sscanf(eyot_version(), "%u.%u.%u", &major, &minor, &patch);
  return (uint64_t)(major & 0xffff) << 48 | (uint64_t)(minor & 0xffff) << 32 |
         (uint64_t)(patch & 0xffff) << 16 | (FAB_ABI & 0xffff);
}

static const char *version_text(uint64_t word, char *text, size_t size) {
  snprintf(text, size, "%u.%u.%u (fabric ABI %u)", (uint32_t)(word >> 48),
           (uint32_t)(word >> 32) & 0xffff, (uint32_t)(word >> 16) & 0xffff,
           (uint32_t)word & 0xffff);
  return text;
}

static void compare(uint64_t *words, uint64_t value) {
  words[0] = value;
  words[1] = ~value;
}

/* Of the machine and of the file system that its processes share: containers of a machine may have
 * one each. */
static uint64_t machine_name(void) {
  char id[64] = "";
  struct stat st = {0};
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
  size_t n = f != NULL ? fread(id, 1, sizeof id - 1, f) : 0;
  if (f != NULL) (void)fclose(f);
  (void)stat(FMPI_SHM_FOLDER, &st);
  uint64_t name = eyoti_hash_mix((uint64_t)st.st_dev, (uint64_t)st.st_ino);
  for (size_t i = 0; i < n; i++) name = eyoti_hash_mix(name, (unsigned char)id[i]);
  return name;
}

/* MPICH can be told to take a machine for several. */
static bool is_divided(void) {
  static const char *const SETTINGS[] = {"NOLOCAL", "NUM_CLIQUES", "ODD_EVEN_CLIQUES",
                                         "EVEN_ODD_CLIQUES"};
  static const char *const PREFIXES[] = {"MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"};
  for (size_t i = 0; i < sizeof SETTINGS / sizeof *SETTINGS; i++)
    for (size_t k = 0; k < sizeof PREFIXES / sizeof *PREFIXES; k++) {
      char name[64];
      (void)snprintf(name, sizeof name, "%s%s", PREFIXES[k], SETTINGS[i]);
      if (eyoti_conf_foreign_env(name) != NULL) return true;
    }
  return false;
}

/* Unlike those of any other job that runs on some machine of this one: the time, and chance. */
static void make_key(uint64_t *key) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  key[0] = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
  if (getrandom(&key[1], sizeof key[1], GRND_NONBLOCK) != (ssize_t)sizeof key[1])
    key[1] = eyoti_hash_mix((uint64_t)eyoti_launcher_rank(), key[0]);
}

static int collect(uint64_t *words, uint32_t processes, int rc) {
  uint64_t servers = 0;
  compare(&words[VERSION], version_word());
  for (size_t i = 0; i < SAME_COUNT; i++) {
    uint64_t v = 0;
    int bad = eyoti_conf_u64(SAME[i], &v);
    if (bad != 0) rc = bad;
    if (SAME[i] == EYOTI_CONF_PROGRESS) servers = v;
    compare(&words[SAME_FIRST + 2 * i], v);
  }
  words[FAILED] = rc != 0;
  compare(&words[MACHINE], machine_name());
  words[APART] = eyoti_launcher_local_processes() != processes || is_divided() ||
                 (servers != 0 && servers <= EYOTI_PROGRESS_MAX);
  words[LACKING] = fmpi_lacks_processors(processes);
  words[FENCELESS] = !fmpi_wakeup_register();
  words[CONNECTED] = fmpi_quiet_connected();
  make_key(&words[KEY]);
  return rc;
}

/* All processes have the same words. */
static int judge(const uint64_t *words) {
  char low[64], high[64];
  if (words[VERSION] != ~words[VERSION + 1])
    return EYOTI_FAIL(EYOT_EFABRIC,
                      "libeyot is of version %s on some units and %s on others; install the same "
                      "version on all hosts, and see that LD_LIBRARY_PATH is equal there",
                      version_text(~words[VERSION + 1], low, sizeof low),
                      version_text(words[VERSION], high, sizeof high));
  if (words[FAILED] != 0)
    return EYOTI_FAIL(EYOT_EINVAL, "another unit cannot start; see its message");
  for (size_t i = 0; i < SAME_COUNT; i++) {
    uint64_t most = words[SAME_FIRST + 2 * i], least = ~words[SAME_FIRST + 2 * i + 1];
    if (most != least)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%s is %" PRIu64 " on some units and %" PRIu64
                        " on others; give all the same (mpiexec -genv, or eyotrun)",
                        eyoti_conf_entry(SAME[i])->env, least, most);
  }
  if (words[PROGRAM] != ~words[PROGRAM + 1])
    return EYOTI_FAIL(EYOT_EINVAL,
                      "units run different programs, or builds of one, or have different values of "
                      "EYOT_DATA: global and static objects are shared among them (eyot/data.h) "
                      "and must lie at the same place in each; start one file on all hosts");
  return EYOT_OK;
}

int fmpi_agree(struct fmpi *f, int rc) {
  uint64_t words[WORDS] = {0};
  int processes;
  MPI_Request req;
  FMPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &processes));
  rc = collect(words, (uint32_t)processes, rc);
  compare(&words[PROGRAM], fmpi_data_word(f));
  FMPI_TRY(MPI_Iallreduce(MPI_IN_PLACE, words, WORDS, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, &req));
  EYOTI_TRY(fmpi_wait_mpi(f, &req, 1));
  if (rc != 0) return rc;
  f->job.key[0] = words[KEY];
  f->job.key[1] = words[KEY + 1];
  f->job.together = words[APART] == 0 && words[MACHINE] == ~words[MACHINE + 1];
  f->job.oversubscribed = words[LACKING] != 0;
  f->job.connected = words[CONNECTED] != 0;
  f->job.quiet_fence = words[FENCELESS] == 0;
  return judge(words);
}

bool fmpi_agree_failed(void) {
  const struct timespec pause = {.tv_nsec = 1000000};
  MPI_Request req;
  int all = 0;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &req) != MPI_SUCCESS) return false;
  for (uint32_t ms = 0; ms < FAILED_MS; ms++) {
    if (MPI_Test(&req, &all, MPI_STATUS_IGNORE) != MPI_SUCCESS || all != 0) break;
    nanosleep(&pause, NULL);
  }
  if (all != 0) return true;
  (void)EYOTI_FAIL(
      EYOT_EFABRIC,
      "the others do not meet this error: MPI has given the units different results of "
      "one reduction; check the installation and the memory of this host");
  return false;
}
