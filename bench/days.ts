/**
 * Measures the time in which the day documents of a shop day are built from its hours, and their size on disk.
 * `node --import tsx bench/days.ts [machines = 5000] [per statement = 250]`; on a server if CLICKHOUSE_URL is set.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDayStore } from '../clickhouse/documents/day-store.ts'
import { openEmbeddedStore } from '../clickhouse/client/embedded-store.ts'
import { migrate } from '../clickhouse/migrations/migrate.ts'
import { openServerStore } from '../clickhouse/client/server-store.ts'
import { int64, second, sql, uint32 } from '../clickhouse/sql/sql.ts'
import type { Store } from '../clickhouse/client/store.ts'
import { dayMs } from '../shared/time/units.ts'
import { asCompanyRef, asMachineRef } from '../schema/refs.ts'

const [machines = 5000, perStatement = 250] = process.argv.slice(2).map(Number)
const startMs = Date.UTC(2026, 0, 5, 5)
const day = { startMs, endMs: startMs + dayMs, shopDate: '2026-01-05' }

const folder = await mkdtemp(join(tmpdir(), 'takt-bench-'))
const url = process.env['CLICKHOUSE_URL']
const store = url
  ? await openServerStore({ url, database: `bench_${process.pid}` })
  : await openEmbeddedStore({ path: folder, database: 'bench' })
try {
  await migrate(store)
  await fill(store)
  await bench(store)
} finally {
  await store.close()
  await rm(folder, { recursive: true, force: true })
}

/** Hours of four weeks around the day, all busy: 15 stops with two reasons, some across the end of the hour, two runs a day, three shifts. */
async function fill(into: Store): Promise<void> {
  for (let week = -2; week < 2; week++) {
    await into.command(sql`
      INSERT INTO hours (company, machine, slot, version,
        facts_cell, facts_shift, facts_run, facts_operators, facts_mode, facts_scheduled, facts_non_optional, facts_first, facts_last, facts_duration_ms, facts_in_cycle_ms, facts_spindle_ms, facts_cut_ms,
        facts_parts, facts_adjusted, facts_scrap, facts_nonconform,
        downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode, downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms)
      WITH number % ${uint32(machines)} AS machine,
        ${second(startMs + week * 7 * dayMs)} + intDiv(number, ${uint32(machines)}) * 3600 AS slot,
        toUnixTimestamp(slot) AS at, intDiv(at, 28800) % 3 + 1 AS shift, machine * 10 + intDiv(at, 43200) % 2 AS run,
        if(machine % 3 = 0, [], [machine % 100]) AS ops, range(15) AS stops,
        arrayMap(i -> if(i = 0, 0, i * 240000 + (machine * 7919 + at * i) % 60000), stops) AS starts,
        arrayMap((i, begin) -> if(i = 14, 3600000, begin + 30000 + (machine * 104729 + at * i) % 90000), stops, starts) AS ends
      SELECT 1, machine, slot, 1,
        [0], [shift], [run], [ops], [2], [1], [1], [0], [3600000], [3600000],
        [3600000 - arraySum(ends) + arraySum(starts)], [2000000], [0], [40 + machine % 9], [0], [0], [0],
        arrayMap(i -> 0, stops), arrayMap(i -> shift, stops), arrayMap(i -> run, stops), arrayMap(i -> ops, stops),
        arrayMap(i -> 2, stops), arrayMap(i -> 1, stops), arrayMap(i -> 1, stops), starts, ends,
        arrayMap(i -> if(i % 14 = 0, 0, i % 3), stops),
        arrayMap((i, begin) -> toInt64(at) * 1000 + if(i = 0, -160000, begin), stops, starts)
      FROM numbers(${uint32(machines * 168)})`)
  }
}

async function bench(on: Store): Promise<void> {
  const days = createDayStore(on)
  const refs = Array.from({ length: machines }, (_, i) => asMachineRef(i))
  const times: number[] = []
  const before = process.cpuUsage()
  for (let first = 0; first < machines; first += perStatement) {
    const started = performance.now()
    await days.buildDays(asCompanyRef(1), refs.slice(first, first + perStatement), [day], BigInt(first + 1))
    times.push(performance.now() - started)
  }
  const total = times.reduce((sum, ms) => sum + ms, 0)
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1000
  const figures = [
    `${total.toFixed(0)} ms`,
    `${cpuMs.toFixed(0)} ms of CPU`,
    `the longest ${Math.max(...times).toFixed(0)} ms`,
  ]
  console.log(`${machines} machines, ${times.length} statements: ${figures.join(', ')}`)
  const started = performance.now()
  await days.buildDays(asCompanyRef(1), refs.slice(0, 1), [day], 2n << 40n)
  console.log(`1 machine: ${(performance.now() - started).toFixed(0)} ms`)
  await on.command(sql`OPTIMIZE TABLE days FINAL`)
  const rows = await on.query(sql`
    SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, round(bytes / rows * if(table = 'days', 1, 24)) AS bytesPerMachineDay
    FROM system.parts WHERE database = currentDatabase() AND active AND table IN ('hours', 'days') GROUP BY table`)
  for (const row of rows) console.log(JSON.stringify(row))
  const sums = await on.query(sql`
    SELECT sum(arraySum(facts_duration_ms)) AS ms, sum(arraySum(downtime_duration_ms)) AS down, sum(arraySum(downtime_records)) AS records,
      sum(length(facts_duration_ms)) AS facts
    FROM days FINAL WHERE start_ms = ${int64(startMs)}`)
  console.log(JSON.stringify(sums))
}
