import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import { openServerStore } from '../../clickhouse/client/server-store.ts'
import { storedText, wide } from '../../clickhouse/client/kinds.ts'
import { firstRow, ofPipeline, rows } from '../../clickhouse/client/rows.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { createJobRunsWriter } from '../../clickhouse/projections/job-runs.ts'
import { createRecordsProjection } from '../../clickhouse/projections/records.ts'
import { createStoredRecords, readInstallationRecord } from '../../clickhouse/projections/stored-records.ts'
import { join as joined, type Sql, sql } from '../../clickhouse/sql/sql.ts'
import { fromAll } from '../../clickhouse/tables/from.ts'
import {
  annotationsIn,
  jobOperationsIn,
  jobRuns,
  machineRunsIn,
  operatorRunsIn,
  records,
} from '../../clickhouse/tables/records.ts'
import { identifier, type Table } from '../../clickhouse/tables/table.ts'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import { openKafkaLog } from '../../log/kafka/kafka-log.ts'
import type { Log } from '../../log/log.ts'
import { encodeEntry } from '../../processors/records/entry-codec.ts'
import type { ProjectedPosition, RecordEntry } from '../../schema/commands/command-log.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { type Change, changeBetween } from '../../schema/records/record-kinds.ts'
import { asCompanyRef } from '../../schema/refs.ts'
import { topics } from '../../schema/topics.ts'
import { runSync } from '../../shared/async/steps.ts'
import { type History, type HistoryKind, operators, type Rows, RowsOfYears } from './years-of-rows.ts'

const database = 'takt'
/** Number of runs whose rows, and those of the other kinds of the same time, are inserted at once. */
const runsPerInsert = 500_000
/** Number of records of each kind that the row writers write, to compare the other rows with theirs. */
const comparedRecords = 100

/** Tables from which views copy the rows of each kind. */
const copies = {
  jobOperation: jobOperationsIn,
  jobRun: machineRunsIn,
  annotation: annotationsIn,
  operatorRun: operatorRunsIn,
} as const satisfies Record<HistoryKind, Table>

/**
 * Writes records of the past years into the store of a service with these settings that is stopped, in the order of time, and one entry
 * into its log, which the position of the store names. Rejects unless the rows equal those of the row writers of the
 * projections.
 */
export async function writeHistory(settings: Readonly<Record<string, string>>, history: History): Promise<void> {
  const { TAKT_DATA_DIR: dataDir = '', KAFKA_BROKERS: brokers } = settings
  const store = await openStoreOf(settings, dataDir)
  const log =
    brokers === undefined
      ? await openEmbeddedLog({ path: join(dataDir, 'log') })
      : await openKafkaLog({ brokers: brokers.split(','), clientId: 'benchmark' })
  try {
    await write(store, log, history)
  } finally {
    await log.close()
    await store.close()
  }
}

function openStoreOf(settings: Readonly<Record<string, string>>, dataDir: string): Promise<Store> {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username = '', CLICKHOUSE_PASSWORD: password = '' } = settings
  return url === undefined
    ? openEmbeddedStore({ path: join(dataDir, 'store'), database })
    : openServerStore({ url, username, password, database })
}

async function write(store: Store, log: Log, history: History): Promise<void> {
  const stored = createStoredRecords(store)
  const before = await stored.readPosition()
  if (!before) throw new Error('The store has no position')
  const machines = await machinesOf(stored)
  const years = new RowsOfYears(history, machines, before.commandOffset)
  await writeByWriters(store, years, before, history, machines)
  await insertOperations(store, years, history.operations)
  for (let from = 0; from < history.runs; from += runsPerInsert) {
    const to = Math.min(history.runs, from + runsPerInsert)
    await insertRuns(store, years, history, from, to)
    process.stderr.write(`… ${to} of ${history.runs} runs, with the other records of their time, are in the store\n`)
  }
  await endHistory(store, log, before, history, machines)
}

