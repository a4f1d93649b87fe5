// Imports run one way: a folder may import itself and the folders named beside it.
const allowed = {
  shared: [],
  schema: ['shared'],
  log: ['shared', 'schema'],
  processors: ['shared', 'schema', 'log'],
  clickhouse: ['shared', 'schema', 'log'],
  ingest: ['shared', 'schema', 'log', 'processors', 'clickhouse'],
  api: ['shared', 'schema', 'log', 'processors', 'clickhouse'],
  demo: ['shared', 'schema', 'log', 'processors', 'ingest'],
  service: ['shared', 'schema', 'log', 'processors', 'clickhouse', 'ingest', 'api', 'demo'],
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(allowed).map(([folder, others]) => ({
      name: `${folder}-imports`,
      severity: 'error',
      from: { path: `^${folder}/` },
      to: { path: '^[^/]+/.*\\.ts$', pathNot: [`^(${[folder, ...others].join('|')})/`, 'node_modules'] },
    })),
    { name: 'no-circle', severity: 'error', from: { pathNot: '^test/' }, to: { circular: true } },
    {
      name: 'no-circle-of-folders',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'product-imports-no-test',
      severity: 'error',
      from: { pathNot: '^(test|bench)/' },
      to: { path: '^(test|bench)/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node'],
    },
  },
}
