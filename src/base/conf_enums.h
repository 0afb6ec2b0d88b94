/* SPDX-License-Identifier: BSD-3-Clause */
/* conf_enums.h - the enums of options that accept words, each generated from its row of
 * options.def: enum eyoti_order { EYOTI_ORDER_STRICT, ... }.
 *
 * Why it exists: the value of such an option is the index of its word, so the words and the
 * enumerators must have one source. */
#ifndef EYOT_BASE_CONF_ENUMS_H
#define EYOT_BASE_CONF_ENUMS_H

#define OPTION(key, env, flag, type, def, values, fabric, group, help) values
#define RANGE(least, most)
#define LETTER(letter)
#define SWITCH
#define TEXT
#define WORD(name, word) EYOTI_##name,
#define CHOICES(tag, words) enum eyoti_##tag{words};
#define RANGE_OR(tag, last, most, words) enum eyoti_##tag{EYOTI_##last = (most), words};
#include "base/options.def"
#undef RANGE
#undef LETTER
#undef SWITCH
#undef TEXT
#undef WORD
#undef CHOICES
#undef RANGE_OR
#endif
