import type { NumberColumn } from '../../../clickhouse/client/native.ts'
import type { Columns } from '../columns.ts'
import type { Share, EventRow } from '../events/groups.ts'

/** The rows of `compileDowntime`'s answer, made one by one. */
export function* rowsOf(columns: Columns): Generator<EventRow> {
  const [
    machines = [],
    reasons = [],
    cells = [],
    shifts = [],
    operations = [],
    others = [],
    lengths = [],
    counts = [],
  ] = columns
  for (let row = 0; row < machines.length; row++) {
    const machine = at(machines, row)
    const reason = at(reasons, row)
    const keys = { machine, reason, cell: at(cells, row), shift: at(shifts, row), operation: at(operations, row) }
    const parts: Share[] = [{ keys, amount: at(lengths, row) }]
    addPlaces(parts, others[row], machine, reason)
    yield { records: at(counts, row), parts }
  }
}

/** Parts without time of their own, of triples of cell, shift and operation. */
function addPlaces(parts: Share[], triples: NumberColumn[number] | undefined, machine: number, reason: number) {
  if (typeof triples !== 'object') return
  for (let i = 0; i < triples.length; i += 3) {
    const keys = { machine, reason, cell: at(triples, i), shift: at(triples, i + 1), operation: at(triples, i + 2) }
    parts.push({ keys, amount: 0 })
  }
}

function at(column: NumberColumn | readonly number[], row: number): number {
  const value = column[row]
  return typeof value === 'number' ? value : 0
}
