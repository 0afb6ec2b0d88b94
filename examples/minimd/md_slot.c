/* SPDX-License-Identifier: BSD-3-Clause */
/* md_slot.c - the places of a way's buffers: one for each kind of message and swap. */
#include "minimd.h"

/* Numbers of an atom: its position, its force, or position and velocity. Places begin at multiples
 * of 64 bytes. */
static uint64_t kind_bytes(const struct md_system *s, uint32_t kind) {
  if (kind == MD_BORDER_COUNT || kind == MD_LEAVE_COUNT) return 64;
  uint64_t numbers = kind == MD_LEAVE ? 2 * MD_AXES : MD_AXES;
  return (s->swap_most * numbers * sizeof(double) + 63) / 64 * 64;
}

uint64_t md_slot_bytes(const struct md_system *s, uint32_t slot) {
  return kind_bytes(s, slot / MD_SWAPS);
}

uint64_t md_slot_at(const struct md_system *s, uint32_t slot) {
  uint64_t at = 0;
  for (uint32_t kind = 0; kind < slot / MD_SWAPS; kind++) at += MD_SWAPS * kind_bytes(s, kind);
  return at + slot % MD_SWAPS * md_slot_bytes(s, slot);
}

uint64_t md_slot_end(const struct md_system *s) {
  return md_slot_at(s, MD_SLOTS - 1) + md_slot_bytes(s, MD_SLOTS - 1);
}
