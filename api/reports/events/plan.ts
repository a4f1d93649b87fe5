import { type GroupingName, isTimeGrouping } from '../../../schema/groupings.ts'
import { bucketsOf, cellsOf, type Circumstances, refFilters, type ReportPlan, machineGroupSetsOf } from '../plan.ts'
import { usedRange } from '../range.ts'
import type { ReportRequest } from '../request.ts'

/** What the plans of reports that count records have in common. */
export type EventPlan = ReportPlan

/** Pure. `byMachine`: rows are told apart by machine, also where groups don't need it. */
export function planEvents(
  { range: requested, groupBy, filters }: ReportRequest,
  { view, calendar, nowMs }: Circumstances,
  { byMachine = false } = {},
): EventPlan {
  const groups = (name: GroupingName) => groupBy.includes(name)
  const range = usedRange(requested, { calendar, nowMs, byHour: groups('hour') })
  const buckets = bucketsOf(groupBy, calendar, range)
  const machine = groups('machine') || byMachine ? 'yes' : groups('machineGroup') ? 'set' : 'no'
  return {
    company: view.company.ref,
    range,
    buckets,
    cellsMs: cellsOf([...buckets.values()]),
    keys: {
      cell: groupBy.some(isTimeGrouping),
      machine,
      shift: groups('shift'),
      run: groups('jobOperation'),
      operation: false,
      operators: false,
      machineGroupSets: machine === 'set' ? machineGroupSetsOf(view) : new Map(),
    },
    filters: refFilters(filters, view),
  }
}

/** The refs that the ids of a filter stand for; an id that nothing has keeps nothing. null: no filter. */
export function refsOf(
  ids: readonly string[] | undefined,
  refs: ReadonlyMap<string, number>,
): readonly number[] | null {
  return ids ? ids.flatMap(id => refs.get(id) ?? []) : null
}

/** Whether no record can be in the report, so that there is nothing to ask for. `more`: of filters of one report. */
export function findsNothing({ range, filters }: EventPlan, ...more: readonly (readonly unknown[] | null)[]): boolean {
  return range.startMs >= range.endMs || [...Object.values(filters), ...more].some(only => only?.length === 0)
}
