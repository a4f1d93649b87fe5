import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Store } from '../clickhouse/client/store.ts'
import { recordHistory } from './record-history.ts'
import { readAfterWrite } from '../clickhouse/projections/read-after-write.ts'
import { createStoredRecords } from '../clickhouse/projections/stored-records.ts'
import { TrailingInserts } from '../clickhouse/projections/trailing-inserts.ts'
import { createMachineDirectory } from '../ingest/consume/directory.ts'
import type { MachineDirectory } from '../ingest/consume/ports.ts'
import { createCalendar } from '../processors/calendar/calendar.ts'
import type { Calendar } from '../processors/calendar/types.ts'
import { shareCalendars } from '../processors/records/machine-inputs.ts'
import { BatchScheduler } from '../processors/partitions/batch-scheduler.ts'
import { OpenReads } from '../processors/partitions/open-reads.ts'
import { memoryLimits } from '../processors/records/memory-bounds.ts'
import { Records } from '../processors/records/records.ts'
import { MachineInputCache } from '../processors/records/machine-input-cache.ts'
import type { RecordHistory } from '../processors/records/record-history.ts'
import { createCommandClient, type CommandClient } from '../processors/registrar/client.ts'
import type { MemoryLimits } from '../schema/commands/stored-records.ts'
import type { Log } from '../log/log.ts'
import { ReachedOffset } from '../shared/async/reached-offset.ts'
import { Problems } from '../shared/problems.ts'
import type { Config } from './config.ts'
import { FollowedRecords } from './followed-records.ts'
import { openDataFolder } from './data-folder.ts'
import { ForwardedOffsets } from './live/forwarded-offsets.ts'
import { LocalValues } from './live/local-values.ts'
import { writeLockHolder } from './lock-holder.ts'
import { measuredStore } from './monitoring/metrics.ts'
import { openLog, openStore, toStderr, type StartupReporter } from './open-clients.ts'
import { reportFailedWrites } from './monitoring/damaged-parts.ts'
import { createSampleIssueCollector, type SampleIssueCollector } from './monitoring/sample-issues.ts'
import { maxRawFlushIntervalMs, maxFlushIntervalMs } from './live/flush-intervals.ts'
import type { Teardown } from './teardown.ts'

/** Inputs of all roles: settings, clock, logger, and clients that are already open. */
export interface ServiceInputs {
  readonly config: Config
  readonly logger: Logger
  readonly clock: () => number
  readonly log?: Log
  readonly store?: Store
  /** Writes a line about a server that the start waits for; default: to stderr. */
  readonly report?: StartupReporter
  /** Receives the problems of a log or store that is already open; default: a new list. */
  readonly problems?: Problems
  /** Limits of the records with a time that stay in memory. */
  readonly recordLimits?: MemoryLimits
}

/**
 * The parts that all roles share. Before `prepareInstallation` resolves, the records are empty, and topics and tables
 * may be missing.
 */
export interface ServiceContext {
  readonly config: Config
  readonly logger: Logger
  /** UTC ms. */
  readonly clock: () => number
  readonly log: Log
  /**
   * The store for reads. If this process owns log and store, reads of records wait until the store contains every
   * acknowledged change.
   */
  readonly store: Store
  readonly projecting: ProjectionStore
  readonly records: Records
  readonly recordLimits: MemoryLimits
  /** The `commandOffset` up to which the store contains all entries, or reads wait for them; `records` follow it. */
  readonly projected: ReachedOffset
  readonly followed: FollowedRecords
  readonly calendarOf: ReturnType<typeof shareCalendars<Calendar>>
  readonly history: RecordHistory
  readonly machineInputs: MachineInputCache
  readonly machines: MachineDirectory
  readonly commands: CommandClient
  /**
   * Live values of this process's own ingest; null: ingest publishes live values on the live topic, because several
   * processes share the log.
   */
  readonly localValues: LocalValues | null
  /** Offsets up to which this process's own ingest has forwarded state samples; null: other processes ingest too. */
  readonly forwarded: ForwardedOffsets | null
  readonly sampleIssues: SampleIssueCollector
  /** Problems of this process, listed by `GET /health`. */
  readonly problems: Problems
  /** Schedules the batches of the processor and the inserts of ingest. */
  readonly batchScheduler: BatchScheduler
  /** The reads for which callers of this process wait. */
  readonly openReads: OpenReads
  readonly metrics: Registry
}

