import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { builtFolder } from './built-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let ready: Promise<void> | undefined

/**
 * The path of a built script of the product, such as `main.ts` or `service/commands/key.ts`: the same code as tsx runs, transformed
 * by the same compiler, but once for all processes that the tests start. Its packages are built in, too: reading their many files
 * takes a quarter of a start. A start with tsx takes two to three seconds of CPU more. Also for scripts of the tests that use
 * much of the product.
 */
export async function built(script: string): Promise<string> {
  ready ??= buildOnce()
  await ready
  return join(builtFolder, script.replace(/\.ts$/, '.js'))
}

/** The first worker builds; the other ones wait for it. */
async function buildOnce(): Promise<void> {
  const parts = `${builtFolder}-parts`
  mkdirSync(dirname(parts), { recursive: true })
  while (!existsSync(builtFolder)) {
    if (created(parts)) await buildInto(parts)
    else await sleep(100)
  }
}

/** Returns false if the folder exists. */
function created(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function buildInto(parts: string): Promise<void> {
  try {
    await buildScripts(root, parts, ['main.ts', 'service/commands/*.ts', ...scriptsOfTests])
    renameSync(parts, builtFolder)
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
}

/** Builds `main.ts` of a copy of the project, in which its packages are found; returns its path. */
export async function builtCopy(folder: string): Promise<string> {
  const outdir = join(folder, 'dist', 'test')
  await buildScripts(folder, outdir, ['main.ts'])
  return join(outdir, 'main.js')
}

async function buildScripts(project: string, outdir: string, entryPoints: string[]): Promise<void> {
  await build({
    entryPoints,
    absWorkingDir: project,
    outbase: project,
    outdir,
    bundle: true,
    // Modules that are imported on demand remain separate files.
    splitting: true,
    external: [...ownFiles],
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'linked',
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

const scriptsOfTests = [
  'test/end-to-end/dying-adopt-log.ts',
  'test/end-to-end/report-memory-child.ts',
  'test/releases/clickhouse.ts',
  'test/releases/service.ts',
  'test/support/stopped-store-process.ts',
  'bench/support/idle-engine.ts',
] as const

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
] as const

/** Files that modules read are relative to their sources, not to the built files. */
const ownPlaces: Plugin = {
  name: 'own places',
  setup(building) {
    building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) }
    })
  },
}
