/**
 * Measures the disk space of a row of the tables that grow with time, merged, embedded.
 * `node --import tsx bench/growth.ts [machines = 20] [days = 30]`
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../clickhouse/client/embedded-store.ts'
import { migrate } from '../clickhouse/migrations/migrate.ts'
import { rawSql, type Sql, sql, str, uint32 } from '../clickhouse/sql/sql.ts'

const [machines = 20, days = 30] = process.argv.slice(2).map(Number)
const folder = await mkdtemp(join(tmpdir(), 'takt-bench-'))
const store = await openEmbeddedStore({ path: folder, database: 'bench' })
try {
  await migrate(store)
  // A numbered state sample each 50 s, at a random millisecond, one in ten of them a condition with a text.
  await store.command(sql`
    INSERT INTO deciding_samples (company, machine, at_us, key, type, category, value, message, instance_id, sequence)
    SELECT 1, number % ${uint32(machines)} AS m, 1767225600000000 + intDiv(number, ${uint32(machines)}) * 50000000
        + cityHash64(number) % 40000 * 1000 AS us,
      if(number % 10 = 0, concat('alarm', toString(number % 7)), 'execution'), if(number % 10 = 0, 'SYSTEM', 'EXECUTION'),
      if(number % 10 = 0, 'CONDITION', 'EVENT'), ['ACTIVE', 'READY', 'STOPPED', 'INTERRUPTED'][1 + cityHash64(number, 1) % 4],
      if(number % 10 = 0, concat('Spindle load ', toString(cityHash64(number, 2) % 300)), ''),
      1767225600, intDiv(number, ${uint32(machines)}) * 50 + cityHash64(number, 3) % 50
    FROM numbers(${uint32(machines * days * 1728)})`)
  await store.command(sql`
    INSERT INTO seen_minutes (company, machine, minute, first_ms, last_ms)
    SELECT 1, number % ${uint32(machines)}, toDateTime('2026-01-01 00:00:00', 'UTC') + 60 * intDiv(number, ${uint32(machines)}),
      cityHash64(number) % 1000, 59000 + cityHash64(number, 1) % 1000
    FROM numbers(${uint32(machines * days * 1440)})`)
  const json = sql`concat('{"id":"', ${uuid(sql`number`)}, '","companyId":"8f0e3d9a-2a51-4d13-a0a5-0d0f4e3a7c11","machineId":"',
    ${uuid(sql`number % 20`)}, '","jobOperationId":"', ${uuid(sql`(number, 1)`)},
    '","erpJobOperationRunId":"R-', toString(cityHash64(number) % 100000000), '","startAt":"2026-01-05T06:12:',
    toString(10 + number % 50), '.123Z","endAt":null,"mode":"production","createdAt":"2026-01-05T06:12:10.456Z"}')`
  await store.command(sql`
    INSERT INTO records (company, kind, id, ref, json, deleted, command_offset)
    SELECT '8f0e3d9a-2a51-4d13-a0a5-0d0f4e3a7c11', 'benchmark', ${uuid(sql`number`)}, number, ${json}, 0, number
    FROM numbers(200000)`)
  await store.command(sql`
    INSERT INTO credentials (lookup, json, deleted, command_offset)
    SELECT ${uuid(sql`number`)}, ${json}, 1, number FROM numbers(200000)`)
  await store.command(sql`
    INSERT INTO audit (company, command_offset, change, at, actor, actor_kind, actor_name, command, kind, id, before, after)
    SELECT '8f0e3d9a-2a51-4d13-a0a5-0d0f4e3a7c11', number, 0, fromUnixTimestamp64Milli(1767225600000 + number * 9000, 'UTC'),
      ${uuid(sql`number % 30`)}, 'user', 'Ada', 'jobRun.start', 'jobRun', ${uuid(sql`number`)}, '', ${json}
    FROM numbers(200000)`)
  for (const name of ['deciding_samples', 'numbered_samples', 'seen_minutes', 'records', 'credentials', 'audit']) {
    await store.command(rawSql(`OPTIMIZE TABLE ${name} FINAL`))
    const [row] = await store.query<{ readonly n: string; readonly bytes: string }>(
      sql`SELECT sum(rows) AS n, sum(bytes_on_disk) AS bytes FROM system.parts
        WHERE active AND database = currentDatabase() AND table = ${str(name)}`,
    )
    console.log(name, row?.n, (Number(row?.bytes) / Number(row?.n)).toFixed(1), 'B a row')
  }
} finally {
  await store.close()
  await rm(folder, { recursive: true, force: true })
}

/** Returns a UUID, equal for equal values. */
function uuid(of: Sql): Sql {
  return sql`toString(reinterpretAsUUID(sipHash128(${of})))`
}
