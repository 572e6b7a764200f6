#define PRECISION s
#define ON_CPU 0
<prelude>
<matrix_element>
#define ROWS 128
#define COLUMNS 128
#define STEP 16
#define STAGES 2
#define PAD 0
#define THREADS 256
#define ASYNC 0
#define PACK pack_first
#define WIDTH 128
<pack_gpu>
#define PACK pack_second
#define WIDTH 128
<pack_gpu>
<product_gpu>
<product_simt>
<product_walk>
