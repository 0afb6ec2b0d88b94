/* SPDX-License-Identifier: BSD-3-Clause */
/* unit_map.c - a small sorted table from unit to index (pscw.h). O(log n) to find, O(n) to change,
 * which happens when neighbors change. */
#include <string.h>

#include "sync/pscw/pscw.h"

/* The index of `unit`, or the one at which it would be inserted. */
static uint32_t map_index_of(const struct eyoti_pscw_map *m, uint32_t unit) {
  uint32_t low = 0, high = m->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (m->entry[middle].unit < unit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool eyoti_pscw_map_find(const struct eyoti_pscw_map *m, uint32_t unit, uint32_t *index) {
  uint32_t i = map_index_of(m, unit);
  if (i == m->n || m->entry[i].unit != unit) return false;
  *index = m->entry[i].index;
  return true;
}

void eyoti_pscw_map_set(struct eyoti_pscw_map *m, uint32_t unit, uint32_t index) {
  uint32_t i = map_index_of(m, unit);
  if (i == m->n || m->entry[i].unit != unit) {
    memmove(&m->entry[i + 1], &m->entry[i], (m->n - i) * sizeof m->entry[0]);
    m->entry[i].unit = unit;
    m->n++;
  }
  m->entry[i].index = index;
}

void eyoti_pscw_map_drop(struct eyoti_pscw_map *m, uint32_t unit) {
  uint32_t i = map_index_of(m, unit);
  if (i == m->n || m->entry[i].unit != unit) return;
  memmove(&m->entry[i], &m->entry[i + 1], (m->n - i - 1) * sizeof m->entry[0]);
  m->n--;
}
