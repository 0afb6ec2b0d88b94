/* SPDX-License-Identifier: BSD-3-Clause */
/* detect.c - what the detectors have in common: their state, and where calls are. See
 * detect.h. */
#include "fabric_sim/explore/detect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_sim/explore/untimed.h"

struct fs_detect {
  struct fs_detect_ops *ops;
  struct fs_detect_things *things;
  struct fs_detect_colls *colls;
};

struct fs_detect *fs_detect_new(uint32_t n_units) {
  struct fs_detect *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  *d =
      (struct fs_detect){fs_detect_ops_new(), fs_detect_things_new(n_units), fs_detect_colls_new()};
  if (d->ops != NULL && d->things != NULL && d->colls != NULL) return d;
  fs_detect_delete(d);
  return NULL;
}

void fs_detect_delete(struct fs_detect *d) {
  if (d == NULL) return;
  fs_detect_ops_delete(d->ops);
  fs_detect_things_delete(d->things);
  fs_detect_colls_delete(d->colls);
  free(d);
}

struct fs_detect_ops *fs_detect_ops_of(struct fs_detect *d) {
  return d->ops;
}
struct fs_detect_things *fs_detect_things_of(struct fs_detect *d) {
  return d->things;
}
struct fs_detect_colls *fs_detect_colls_of(struct fs_detect *d) {
  return d->colls;
}

bool fs_detect_on(const struct fs_world *w, uint32_t which) {
  return (w->check->detect & which) != 0 && !w->check->failed;
}

struct fs_detect_call fs_detect_here(const struct fs_unit *u) {
  const struct fab *f = u->rt.fab != NULL ? u->rt.fab : &u->fab;
  return (struct fs_detect_call){f->note.what != NULL ? f->note.what : "a function of eyot",
                                 eyoti_rt_site(&u->rt), u->fab.me};
}

bool fs_detect_outermost(const struct fs_unit *u) {
  return u->rt.outer_site == NULL;
}

/* The line of the program that the call returns to, or what is known of it. */
static const char *line_of(struct fs_world *w, uint32_t unit, const void *site) {
  struct fs_detect_lines *l = &w->check->lines;
  uint64_t off;
  if (site == NULL || !fs_prog_offset(w->prog, unit, (const char *)site - 1, &off))
    return "an unknown place";
  uint32_t i = 0;
  while (i < l->n && l->line[i].off != off) i++;
  if (i < l->n) return l->line[i].text;
  if (i == FS_DETECT_LINES) i--; /* the last one makes room */
  char text[1][FS_SITE_TEXT];
  bool known = fs_site_ask(fs_prog_file(w->prog), &off, 1, text) && text[0][0] != '\0';
  l->line[i].off = off;
  if (known)
    memcpy(l->line[i].text, text[0], FS_SITE_TEXT);
  else
    snprintf(l->line[i].text, FS_SITE_TEXT, "byte %#llx of the program", (unsigned long long)off);
  l->n = i + 1;
  return l->line[i].text;
}

const char *fs_detect_where(struct fs_world *w, const struct fs_detect_call *call,
                            char where[FS_DETECT_WHERE]) {
  snprintf(where, FS_DETECT_WHERE, "%s (%s)", call->what, line_of(w, call->unit, call->site));
  return where;
}
