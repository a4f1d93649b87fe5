/**
 * How fast records change, in the service as it is started, embedded: machines that are made one after the other, and a thousand over
 * 32 connections. `node --import tsx bench/records.ts [machines = 1000] [connections = 32]`
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../test/support/child-service.ts'
import { Times } from './reports/measure.ts'

const [machines = 1000, connections = 32] = process.argv.slice(2).map(Number)
/** Milliseconds of one tick of `/proc/<pid>/stat`. */
const tickMs = 10

const dataDir = mkdtempSync(join(tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
try {
  await measure('one after the other', 50, 1)
  await measure(`over ${connections} connections`, machines, connections)
} finally {
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

async function measure(name: string, count: number, lanes: number): Promise<void> {
  const times = new Times()
  let left = count
  const [cpuMs, startedMs] = [cpuOf(service.pid), performance.now()]
  const lane = async () => {
    while (left-- > 0) {
      const id = randomUUID()
      const putMs = performance.now()
      const { status } = await service.call('PUT', `/machines/${id}`, { name: id })
      if (status >= 300) throw new Error(`PUT /machines answered ${status}`)
      times.add(performance.now() - putMs)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const wallMs = performance.now() - startedMs
  const cpu = ((cpuOf(service.pid) - cpuMs) / count).toFixed(1)
  console.log(`${name}: ${count} in ${(wallMs / 1000).toFixed(2)} s, ${times.toString()}, ${cpu} ms of CPU each`)
}

function cpuOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}
