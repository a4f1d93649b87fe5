import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { AlarmInstance } from '../../../schema/alarm-instance.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { FilterView } from '../company/job-runs.ts'
import type { AlarmRequest } from '../request/parse.ts'
import { type Choice, keepsNothing, machineChoice, statesOf, planReport, type ReportPlan } from './plan.ts'

export interface AlarmPlan extends ReportPlan {
  readonly states: readonly AlarmInstance['level'][]
  /** Codes as machines send them. */
  readonly codes: Choice<string>
  readonly natives: Choice<number>
  /** Counted time by machine, if it is not the whole range. */
  readonly bounds: ReadonlyMap<number, TimeRange>
}

/** Pure: plans the query of the request. */
export function planAlarm(request: AlarmRequest, view: FilterView): AlarmPlan {
  const { filters, rejects, metrics } = request
  const plan = planReport({ ...request, filters: {} }, view)
  const { only, not } = machineChoice(view, filters, rejects)
  const rejected = new Set(not)
  const included = only ?? (not.length > 0 ? view.machines.map(({ ref }) => ref) : null)
  const machines = included?.filter(ref => !rejected.has(ref)) ?? null
  const states = statesOf(filters, rejects)
  const codes = { only: filters.nativeCode ?? null, not: rejects.nativeCode ?? [] }
  const natives = {
    only: filters.nativeCodeId ? intsOf(filters.nativeCodeId) : null,
    not: intsOf(rejects.nativeCodeId ?? []),
  }
  return {
    ...plan,
    keys: { ...plan.keys, ...(metrics.includes('machineCount') && { machine: 'yes', machineGroupSets: new Map() }) },
    filters: { ...plan.filters, machines },
    matchesNothing: plan.matchesNothing || keepsNothing([machines, states, codes.only, natives.only]),
    states,
    codes,
    natives,
    bounds: boundsOf(view.machines, plan.range),
  }
}

/** Ids are ints; other texts match nothing. */
function intsOf(ids: readonly string[]): readonly number[] {
  return ids.map(Number).filter((id, i) => String(id) === ids[i] && Number.isInteger(id) && Math.abs(id) < 2 ** 31)
}

function boundsOf(machines: readonly MachineRecord[], { startMs, endMs }: TimeRange): ReadonlyMap<number, TimeRange> {
  return new Map(
    machines.flatMap(({ ref, commissionedAt, decommissionedAt }) => {
      // Without this time, the machine counts from its first sample on, and no alarm is older.
      const fromMs = commissionedAt === null ? startMs : Math.max(startMs, Date.parse(commissionedAt))
      const toMs = decommissionedAt === null ? endMs : Math.min(endMs, Date.parse(decommissionedAt))
      return fromMs > startMs || toMs < endMs ? [[ref, { startMs: fromMs, endMs: toMs }] as const] : []
    }),
  )
}
