// blas.asum, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<asum>

// blas.asum, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<asum>

// blas.axpy, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<axpy>

// blas.axpy, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<axpy>

// blas.axpy_batch, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<axpy_batch>

// blas.axpy_batch, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<axpy_batch>

// blas.copy, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<copy>

// blas.copy, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<copy>

// blas.dot_product, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<dot_product>

// blas.dot_product, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<dot_product>

// blas.emulated, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<emulated>

// blas.emulated, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<emulated>

// blas.had, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<had>

// blas.had, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<had>

// blas.iamax, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<iamax>

// blas.iamax, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<iamax>

// blas.invert_triangles, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<quotient>
<invert_triangles>

// blas.invert_triangles, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<quotient>
<invert_triangles>

// blas.mv_n, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
#define BLOCK 8192
<prelude>
<matrix>
<lanes>
<mv_n>

// blas.mv_n, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
#define BLOCK 2048
<prelude>
<matrix>
<lanes>
<mv_n>

// blas.mv_sum, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<mv_sum>

// blas.mv_sum, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<mv_sum>

// blas.mv_sym, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<lanes>
<strips>
<mv_sym>

// blas.mv_sym, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<lanes>
<strips>
<mv_sym>

// blas.mv_sym_few, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<mv_sym_few>

// blas.mv_sym_few, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<mv_sym_few>

// blas.mv_sym_sum, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<strips>
<mv_sym_sum>

// blas.mv_sym_sum, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<strips>
<mv_sym_sum>

// blas.mv_t, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
#define BLOCK 4096
<prelude>
<matrix>
<lanes>
<mv_t>

// blas.mv_t, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
#define BLOCK 1024
<prelude>
<matrix>
<lanes>
<mv_t>

// blas.narrow, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<narrow>

// blas.narrow, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<narrow>

// blas.nrm2, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<nrm2>

// blas.nrm2, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<nrm2>

// blas.omatcopy, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<omatcopy>

// blas.omatcopy, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<omatcopy>

// blas.pack_vector, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<pack_vector>

// blas.pack_vector, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<pack_vector>

// blas.patches, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<patches>

// blas.patches, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<patches>

// blas.rank_update, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<lanes>
<rank_update>

// blas.rank_update, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<matrix>
<lanes>
<rank_update>

// blas.rot, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<pairs>
<rot>

// blas.rot, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<pairs>
<rot>

// blas.rotg, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<rotg>

// blas.rotg, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<rotg>

// blas.rotm, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<pairs>
<rotm>

// blas.rotm, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<pairs>
<rotm>

// blas.rotmg, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<rotmg>

// blas.rotmg, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<rotmg>

// blas.scal, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<scal>

// blas.scal, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<scal>

// blas.scale_matrix, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<scale_matrix>

// blas.scale_matrix, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<scale_matrix>

// blas.skinny_cpu, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<cpu_vectors>
<epilogue>
<skinny>
<skinny_cpu>

// blas.skinny_cpu, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<cpu_vectors>
<epilogue>
<skinny>
<skinny_cpu>

// blas.skinny_gpu, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<epilogue>
<skinny>
<skinny_gpu>

// blas.skinny_gpu, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<epilogue>
<skinny>
<skinny_gpu>

// blas.skinny_units, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<epilogue>
<skinny>
<skinny_units>

// blas.skinny_units, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<epilogue>
<skinny>
<skinny_units>

// blas.small_halves, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<small_halves>

// blas.small_halves, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<small_halves>

// blas.small_product, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<small_product>

// blas.small_product, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<small_product>

// blas.solve, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
#define ROWS 64
#define SUMS 64
<prelude>
<quotient>
<matrix>
<lanes>
<solve>

// blas.solve, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
#define ROWS 64
#define SUMS 64
<prelude>
<quotient>
<matrix>
<lanes>
<solve>

// blas.sum, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<sum>

// blas.sum, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<reduction>
<sum>

// blas.swap, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<pairs>
<swap>

// blas.swap, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<vectors>
<pairs>
<swap>

// blas.widen, s
#define PRECISION s
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<widen>

// blas.widen, z
#define PRECISION z
#define ON_CPU 0
#define NATIVE_FLOATS 8
#define SOME_FACT 3
<prelude>
<stored>
<widen>

