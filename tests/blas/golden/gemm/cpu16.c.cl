#define PRECISION c
#define ON_CPU 1
<prelude>
<matrix_element>
#define LANES 16
#define ROWS 32
#define COLUMNS 2
<factor>
#define PACK pack_first
#define WIDTH 32
<pack>
#define PACK pack_second
#define WIDTH 2
<pack>
<cpu_tile>
<tasks>
<product_tasks>
