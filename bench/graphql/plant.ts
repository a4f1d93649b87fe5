import { int64, sql, uint32, uint64 } from '../../clickhouse/sql/sql.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { hourMs } from '../../shared/time/units.ts'

/** The company of the plant. */
export const company = { id: 'bench', ref: 1 }

/** Number of each kind per machine. */
const per = { annotations: 20, runs: 30, operatorRuns: 30, events: 5, readings: 15, samples: 100, hours: 25 }

const uuid = (kind: string) =>
  ({ parts: [`concat('0000000${kind}-0000-4000-8000-', leftPad(toString(number), 12, '0'))`] }) as const
const machineId = { parts: [`concat('00000001-0000-4000-8000-', leftPad(toString(m), 12, '0'))`] } as const
const iso = (ms: string) => ({
  parts: [`concat(formatDateTime(fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC'), '%Y-%m-%dT%H:%i:%S'), '.000Z')`],
})

/**
 * Writes a plant with the given number of machines, as it is at `nowMs`: records, a day of samples and documents, alarms. Every fifth machine has
 * an alarm, every tenth is stopped with a reason, each has an open run.
 */
export async function writePlant(store: Store, machines: number, nowMs: number): Promise<void> {
  const record = (
    kind: string,
    count: number,
    id: { readonly parts: readonly string[] },
    ref: string,
    fields: string,
  ) =>
    store.command(sql`
      INSERT INTO records SELECT ${{ parts: [`'${company.id}', '${kind}'`] }}, ${id} AS id, ${{ parts: [ref] }},
        toJSONString(map(${{ parts: [fields] }})), 0, number + 1
      FROM (SELECT number, intDiv(number, ${uint64(Math.max(1, count / machines))}) AS m, number % ${uint64(Math.max(1, count / machines))} AS n,
        ${int64(nowMs)} AS now FROM numbers(${uint64(count)}))`)
  const text = (name: string, value: string) => `'${name}', toString(${value})`
  await record('company', 1, { parts: [`'${company.id}'`] }, '1', text('id', "'bench'"))
  await record(
    'machine',
    machines,
    uuid('1'),
    'number + 1',
    `${text('name', "concat('Machine ', toString(number))")}, ${text('make', "'Haas'")}`,
  )
  await record(
    'downtimeReason',
    10,
    { parts: ['toString(number + 1)'] },
    '0',
    `${text('name', "concat('Reason ', toString(number))")}, ${text('color', "'#ff0000'")}`,
  )
  await record('operator', 50, uuid('2'), 'number + 1', text('name', "concat('Operator ', toString(number))"))
  await record(
    'jobOperation',
    200,
    uuid('3'),
    'number + 1',
    `${text('jobName', "concat('Job ', toString(number))")}, ${text('partName', "'Shaft'")}`,
  )
  await writeMoments(store, 'annotation', per.annotations, machines, nowMs)
  await writeMoments(store, 'operatorRun', per.operatorRuns, machines, nowMs)
  await writeMoments(store, 'jobRun', per.runs, machines, nowMs)
  for (const table of ['annotations', 'operator_runs', 'machine_runs'])
    await store.command({ parts: [`INSERT INTO ${table}_in SELECT * FROM records`] })
  await store.command(sql`
    INSERT INTO samples (company, machine, at_us, key, type, subtype, category, value)
    SELECT 1, intDiv(number, ${uint64(20 * per.samples)}) + 1 AS machine,
      (${int64(nowMs - 24 * hourMs)} + intDiv((number % ${uint64(per.samples)}) * ${uint64(24 * hourMs)}, ${uint64(per.samples)})) * 1000 AS at_us,
      if(k = 0, 'execution', concat('key', toString(intDiv(number, ${uint64(per.samples)}) % 20 AS k))) AS key,
      if(k = 0, 'EXECUTION', 'ANY') AS type, '', if(k < 5, 'EVENT', 'SAMPLE') AS category,
      if(k < 5, ['ACTIVE', 'READY', 'STOPPED'][cityHash64(number) % 3 + 1], toString(cityHash64(number) % 10000)) AS value
    FROM numbers(${uint64(machines * 20 * per.samples)})`)
  await store.command(sql`
    INSERT INTO deciding_samples (company, machine, at_us, key, type, subtype, category, value)
    SELECT company, machine, at_us, key, type, subtype, category, value FROM samples WHERE type = 'EXECUTION'`)
  await store.command(sql`
    INSERT INTO latest_values SELECT company, machine, key, type, subtype, max(at_us), argMax(value, at_us), any(category)
    FROM samples GROUP BY company, machine, key, type, subtype`)
  const slotMs = Math.floor(nowMs / hourMs) * hourMs
  const slots = sql`toDateTime(${int64(slotMs / 1000)} - (number % ${uint64(per.hours)}) * 3600, 'UTC')`
  const alarm = (value: string) => ({ parts: [`if(machine % 5 = 0, [${value}], [])`] })
  await store.command(sql`
    INSERT INTO hours (company, machine, slot, version, segment_start, segment_end, segment_status, segment_in_cycle,
      alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms)
    SELECT 1, intDiv(number, ${uint64(per.hours)}) + 1 AS machine, ${slots}, 1, [0, 600000, 1200000, 1800000, 2400000, 3000000],
      [600000, 1200000, 1800000, 2400000, 3000000, 3600000], [2, 1, 2, 1, 2, if(number % 3 = 0, 1, 2)], [1, 0, 1, 0, 1, 1],
      ${alarm("'system'")}, ${alarm("'E7'")}, ${alarm("'Coolant low'")}, ${alarm('1')}, ${alarm(String(slotMs - 23 * hourMs))},
      ${alarm('9007199254740991')}
    FROM numbers(${uint64(machines * per.hours)})`)
}

/** Annotations, operator runs or job runs: one after the other on each machine, an hour each, the last one open. */
async function writeMoments(store: Store, kind: string, each: number, machines: number, nowMs: number): Promise<void> {
  const isOpen = kind === 'annotation' ? 'n = 0 AND m % 10 = 0' : 'n = 0'
  const fields = [
    `'machineId', ${machineId.parts.join('')}`,
    `'startAt', ${iso('now - (n + 1) * 3600000').parts.join('')}`,
    `'endAt', if(${isOpen}, '', ${iso('now - n * 3600000').parts.join('')})`,
    `'operatorId', concat('00000002-0000-4000-8000-', leftPad(toString(m % 50), 12, '0'))`,
    `'jobOperationId', concat('00000003-0000-4000-8000-', leftPad(toString(m % 200), 12, '0'))`,
    `'reasonId', toString(m % 10 + 1)`,
    `'note', ''`,
  ].join(', ')
  await store.command(sql`
    INSERT INTO records SELECT ${{ parts: [`'${company.id}', '${kind}'`] }}, ${{ parts: [`concat('${kind}-', toString(number))`] }}, number + 1,
      replaceRegexpOne(toJSONString(map(${{ parts: [fields] }})), '"reasonId":"(\\d+)"', '"reasonId":\\1'), 0, number + 1
    FROM (SELECT number, intDiv(number, ${uint32(each)}) AS m, number % ${uint32(each)} AS n, ${int64(nowMs)} AS now
      FROM numbers(${uint64(machines * each)}))`)
}
