import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { AlarmInstance } from '../../../schema/alarm-instance.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { type Choice, machineChoice, statesOf } from '../alarm-instances/plan.ts'
import type { Circumstances } from '../plan.ts'
import { planEvents, type EventPlan } from '../events/plan.ts'
import type { AlarmRequest } from '../request.ts'

/** How an alarm report is answered. */
export interface AlarmPlan extends EventPlan {
  readonly byState: boolean
  readonly byNativeCode: boolean
  readonly states: readonly AlarmInstance['level'][]
  /** Codes as machines send them. */
  readonly codes: Choice<string>
  /** Ids of native codes. */
  readonly natives: Choice<number>
  /** The time that counts, by machine, of those for which it isn't the whole range. */
  readonly bounds: ReadonlyMap<number, TimeRange>
}

/** Pure: what has to be asked of the store for the request. */
export function planAlarm(request: AlarmRequest, circumstances: Circumstances): AlarmPlan {
  const { groupBy, filters, rejects, metrics } = request
  const { view } = circumstances
  const plan = planEvents({ ...request, filters: {} }, circumstances, { byMachine: metrics.includes('machineCount') })
  const { only, not } = machineChoice(view, filters, rejects)
  const rejected = new Set(not)
  const kept = only ?? (not.length > 0 ? view.machines.map(({ ref }) => ref) : null)
  const machines = kept?.filter(ref => !rejected.has(ref)) ?? null
  return {
    ...plan,
    filters: { ...plan.filters, machines },
    byState: groupBy.includes('state'),
    byNativeCode: groupBy.includes('nativeCode'),
    states: statesOf(filters, rejects),
    codes: { only: filters.nativeCode ?? null, not: rejects.nativeCode ?? [] },
    natives: {
      only: filters.nativeCodeId ? intsOf(filters.nativeCodeId) : null,
      not: intsOf(rejects.nativeCodeId ?? []),
    },
    bounds: boundsOf(view.machines, plan.range),
  }
}

/** Ids are ints; other texts stand for nothing. */
function intsOf(ids: readonly string[]): readonly number[] {
  return ids.map(Number).filter((id, i) => String(id) === ids[i] && Number.isInteger(id) && Math.abs(id) < 2 ** 31)
}

function boundsOf(machines: readonly MachineRecord[], { startMs, endMs }: TimeRange): ReadonlyMap<number, TimeRange> {
  return new Map(
    machines.flatMap(({ ref, commissionedAt, decommissionedAt }) => {
      // Without a time of its own it counts from its first sample on at the latest, and no alarm is older.
      const fromMs = commissionedAt === null ? startMs : Math.max(startMs, Date.parse(commissionedAt))
      const toMs = decommissionedAt === null ? endMs : Math.min(endMs, Date.parse(decommissionedAt))
      return fromMs > startMs || toMs < endMs ? [[ref, { startMs: fromMs, endMs: toMs }] as const] : []
    }),
  )
}
