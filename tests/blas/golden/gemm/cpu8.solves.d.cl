#define PRECISION d
#define ON_CPU 1
<prelude>
<matrix_element>
#define LANES 4
#define ROWS 8
#define COLUMNS 1
<factor>
#define PACK pack_first
#define WIDTH 8
<pack>
#define PACK pack_second
#define WIDTH 1
<pack>
<cpu_tile>
<tasks>
<solve_tasks>
