/* SPDX-License-Identifier: BSD-3-Clause */
/* site.c - the table of places and their source lines. See site.h; code_line.c runs addr2line. */
#include "fabric_sim/program/site.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/code_line.h"

#define SLOTS (2 * SIM_SITES_MAX) /* of the hash table; a power of two */
#define OBJECTS_MAX 16u           /* files that contain places: the program, its libraries */

struct site {
  uint64_t off;
  uint32_t object;
  char text[EYOTI_CODE_LINE];
};

/* A loaded file. */
struct object {
  const void *base; /* NULL: the program, of which each unit has a copy */
  char *file;
};

struct sim_sites {
  const struct sim_prog *prog;
  const void *own_base; /* contains the simulator's code */
  struct object object[OBJECTS_MAX];
  uint32_t n_objects, n; /* n: number of places */
  uint32_t slot[SLOTS];  /* number of the place; 0: free */
  struct site site[SIM_SITES_MAX];
  bool lines_missing, no_tool;
};

int sim_sites_new(const struct sim_prog *prog, struct sim_sites **out) {
  struct sim_sites *s = calloc(1, sizeof *s); /* mostly untouched pages */
  char *file = s != NULL ? strdup(sim_prog_file(prog)) : NULL;
  if (file == NULL) {
    free(s);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the places of calls");
  }
  Dl_info own;
  s->prog = prog;
  if (dladdr((const void *)(uintptr_t)sim_sites_new, &own) != 0) s->own_base = own.dli_fbase;
  s->object[s->n_objects++].file = file;
  *out = s;
  return EYOT_OK;
}

void sim_sites_free(struct sim_sites *s) {
  if (s == NULL) return;
  for (uint32_t i = 0; i < s->n_objects; i++) free(s->object[i].file);
  free(s);
}

/* Returns the index of the file with that base; UINT32_MAX: the table is full. */
static uint32_t object_at(struct sim_sites *s, const Dl_info *at) {
  for (uint32_t i = 1; i < s->n_objects; i++)
    if (s->object[i].base == at->dli_fbase) return i;
  if (s->n_objects == OBJECTS_MAX) return UINT32_MAX;
  struct object o = {at->dli_fbase, strdup(at->dli_fname)};
  if (o.file == NULL) return UINT32_MAX;
  s->object[s->n_objects] = o;
  return s->n_objects++;
}

static uint32_t find_or_add(struct sim_sites *s, uint32_t object, uint64_t off) {
  uint64_t hash = (off + object) * 0x9e3779b97f4a7c15u;
  uint32_t i = (uint32_t)(hash >> 40) % SLOTS;
  for (; s->slot[i] != 0; i = (i + 1) % SLOTS) { /* half of the slots stay free */
    const struct site *p = &s->site[s->slot[i] - 1];
    if (p->off == off && p->object == object) return s->slot[i];
  }
  if (s->n == SIM_SITES_MAX) return 0;
  s->site[s->n] = (struct site){.off = off, .object = object};
  return s->slot[i] = ++s->n;
}

uint32_t sim_sites_add(struct sim_sites *s, uint32_t unit, const void *address) {
  if (address == NULL) return 0;
  /* a return address may belong to the next line already */
  const char *call = (const char *)address - 1;
  uint64_t off;
  if (sim_prog_offset(s->prog, unit, call, &off)) return find_or_add(s, 0, off);
  Dl_info at;
  if (dladdr(call, &at) == 0) return 0;
  uint32_t object = object_at(s, &at);
  return object == UINT32_MAX
             ? 0
             : find_or_add(s, object, (uint64_t)(call - (const char *)at.dli_fbase));
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Writes the loader's description: "libx.so+0x1234 (f+0x12)". */
static void site_describe(const struct sim_sites *s, struct site *p) {
  const struct object *o = &s->object[p->object];
  /* main is called from here: if main's last action is a call, main itself has left no trace */
  if (o->base != NULL && o->base == s->own_base) {
    snprintf(p->text, sizeof p->text, "the end of main");
    return;
  }
  int n = snprintf(p->text, sizeof p->text, "%s+%#" PRIx64, base_name(o->file), p->off);
  const char *base = o->base;
  if (base == NULL) { /* any copy has the same answer; uses the first unit's */
    union {
      sim_prog_main_fn function;
      const char *object;
    } main_at = {.function = sim_prog_main(s->prog, 0)};
    Dl_info at;
    if (dladdr(main_at.object, &at) != 0) base = at.dli_fbase;
  }
  Dl_info at;
  if (base == NULL || n < 0 || (size_t)n >= sizeof p->text || dladdr(base + p->off, &at) == 0 ||
      at.dli_sname == NULL)
    return;
  snprintf(p->text + n, sizeof p->text - (size_t)n, " (%s+%#" PRIx64 ")", at.dli_sname,
           (uint64_t)(base + p->off - (const char *)at.dli_saddr));
}

static void resolve_object(struct sim_sites *s, uint32_t object, uint64_t *off, uint32_t *index,
                           char (*text)[EYOTI_CODE_LINE]) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->site[i].object == object) off[n] = s->site[i].off, index[n++] = i;
  bool ours = s->object[object].base != NULL && s->object[object].base == s->own_base;
  if (n == 0 || ours) return;
  bool asked = eyoti_code_lines(s->object[object].file, off, n, text);
  if (!asked) s->no_tool = true;
  for (uint32_t i = 0; i < n; i++) {
    if (asked && text[i][0] != '\0')
      memcpy(s->site[index[i]].text, text[i], EYOTI_CODE_LINE);
    else
      s->lines_missing = true;
  }
}

void sim_sites_resolve(struct sim_sites *s) {
  uint64_t *off = malloc(SIM_SITES_MAX * sizeof *off);
  uint32_t *index = malloc(SIM_SITES_MAX * sizeof *index);
  char(*text)[EYOTI_CODE_LINE] = malloc(SIM_SITES_MAX * sizeof *text);
  if (off != NULL && index != NULL && text != NULL)
    for (uint32_t o = 0; o < s->n_objects; o++) resolve_object(s, o, off, index, text);
  else
    s->lines_missing = true;
  free(off);
  free(index);
  free(text);
  for (uint32_t i = 0; i < s->n; i++)
    if (s->site[i].text[0] == '\0') site_describe(s, &s->site[i]);
}

const char *sim_sites_text(const struct sim_sites *s, uint32_t site) {
  return site > 0 && site <= s->n ? s->site[site - 1].text : "an unknown place";
}

void sim_sites_explain(const struct sim_sites *s, FILE *out) {
  if (!s->lines_missing) return;
  fprintf(out, "  source lines are missing: %s\n",
          s->no_tool ? "addr2line (of binutils) could not be run"
                     : "the program was compiled without debug information; give -g to eyotcc");
}
