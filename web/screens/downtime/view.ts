import { idsIn } from '../../data/production.ts'
import { periodOf } from '../../reports/period-picker.tsx'
import type { PeriodChoice } from '../../time/period.ts'

/** The selected part of the downtime; the address contains all of it. */
export interface DowntimeView {
  readonly choice: PeriodChoice
  /** Ids; none: all machines. */
  readonly machines: readonly string[]
  /** Ids of machine groups, `none` for machines in none; none: all. */
  readonly groups: readonly string[]
  /** Reason of the stops that are listed: an id, `uncategorized`, `setup`, or `all`. */
  readonly reason: string
  readonly order: 'start' | 'duration'
}

/** Reads the view of an address. */
export function downtimeViewOf(query: URLSearchParams): DowntimeView {
  return {
    choice: periodOf(query, 'week'),
    machines: idsIn(query, 'machine'),
    groups: idsIn(query, 'group'),
    reason: query.get('reason') ?? 'uncategorized',
    order: query.get('order') === 'start' ? 'start' : 'duration',
  }
}
