import { readdirSync, readFileSync } from 'node:fs'

const everyMs = 5
/** Unit of CPU times in `/proc`. */
const msPerTick = 10

/** The maximum of the watched processes; 0 if there was no process or the system has no `/proc`. */
export interface ChildCost {
  readonly peakBytes: number
  readonly cpuMs: number
}

/** Watches the processes that this one starts, such as those that read workbooks, until the returned function is called. */
export function watchChildren(): () => ChildCost {
  const others = new Set(childrenOf(process.pid))
  let most: ChildCost = { peakBytes: 0, cpuMs: 0 }
  const look = (): void => {
    for (const pid of childrenOf(process.pid).filter(each => !others.has(each)))
      most = { peakBytes: Math.max(most.peakBytes, peakBytes(pid)), cpuMs: Math.max(most.cpuMs, cpuMs(pid)) }
  }
  const timer = setInterval(look, everyMs)
  return () => {
    clearInterval(timer)
    return most
  }
}

/** Each thread has its own children. */
function childrenOf(pid: number): readonly string[] {
  const tasks = `/proc/${pid}/task`
  return listed(tasks).flatMap(task => textOf(`${tasks}/${task}/children`).split(' ').filter(Boolean))
}

/** The kernel retains the peak, so one read before the end is enough. */
function peakBytes(pid: string): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
}

function cpuMs(pid: string): number {
  const stat = textOf(`/proc/${pid}/stat`)
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) * msPerTick
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Empty once the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
