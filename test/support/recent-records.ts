import { effectiveRuns } from '../../processors/records/effective-runs.ts'
import { JobOperations } from '../../processors/records/job-operations.ts'
import type { Records } from '../../processors/records/records.ts'

/**
 * The records of a process whose memory contains only the job runs that start from an instant on (UTC ms), and of each
 * machine the one in force at that time, and no job operation. Reads of all runs or operations throw.
 */
export function withRecentRuns(records: Records, inMemoryFromMs: number): Records {
  const inMemory = (machineId: string) => {
    const runs = records.runsOf(machineId)
    const inForce = effectiveRuns(runs).find(({ startMs, endMs }) => startMs < inMemoryFromMs && endMs > inMemoryFromMs)
    return runs.filter(run => run === inForce?.run || Date.parse(run.startAt) >= inMemoryFromMs)
  }
  return new Proxy(records, {
    get(target, name) {
      if (name === 'hasAllOperations') return false
      if (name === 'jobOperations') return () => new JobOperations()
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): unknown => {
        if (name === 'runsOf') return inMemory(String(args[0]))
        if (name === 'runsInMemoryFromMs') return inMemoryFromMs
        if ((name === 'get' || name === 'list') && isStored(args[0])) throw new Error('The records are not in memory')
        return Reflect.apply(value, target, args)
      }
    },
  })
}

function isStored(kind: unknown): boolean {
  return kind === 'jobRun' || kind === 'jobOperation'
}
