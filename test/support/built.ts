import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { builtScript, buildScripts } from '../../service/build/built-scripts.mjs'
import { builtFolder } from './built-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let ready: Promise<void> | undefined

/** The path of a built script of the product, as `npm start` runs it, or of a script of the tests that uses much of the product. */
export async function built(script: string): Promise<string> {
  if (!scriptsOfTests.includes(script)) return builtScript(root, script)
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
    await buildScripts(root, parts, scriptsOfTests)
    renameSync(parts, builtFolder)
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
}

const scriptsOfTests: readonly string[] = [
  'test/end-to-end/dying-adopt-log.ts',
  'test/end-to-end/report-memory-child.ts',
  'test/releases/clickhouse.ts',
  'test/releases/service.ts',
  'test/support/stopped-store-process.ts',
  'bench/support/idle-engine.ts',
]
