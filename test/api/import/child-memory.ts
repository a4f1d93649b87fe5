import { readdirSync, readFileSync } from 'node:fs'

const everyMs = 5

/**
 * Follows the processes that this one starts, as those that read workbooks. Stopping answers the most bytes that one of them had in
 * memory, 0 where none was seen: also where the system has no `/proc`.
 */
export function watchChildren(): () => number {
  let mostBytes = 0
  const look = (): void => {
    for (const pid of childrenOf(process.pid)) mostBytes = Math.max(mostBytes, peakBytes(pid))
  }
  const timer = setInterval(look, everyMs)
  return () => {
    clearInterval(timer)
    return mostBytes
  }
}

/** Each thread has children of its own. */
function childrenOf(pid: number): readonly string[] {
  const tasks = `/proc/${pid}/task`
  return listed(tasks).flatMap(task => textOf(`${tasks}/${task}/children`).split(' ').filter(Boolean))
}

/** The kernel keeps the peak, so a look before the end is enough. */
function peakBytes(pid: string): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
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
