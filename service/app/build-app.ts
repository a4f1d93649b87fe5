import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { type AppFile, assetsPath, pageBase } from '../../api/app/app-files.ts'
import { hashFiles } from '../build/hash-files.mjs'

/** The files of the built application by name. */
export type BuiltFiles = ReadonlyMap<string, AppFile>

export const pageName = 'index.html'

/** Sources of the application: a change of one of them needs a new build. */
const inputs = ['web', 'schema', 'shared', 'service/app', 'package-lock.json']

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
}

export function mediaTypeOf(name: string): string {
  return types[extname(name)] ?? 'application/octet-stream'
}

/** Hashes the sources of the application: equal sources have equal hashes. */
export function hashInputs(root: string): string {
  return hashFiles(root, inputs)
}

/** Builds the application from its sources, in some tenths of a second. */
export async function buildApp(root: string): Promise<BuiltFiles> {
  const { build, buildSync } = await import('esbuild')
  const common = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: 'out',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'silent',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
  } as const satisfies BuildOptions
  // An IIFE runs before the first paint, so it can set the theme; a module would run after the page was parsed.
  const early = buildSync({ ...common, entryPoints: ['web/early.ts'], format: 'iife' })
  const split = {
    ...common,
    entryPoints: [{ in: 'web/main.tsx', out: 'app' }, { in: 'web/style/app.css', out: 'style' }, 'web/icon.svg'],
    loader: { '.svg': 'copy' },
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
  } as const satisfies BuildOptions
  const apart = buildSync(split).metafile
  const main = await build({ ...split, inject: [together], plugins: [loadTogether(root, smallShared(apart))] })
  const outputs = [...early.outputFiles, ...main.outputFiles].map(({ path, contents }) => {
    const name = basename(path)
    return [name, Buffer.from(contents)] as const
  })
  const names = outputs.map(([name]) => name)
  const page = writePage(readFileSync(join(root, 'web', pageName), 'utf8'), names, firstScripts(main.metafile))
  const files = await Promise.all(outputs.map(async ([name, bytes]) => [name, await compress(name, bytes)] as const))
  return new Map([
    ...files,
    [pageName, { type: mediaTypeOf(pageName), bytes: Buffer.from(page), brotli: null, gzip: null }],
  ])
}

/**
 * Replaces the names of source files by the names of built files, and preloads all scripts of the first screen in
 * parallel.
 */
function writePage(source: string, names: readonly string[], scripts: readonly string[]): string {
  const address = (name: string) => `${pageBase}${assetsPath.slice(1)}${name}`
  const preloads = scripts.map(name => `    <link rel="modulepreload" href="${address(name)}" />\n`)
  return source
    .replaceAll(/"\.\/([\w-]+)(\.\w+)"/g, (_, stem: string, extension: string) => {
      const name = names.find(each => each.startsWith(`${stem}-`) && each.endsWith(extension))
      if (name === undefined) throw new Error(`web/${pageName} refers to ${stem}${extension}, which was not built`)
      return `"${address(name)}"`
    })
    .replace('  </head>', () => `${preloads.join('')}  </head>`)
}

/** Shared parts up to this size load with the first screen: apart, they would compress worse, and each would be a request. */
const smallPartBytes = 6_000

/** Returns the own modules of small parts that several screens share. */
function smallShared({ outputs }: Metafile): readonly string[] {
  return Object.values(outputs)
    .filter(({ entryPoint, bytes }) => entryPoint === undefined && bytes <= smallPartBytes)
    .flatMap(({ inputs }) => Object.keys(inputs).filter(path => !path.startsWith('node_modules/')))
}

const together = 'takt-together'

/** Resolves `together` to a module that imports these: as every module imports it, they are all in one part. */
function loadTogether(root: string, modules: readonly string[]): Plugin {
  const contents = modules.map(path => `import './${path}'`).join('\n')
  return {
    name: together,
    setup: build => {
      build.onResolve({ filter: /^takt-together$/ }, () => ({ path: together, namespace: together }))
      build.onLoad({ filter: /./, namespace: together }, () => ({ contents, resolveDir: root }))
    },
  }
}

const firstSource = 'web/main.tsx'

/** Names of the scripts that the first screen loads, directly or by imports. */
function firstScripts({ outputs }: Metafile): readonly string[] {
  const found = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    for (const each of outputs[path]?.imports ?? []) if (each.kind === 'import-statement') visit(each.path)
  }
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === firstSource) visit(path)
  return [...found].map(path => basename(path))
}

/** Smaller files fit into one packet anyway. */
const minCompressedBytes = 256
const brotliOf = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const gzipOf = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

async function compress(name: string, bytes: Buffer): Promise<AppFile> {
  const type = mediaTypeOf(name)
  if (bytes.length < minCompressedBytes) return { type, bytes, brotli: null, gzip: null }
  const [brotli, gzip] = await Promise.all([brotliOf(bytes, {}), gzipOf(bytes, { level: 9 })])
  return { type, bytes, brotli, gzip }
}