/** The store to which the registrar writes projections of records. */
export interface ProjectionStore {
  /** The store whose reads do not wait for pending rows. */
  readonly store: Store
  /** Writes rows after their changes were acknowledged; null: rows are written before the acknowledgement. */
  readonly inserts: TrailingInserts | null
}

/** Shorter flush intervals for processes that share a log: a read in another process cannot request a flush. */
const sharedLogIntervals = { maxFlushIntervalMs: 400, maxInsertIntervalMs: 1_000 } as const

/** Limits of records in memory: processes that only accept samples read no record with a time. */
function limitsOf({ TAKT_ROLES: roles }: Config): MemoryLimits {
  const readsTimes = roles.includes('api') || roles.includes('process')
  return readsTimes ? memoryLimits : { ...memoryLimits, maxAgeMs: memoryLimits.minAgeMs }
}

/** Opens log and store, unless they are provided, and creates the parts that all roles share. */
export async function createContext(
  { config, logger, clock, report = toStderr, ...inputs }: ServiceInputs,
  teardown: Teardown,
): Promise<ServiceContext> {
  await openDataFolder(config.TAKT_DATA_DIR)
  const problems = inputs.problems ?? new Problems({ clock, logger })
  const log = inputs.log ?? (await openLog({ config, clock, logger, problems, report }))
  if (!inputs.log) teardown.add('log', () => log.close())
  // Added after the log, so that it is removed before the log is closed: while the log is locked, the folder belongs to
  // this process.
  if (!inputs.log && log.kind === 'embedded') teardown.add('lock note', await writeLockHolder(config.TAKT_DATA_DIR))
  const metrics = new Registry()
  const opened =
    inputs.store ??
    (await openStore(config, report, count => {
      logger.error({ count }, 'The embedded store failed to write to its disk')
      reportFailedWrites(problems)
    }))
  if (!inputs.store) teardown.add('store', () => opened.close())
  const isAlone = log.kind === 'embedded'
  const projecting = projectingInto(measuredStore(opened, metrics), { isAlone, logger })
  const { recordLimits = limitsOf(config) } = inputs
  const records = new Records(recordLimits)
  const calendarOf = shareCalendars(createCalendar)
  const store = readableStore(projecting)
  const history: RecordHistory = { inMemoryFromMs: machine => records.inMemoryFromMs(machine), ...recordHistory(store) }
  const machineInputs = new MachineInputCache({ records, calendarOf, history })
  const machines = createMachineDirectory(records)
  const commands = createCommandClient({ log, records, actor: 'service', clock })
  teardown.add('commands', () => commands.close())
  const sampleIssues = createSampleIssueCollector(log, clock, logger)
  teardown.add('sample issues', () => sampleIssues.stop())
  const projected = new ReachedOffset()
  const followed = new FollowedRecords({
    log,
    stored: createStoredRecords(store, { limits: recordLimits, clock }),
    records,
    projected,
  })
  teardown.add('records', () => followed.stop())
  const intervals = isAlone ? { maxFlushIntervalMs, maxInsertIntervalMs: maxRawFlushIntervalMs } : sharedLogIntervals
  return {
    localValues: isAlone ? new LocalValues(logger) : null,
    forwarded: isAlone ? new ForwardedOffsets() : null,
    config,
    logger,
    clock,
    log,
    store,
    projecting,
    records,
    recordLimits,
    projected,
    followed,
    calendarOf,
    history,
    machineInputs,
    machines,
    commands,
    sampleIssues,
    problems,
    batchScheduler: new BatchScheduler(intervals),
    openReads: new OpenReads(),
    metrics,
  }
}

/**
 * Rows for a ClickHouse server are written before changes are acknowledged, because the server may be unavailable and
 * other processes read it.
 */
function projectingInto(store: Store, { isAlone, logger }: { isAlone: boolean; logger: Logger }): ProjectionStore {
  if (!isAlone || store.kind === 'server') return { store, inserts: null }
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'Projection of records failed, retrying')
  return { store, inserts: new TrailingInserts(store, { onFailure }) }
}

function readableStore({ store, inserts }: ProjectionStore): Store {
  return inserts ? readAfterWrite(store, inserts) : store
}
