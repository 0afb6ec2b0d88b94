/* SPDX-License-Identifier: BSD-3-Clause */
/* chk_lin_unit.h - histories as text, for the tests of linearizability.
 *
 * Events are separated by ';'. "0 enqueue 7": unit 0 calls. "0 =": its call returns; "0 = 7": with
 * a value; "0 = no": refused or empty. */
#ifndef EYOT_CHK_LIN_UNIT_H
#define EYOT_CHK_LIN_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it. */
#include <eyot/types.h>

#include <cmocka.h>

#include "check/linearize/linearize.h"

#define LIN_UNITS 64u
#define LIN_MANY 1000000u /* configurations */

static inline void lin_event(struct chk_history *h, uint32_t object, uint32_t open[LIN_UNITS],
                             const char *event) {
  char word[32] = "", result[32] = "";
  unsigned long long arg[3] = {0, 0, 0};
  unsigned unit;
  assert_true(sscanf(event, " %u %31s", &unit, word) == 2 && unit < LIN_UNITS);
  if (strcmp(word, "=") == 0) {
    bool has = sscanf(event, " %*u = %31s", result) == 1;
    assert_int_equal(chk_history_return(h, open[unit], !has || strcmp(result, "no") != 0,
                                        has ? strtoull(result, NULL, 10) : 0),
                     0);
    return;
  }
  sscanf(event, " %*u %*s %llu %llu %llu", &arg[0], &arg[1], &arg[2]);
  uint64_t args[3] = {arg[0], arg[1], arg[2]};
  uint32_t kind = chk_lin_kind_find(h->objects[object].model, word);
  if (kind == UINT32_MAX) fail_msg("a %s cannot %s", h->objects[object].model->name, word);
  assert_int_equal(chk_history_call(h, unit, object, kind, args, &open[unit]), 0);
}

/* Adds the events of a text, all on one object. */
static inline void lin_events(struct chk_history *h, uint32_t object, const char *text) {
  uint32_t open[LIN_UNITS] = {0};
  char event[80];
  for (const char *p = text; *p != '\0';) {
    size_t len = strcspn(p, ";");
    assert_true(len < sizeof event);
    memcpy(event, p, len);
    event[len] = '\0';
    lin_event(h, object, open, event);
    p += len + (p[len] == ';' ? 1 : 0);
  }
}

/* A history of one object. */
static inline void lin_history(struct chk_history *h, const char *model, uint64_t param,
                               const char *text) {
  uint32_t object;
  const struct chk_lin_model *m = chk_lin_model_find(model);
  assert_non_null(m);
  chk_history_init(h);
  assert_int_equal(chk_history_object(h, m, "it", param, &object), 0);
  lin_events(h, object, text);
}
#endif
