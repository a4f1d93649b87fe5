import type { EventSum } from '../../../schema/event-metrics.ts'
import type { Columns } from '../query/columns.ts'
import type { DowntimePlan } from '../plan/downtime.ts'
import { keyNames } from '../plan/plan.ts'
import { keysIn, type Rows, rowsOf } from './rows.ts'
import { numberAt, ofShares, sharesOf } from './shares.ts'

/** Each further place of a row's records is three numbers in the column of the others. */
const placeKeys = ['cell', 'shift', 'operation'] as const

/** The rows of the answer to `compileDowntime`: records count once, whatever places they lie in. */
export function downtimeRows(plan: DowntimePlan, columns: Columns): Rows<EventSum> {
  const names = keyNames(plan)
  const [others = [], ...sumColumns] = columns.slice(names.length)
  const placesIn = (row: number) => {
    const places = others[row]
    return typeof places === 'object' ? places : []
  }
  const shares = sharesOf(others.length, row => 1 + placesIn(row).length / placeKeys.length)
  if (shares.count === others.length) {
    const plain = [...columns.slice(0, names.length), ...sumColumns]
    return rowsOf(names, [['amount', 'add'], ['records', 'add']], plain) // prettier-ignore
  }
  const [downMs, counted] = sumColumns
  const inAnswer = keysIn(names, columns)
  const keys = Object.fromEntries(names.map(name => [name, ofShares(inAnswer[name], shares)] as const))
  const amount = ofShares(downMs, shares)
  let first = 0
  for (let share = 0; share < shares.count; share++) {
    if (shares.isFirst(share)) {
      first = share
      continue
    }
    amount[share] = 0 // all time is in the first
    const places = placesIn(shares.rows[share] ?? 0)
    for (const [i, name] of placeKeys.entries()) {
      const column = keys[name]
      if (column) column[share] = numberAt(places, (share - first - 1) * placeKeys.length + i)
    }
  }
  const sums: Rows<EventSum>['sums'] = new Map([
    ['amount', { how: 'add', values: amount }],
    ['records', { how: 'once', values: ofShares(counted, shares), numbers: shares.rows }],
  ])
  return { count: shares.count, keys, sums }
}
