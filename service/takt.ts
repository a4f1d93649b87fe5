import type { Logger } from 'pino'
import { enterInstallation } from './installation/enter.ts'
import type { Store } from '../clickhouse/client/store.ts'
import type { Acceptor } from '../ingest/accept/acceptor.ts'
import type { Records } from '../processors/records/records.ts'
import type { CommandClient } from '../processors/registrar/client.ts'
import type { Log } from '../log/log.ts'
import type { Config } from './config.ts'
import { startControl } from './control/start.ts'
import { firstStart, type FirstCompany } from './roles/first-start.ts'
import { createContext } from './context.ts'
import { startHttp } from './roles/http.ts'
import { startIngest } from './roles/ingest.ts'
import { createProcessor, startProcessor, startRegistrar } from './roles/process.ts'
import { Teardown } from './teardown.ts'

export interface TaktOptions {
  readonly config: Config
  readonly logger: Logger
  /** UTC ms; the system's clock by default. */
  readonly clock?: () => number
  /** Already open, and closed by whoever opened it; by default what the settings name. */
  readonly store?: Store
  readonly log?: Log
  /** Called when the service can't go on without losing something. */
  readonly onFatal?: (error: unknown) => void
}

/** A running service. */
export interface Takt extends FirstCompany {
  readonly url: string
  readonly log: Log
  readonly store: Store
  readonly records: Records
  readonly commands: CommandClient
  readonly acceptor: Acceptor
  /** Finishes what is in flight and closes everything that this service opened, within a few seconds. */
  stop(): Promise<void>
}

/** Builds every client, joins the roles that the settings name, and listens. Rejects, with nothing left running, where it can't. */
export async function startTakt(options: TaktOptions): Promise<Takt> {
  const teardown = new Teardown(options.logger)
  try {
    return await start(options, teardown)
  } catch (error) {
    await teardown.run()
    throw error
  }
}

async function start({ clock = Date.now, ...options }: TaktOptions, teardown: Teardown): Promise<Takt> {
  const { config, logger } = options
  const onFatal = options.onFatal ?? ((error: unknown) => logger.fatal({ err: error }, 'going on would lose samples'))
  const context = await createContext({ ...options, clock }, teardown)
  const processor = config.TAKT_ROLES.includes('process') ? createProcessor(context) : null
  await enterInstallation(context, {
    startRegistrar: processor ? () => startRegistrar(context, teardown) : null,
    onWaiting: () => undefined,
  })
  const company = await firstStart(context)
  if (processor) await startProcessor(processor, teardown)
  if (config.TAKT_ROLES.includes('ingest')) startIngest(context, teardown, onFatal)
  const { url, acceptor } = await startHttp(context, teardown)
  await startControl(context, teardown)
  const { log, store, records, commands } = context
  return { url, log, store, records, commands, acceptor, ...company, stop: () => teardown.run() }
}
