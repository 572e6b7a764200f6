// What a reader types, and the page that must be among the first three found.
export const searches = [
  ['par_loop', 'par_loop.html'],
  ['symbolicVariables', 'specification-files.html'],
  ['clblasSgemm', 'clBLAS.html'],
  ['gantt', 'timeline.html'],
  ['tune constraint', 'tuning'],
  ['environment config file', 'command-line.html'],
  ['halo exchange', 'halo.html'],
  ['npy', 'npy.html'],
  ['signed pack', 'store'],
  ['exit code', 'command-line.html'],
  ['dynamic partition', 'running.html'],
  ['redis', 'shared-store.html'],
];
