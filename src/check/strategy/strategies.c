/* SPDX-License-Identifier: BSD-3-Clause */
/* strategies.c - the table of strategies, generated from strategies.def. */
#include <stddef.h>
#include <string.h>

#include "check/strategy/strategy.h"

#define SAMPLING false
#define SYSTEMATIC true

static const struct chk_strategy_entry TABLE[] = {
#define STRATEGY(strategy, kind, text) \
  {.name = #strategy, .systematic = kind, .help = text, .make = chk_##strategy##_new},
#define STRATEGY_NUMBER(strategy, field, flag, value, def, least, most, help)
#define STRATEGY_SWITCH(strategy, field, flag, def, help)
#include "check/strategy/strategies.def"
};
#define TABLE_COUNT (sizeof TABLE / sizeof *TABLE)

const struct chk_strategy_entry *chk_strategy_at(uint32_t index) {
  return index < TABLE_COUNT ? &TABLE[index] : NULL;
}

const struct chk_strategy_entry *chk_strategy_find(const char *name) {
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (strcmp(TABLE[i].name, name) == 0) return &TABLE[i];
  return NULL;
}

void chk_options_init(struct chk_options *o) {
  *o = (struct chk_options){
#define STRATEGY(strategy, kind, help)
#define STRATEGY_NUMBER(strategy, field, flag, value, def, least, most, help) .field = def,
#define STRATEGY_SWITCH(strategy, field, flag, def, help) .field = def,
#include "check/strategy/strategies.def"
  };
}
