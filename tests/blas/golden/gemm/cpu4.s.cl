#define PRECISION s
#define ON_CPU 1
<prelude>
<matrix_element>
#define LANES 4
#define ROWS 8
#define COLUMNS 2
<factor>
#define PACK pack_first
#define WIDTH 8
<pack>
#define PACK pack_second
#define WIDTH 2
<pack>
<cpu_tile>
<tasks>
<product_tasks>
