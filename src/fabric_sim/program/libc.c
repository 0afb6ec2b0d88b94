/* SPDX-License-Identifier: BSD-3-Clause */
/* libc.c - saves and restores the state of libc, and of OpenMP's library, that each unit needs for
 * itself. See program.h.
 *
 * getopt keeps more than these variables (its position inside a group of short options): a unit
 * must not make a fabric call between the letters of "-abc". */
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric_sim/program/program.h"

void sim_libc_init(struct sim_libc *s) {
  *s = (struct sim_libc){.err = 0, .optind = 1, .opterr = 1, .optopt = '?', .optarg = NULL};
}

/* The loader's: the address of byte `off` of a module's thread-locals in the calling thread. */
struct tls_index {
  unsigned long module, off;
};
extern void *__tls_get_addr(struct tls_index *index);

struct openmp_library {
  struct tls_index locals;
  const void *initial; /* contents in a new thread; the rest is zero */
  uint64_t initial_bytes, bytes;
};

/* libgomp: its position in nested regions and shared loops is in thread-locals, so that units that
 * take turns in one thread would continue each other's loops. */
static int find_openmp(struct dl_phdr_info *o, size_t bytes, void *arg) {
  struct openmp_library *found = arg;
  if (bytes < offsetof(struct dl_phdr_info, dlpi_tls_modid) + sizeof o->dlpi_tls_modid ||
      strstr(o->dlpi_name, "/libgomp.so") == NULL)
    return 0;
  for (uint32_t i = 0; i < o->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &o->dlpi_phdr[i];
    if (p->p_type != PT_TLS) continue;
    found->locals.module = o->dlpi_tls_modid;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the loader's */
    found->initial = (const void *)(o->dlpi_addr + p->p_vaddr);
    found->initial_bytes = p->p_filesz;
    found->bytes = p->p_memsz;
  }
  return 1;
}

bool sim_openmp_init(struct sim_openmp *s) {
  struct openmp_library found = {.bytes = 0};
  if (s->own != NULL || dl_iterate_phdr(find_openmp, &found) == 0 || found.bytes == 0) return true;
  s->own = calloc(1, found.bytes);
  if (s->own == NULL) return false;
  memcpy(s->own, found.initial, found.initial_bytes);
  s->at = __tls_get_addr(&found.locals);
  s->bytes = found.bytes;
  return true;
}

void sim_openmp_fini(struct sim_openmp *s) {
  free(s->own);
  *s = (struct sim_openmp){0};
}

void sim_openmp_save(const struct sim_openmp *s) {
  if (s->own != NULL) memcpy(s->own, s->at, s->bytes);
}

void sim_openmp_load(const struct sim_openmp *s) {
  if (s->own != NULL) memcpy(s->at, s->own, s->bytes);
}

/* noinline: the address of errno must be computed again after a switch of stacks. */
__attribute__((noinline)) void sim_libc_save(struct sim_libc *s) {
  *s = (struct sim_libc){
      .err = errno, .optind = optind, .opterr = opterr, .optopt = optopt, .optarg = optarg};
}

__attribute__((noinline)) void sim_libc_load(const struct sim_libc *s) {
  errno = s->err;
  optind = s->optind;
  opterr = s->opterr;
  optopt = s->optopt;
  optarg = s->optarg;
}
