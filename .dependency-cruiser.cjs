// Imports run one way: a folder may import itself and the folders named beside it.
const allowed = {
  shared: [],
  schema: ['shared'],
  log: ['shared', 'schema'],
  processors: ['shared', 'schema', 'log'],
  respond: ['shared', 'schema', 'processors'],
  clickhouse: ['shared', 'schema', 'log'],
  ingest: ['shared', 'schema', 'log', 'processors', 'clickhouse'],
  connect: ['shared', 'schema', 'log', 'processors', 'ingest'],
  api: ['shared', 'schema', 'log', 'processors', 'respond', 'clickhouse'],
  demo: ['shared', 'schema', 'log', 'processors', 'ingest'],
  service: ['shared', 'schema', 'log', 'processors', 'respond', 'clickhouse', 'ingest', 'connect', 'api', 'demo'],
}

// Within a folder too: a subfolder may import those named before it. '.' stands for the files of the folder itself.
const order = {
  shared: ['.', 'time', 'collections', 'async', 'json', 'xml'],
  schema: ['.', 'records', 'requests', 'commands'],
  log: ['.', 'embedded', 'kafka'],
  processors: ['calendar', 'timeline', 'records', 'registrar', 'alarms', 'partitions'],
  'processors/registrar': ['deciding', 'commands', '.'],
  respond: ['intervals', 'holds', 'spans', 'incidents', 'steps', 'deliveries', 'try'],
  clickhouse: ['sql', 'client', 'tables', 'samples', 'documents', 'projections', 'migrations'],
  ingest: ['shdr', 'decode', 'mapping', 'accept', 'consume'],
  connect: ['positions', 'source', 'buffer', 'mtconnect', 'run', 'try'],
  api: [
    'json',
    'static',
    'auth',
    'app',
    'docs',
    'ports',
    'commands',
    'http',
    'files',
    'import',
    'live',
    'reports',
    'graphql',
    'routes',
    '.',
  ],
  'api/live': ['.', 'limits', 'outbox', 'values', 'timeline', 'channels', 'sessions', 'transport'],
  'api/import': ['rows', 'csv', 'xlsx', '.'],
  'api/reports': [
    'sums',
    'query',
    'company',
    'request',
    'groupings',
    'plan',
    'sources',
    'fold',
    'compile',
    'present',
    'files',
    'alarm-instances',
    'downtime-records',
    'machine-timeline',
    '.',
  ],
  'api/graphql': ['model', 'schema', 'compile', 'run', 'http', 'subscriptions', 'memory', 'sockets'],
  'api/graphql/model': ['.', 'entities'],
  demo: ['mtconnect-agent', 'simulate', '.'],
  service: [
    'settings',
    'app',
    'live',
    'monitoring',
    '.',
    'graphql',
    'exit',
    'roles',
    'installation',
    'tasks',
    'control',
    'start',
    'commands',
  ],
}

const pathOf = (folder, part) => (part === '.' ? `^${folder}/[^/]+[.]ts$` : `^${folder}/${part}/`)
const directions = Object.entries(order).flatMap(([folder, parts]) =>
  parts.slice(0, -1).map((part, index) => ({
    name: `order-in-${folder}`,
    severity: 'error',
    from: { path: pathOf(folder, part) },
    to: { path: parts.slice(index + 1).map(later => pathOf(folder, later)) },
  })),
)

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(allowed).map(([folder, others]) => ({
      name: `${folder}-imports`,
      severity: 'error',
      from: { path: `^${folder}/` },
      to: { path: '^[^/]+/.*\\.ts$', pathNot: [`^(${[folder, ...others].join('|')})/`, 'node_modules'] },
    })),
    ...directions,
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
