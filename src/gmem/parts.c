/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c - see parts.h. Lists go through the heads of parts, which are the owner's, so that taking
 * a part needs no memory. */
#include "gmem/parts.h"

#include <stdlib.h>

#include "base/hash.h"

static uint64_t part_hash(const void *p) {
  return eyoti_hash_mix(0, (uintptr_t)p);
}

static struct eyoti_owned **part_bin(const struct eyoti_parts *parts, const void *p) {
  struct eyoti_owned *const *bin = parts->bin != NULL ? parts->bin : parts->few;
  const uint32_t n = parts->bin != NULL ? parts->n_bins : EYOTI_PARTS_FEW;
  return (struct eyoti_owned **)(uintptr_t)&bin[part_hash(p) & (n - 1)];
}

static void bin_add(const struct eyoti_parts *parts, struct eyoti_owned *o) {
  struct eyoti_owned **at = part_bin(parts, eyoti_owned_bytes(o));
  o->next = *at;
  *at = o;
}

static void bins_grow(struct eyoti_parts *parts) {
  const struct eyoti_parts old = *parts;
  const uint32_t n = old.bin != NULL ? old.n_bins : EYOTI_PARTS_FEW;
  struct eyoti_owned **bin = calloc(2 * (size_t)n, sizeof(struct eyoti_owned *));
  if (bin == NULL) return;
  parts->bin = bin;
  parts->n_bins = 2 * n;
  for (uint32_t i = 0; i < n; i++)
    for (struct eyoti_owned *o = old.bin != NULL ? old.bin[i] : old.few[i], *next; o != NULL;
         o = next) {
      next = o->next;
      bin_add(parts, o);
    }
  free(old.bin);
}

void eyoti_parts_add(struct eyoti_parts *parts, struct eyoti_owned *o) {
  if (parts->n >= 2 * (parts->bin != NULL ? parts->n_bins : EYOTI_PARTS_FEW)) bins_grow(parts);
  bin_add(parts, o);
  parts->n++;
}

void eyoti_parts_remove(struct eyoti_parts *parts, struct eyoti_owned *o) {
  const void *p = eyoti_owned_bytes(o);
  struct eyoti_owned **at = part_bin(parts, p);
  while (*at != o) at = &(*at)->next;
  *at = o->next;
  parts->n--;
  parts->gone[part_hash(p) % EYOTI_PARTS_GONE] =
      (struct eyoti_part_gone){.p = p, .changed = o->changed, .state = o->state};
}

struct eyoti_owned *eyoti_parts_find(const struct eyoti_parts *parts, const void *p) {
  if (parts->n == 0) return NULL;
  struct eyoti_owned *o = *part_bin(parts, p);
  while (o != NULL && eyoti_owned_bytes(o) != p) o = o->next;
  return o;
}

const struct eyoti_part_gone *eyoti_parts_gone(const struct eyoti_parts *parts, const void *p) {
  const struct eyoti_part_gone *gone = &parts->gone[part_hash(p) % EYOTI_PARTS_GONE];
  return p != NULL && gone->p == p ? gone : NULL;
}

void eyoti_parts_free(struct eyoti_parts *parts) {
  free(parts->bin);
}
