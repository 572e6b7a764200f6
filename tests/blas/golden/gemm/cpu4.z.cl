#define PRECISION z
#define ON_CPU 1
<prelude>
<matrix_element>
#define LANES 2
#define ROWS 2
#define COLUMNS 2
<factor>
#define PACK pack_first
#define WIDTH 2
<pack>
#define PACK pack_second
#define WIDTH 2
<pack>
<cpu_tile>
<tasks>
<product_tasks>
