// JavaScript, because it runs before any TypeScript can.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hashFiles } from './hash-files.mjs'

/** Scripts that processes start with, as patterns of esbuild. */
const entryPoints = ['main.ts', 'service/commands/*.ts', 'api/import/xlsx/print-rows.ts']

/** Files and folders of the scripts: a change of one of them needs a new build. */
const inputs = [
  'package-lock.json',
  'package.json',
  'main.ts',
  'api',
  'clickhouse',
  'connect',
  'demo',
  'ingest',
  'log',
  'processors',
  'respond',
  'schema',
  'service',
  'shared',
]

/** Builds that stay: that of the sources, and earlier ones, whose modules a running process may still load. */
const keptBuilds = 3
/** A temporary folder older than this belongs to a build that was killed. */
const maxBuildMs = 10 * 60_000

/**
 * Returns the path of a built script, such as that of `main.ts`. The first call after a change of the sources builds all
 * scripts into `dist/service`, under a hash of the sources. Rejects if a source is invalid or the folder cannot be written.
 */
export async function builtScript(root, script) {
  const folder = join(root, 'dist', 'service')
  // Built scripts contain the paths of their sources.
  const hash = hashFiles(root, inputs, root)
  if (!existsSync(join(folder, hash))) await buildInto(folder, hash, root)
  return join(folder, hash, script.replace(/\.ts$/, '.js'))
}

async function buildInto(folder, hash, root) {
  const temporary = join(folder, `.${randomUUID()}`)
  makeFolder(temporary)
  try {
    await buildScripts(root, temporary, entryPoints)
    renameSync(temporary, join(folder, hash))
    removeOutdated(folder)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    // If another process has stored the same build, that one is used.
    if (!existsSync(join(folder, hash))) throw error
  }
}

function makeFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    throw new Error(
      `Cannot write the built service: ${cause.message}\nWhat to do: run 'npm run build' as the owner of the folder.`,
      { cause },
    )
  }
}

function removeOutdated(folder) {
  const byAge = readdirSync(folder)
    .map(name => ({ name, builtMs: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.builtMs - a.builtMs)
  const outdated = [
    ...byAge.filter(({ name }) => !name.startsWith('.')).slice(keptBuilds),
    ...byAge.filter(({ name, builtMs }) => name.startsWith('.') && Date.now() - builtMs > maxBuildMs),
  ]
  for (const { name } of outdated) rmSync(join(folder, name), { recursive: true, force: true })
}

/** Builds scripts of a project into a folder within it, with the packages that they import. Rejects if a source is invalid. */
export async function buildScripts(project, outdir, scripts) {
  const { build } = await import('esbuild')
  await build({
    entryPoints: [...scripts],
    absWorkingDir: project,
    outbase: project,
    outdir,
    bundle: true,
    // Modules that are imported on demand remain separate files.
    splitting: true,
    external: ownFiles,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'linked',
    logLevel: 'silent',
    plugins: [ownPlaces],
    // Packages in CommonJS need these.
    banner: {
      js: [
        "import { createRequire as requireOf } from 'node:module'",
        'const require = requireOf(import.meta.url)',
        'const [__filename, __dirname] = [import.meta.filename, import.meta.dirname]',
      ].join('\n'),
    },
  })
}

/** Packages that load native code, threads or files relative to their own; and kafkajs, whose modules `log/kafka/patches.ts` patches. */
const ownFiles = [
  'chdb',
  'chdb/*',
  'kafkajs',
  'kafkajs/*',
  'classic-level',
  '@uwsjs/*',
  'pino',
  'swagger-ui-dist',
  'tsx',
  'esbuild',
]

/** Files that modules read are relative to their sources, not to the built files. */
const ownPlaces = {
  name: 'own places',
  setup(building) {
    building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) }
    })
  },
}
