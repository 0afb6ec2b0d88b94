/* SPDX-License-Identifier: BSD-3-Clause */
/* slack.c - implements slack.h. */
#include "rt/slack.h"

#include <stdlib.h>
#include <string.h>

#include "rt/rt.h"

void *eyoti_slack_new(size_t bytes) {
  struct eyoti_slack *r = eyot_current->slack;
  size_t whole = (bytes + EYOTI_SLACK_ALIGN - 1) / EYOTI_SLACK_ALIGN * EYOTI_SLACK_ALIGN;
  for (uint32_t i = 0; i < EYOTI_SLACKS; i++) {
    if (whole > (size_t)r[i].bytes - r[i].used) continue;
    r[i].last = r[i].used;
    r[i].used = (uint16_t)(r[i].used + whole);
    return memset(r[i].memory + r[i].last, 0, whole);
  }
  return calloc(1, bytes);
}

void eyoti_slack_free(void *memory) {
  struct eyoti_slack *r = eyot_current->slack;
  for (uint32_t i = 0; i < EYOTI_SLACKS; i++) {
    uintptr_t at = (uintptr_t)memory - (uintptr_t)r[i].memory;
    if (at >= r[i].bytes) continue;
    if (at == r[i].last) r[i].used = r[i].last;
    return;
  }
  free(memory);
}
