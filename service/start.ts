import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { createApi } from '../api/create-api.ts'
import { generateKey, hashKey } from '../api/auth/key.ts'
import { createReports } from '../api/reports/reports.ts'
import { createDocumentStore } from '../clickhouse/documents.ts'
import { statusesAt } from '../clickhouse/read-documents.ts'
import { createSampleWriter } from '../clickhouse/samples.ts'
import type { Store } from '../clickhouse/store.ts'
import { createAcceptor, type Acceptor } from '../ingest/accept/acceptor.ts'
import { createMachineDirectory } from '../ingest/run/directory.ts'
import { createIngest } from '../ingest/run/ingest.ts'
import packageJson from '../package.json' with { type: 'json' }
import { createCalendar } from '../processors/calendar/calendar.ts'
import { followRecords } from '../processors/records/follow.ts'
import { shareCalendars } from '../processors/records/machine-inputs.ts'
import { Records } from '../processors/records/records.ts'
import { rememberInputs } from '../processors/records/remembered-inputs.ts'
import { createCommandClient, type CommandClient } from '../processors/registrar/client.ts'
import { runRegistrar } from '../processors/registrar/run.ts'
import { Processor } from '../processors/runtime/processor.ts'
import type { Log } from '../schema/log.ts'
import type { LiveStatus } from '../schema/topics.ts'
import type { Config, Role } from './config.ts'
import { createLagMeter } from './lag.ts'
import { createHealth } from './health.ts'
import { openLog, openStore } from './stages.ts'
import { followStatuses } from './statuses.ts'

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
export interface Takt {
  readonly url: string
  readonly log: Log
  readonly store: Store
  readonly records: Records
  readonly commands: CommandClient
  readonly acceptor: Acceptor
  readonly companyId: string
  /** The admin key that was made up at this first start; null: one was given, or there was a company already. */
  readonly generatedKey: string | null
  /** Finishes what is in flight and closes everything that this service opened. */
  stop(): Promise<void>
}

/** Undoes, last first, what was started. */
class Teardown {
  readonly #steps: (() => Promise<unknown> | unknown)[] = []

  add(step: () => Promise<unknown> | unknown): void {
    this.#steps.unshift(step)
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step()
  }
}

/** Builds every client, joins the roles that the settings name, and listens. Rejects, with nothing left running, where it can't. */
export async function startTakt(options: TaktOptions): Promise<Takt> {
  const teardown = new Teardown()
  try {
    return await start(options, teardown)
  } catch (error) {
    await teardown.run().catch((failure: unknown) => options.logger.error({ err: failure }, 'teardown failed'))
    throw error
  }
}

async function start({ config, logger, clock = Date.now, ...given }: TaktOptions, teardown: Teardown): Promise<Takt> {
  const onFatal = given.onFatal ?? ((error: unknown) => logger.fatal({ err: error }, 'going on would lose samples'))
  const has = (role: Role) => config.TAKT_ROLES.includes(role)
  const log = given.log ?? (await openLog(config, clock))
  if (!given.log) teardown.add(() => log.close())
  const store = given.store ?? (await openStore(config, logger))
  if (!given.store) teardown.add(() => store.close())

  const records = new Records()
  const calendarOf = shareCalendars(createCalendar)
  const inputs = rememberInputs(records, calendarOf)
  const machines = createMachineDirectory(records)
  const commands = createCommandClient({ log, records, actor: 'service', clock })
  teardown.add(() => commands.close())
  const owner = `${hostname()}/${process.pid}/${randomUUID()}`
  const documents = createDocumentStore(store)
  const processor = new Processor({ log, store: documents, records, commands, inputsOf: inputs.of, clock, logger, owner })

  const follower = await followRecords(log, records)
  teardown.add(() => follower.stop())
  if (has('process')) {
    const registrar = runRegistrar({ log, logger })
    teardown.add(() => registrar.stop())
  }
  const { companyId, generatedKey } = await firstStart(config, commands)
  if (has('process')) {
    await processor.run()
    teardown.add(() => processor.stop())
  }
  if (has('ingest')) {
    const ingest = createIngest({ log, machines, samples: createSampleWriter(store), logger })
    ingest.run().catch(onFatal)
    teardown.add(() => ingest.stop())
  }

  const acceptor = createAcceptor({ log, machines, now: clock })
  const lag = await createLagMeter(log, records, clock)
  teardown.add(() => lag.stop())
  const reports = createReports({ store, records, calendarOf, inputsOf: inputs.of, clock, lagMs: lag.lastMs })
  teardown.add(() => reports.stop())
  const statuses = await followStatuses(log, await knownStatuses(store, records, clock()), logger)
  teardown.add(() => statuses.stop())
  const app = createApi({
    records,
    commands: {
      submit: async ({ name, payload, companyId, actor }) => ({
        ok: true,
        result: await commands.submit(name, payload, { companyId, actor }),
      }),
    },
    acceptor,
    statuses,
    production: async ({ companyId, body, signal }) => {
      const answer = await reports.production(companyId, body, { signal })
      return { body: answer.body, lagMs: lag.lastMs() }
    },
    health: createHealth({ version: packageJson.version, roles: config.TAKT_ROLES, log, store, lag }),
    metrics: new Registry(),
    logger,
    settings: {
      corsOrigins: config.TAKT_CORS_ORIGINS.includes('*') ? '*' : config.TAKT_CORS_ORIGINS,
      requestsPerMinute: config.TAKT_RATE_LIMIT,
      jsonLimitBytes: Math.min(config.TAKT_BODY_LIMIT, 4_194_304),
      ingestLimitBytes: config.TAKT_BODY_LIMIT,
    },
  })
  const server = createServer(app)
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.TAKT_PORT, config.TAKT_HOST, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : config.TAKT_PORT)
    })
  })
  teardown.add(
    () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const url = `http://${config.TAKT_HOST.includes(':') ? `[${config.TAKT_HOST}]` : config.TAKT_HOST}:${port}`
  return { url, log, store, records, commands, acceptor, companyId, generatedKey, stop: () => teardown.run() }
}

/** Makes the first company with its key, where there is none. */
async function firstStart(config: Config, commands: CommandClient) {
  const generated = config.TAKT_ADMIN_KEY === null ? generateKey() : null
  const adminKeyHash = hashKey(config.TAKT_ADMIN_KEY ?? generated ?? '')
  const payload = { adminKeyHash, generated: generated !== null }
  const answer = (await commands.submit('installation.start', payload, { companyId: null, timeoutMs: 60_000 })) as {
    companyId: string
    keyAdded: boolean
  }
  return { companyId: answer.companyId, generatedKey: answer.keyAdded ? generated : null }
}

async function knownStatuses(store: Store, records: Records, nowMs: number): Promise<readonly LiveStatus[]> {
  const companies = await Promise.all(records.companies().map(({ ref }) => statusesAt(store, ref, nowMs)))
  return companies.flatMap(of => [...of].map(([machine, status]) => ({ machine, status, sinceMs: nowMs, faults: [] })))
}
