#define PRECISION s
#define ON_CPU 0
<prelude>
<matrix_element>
#define ROWS 32
#define COLUMNS 32
#define STEP 8
#define STAGES 2
#define PAD 0
#define THREADS 64
#define ASYNC 0
#define PACK pack_first
#define WIDTH 32
<pack_gpu>
#define PACK pack_second
#define WIDTH 32
<pack_gpu>
<product_gpu>
<product_simt>
<product_walk>