/** Writes operators, reasons, and the first records of each kind by the row writers; rejects unless the rows of `years` are equal. */
async function writeByWriters(
  store: Store,
  years: RowsOfYears,
  before: ProjectedPosition,
  { operations }: History,
  machines: readonly MachineRecord[],
): Promise<void> {
  const kinds: readonly HistoryKind[] = ['jobOperation', 'jobRun', 'annotation', 'operatorRun']
  const first = kinds.map(kind => years.records(kind, 0, comparedRecords).select)
  const expected = sql`(${joined(first, sql` UNION ALL `)})`
  const found = await rows(store, sql`SELECT kind, json FROM ${expected}`, { kind: storedText, json: storedText })
  const created = found.map(({ kind, json }): Change => {
    const record: JobRunRecord = JSON.parse(json)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record is of this kind
    return changeBetween(kind as 'jobRun', record.id, null, record)
  })
  const changes = [...namedRecords(machines), ...created]
  await createRecordsProjection(store).project([entryOf(changes, before.commandOffset, machines)], before)
  await createJobRunsWriter(store).write(
    changes.flatMap(each => standardsOf(each, operations, machines)),
    before.commandOffset,
  )
  const { columns, select } = years.standards(0, comparedRecords)
  const written = sql`SELECT company, kind, ref, id, json, deleted, command_offset ${fromAll(records, why)}`
  await expectNone(store, sql`SELECT * FROM ${expected} EXCEPT ${written}`)
  await expectNone(store, sql`${select} EXCEPT SELECT ${columns} ${fromAll(jobRuns, why)}`)
}

const why = 'the rows of a benchmark are compared'

async function expectNone(store: Store, query: Sql): Promise<void> {
  const row = await firstRow(store, sql`SELECT toInt64(count()) AS count FROM (${query})`, { count: wide }, ofPipeline)
  if (row?.count !== 0) throw new Error(`${row?.count} rows differ from those of the row writers`)
}

async function insertOperations(store: Store, years: RowsOfYears, operations: number): Promise<void> {
  const perInsert = 2 * runsPerInsert
  for (let from = 0; from < operations; from += perInsert) {
    const rowsOf = years.records('jobOperation', from, Math.min(operations, from + perInsert))
    await Promise.all([insert(store, copies.jobOperation, rowsOf), insert(store, records, rowsOf)])
  }
}

/** Inserts runs, and the records of the other kinds of the same time. */
async function insertRuns(
  store: Store,
  years: RowsOfYears,
  { runs, annotations, operatorRuns }: History,
  from: number,
  to: number,
): Promise<void> {
  const counts = { jobRun: runs, annotation: annotations, operatorRun: operatorRuns }
  const ofKind = (kind: keyof typeof counts) => years.records(kind, ...partOf(counts[kind], from / runs, to / runs))
  const [ofRuns, ofAnnotations, ofOperatorRuns] = [ofKind('jobRun'), ofKind('annotation'), ofKind('operatorRun')]
  const all = joined([ofRuns.select, ofAnnotations.select, ofOperatorRuns.select], sql` UNION ALL `)
  const insertCopies = async () => {
    await insert(store, copies.jobRun, ofRuns)
    await insert(store, copies.annotation, ofAnnotations)
    await insert(store, copies.operatorRun, ofOperatorRuns)
    await insert(store, jobRuns, years.standards(from, to))
  }
  await Promise.all([insert(store, records, { ...ofRuns, select: all }), insertCopies()])
}

function partOf(count: number, from: number, to: number): readonly [from: number, to: number] {
  return [Math.round(count * from), Math.round(count * to)]
}

function insert(store: Store, table: Table, { columns, select }: Rows): Promise<void> {
  return store.command(sql`INSERT INTO ${identifier(table.name)} (${columns}) ${select}`)
}

