import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

let folder: Promise<string> | undefined

/**
 * The path of a built script of the product, such as `main.ts` or `service/commands/key.ts`: the same code as tsx runs, transformed
 * by the same compiler, but once for all processes that this one starts. Its packages are built in, too: reading their many files
 * takes a quarter of a start. A start with tsx takes two to three seconds of CPU more. Also for scripts of the tests that use
 * much of the product.
 */
export async function built(script: string): Promise<string> {
  folder ??= buildAll()
  return join(await folder, script.replace(/\.ts$/, '.js'))
}

async function buildAll(): Promise<string> {
  // Within the project, so that packages are found.
  mkdirSync(join(root, 'dist'), { recursive: true })
  const outdir = mkdtempSync(join(root, 'dist', 'test-'))
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }))
  await build({
    entryPoints: ['main.ts', 'service/commands/*.ts', ...scriptsOfTests],
    absWorkingDir: root,
    outbase: root,
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
  return outdir
}

const scriptsOfTests = [
  'test/end-to-end/dying-adopt-log.ts',
  'test/end-to-end/report-memory-child.ts',
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
