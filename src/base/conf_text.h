/* SPDX-License-Identifier: BSD-3-Clause */
/* conf_text.h - parses option values: numbers with suffixes, switches, choices; finds the most
 * similar of several names. For conf.c and the fault files of the simulator.
 *
 * Why it exists: parsing needs no environment and no table, so it is tested alone. It does not
 * log. */
#ifndef EYOT_BASE_CONF_TEXT_H
#define EYOT_BASE_CONF_TEXT_H

#include <eyot/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns false, and leaves *value unchanged, if the whole of `text` is not of its form. */
EYOT_API bool eyoti_text_u64(const char *text, uint64_t *value); /* 42 */
/* 42, 64K, 64M, 2G, 64MB, 64MiB; 1K is 1024 */
bool eyoti_text_bytes(const char *text, uint64_t *value);
/* 0, 500ns, 20us, 3ms, 10s */
EYOT_API bool eyoti_text_time_ns(const char *text, uint64_t *value);
/* A decimal number of seconds: 5, 0.5. */
bool eyoti_text_seconds_ns(const char *text, uint64_t *value);
/* 1 0 on off true false yes no */
bool eyoti_text_bool(const char *text, uint64_t *value);
/* index in "a|b|c" */
bool eyoti_text_choice(const char *choices, const char *text, uint64_t *value);

/* Edit distance (insert, delete, replace, swap of neighbors: 1 each), ignoring case. Only the
 * first EYOTI_TEXT_NAME_MAX characters count. */
#define EYOTI_TEXT_NAME_MAX 63u
uint32_t eyoti_text_distance(const char *a, const char *b);
#endif
