/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c - loads the copies of a program that the units run. See program.h. */
#include "fabric_sim/program/program.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/conf.h"
#include "base/image.h"
#include "fabric_sim/program/copy.h"
#include "fabric_sim/program/elf.h"

#define MAPS_A_STACK 2u /* the stack and its guard page */
#define SPARE_MAPS 512u /* for later mappings of the program and libraries */
#define MAP_LIMIT_FILE "/proc/sys/vm/max_map_count"
/* this many always fit into the loader's reserve for initial-exec thread-locals */
#define STATIC_TLS_COPIES 64u

struct sim_prog {
  uint32_t n_copies; /* 1: all units share it */
  uint64_t bytes_per_copy, image_bytes;
  uint64_t main_off; /* offset of main from the beginning of a copy */
  bool reports;      /* see src/prog/access.c */
  sim_prog_main_fn *mains;
  char *file;
  struct eyoti_image *image;
  bool threads, openmp;
};

/* Returns the number of mappings that this process has now. */
static uint64_t maps_now(void) {
  FILE *f = fopen("/proc/self/maps", "re");
  if (f == NULL) return 0;
  uint64_t n = 0;
  for (int c = fgetc(f); c != EOF; c = fgetc(f)) n += c == '\n';
  fclose(f);
  return n;
}

static int check_map_limit(const struct sim_prog_facts *facts, uint32_t n) {
  uint64_t limit;
  FILE *f = fopen(MAP_LIMIT_FILE, "re");
  if (f == NULL) return EYOT_OK; /* not Linux's limit: the loader will report it */
  int got = fscanf(f, "%" SCNu64, &limit);
  fclose(f);
  if (got != 1) return EYOT_OK;
  uint64_t taken = maps_now() + SPARE_MAPS, left = limit > taken ? limit - taken : 0;
  uint64_t a_unit = facts->maps + (n <= SIM_GUARDED_UNITS_MAX ? MAPS_A_STACK : 0),
           need = a_unit * n;
  if (need <= left) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "%u units need %" PRIu64 " memory mappings, %" PRIu64
                    " each (%u of them a copy of the program), but vm.max_map_count is %" PRIu64
                    ": %" PRIu64 " units fit; raise it (sysctl -w vm.max_map_count=%" PRIu64
                    "), or use --shared-globals if the program needs no globals of its own",
                    n, need, a_unit, facts->maps, limit, left / a_unit, need + taken);
}

static int check_static_tls(const char *path, const struct sim_prog_facts *facts, uint32_t n) {
  if (!facts->static_tls || n <= STATIC_TLS_COPIES) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "%s uses thread-locals of the initial-exec model, of which only a few hundred "
                    "copies fit in a process; compile it with "
                    "eyotcc and without -ftls-model",
                    path);
}

static int find_main(const char *path, void *handle, sim_prog_main_fn *out) {
  /* ISO C has no cast from an object's to a function's address; POSIX has the layout. */
  union {
    void *object;
    sim_prog_main_fn function;
  } symbol = {.object = dlsym(handle, "main")};
  if (symbol.object == NULL) return EYOTI_FAIL(EYOT_EINVAL, "%s has no main", path);
  *out = symbol.function;
  return EYOT_OK;
}

/* All units run in one thread, so a parallel region has one, whatever its clauses ask for. Read by
 * OpenMP's library when it is loaded, with the program or with a library of the program's. */
static int limit_openmp(const char *path, const struct sim_prog_facts *facts) {
  EYOTI_TRY(eyoti_conf_foreign_set("OMP_THREAD_LIMIT", "1"));
  if (facts->openmp)
    eyoti_log(EYOTI_LOG_WARN, "eyot_init", 0,
              "%s uses OpenMP: in the simulator its parallel regions run with one thread", path);
  return EYOT_OK;
}

