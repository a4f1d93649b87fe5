import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time in hundredths of a second. */
const usPerTick = 10_000

/** CPU time of a process so far in µs: of the whole process, and by the names of its threads. */
export function cpuOf(pid: number): { readonly all: number; readonly threads: ReadonlyMap<string, number> } {
  const threads = new Map<string, number>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    try {
      const name = Number(id) === pid ? 'main' : nameOf(readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim())
      threads.set(name, (threads.get(name) ?? 0) + ticksOf(`/proc/${pid}/task/${id}/stat`) * usPerTick)
    } catch {
      // The thread has ended in the meantime.
    }
  }
  // Threads that have ended count only in the process.
  return { all: ticksOf(`/proc/${pid}/stat`) * usPerTick, threads }
}

function nameOf(thread: string): string {
  return /^(node|V8|libuv)/.test(thread) ? 'node' : thread.replace(/[\d:]+$/, '')
}

function ticksOf(path: string): number {
  const text = readFileSync(path, 'utf8')
  const [, , , , , , , , , , , user = '0', system = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return Number(user) + Number(system)
}

/** CPU time so far, in µs, of the child processes of this name. */
export function cpuOfChildren(name: string): number {
  const ids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const own = ids.filter(id => id !== '' && readFileSync(`/proc/${id}/comm`, 'utf8').trim() === name)
  return own.reduce((sum, id) => sum + ticksOf(`/proc/${id}/stat`) * usPerTick, 0)
}

/** Memory of a process in MB. */
export function memoryOf(pid: number): number {
  return statusOf(pid, 'VmRSS') / 1024
}

/** Highest memory of a process since its start, in MB. */
export function peakMemoryOf(pid: number): number {
  return statusOf(pid, 'VmHWM') / 1024
}

function statusOf(pid: number, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
}

/** Inserts into the store since the start of a service, by table. */
export async function insertCounts({ url }: { readonly url: string }): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const found = text.matchAll(/^takt_store_insert_duration_seconds_count\{table="(\w+)",outcome="ok"\} (\d+)/gm)
  return new Map([...found].map(([, table = '', count]) => [table, Number(count)]))
}

/** Inserts between two counts, most first. */
export function insertsSince(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): readonly (readonly [table: string, count: number])[] {
  const made = [...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const)
  return made.filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a)
}

/** CPU time of this process for some work, µs. */
export function cpuUs(work: () => void): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return user + system
}
