import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Store } from '../clickhouse/client/store.ts'
import { readAfterWrite } from '../clickhouse/projections/read-after-write.ts'
import { TrailingInserts } from '../clickhouse/projections/trailing-inserts.ts'
import { createMachineDirectory } from '../ingest/consume/directory.ts'
import type { MachineDirectory } from '../ingest/consume/ports.ts'
import { createCalendar } from '../processors/calendar/calendar.ts'
import type { Calendar } from '../processors/calendar/types.ts'
import { shareCalendars } from '../processors/records/machine-inputs.ts'
import { BatchScheduler } from '../processors/partitions/batch-scheduler.ts'
import { Records } from '../processors/records/records.ts'
import { createMachineInputCache } from '../processors/records/machine-input-cache.ts'
import { createCommandClient, type CommandClient } from '../processors/registrar/client.ts'
import type { Log } from '../log/log.ts'
import { Problems } from '../shared/problems.ts'
import type { Config } from './config.ts'
import { FollowedRecords } from './followed-records.ts'
import { openDataFolder } from './data-folder.ts'
import { ForwardedOffsets } from './live/forwarded-offsets.ts'
import { LocalValues } from './live/local-values.ts'
import { noteLockHolder } from './lock-holder.ts'
import { measuredStore } from './monitoring/metrics.ts'
import { openLog, openStore, toStderr, type StartupReporter } from './open-clients.ts'
import { createMachineFaults, type MachineFaults } from './monitoring/machine-faults.ts'
import { maxRawFlushIntervalMs, maxFlushIntervalMs } from './live/flush-intervals.ts'
import type { Teardown } from './teardown.ts'

/** Inputs of every role: settings, clock, logger, and clients that are already open. */
export interface ServiceInputs {
  readonly config: Config
  readonly logger: Logger
  readonly clock: () => number
  readonly log?: Log
  readonly store?: Store
  /** Writes lines about servers that the start waits for; stderr by default. */
  readonly tell?: StartupReporter
  /** Receives the problems of a log or store that is already open; by default a new list. */
  readonly problems?: Problems
}

/**
 * Shared parts of all roles. Before `enterInstallation` completes, the records are empty, and log and store may lack topics
 * and tables.
 */
export interface ServiceContext {
  readonly config: Config
  readonly logger: Logger
  /** UTC ms. */
  readonly clock: () => number
  readonly log: Log
  /** If this process owns log and store, reads of records wait until the store has every acknowledged change. */
  readonly store: Store
  readonly projecting: Projecting
  readonly records: Records
  readonly followed: FollowedRecords
  readonly calendarOf: ReturnType<typeof shareCalendars<Calendar>>
  readonly inputsOf: ReturnType<typeof createMachineInputCache>['of']
  readonly machines: MachineDirectory
  readonly commands: CommandClient
  /** Live values of this process's own ingest; null: several processes share the log, and values go through it. */
  readonly localValues: LocalValues | null
  /** Offsets up to which this process's own ingest has forwarded state samples; null: other processes ingest, too. */
  readonly forwarded: ForwardedOffsets | null
  /** Collects the sample issues of machines. */
  readonly faults: MachineFaults
  /** Problems of this process, listed by `GET /health`. */
  readonly problems: Problems
  /** Schedules the batches of the processor and the inserts of ingest. */
  readonly batchScheduler: BatchScheduler
  /** Prometheus metrics of this process. */
  readonly metrics: Registry
}

/** The store as the registrar writes to it. */
export interface Projecting {
  /** Reads do not wait for pending rows. */
  readonly store: Store
  /** Writes rows after their changes were acknowledged; null: rows are written before. */
  readonly inserts: TrailingInserts | null
}

/** Shorter limits for processes that share the log: reads in other processes do not reach this one. */
const sharedLogIntervals = { maxFlushIntervalMs: 400, maxInsertIntervalMs: 1_000 } as const

/** Opens log and store unless they are provided, and builds what the roles share. */
export async function createContext(
  { config, logger, clock, tell = toStderr, ...given }: ServiceInputs,
  teardown: Teardown,
): Promise<ServiceContext> {
  await openDataFolder(config.TAKT_DATA_DIR)
  const problems = given.problems ?? new Problems({ clock, logger })
  const log = given.log ?? (await openLog({ config, clock, logger, problems, tell }))
  if (!given.log) teardown.add('log', () => log.close())
  // Added after the log, so it is removed first: the lock of the log proves that the folder belongs to this process.
  if (!given.log && log.kind === 'embedded') teardown.add('lock note', await noteLockHolder(config.TAKT_DATA_DIR))
  const metrics = new Registry()
  const opened = given.store ?? (await openStore(config, tell))
  if (!given.store) teardown.add('store', () => opened.close())
  const isAlone = log.kind === 'embedded'
  const projecting = projectingInto(measuredStore(opened, metrics), { isAlone, logger })
  const records = new Records()
  const calendarOf = shareCalendars(createCalendar)
  const inputs = createMachineInputCache(records, calendarOf)
  const inputsOf: ServiceContext['inputsOf'] = machine => inputs.of(machine)
  const machines = createMachineDirectory(records)
  const commands = createCommandClient({ log, records, actor: 'service', clock })
  teardown.add('commands', () => commands.close())
  const faults = createMachineFaults(log, clock, logger)
  teardown.add('sample issues', () => faults.stop())
  const followed = new FollowedRecords(log, records)
  teardown.add('records', () => followed.stop())
  const intervals = isAlone ? { maxFlushIntervalMs, maxInsertIntervalMs: maxRawFlushIntervalMs } : sharedLogIntervals
  return {
    localValues: isAlone ? new LocalValues(logger) : null,
    forwarded: isAlone ? new ForwardedOffsets() : null,
    config,
    logger,
    clock,
    log,
    store: readableStore(projecting),
    projecting,
    records,
    followed,
    calendarOf,
    inputsOf,
    machines,
    commands,
    faults,
    problems,
    batchScheduler: new BatchScheduler(intervals),
    metrics,
  }
}

/**
 * A ClickHouse server may be unavailable and has other readers, so its rows are written before changes are
 * acknowledged.
 */
function projectingInto(store: Store, { isAlone, logger }: { isAlone: boolean; logger: Logger }): Projecting {
  if (!isAlone || store.kind === 'server') return { store, inserts: null }
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'Projection of records failed, retrying')
  return { store, inserts: new TrailingInserts(store, { onFailure }) }
}

function readableStore({ store, inserts }: Projecting): Store {
  return inserts ? readAfterWrite(store, inserts) : store
}
