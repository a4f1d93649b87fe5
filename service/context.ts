import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Store } from '../clickhouse/client/store.ts'
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
  readonly store: Store
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
  /** Says when the processor takes its next samples. */
  readonly pace: Pace
  /** Figures of this process, for Prometheus. */
  readonly metrics: Registry
}

/** Where others share the log, this process does not know of all who ask. */
const mostSharedRestsMs = { mostMs: 400, mostRawMs: 1_000 } as const

/** Opens log and store where they aren't given, and builds what the roles share. */
export async function createContext(
  { config, logger, clock, tell = toStderr, ...given }: ServiceInputs,
  teardown: Teardown,
): Promise<ServiceContext> {
  await openDataFolder(config.TAKT_DATA_DIR)
  const log = given.log ?? (await openLog(config, clock, logger, tell))
  if (!given.log) teardown.add('log', () => log.close())
  // Below the log, whose lock says that the folder is this process's.
  if (!given.log && log.kind === 'embedded') teardown.add('lock note', await noteLockHolder(config.TAKT_DATA_DIR))
  const metrics = new Registry()
  const opened = given.store ?? (await openStore(config, tell))
  if (!given.store) teardown.add('store', () => opened.close())
  const store = measuredStore(opened, metrics)
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
  const isAlone = log.kind === 'embedded'
  const pace = new Pace(isAlone ? { mostMs: mostRestMs, mostRawMs: mostRawRestMs } : mostSharedRestsMs)
  return {
    valuesHere: isAlone ? new ValuesHere(logger) : null,
    forwarded: isAlone ? new ForwardedOffsets() : null,
    config,
    logger,
    clock,
    log,
    store,
    records,
    followed,
    calendarOf,
    inputsOf,
    machines,
    commands,
    faults,
    pace,
    metrics,
  }
}