static int load_copies(const char *path, const struct sim_prog_facts *facts, struct sim_prog *p) {
  struct sim_prog_store store;
  EYOTI_TRY(sim_prog_store_open(path, facts->file_bytes, p->n_copies, &store));
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < p->n_copies && rc == 0; i++) {
    void *handle;
    rc = sim_prog_store_load(&store, i, &handle);
    if (rc == 0) rc = find_main(path, handle, &p->mains[i]);
    if (rc == 0) p->reports = dlsym(handle, "eyoti_prog_reports") != NULL;
  }
  sim_prog_store_close(&store);
  return rc;
}

static uintptr_t address_of(sim_prog_main_fn f) {
  return (uintptr_t)f;
}

/* Called before the program can change its working folder. */
static int program_note_copy(const char *path, struct sim_prog *p) {
  Dl_info at;
  if (dladdr((const void *)address_of(p->mains[0]), &at) == 0)
    return EYOTI_FAIL(EYOT_EINVAL, "the loader does not know where %s begins", path);
  p->main_off = address_of(p->mains[0]) - (uintptr_t)at.dli_fbase;
  p->file = realpath(path, NULL);
  if (p->file == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the name of %s", path);
  (void)eyoti_image_open(p->file, &p->image); /* a program without data runs too */
  return EYOT_OK;
}

int sim_prog_open(const char *path, uint32_t n, bool shared_globals, struct sim_prog **out) {
  EYOTI_ASSERT(n > 0);
  uint32_t n_copies = shared_globals ? 1 : n;
  struct sim_prog_facts facts;
  EYOTI_TRY(sim_prog_inspect(path, n_copies > 1, &facts));
  if (n_copies > 1) {
    EYOTI_TRY(check_map_limit(&facts, n));
    EYOTI_TRY(check_static_tls(path, &facts, n_copies));
  }
  EYOTI_TRY(limit_openmp(path, &facts));
  struct sim_prog *p = calloc(1, sizeof *p);
  if (p == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the program's description");
  p->n_copies = n_copies;
  p->threads = facts.threads;
  p->openmp = facts.openmp;
  p->bytes_per_copy = facts.file_bytes + facts.private_bytes;
  p->image_bytes = facts.image_bytes;
  p->mains = calloc(n_copies, sizeof *p->mains);
  int rc = p->mains != NULL
               ? load_copies(path, &facts, p)
               : EYOTI_FAIL(EYOT_ENOMEM, "no memory for the addresses of %u copies", n_copies);
  if (rc == 0) rc = program_note_copy(path, p);
  if (rc != 0) {
    sim_prog_close(p);
    return rc;
  }
  *out = p;
  return EYOT_OK;
}

sim_prog_main_fn sim_prog_main(const struct sim_prog *p, uint32_t unit) {
  EYOTI_ASSERT(p->n_copies == 1 || unit < p->n_copies);
  return p->mains[p->n_copies == 1 ? 0 : unit];
}

bool sim_prog_reports(const struct sim_prog *p) {
  return p->reports;
}

uint64_t sim_prog_bytes_per_copy(const struct sim_prog *p) {
  return p->bytes_per_copy;
}

const char *sim_prog_file(const struct sim_prog *p) {
  return p->file;
}

bool sim_prog_offset(const struct sim_prog *p, uint32_t unit, const void *address, uint64_t *off) {
  uint64_t at = (uintptr_t)address - address_of(sim_prog_main(p, unit)) + p->main_off;
  if (at >= p->image_bytes) return false;
  *off = at;
  return true;
}

char *sim_prog_address(const struct sim_prog *p, uint32_t unit, uint64_t off) {
  return (char *)(address_of(sim_prog_main(p, unit)) - p->main_off + off);
}

uint32_t sim_prog_copies(const struct sim_prog *p) {
  return p->n_copies;
}

const struct eyoti_image *sim_prog_image(const struct sim_prog *p) {
  return p->image;
}

bool sim_prog_threads(const struct sim_prog *p) {
  return p->threads;
}

bool sim_prog_openmp(const struct sim_prog *p) {
  return p->openmp;
}

void sim_prog_close(struct sim_prog *p) {
  eyoti_image_close(p->image);
  free(p->file);
  free(p->mains);
  free(p);
}
