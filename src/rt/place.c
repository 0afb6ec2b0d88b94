/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - implements place.h: finds the file that holds an address, and keeps the lines that
 * addr2line has found. */
#include "rt/place.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/proc_state.h"
#include "rt/rt.h"

#define PLACES_MAX 512u /* later ones are described by the loader: addr2line takes a while */
#define PROGRAM "/proc/self/exe"
#define PATH_BYTES 1024u

struct known {
  struct eyoti_place place;
  char text[EYOTI_CODE_LINE];
};

struct eyoti_places {
  uint32_t n, cap;
  struct known *known;
};

void eyoti_places_free(struct eyoti_places *p) {
  if (p == NULL) return;
  free(p->known);
  free(p);
}

#ifndef RTLD_DL_LINKMAP
struct place_search {
  uintptr_t address;
  bool later; /* the first object is the program */
  struct eyoti_place place;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *arg) {
  struct place_search *s = arg;
  (void)size;
  for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    uintptr_t low = info->dlpi_addr + h->p_vaddr;
    if (h->p_type != PT_LOAD || s->address < low || s->address >= low + h->p_memsz) continue;
    s->place.file = s->later ? info->dlpi_name : PROGRAM;
    s->place.off = s->address - info->dlpi_addr;
    return 1;
  }
  s->later = true;
  return 0;
}
#endif

/* The loader's answer: the file with the address, and the offset as debug information counts it. */
static struct eyoti_place place_in_file(const void *address) {
#ifdef RTLD_DL_LINKMAP
  Dl_info at;
  void *found = NULL;
  if (dladdr1(address, &at, &found, RTLD_DL_LINKMAP) == 0 || found == NULL)
    return (struct eyoti_place){0};
  const struct link_map *map = found;
  bool program = map->l_name == NULL || map->l_name[0] == '\0';
  return (struct eyoti_place){program ? PROGRAM : map->l_name,
                              (uint64_t)((uintptr_t)address - map->l_addr), address};
#else
  struct place_search search = {.address = (uintptr_t)address};
  (void)dl_iterate_phdr(search_object, &search);
  search.place.address = search.place.file != NULL ? address : NULL;
  return search.place;
#endif
}

struct eyoti_place eyoti_place_of(const struct eyot_rt *rt, const void *address) {
  if (address == NULL) return (struct eyoti_place){0};
  /* a return address may belong to the next line already */
  const char *call = (const char *)address - 1;
  const struct eyoti_proc *p = rt->proc;
  struct eyoti_place place = {.address = call};
  if (p != NULL && p->code != NULL && rt->fab != NULL &&
      p->code(p->context, rt->fab->me, call, &place.file, &place.off))
    return place;
  return place_in_file(call);
}

static const char *place_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* The loader's description, without debug information: "heat3d+0x1234 (step+0x12)". */
static void place_describe(struct eyoti_place p, char text[EYOTI_CODE_LINE]) {
  Dl_info at;
  bool known = p.address != NULL && dladdr(p.address, &at) != 0 && at.dli_sname != NULL;
  const char *file = strcmp(p.file, PROGRAM) == 0 ? "the program" : place_base_name(p.file);
  int n = snprintf(text, EYOTI_CODE_LINE, "%.60s+%#" PRIx64, file, p.off);
  if (known)
    snprintf(text + n, EYOTI_CODE_LINE - (size_t)n, " (%.32s+%#" PRIx64 ")", at.dli_sname,
             (uint64_t)((const char *)p.address - (const char *)at.dli_saddr));
}

static void place_find(struct eyoti_place p, char text[EYOTI_CODE_LINE]) {
  char line[1][EYOTI_CODE_LINE], program[PATH_BYTES] = "";
  /* the link would be addr2line's own program */
  bool own = strcmp(p.file, PROGRAM) == 0;
  if (own && readlink(PROGRAM, program, sizeof program - 1) < 0) program[0] = '\0';
  if (eyoti_code_lines(own ? program : p.file, &p.off, 1, line) && line[0][0] != '\0')
    memcpy(text, line[0], EYOTI_CODE_LINE);
  else
    place_describe(p, text);
}

const char *eyoti_place_text(const struct eyot_rt *rt, struct eyoti_place p,
                             char text[EYOTI_CODE_LINE]) {
  struct eyoti_proc *proc = rt->proc;
  if (p.file == NULL) return strcpy(text, "an unknown place");
  if (proc != NULL && proc->line != NULL && proc->line(proc->context, p.file, p.off, text))
    return text;
  struct eyoti_places *all = proc != NULL ? proc->places : NULL;
  for (uint32_t i = 0; all != NULL && i < all->n; i++)
    if (all->known[i].place.off == p.off && strcmp(all->known[i].place.file, p.file) == 0)
      return memcpy(text, all->known[i].text, EYOTI_CODE_LINE);
  place_find(p, text);
  if (proc == NULL) return text;
  if (all == NULL) all = proc->places = calloc(1, sizeof *all);
  if (all == NULL || all->n == PLACES_MAX) return text;
  if (all->n == all->cap) {
    uint32_t cap = all->cap == 0 ? 8 : all->cap * 2;
    struct known *more = realloc(all->known, cap * sizeof *more);
    if (more == NULL) return text;
    all->known = more;
    all->cap = cap;
  }
  struct known *k = &all->known[all->n++];
  k->place = p;
  memcpy(k->text, text, EYOTI_CODE_LINE);
  return text;
}
