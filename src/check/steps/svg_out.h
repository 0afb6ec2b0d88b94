/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_out.h - elements of an SVG file: texts of a known width, lines and marks. For svg.c.
 *
 * The viewer's font is not known, so every text has its width with it (textLength): a monospaced
 * font has about 0.6 of its size a character. What is laid out by these widths does not overlap. */
#ifndef EYOT_CHECK_STEPS_SVG_OUT_H
#define EYOT_CHECK_STEPS_SVG_OUT_H

#include <stdio.h>

#define CHK_SVG_CHARACTER 0.6

struct chk_point {
  double x, y;
};

/* Number of characters (not bytes). */
unsigned chk_svg_characters(const char *text);
/* Writes text with everything escaped that has a meaning in XML. */
void chk_svg_escape(const char *text, FILE *out);
/* A text at its baseline. anchor: "start", "middle" or "end"; class: of the style sheet. */
void chk_svg_text(FILE *out, struct chk_point at, double size, const char *anchor,
                  const char *class, const char *text);
void chk_svg_line(FILE *out, const char *class, struct chk_point from, struct chk_point to);
void chk_svg_rect(FILE *out, const char *class, struct chk_point at, double width, double height);
void chk_svg_circle(FILE *out, const char *class, struct chk_point at, double radius);
/* An arrow, straight or (bend not 0) curved to the right by as much; `title` is shown by a
 * pointer over it. */
void chk_svg_arrow(FILE *out, const char *class, struct chk_point from, struct chk_point to,
                   double bend, const char *title);
/* The head of the file: size, style sheet, arrow heads. */
void chk_svg_begin(FILE *out, double width, double height, const char *title);
#endif
