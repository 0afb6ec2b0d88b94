/* SPDX-License-Identifier: BSD-3-Clause */
/* line.c - implements line.h. */
#include "coll/line.h"

const char EYOTI_LINE_WHAT[] = "eyot_coll_start";

/* For reports each call goes on under the name of its collective, unless the call that runs waits
 * for it: not of its _nb form, whose handles are the program's. */
static void line_go(struct eyoti_line *l, bool wait) {
  struct fab_note *note = &l->rt->fab->note;
  const char *outer = note->what;
  bool inside = outer == EYOTI_LINE_WHAT;
  while (l->head != NULL) {
    struct eyoti_work *w = l->head;
    if (inside) note->what = w->what != NULL ? w->what : EYOTI_LINE_WHAT;
    int rc = l->ops->go(l, w, wait);
    if (rc == EYOT_ETIMEOUT && !wait) break;
    w->rc = rc;
    w->over = true;
    l->head = w->next;
    w->next = NULL;
    if (l->head == NULL) l->tail = NULL;
    wait = false;
  }
  note->what = outer;
}

static void set_watch(struct eyoti_line *l) {
  struct eyoti_watch *watch = &l->watch;
  watch->n = l->head != NULL ? l->ops->awaits(l->head, watch->cond, watch->word) : 0;
}

static void line_go_on(struct eyot_rt *rt, struct eyoti_watch *w) {
  struct eyoti_line *l = (struct eyoti_line *)(void *)w;
  (void)rt;
  line_go(l, false);
  set_watch(l);
}

void eyoti_line_init(struct eyoti_line *l, struct eyot_rt *rt, const struct eyoti_line_ops *ops) {
  *l = (struct eyoti_line){
      .watch = {.what = EYOTI_LINE_WHAT, .go_on = line_go_on}, .rt = rt, .ops = ops};
}

void eyoti_line_add(struct eyoti_line *l, struct eyoti_work *w) {
  w->next = NULL;
  w->over = false;
  if (l->tail != NULL)
    l->tail->next = w;
  else
    l->head = w;
  l->tail = w;
}

/* What goes on without a wait has the name that it has inside other calls: handles of its puts are
 * not the program's. */
void eyoti_line_advance(struct eyoti_line *l, bool wait) {
  struct eyot_rt *rt = l->rt;
  const char *what = rt->fab->note.what;
  if (!wait) rt->fab->note.what = l->watch.what;
  l->watch.held = true;
  line_go(l, wait);
  rt->fab->note.what = what;
  set_watch(l);
  l->watch.held = false;
}

void eyoti_line_drain(struct eyoti_line *l) {
  while (l->head != NULL) eyoti_line_advance(l, true);
}
