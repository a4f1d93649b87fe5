import { dayMs, startMs, usualMetrics } from '../reports/plant.ts'

/** A report as a request to the product and as a query of a relational store. */
export interface ComparedReport {
  readonly name: string
  readonly kind: 'production' | 'downtime'
  readonly body: object
  /** Columns: keys of the groups as numbers, then the values in the order of `values`. */
  readonly select: string
  readonly keys: number
  readonly values: readonly string[]
}

/** SQL of the keys of the groupings. */
const keys = {
  machine: 'machine',
  day: `shop_date - DATE '${dateOf(startMs)}'`,
  machineGroup: 'machine_group',
  operator: 'operator',
  shift: 'shift',
} as const
type Grouping = keyof typeof keys

export function comparedReports(days: number): readonly ComparedReport[] {
  const lastDay = startMs + (days - 1) * dayMs
  const month = { startDay: dateOf(startMs), endDay: dateOf(lastDay) }
  const day = { startDay: dateOf(lastDay), endDay: dateOf(lastDay) }
  return [
    production('a day by machine', day, ['machine']),
    production(`${days} days by day`, month, ['day']),
    production(`${days} days by machine and day`, month, ['machine', 'day']),
    production(`${days} days by group, operator and shift`, month, ['machineGroup', 'operator', 'shift']),
    {
      name: `stops of ${days} days by machine and reason`,
      kind: 'downtime',
      body: { ...month, ...groupBy(['machine', 'reason']) },
      select: `
        SELECT machine, reason, sum(extract(epoch FROM end_at - start_at) * 1000), count(*)
        FROM stops WHERE shop_date BETWEEN '${month.startDay}' AND '${month.endDay}' GROUP BY machine, reason`,
      keys: 2,
      values: ['downtimeMs', 'recordCount'],
    },
  ]
}

interface Days {
  readonly startDay: string
  readonly endDay: string
}

function production(name: string, days: Days, groups: readonly Grouping[]): ComparedReport {
  const by = groups.map((group, index) => `${keys[group]} AS key${index}`)
  return {
    name,
    kind: 'production',
    body: { ...days, ...groupBy(groups), data: usualMetrics.map(metric => ({ metric })) },
    select: productionSelect(by, days),
    keys: groups.length,
    values: usualMetrics,
  }
}

/** Sums by group, then rates of the sums by the formulas of docs/metrics.md. No part of this plant is rejected. */
function productionSelect(by: readonly string[], { startDay, endDay }: Days): string {
  const names = by.map((_, index) => `key${index}`).join(', ')
  return `
    WITH sums AS (
      SELECT ${by.join(', ')},
        sum(duration_ms) FILTER (WHERE scheduled AND NOT setup) AS worked_ms,
        sum(duration_ms) FILTER (WHERE scheduled AND NOT setup AND in_cycle) AS worked_in_cycle_ms,
        sum(parts) FILTER (WHERE scheduled AND NOT setup AND ideal_part_ms IS NOT NULL) AS ideal_actual,
        sum(CAST(duration_ms AS double precision) / ideal_part_ms) FILTER (WHERE scheduled AND NOT setup AND in_cycle) AS ideal_in_cycle,
        sum(parts) AS parts,
        sum(duration_ms) FILTER (WHERE in_cycle) AS in_cycle_ms,
        sum(duration_ms) FILTER (WHERE down) AS down_ms
      FROM segments JOIN runs USING (run) JOIN machines USING (machine)
      WHERE shop_date BETWEEN '${startDay}' AND '${endDay}' GROUP BY ${names}),
    rates AS (
      SELECT *, CAST(worked_in_cycle_ms AS double precision) / worked_ms AS availability, ideal_actual / ideal_in_cycle AS performance FROM sums)
    SELECT ${names}, availability * performance, availability, performance, 1, parts, parts, in_cycle_ms, down_ms FROM rates`
}

function groupBy(groups: readonly string[]): object {
  return { groupBy: groups.map(group => ({ group })) }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
