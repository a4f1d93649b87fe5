import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { createJobRunsWriter } from '../../clickhouse/projections/job-runs.ts'
import { createRecordsProjection } from '../../clickhouse/projections/records.ts'
import { createStoredRecords, readInstallationRecord } from '../../clickhouse/projections/stored-records.ts'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import type { Log } from '../../log/log.ts'
import { encodeEntry } from '../../processors/records/entry-codec.ts'
import type { ProjectedPosition, RecordEntry } from '../../schema/commands/command-log.ts'
import { defaultJobOperation } from '../../schema/records/job-operation.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import { asCompanyRef } from '../../schema/refs.ts'
import { topics } from '../../schema/topics.ts'
import { runSync } from '../../shared/async/steps.ts'
import { dayMs } from '../../shared/time/units.ts'

/** Numbers of the records with a time that are written. */
export interface History {
  readonly days: number
  readonly runs: number
  readonly annotations: number
  readonly operatorRuns: number
  readonly operations: number
}

/** Number of changes that are inserted at once. */
const changesPerInsert = 200_000
const operators = 500

/**
 * Writes records of the past years into the embedded store of a service that is stopped, by the writers of the
 * projections, in the order of time, and one entry into its log, which the position of the store names.
 */
export async function writeHistory(dataDir: string, history: History): Promise<void> {
  const store = await openEmbeddedStore({ path: join(dataDir, 'store'), database: 'takt' })
  const log = await openEmbeddedLog({ path: join(dataDir, 'log') })
  try {
    await write(store, log, history)
  } finally {
    await log.close()
    await store.close()
  }
}

async function write(store: Store, log: Log, history: History): Promise<void> {
  const stored = createStoredRecords(store)
  const before = await stored.readPosition()
  if (!before) throw new Error('The store has no position')
  const machines = await machinesOf(stored)
  const projection = createRecordsProjection(store)
  const runs = createJobRunsWriter(store)
  let written = 0
  const total = history.runs + history.annotations + history.operatorRuns + history.operations
  for (const changes of changesOf(history, machines)) {
    const entry = entryOf(changes, before.commandOffset, machines)
    await projection.project([entry], { ...before, commandOffset: before.commandOffset })
    await runs.write(
      changes.flatMap(change => standardsOf(change, machines)),
      before.commandOffset,
    )
    written += changes.length
    process.stderr.write(`… ${written} of ${total} records are in the store\n`)
  }
  await endHistory(store, log, before, history, machines)
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

/** Yields the changes that create the records, at most `changesPerInsert` at once. */
function* changesOf(history: History, machines: readonly MachineRecord[]): Generator<readonly Change[]> {
  const companyId = machines[0]?.companyId ?? ''
  let changes: Change[] = []
  for (const change of eachChange(history, machines, companyId)) {
    changes.push(change)
    if (changes.length < changesPerInsert) continue
    yield changes
    changes = []
  }
  yield changes
}

function* eachChange(history: History, machines: readonly MachineRecord[], companyId: string): Generator<Change> {
  const operations = Array.from({ length: history.operations }, () => randomUUID())
  for (let i = 0; i < operators; i++) {
    const after = { id: `operator-${i}`, ref: i + 1, companyId, name: `Operator ${i}` }
    yield { kind: 'operator', id: after.id, before: null, after }
  }
  for (const name of ['Tool change', 'Jam']) {
    const after = { id: name === 'Jam' ? 2 : 1, companyId, name, color: '#808080', planned: false, hidden: false }
    yield { kind: 'downtimeReason', id: String(after.id), before: null, after }
  }
  for (const [index, id] of operations.entries()) {
    const names = { jobName: `Job ${index}`, operationName: '10', lotName: '', partName: `Part ${index % 1_000}` }
    yield {
      kind: 'jobOperation',
      id,
      before: null,
      after: { ...defaultJobOperation, ...names, id, ref: index + 1, companyId },
    }
  }
  const startMs = Math.floor(Date.now() / dayMs) * dayMs - history.days * dayMs
  const at = (index: number, count: number, offsetMs: number) =>
    new Date(startMs + Math.floor((index / count) * history.days * dayMs) + offsetMs).toISOString()
  const machineOf = (index: number) => machines[index % machines.length]?.id ?? ''
  const everyRun = Math.max(1, Math.round(history.runs / history.annotations))
  const everySignIn = Math.max(1, Math.round(history.runs / history.operatorRuns))
  for (let i = 0; i < history.runs; i++) {
    const [startAt, endAt, id] = [at(i, history.runs, 0), at(i, history.runs, 3 * 3_600_000), `RUN-${randomUUID()}`]
    const jobOperationId = operations[i % operations.length] ?? ''
    const of = { companyId, machineId: machineOf(i), startAt, endAt }
    yield {
      kind: 'jobRun',
      id,
      before: null,
      after: { ...of, id, ref: i + 1, jobOperationId, startInSetup: false, productionAt: null, startSequence: i + 1 },
    }
    if (i % everyRun === 0) {
      const annotation = { ...of, id: randomUUID(), reasonId: i % 50 === 0 ? 2 : 1, note: '' }
      yield { kind: 'annotation', id: annotation.id, before: null, after: annotation }
    }
    if (i % everySignIn === 0) {
      const signIn = { ...of, id: randomUUID(), operatorId: `operator-${i % operators}` }
      yield { kind: 'operatorRun', id: signIn.id, before: null, after: signIn }
    }
  }
}

/** Returns the row of `job_runs` of a created run. */
function standardsOf(
  { kind, after }: Change,
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
      operation: after.ref,
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
