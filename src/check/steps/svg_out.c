/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_out.c - see svg_out.h. */
#include "check/steps/svg_out.h"

#include <string.h>

#include "check/steps/picture.h"

/* Light and dark; the ground is drawn, too, so that the picture can be read on any page. */
static const char STYLE[] =
    "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "fill:#24292f}\n"
    ".bold{font-weight:bold}.dim{fill:#6b7480}.alarm{fill:#c62828;font-weight:bold}\n"
    ".tag{paint-order:stroke;stroke:#fcfcfb;stroke-width:3px}\n"
    ".ground{fill:#fcfcfb}.band{fill:#e53935;fill-opacity:.13}.stripe{fill:#8c959f;"
    "fill-opacity:.07}\n"
    ".box{fill:#e53935;fill-opacity:.07;stroke:#e53935;stroke-width:1}\n"
    ".life{stroke:#aeb6bf;stroke-width:1.5}.wait{fill:#e0a100;fill-opacity:.38}\n"
    ".dot{fill:#24292f}.mark{stroke:#24292f;stroke-width:2}.cpu{fill:#24292f}\n"
    ".ring{fill:none;stroke:#e53935;stroke-width:2.4}.cross{stroke:#e53935;stroke-width:3}\n"
    ".op{fill:none;stroke-width:1.8}.put{stroke:#1f6fc4}.get{stroke:#1a8f4c}.atomic{stroke:#8549b5}"
    ".signal{stroke:#c2660a}.racing{stroke:#e53935;stroke-width:2.6}\n"
    ".late{stroke-dasharray:2 4}.lost{stroke-dasharray:1 5}\n"
    ".known{fill:none;stroke:#8c959f;stroke-width:1;stroke-dasharray:4 3}\n"
    ".missing{fill:none;stroke:#e53935;stroke-width:2;stroke-dasharray:7 5}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9aa4af}.alarm{fill:#ff8a80}"
    ".ground{fill:#0d1117}.tag{stroke:#0d1117}.life{stroke:#4b535d}.dot,.cpu{fill:#e6edf3}"
    ".mark{stroke:#e6edf3}.put{stroke:#58a6ff}.get{stroke:#3fb950}.atomic{stroke:#c297ff}"
    ".signal{stroke:#f0883e}.racing,.missing,.ring,.cross{stroke:#ff6b64}"
    ".known{stroke:#7d8590}}\n";

unsigned chk_svg_characters(const char *text) {
  unsigned n = 0;
  for (; *text != '\0'; n++) {
    uint32_t bytes = chk_utf8(text);
    text += bytes == 0 ? 1 : bytes;
  }
  return n;
}

void chk_svg_escape(const char *text, FILE *out) {
  while (*text != '\0') {
    uint32_t bytes = chk_utf8(text);
    unsigned char c = (unsigned char)*text;
    if (bytes == 0 || (bytes == 1 && (c < ' ' || c == 0x7f)))
      fputc(bytes == 0 ? '?' : ' ', out);
    else if (bytes == 1 && strchr("<>&\"'", c) != NULL)
      fprintf(out, "&#%u;", c);
    else
      fwrite(text, 1, bytes, out);
    text += bytes == 0 ? 1 : bytes;
  }
}

void chk_svg_text(FILE *out, struct chk_point at, double size, const char *anchor,
                  const char *class, const char *text) {
  unsigned n = chk_svg_characters(text);
  if (n == 0) return;
  fprintf(out,
          "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" text-anchor=\"%s\" class=\"%s\" "
          "textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">",
          at.x, at.y, size, anchor, class, n * CHK_SVG_CHARACTER * size);
  chk_svg_escape(text, out);
  fputs("</text>\n", out);
}

void chk_svg_line(FILE *out, const char *class, struct chk_point from, struct chk_point to) {
  fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
          from.x, from.y, to.x, to.y);
}

void chk_svg_rect(FILE *out, const char *class, struct chk_point at, double width, double height) {
  fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", class,
          at.x, at.y, width, height);
}

void chk_svg_circle(FILE *out, const char *class, struct chk_point at, double radius) {
  fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", class, at.x, at.y,
          radius);
}

void chk_svg_arrow(FILE *out, const char *class, struct chk_point from, struct chk_point to,
                   double bend, const char *title) {
  fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1f", class, from.x, from.y);
  if (bend > 0)
    fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", from.x + bend, from.y, to.x + bend, to.y, to.x,
            to.y);
  else
    fprintf(out, "L%.1f %.1f", to.x, to.y);
  const char *racing = strstr(class, "racing");
  const char *kind = racing != NULL ? racing : class + strcspn(class, " ");
  while (*kind == ' ') kind++;
  fprintf(out, "\" marker-end=\"url(#head-%.*s)\"><title>", (int)strcspn(kind, " "), kind);
  chk_svg_escape(title, out);
  fputs("</title></path>\n", out);
}

void chk_svg_begin(FILE *out, double width, double height, const char *title) {
  static const char *const HEADS[] = {"put", "get", "atomic", "signal", "racing"};
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
          width, height, width, height);
  chk_svg_escape(title, out);
  fprintf(out, "</title>\n<style>\n%s</style>\n<defs>\n", STYLE);
  for (size_t i = 0; i < sizeof HEADS / sizeof *HEADS; i++)
    fprintf(out,
            "<marker id=\"head-%s\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" "
            "markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\">"
            "<path class=\"%s\" fill=\"none\" stroke-width=\"2\" d=\"M1 1L10 5L1 9\"/></marker>\n",
            HEADS[i], HEADS[i]);
  fputs("</defs>\n", out);
  chk_svg_rect(out, "ground", (struct chk_point){0, 0}, width, height);
}
