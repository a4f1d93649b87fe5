import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Loaded before the tests: folders of the tests are in memory if the system has enough. ClickHouse syncs each of its many
 * small files, which takes a third of the time of a test on a disk. TMPDIR overrides the location.
 */
const memory = '/dev/shm'
const neededBytes = 4 * 2 ** 30
const prefix = 'takt-tests-'

const isFirst = process.env['MOCHA_WORKER_ID'] === undefined
if (isFirst && process.env['TMPDIR'] === undefined && freeBytes() >= neededBytes) {
  removeLeftovers()
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
  keepCompiledModules(folder)
  // Workers and services that tests start inherit it.
  process.env['TMPDIR'] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

/** tsx caches compiled modules in the temporary folder; those of the usual one save each worker 3 s of CPU. */
function keepCompiledModules(folder: string): void {
  const name = `tsx-${process.geteuid?.()}`
  const kept = join(tmpdir(), name)
  mkdirSync(kept, { recursive: true })
  symlinkSync(kept, join(folder, name))
}

function freeBytes(): number {
  if (!existsSync(memory)) return 0
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize
}

/** Deletes folders of killed runs, which would stay in memory. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length).split('-')[0] : undefined
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true })
  }
}
