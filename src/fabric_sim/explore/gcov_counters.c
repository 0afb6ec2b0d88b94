/* SPDX-License-Identifier: BSD-3-Clause */
/* gcov_counters.c - keeps gcov counters across snapshot restores. See explore.h. The counters are
 * variables of the libraries, which have no others (tests/rules/globals.sh); so a library built for
 * coverage keeps all its variables. */
#include <eyot/init.h>
#include <link.h>

#include "check/snapshot/snap.h"
#include "fabric_sim/explore/explore.h"

/* Defined only in libraries built for coverage. */
extern void __gcov_init(void *) __attribute__((weak));

struct keeper {
  struct chk_snap *snap;
  uintptr_t inside; /* an address of the library */
  int rc;
};

static int keep_variables(struct dl_phdr_info *info, size_t size, void *arg) {
  (void)size;
  struct keeper *k = arg;
  bool this = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && k->inside - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
      this = true;
  }
  for (int i = 0; this && i < info->dlpi_phnum && k->rc == 0; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    /* NOLINT(performance-no-int-to-ptr): the loader gives an integer */
    const char *at = (const char *)info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && (p->p_flags & PF_W) != 0)
      k->rc = chk_snap_keep(k->snap, at, p->p_memsz);
  }
  return this;
}

bool sim_counters_on(void) {
  return __gcov_init != NULL;
}

int sim_counters_keep(struct chk_snap *snap) {
  if (!sim_counters_on()) return 0;
  const uintptr_t libraries[] = {(uintptr_t)eyot_version, (uintptr_t)sim_counters_keep};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    struct keeper k = {snap, libraries[i], 0};
    (void)dl_iterate_phdr(keep_variables, &k);
    if (k.rc != 0) return k.rc;
  }
  return 0;
}