/** The operators and reasons to which the records of `RowsOfYears` refer. */
function namedRecords(machines: readonly MachineRecord[]): readonly Change[] {
  const companyId = machines[0]?.companyId ?? ''
  const signedIn = Array.from({ length: operators }, (_, i) => {
    const after = { id: `operator-${i}`, ref: i + 1, companyId, name: `Operator ${i}` }
    return changeBetween('operator', after.id, null, after)
  })
  const reasons = ['Tool change', 'Jam'].map((name, i) => {
    const after = { id: i + 1, companyId, name, color: '#808080', planned: false, hidden: false }
    return changeBetween('downtimeReason', String(after.id), null, after)
  })
  return [...signedIn, ...reasons]
}

/** Appends an entry after the written records to the log, and its command, and makes it the position of the store. */
async function endHistory(
  store: Store,
  log: Log,
  before: ProjectedPosition,
  { runs, operations }: History,
  machines: readonly MachineRecord[],
): Promise<void> {
  const [machine] = machines
  if (!machine) throw new Error('The plant has no machine')
  const base = (await readInstallationRecord(store))?.commandOffsetBase ?? 0
  const entry = entryOf([{ kind: 'machine', id: machine.id, before: machine, after: machine }], 0, machines)
  const [command] = await log.append(topics.commands, [
    { key: null, value: Buffer.from(JSON.stringify({ ...entry.command, freshIds: [], payload: {} })), partition: 0 },
  ])
  const last = { ...entry, commandOffset: (command?.offset ?? 0) + base }
  const values = runSync(encodeEntry(last))
  const positions = await log.append(
    topics.records,
    values.map(value => ({ key: null, value, partition: 0 })),
  )
  const { highestRefs } = before
  await createRecordsProjection(store).project([last], {
    ...before,
    commandOffset: last.commandOffset,
    commandId: last.command.id,
    offset: positions.at(-1)?.offset ?? 0,
    highestRefs: {
      ...highestRefs,
      jobRun: (highestRefs['jobRun'] ?? 0) + runs,
      startSequence: (highestRefs['startSequence'] ?? 0) + runs,
      jobOperation: (highestRefs['jobOperation'] ?? 0) + operations,
      operator: (highestRefs['operator'] ?? 0) + operators,
    },
  })
}

async function machinesOf(stored: ReturnType<typeof createStoredRecords>): Promise<readonly MachineRecord[]> {
  const machines: MachineRecord[] = []
  await stored.readRecords(page => {
    for (const { kind, after } of page) if (kind === 'machine' && after) machines.push(after)
  })
  return machines
}

/** Returns the row of `job_runs` of a created run. */
function standardsOf(
  { kind, after }: Change,
  operations: number,
  machines: readonly MachineRecord[],
): Parameters<ReturnType<typeof createJobRunsWriter>['write']>[0] {
  if (kind !== 'jobRun' || !after) return []
  const endMs = after.endAt === null ? null : Date.parse(after.endAt)
  const machine = machines[(after.ref - 1) % machines.length]
  if (!machine) return []
  return [
    {
      companyRef: asCompanyRef(1),
      run: after.ref,
      id: after.id,
      machineRef: machine.ref,
      operation: ((after.ref - 1) % operations) + 1,
      startMs: Date.parse(after.startAt),
      endMs,
      untilMs: endMs,
      isDeleted: false,
      thresholds: {},
      multiplier: 1,
      idealPartMs: null,
      expectedPartMs: null,
      expectedSetupMs: 0,
    },
  ]
}

function entryOf(changes: readonly Change[], commandOffset: number, machines: readonly MachineRecord[]): RecordEntry {
  const nowMs = Date.now()
  const companyId = machines[0]?.companyId ?? null
  const command = { id: randomUUID(), deadlineMs: nowMs, nowMs, companyId, actor: 'benchmark', name: 'benchmark' }
  return { command, commandOffset, outcome: { ok: true, result: null }, changes }
}
