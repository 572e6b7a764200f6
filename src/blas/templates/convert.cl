// Copies operands that lie in memory otherwise than a call's precision says, so that any routine can compute with
// them, and results back. KIND: how they lie.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== widen =====
// `lines` lines of `length` elements, which are `step` apart, lines `line_step`: side by side into `to`.
kernel void widen(global const ELEMENT(KIND)* restrict from, long offset, long step, long line_step,
                  long length, long lines, global T* restrict to) {
  FOR_MINE(i, length * lines) to[i] = GET(KIND, from, offset + i % length * step + i / length * line_step);
}
//===== narrow =====
// The same back. triangle 1: only where the place in the line is at least the line's number, 2: at most.
kernel void narrow(global const T* restrict from, long length, long lines, int triangle,
                   global ELEMENT(KIND)* restrict to, long offset, long step, long line_step) {
  FOR_MINE(i, length * lines) {
    const long place = i % length, line = i / length;
    if ((triangle == 1 && place < line) || (triangle == 2 && place > line)) continue;
    PUT(KIND, to, offset + place * step + line * line_step, from[i]);
  }
}
