/* SPDX-License-Identifier: BSD-3-Clause */
/* round.h - bytes of each block that a round of a blocking call moves, which the calls and the
 * predictions of their costs share. */
#ifndef EYOT_COLL_ROUND_H
#define EYOT_COLL_ROUND_H

#include <stdint.h>

#include "coll/channel.h"

#define EYOTI_ROUND_MOST (24u * 1024u)
#define EYOTI_ROUND_BOARD (96u * 1024u)        /* of the blocks of all members together */
#define EYOTI_ROUND_OPERAND_MOST (16u * 1024u) /* of operands */

/* Of calls whose members do not wait for all others, one round in so many begins with a barrier
 * (channel.c). */
static inline uint64_t eyoti_round_together(uint32_t size) {
  return (size > EYOTI_HOT_UNITS ? EYOTI_EPOCHS_FEW : EYOTI_EPOCHS) - EYOTI_RETIRED + 1;
}
/* Where boards hold a block of every member. */
static inline uint64_t eyoti_round_blocks(uint32_t size) {
  uint64_t most = EYOTI_ROUND_BOARD / size / 8 * 8;
  if (most > EYOTI_ROUND_MOST) return EYOTI_ROUND_MOST;
  return most > 8 ? most : 8;
}
/* Of boards with so many operands: whole elements. */
static inline uint64_t eyoti_round_operands(uint64_t slots, uint32_t width) {
  uint64_t most = EYOTI_ROUND_BOARD / slots;
  if (most > EYOTI_ROUND_OPERAND_MOST) most = EYOTI_ROUND_OPERAND_MOST;
  return most > width ? most - most % width : width;
}
/* Of reductions along trees, with a slot for each level: whole elements. */
static inline uint64_t eyoti_round_levels(uint32_t size, uint64_t width) {
  uint32_t slots = 2;
  for (uint64_t reach = 1; reach < size; reach *= 2) slots++;
  uint64_t most = EYOTI_ROUND_BOARD / slots / 64 * 64;
  if (most > EYOTI_ROUND_OPERAND_MOST) most = EYOTI_ROUND_OPERAND_MOST;
  return width == 0 || most < width ? width + (width == 0) : most / width * width;
}
/* The parts of a unit at most, in reductions in parts over nodes, of which the fullest has `most`
 * members and the emptiest `least`. */
static inline uint32_t eyoti_round_lots(uint32_t most, uint32_t least) {
  return (most - 1) / least + 1;
}
/* The chunks of a round of them: two hide each other's ways, more have too many messages. */
static inline uint32_t eyoti_round_chunks(uint64_t bytes) {
  return bytes < 2 * EYOTI_ROUND_OPERAND_MOST ? 1 : 2;
}
/* The slots of a scan: three, and two a level. */
static inline uint64_t eyoti_round_scan_slots(uint32_t size) {
  uint64_t slots = 3;
  for (uint64_t reach = 1; reach < size; reach *= 2) slots += 2;
  return slots;
}
#endif
