import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createAlarmIdStore } from '../../clickhouse/documents/alarm-ids.ts'
import { createAuditProjection } from '../../clickhouse/projections/audit.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { createProgressStore } from '../../clickhouse/documents/progress-store.ts'
import { createDocumentStore } from '../../clickhouse/documents/documents.ts'
import { createJobRunsProjection } from './job-runs-projection.ts'
import { createRecordsProjection } from '../../clickhouse/projections/records.ts'
import { readAfterWrite } from '../../clickhouse/projections/read-after-write.ts'
import { createStoredRecords } from '../../clickhouse/projections/stored-records.ts'
import { createAssignAlarmIds, assignAlarmIds } from '../../processors/alarms/assign-alarm-ids.ts'
import { sequenceReused } from '../../ingest/consume/reused-sequences.ts'
import type { RegistrarOptions } from '../../processors/registrar/options.ts'
import { createRegistrarRole } from '../../processors/registrar/role.ts'
import { conditionLimits } from '../../processors/timeline/conditions.ts'
import { Processor, type ProcessorDeps } from '../../processors/partitions/processor.ts'
import { registrarHistory } from '../record-history.ts'
import { deleteOldRecords } from './records-retention.ts'
import { shareRecords } from './shared-records.ts'
import type { ServiceContext } from '../context.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { every } from '../../shared/async/every.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import type { Teardown } from '../teardown.ts'

const { active, begunInHour } = conditionLimits
const conditionLimitMessage = `The machine has ${active} active conditions, or ${begunInHour} alarms in one hour, which are the limits. Further conditions and alarms are ignored. Clear conditions with NORMAL`

/** Creates the processor. Called before the records follow the log, because the processor must receive every change. */
export function createProcessor(
  context: ServiceContext,
  listeners: Pick<ProcessorDeps, 'onSeen' | 'onDocuments' | 'onConsumed' | 'onReleasing'> = {},
): Processor {
  const {
    log,
    store,
    records,
    followed,
    commands,
    machineInputs,
    history,
    calendarOf,
    sampleIssues,
    problems,
    clock,
    batchScheduler,
    openReads,
    logger,
  } = context
  const owner = `${hostname()}/${process.pid}/${randomUUID()}`
  const catchUpRecords = () => followed.catchUp()
  const documents = createDocumentStore(store, () => batchScheduler.lingerMs)
  const alarmIds = createAlarmIdStore(store)
  return new Processor({
    log,
    store: documents,
    alarmIds,
    records,
    catchUpRecords,
    commands,
    machineInputs,
    history,
    calendarOf,
    onSkippedSamples: (machineRef, _, samples) =>
      sampleIssues.report(machineRef, 'too_many_conditions', conditionLimitMessage, samples, null),
    onSequenceReused: (machineRef, key, sequence) =>
      sampleIssues.report(machineRef, 'sequence_reused', sequenceReused(key, sequence), 1, key),
    clock,
    batchScheduler,
    isReading: () => openReads.isReading,
    problems,
    logger,
    owner,
    ...listeners,
  })
}

/**
 * Starts the registrar of this process. One registrar at a time turns commands into records; those of other processes
 * wait to take over.
 */
export function startRegistrar(context: ServiceContext, teardown: Teardown): void {
  const { log, store: readable, projected, projecting, logger, problems, clock, recordLimits: limits } = context
  const { inserts } = projecting
  const effects = () => new Map([[assignAlarmIds, createAssignAlarmIds(createAlarmIdStore(projecting.store))]])
  const store: Store = inserts
    ? { ...projecting.store, insert: (...rows) => inserts.insert(...rows) }
    : projecting.store
  const audit = createAuditProjection(store)
  // Not the store of other readers, which wait for the end of a takeover.
  const written = inserts ? readAfterWrite(projecting.store, inserts.accepted) : projecting.store
  const jobRuns = createJobRunsProjection(store, written)
  const recordRows = createRecordsProjection(store)
  const project: RegistrarOptions['project'] = async (entries, current, position, operations) => {
    await Promise.all([audit.project(entries, current), jobRuns.project(entries, current, operations)])
    // Last, because these rows contain the position of all projections.
    await recordRows.project(entries, position)
  }
  const stored = shareRecords(createStoredRecords(projecting.store, { limits, clock }), context)
  const history = registrarHistory({
    store: readable,
    unsettled: projecting.store,
    settled: async () => inserts?.settled(),
  })
  inserts?.startTakeover()
  // If no other process reads the log, no mark in the log is needed.
  const onProjected = (commandOffset: number) => {
    inserts?.endTakeover()
    projected.reach(commandOffset)
  }
  const isAlone = log.kind === 'embedded'
  const options = {
    log,
    logger,
    problems,
    effects,
    project,
    stored,
    history,
    ...(isAlone && { onProjected }),
    memoryLimits: limits,
  }
  startRecordsRetention(context, teardown)
  const registrar = createRegistrarRole(options)
  // The registrar retries after failures.
  crashOnRejection(registrar.run())
  teardown.add('registrar', async () => {
    await registrar.stop()
    await inserts?.stop()
  })
}

const retentionEveryMs = hourMs

/** Deletes old entries of records.v1 at intervals, if their retention is limited. */
function startRecordsRetention({ config, log, store, clock, logger }: ServiceContext, teardown: Teardown): void {
  const days = config.TAKT_RECORDS_RETENTION_DAYS
  if (days === null) return
  const deps = { log, stored: createStoredRecords(store), progress: createProgressStore(store) }
  const stop = every(retentionEveryMs, () => {
    deleteOldRecords(deps, clock() - days * dayMs).catch((error: unknown) =>
      logger.warn({ err: error }, 'Old entries of records.v1 were not deleted'),
    )
  })
  teardown.add('retention of records', async () => stop())
}

/**
 * Starts the processor of this process; resolves when it has joined the group that shares the partitions of state
 * samples.
 */
export async function startProcessor(processor: Processor, teardown: Teardown): Promise<void> {
  teardown.add('processor', () => processor.stop())
  await Promise.race([processor.joined, processor.run()])
}
