import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Sql, sql } from '../../clickhouse/sql/sql.ts'
import type { Store } from '../../clickhouse/client/store.ts'

/** A table of the other stores: its columns in SQL, and the file with its rows. */
export interface FactTable {
  readonly name: string
  readonly columns: Readonly<Record<string, string>>
  readonly rows: Sql
}

/**
 * The facts of the month in relational form: a row for each interval in which state, shift, run and
 * operator of a machine are constant, with the parts made in it; a row for each stop; the standards of the job runs; the machines.
 */
export const factTables: readonly FactTable[] = [
  {
    name: 'segments',
    columns: {
      machine: 'integer',
      start_at: 'timestamp',
      shop_date: 'date',
      shift: 'smallint',
      run: 'integer',
      operator: 'integer',
      scheduled: 'boolean',
      setup: 'boolean',
      in_cycle: 'boolean',
      down: 'boolean',
      duration_ms: 'integer',
      parts: 'double precision',
    },
    // The shop days of the plant are UTC days: each interval is in one day. Intervals that differ only in the spindle are merged.
    rows: sql`
      SELECT machine, fromUnixTimestamp64Milli(toUnixTimestamp(slot) * 1000 + row.1, 'UTC'), toDate(slot), row.3 - 1, row.4, row.5[1],
        row.6, row.7 = 1, row.8, row.9, row.2 - row.1,
        arraySum((at, count) -> if(at >= row.1 AND at < row.2, count, 0), part_at, part_count)
      FROM (
        SELECT machine, slot, part_at, part_count, arrayZip(segment_start, segment_end, segment_shift, segment_run, segment_operators,
            segment_scheduled, segment_mode, segment_in_cycle, segment_down) AS elements,
          arraySplit((element, before) -> element.3 != before.3 OR element.4 != before.4 OR element.5 != before.5
            OR element.6 != before.6 OR element.7 != before.7 OR element.8 != before.8 OR element.9 != before.9,
            elements, arrayPopBack(arrayPushFront(elements, elements[1]))) AS element_runs,
          arrayMap(same -> (same[1].1, same[-1].2, same[1].3, same[1].4, same[1].5, same[1].6, same[1].7, same[1].8, same[1].9),
            element_runs) AS rows
        FROM hours FINAL WHERE company = 1)
      ARRAY JOIN rows AS row ORDER BY slot, machine, row.1`,
  },
  {
    name: 'stops',
    columns: {
      machine: 'integer',
      start_at: 'timestamp',
      end_at: 'timestamp',
      shop_date: 'date',
      reason: 'integer',
    },
    rows: sql`
      SELECT machine, fromUnixTimestamp64Milli(start_ms, 'UTC'), fromUnixTimestamp64Milli(max(end_ms), 'UTC'),
        toDate(fromUnixTimestamp64Milli(start_ms, 'UTC')), any(reason)
      FROM (
        SELECT machine, element.1 AS start_ms, toUnixTimestamp(slot) * 1000 + element.2 AS end_ms, element.3 AS reason
        FROM hours FINAL ARRAY JOIN arrayZip(downtime_record_start_ms, downtime_end, downtime_reason) AS element WHERE company = 1)
      GROUP BY machine, start_ms ORDER BY start_ms, machine`,
  },
  {
    name: 'runs',
    columns: { run: 'integer PRIMARY KEY', ideal_part_ms: 'integer' },
    rows: sql`SELECT run, toUInt32(ideal_part_ms) FROM job_runs FINAL WHERE company = 1 ORDER BY run`,
  },
  {
    name: 'machines',
    columns: { machine: 'integer PRIMARY KEY', machine_group: 'integer' },
    rows: sql`SELECT DISTINCT machine, machine % 20 FROM hours WHERE company = 1 ORDER BY machine`,
  },
]

/** Writes the rows of a table to a CSV file without a header. */
export async function writeRows(store: Store, { rows }: FactTable, path: string): Promise<void> {
  await pipeline(Readable.from(store.stream(rows, 'CSV')), createWriteStream(path))
}

/** The statement that creates the table. */
export function createStatement({ name, columns }: FactTable): string {
  const all = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
  return `CREATE TABLE ${name} (${all.join(', ')})`
}
