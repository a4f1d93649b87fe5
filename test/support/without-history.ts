import type { Records } from '../../processors/records/records.ts'

const kinds: ReadonlySet<unknown> = new Set([
  'annotation',
  'incident',
  'jobOperation',
  'jobRun',
  'operatorRun',
  'partAdjustment',
])
const lists: ReadonlySet<unknown> = new Set(['annotationsOf', 'runsOf', 'operatorRunsOf', 'adjustmentsOf'])

/**
 * The records of a process whose memory contains no job runs, job operations, sign-ins, annotations, part
 * adjustments and incidents: `get` finds none, and lists of them throw.
 */
export function withoutHistory(records: Records): Records {
  return new Proxy(records, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): unknown => {
        if (name === 'get' && kinds.has(args[0])) return null
        if (lists.has(name) || (name === 'list' && kinds.has(args[0])))
          throw new Error(`These records are not in memory: ${String(name)}`)
        return Reflect.apply(value, target, args)
      }
    },
  })
}
