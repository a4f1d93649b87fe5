import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Store } from '../clickhouse/client/store.ts'
import { readsAfter } from '../clickhouse/projections/reads-after.ts'
import { TrailingInserts } from '../clickhouse/projections/trailing-inserts.ts'
import { createMachineDirectory } from '../ingest/consume/directory.ts'
import type { MachineDirectory } from '../ingest/consume/ports.ts'
import { createCalendar } from '../processors/calendar/calendar.ts'
import type { Calendar } from '../processors/calendar/types.ts'
import { shareCalendars } from '../processors/records/machine-inputs.ts'
import { Pace } from '../processors/partitions/pace.ts'
import { Records } from '../processors/records/records.ts'
import { rememberInputs } from '../processors/records/remembered-inputs.ts'
import { createCommandClient, type CommandClient } from '../processors/registrar/client.ts'
import type { Log } from '../log/log.ts'
import { Problems } from '../shared/problems.ts'
import type { Config } from './config.ts'
import { FollowedRecords } from './followed-records.ts'
import { openDataFolder } from './data-folder.ts'
import { ForwardedOffsets } from './live/forwarded-offsets.ts'
import { ValuesHere } from './live/values-here.ts'
import { noteLockHolder } from './lock-holder.ts'
import { measuredStore } from './monitoring/metrics.ts'
import { openLog, openStore, toStderr, type Tell } from './open-clients.ts'
import { createMachineFaults, type MachineFaults } from './monitoring/machine-faults.ts'
import { mostRawRestMs, mostRestMs } from './live/rests.ts'
import type { Teardown } from './teardown.ts'

/** Inputs of every role: settings, clock, logger, and clients that are open already. */
export interface ServiceInputs {
  readonly config: Config
  readonly logger: Logger
  readonly clock: () => number
  readonly log?: Log
  readonly store?: Store
  /** Tells who starts it what it waits for; stderr by default. */
  readonly tell?: Tell
  /** Problems that a log or store which is open already reports to; by default new ones. */
  readonly problems?: Problems
}

/**
 * Everything that all roles share. Until `enterInstallation` the records are empty, and log and store may lack topics
 * and tables.
 */
export interface ServiceContext {
  readonly config: Config
  readonly logger: Logger
  /** UTC ms. */
  readonly clock: () => number
  readonly log: Log
  /** Where the process has log and store alone, reads of records wait until the store has every change that was answered. */
  readonly store: Store
  readonly projecting: Projecting
  readonly records: Records
  readonly followed: FollowedRecords
  readonly calendarOf: ReturnType<typeof shareCalendars<Calendar>>
  readonly inputsOf: ReturnType<typeof rememberInputs>['of']
  readonly machines: MachineDirectory
  readonly commands: CommandClient
  /** Live values of this process's own ingest; null: several processes share the log, and values go through it. */
  readonly valuesHere: ValuesHere | null
  /** How far this process's own ingest has forwarded what decides state; null: others ingest, too. */
  readonly forwarded: ForwardedOffsets | null
  /** Where roles tell what is wrong with machines' samples. */
  readonly faults: MachineFaults
  /** Problems of this process, shown by `GET /health`. */
  readonly problems: Problems
  /** Says when the processor takes its next samples. */
  readonly pace: Pace
  /** Figures of this process, for Prometheus. */
  readonly metrics: Registry
}

/** The registrar's way into the store. */
export interface Projecting {
  /** Its reads wait for nothing. */
  readonly store: Store
  /** Takes rows that are written after changes are answered; null: they are written before. */
  readonly inserts: TrailingInserts | null
}

/** Where others share the log, this process does not know of all who ask. */
const mostSharedRestsMs = { mostMs: 400, mostRawMs: 1_000 } as const

/** Opens log and store where they aren't given, and builds what the roles share. */
export async function createContext(
  { config, logger, clock, tell = toStderr, ...given }: ServiceInputs,
  teardown: Teardown,
): Promise<ServiceContext> {
  await openDataFolder(config.TAKT_DATA_DIR)
  const problems = given.problems ?? new Problems({ clock, logger })
  const log = given.log ?? (await openLog({ config, clock, logger, problems, tell }))
  if (!given.log) teardown.add('log', () => log.close())
  // Below the log, whose lock says that the folder is this process's.
  if (!given.log && log.kind === 'embedded') teardown.add('lock note', await noteLockHolder(config.TAKT_DATA_DIR))
  const metrics = new Registry()
  const opened = given.store ?? (await openStore(config, tell))
  if (!given.store) teardown.add('store', () => opened.close())
  const isAlone = log.kind === 'embedded'
  const projecting = projectingInto(measuredStore(opened, metrics), { isAlone, logger })
  const records = new Records()
  const calendarOf = shareCalendars(createCalendar)
  const inputs = rememberInputs(records, calendarOf)
  const inputsOf: ServiceContext['inputsOf'] = machine => inputs.of(machine)
  const machines = createMachineDirectory(records)
  const commands = createCommandClient({ log, records, actor: 'service', clock })
  teardown.add('commands', () => commands.close())
  const faults = createMachineFaults(log, clock, logger)
  teardown.add('faults told', () => faults.stop())
  const followed = new FollowedRecords(log, records)
  teardown.add('records', () => followed.stop())
  const pace = new Pace(isAlone ? { mostMs: mostRestMs, mostRawMs: mostRawRestMs } : mostSharedRestsMs)
  return {
    valuesHere: isAlone ? new ValuesHere(logger) : null,
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
    pace,
    metrics,
  }
}

/** A store that is a server may be away while changes come, and others read it: its rows are written before. */
function projectingInto(store: Store, { isAlone, logger }: { isAlone: boolean; logger: Logger }): Projecting {
  if (!isAlone || store.kind === 'server') return { store, inserts: null }
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'Projection of records failed, retrying')
  return { store, inserts: new TrailingInserts(store, { onFailure }) }
}

function readableStore({ store, inserts }: Projecting): Store {
  return inserts ? readsAfter(store, inserts) : store
}
