import { join } from 'node:path'
import type { Logger } from 'pino'
import { fatalMessage } from '../installation/fatal-message.ts'
import { announceProcess, rejectLaterFormat } from '../installation/running-processes.ts'
import { prepareInstallation } from '../installation/prepare-installation.ts'
import { every } from '../../shared/async/every.ts'
import type { Problems } from '../../shared/problems.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { Acceptor } from '../../ingest/accept/acceptor.ts'
import type { MemoryLimits } from '../../schema/commands/stored-records.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import type { Log } from '../../log/log.ts'
import type { Config } from '../config.ts'
import { startControl } from '../control/start.ts'
import { ensureFirstCompany, type FirstCompany } from '../roles/first-start.ts'
import { toStderr } from '../open-clients.ts'
import { createContext, type ServiceContext } from '../context.ts'
import { createPortGate } from '../roles/port-gate.ts'
import { listen, type ListenOptions } from '../roles/listen.ts'
import { type AlertListener, startAlerts } from '../roles/alerts.ts'
import { startConnectorAlerts } from '../roles/connector-alerts.ts'
import { startConnect } from '../roles/connect.ts'
import { startDeliveries } from '../roles/deliveries.ts'
import { startHttp } from '../roles/http.ts'
import { startIngest } from '../roles/ingest.ts'
import { createProcessor, startProcessor, startRegistrar } from '../roles/process.ts'
import { startSystemAlerts } from '../roles/system-alerts.ts'
import { reportDamagedParts } from '../monitoring/damaged-parts.ts'
import { checkDiskSpace } from '../monitoring/disk-space.ts'
import { Teardown } from '../teardown.ts'

/** Settings, logger and clients of a service. */
export interface TaktOptions {
  readonly config: Config
  readonly logger: Logger
  /** Current time, UTC ms; default: the system's clock. */
  readonly clock?: () => number
  /** An open store, which the caller closes; default: the store that the settings name. */
  readonly store?: Store
  readonly log?: Log
  /** Receives the problems of `store` and `log`. */
  readonly problems?: Problems
  /** Limits of the records with a time that stay in memory. */
  readonly recordLimits?: MemoryLimits
  /** Writes a line about a server that the start waits for; default: to stderr. */
  readonly report?: (line: string) => void
  /**
   * Whether the first start generates an admin key if none is supplied. Set only if the key is shown to a person, on a
   * terminal. Default: false.
   */
  readonly generatesKey?: boolean
  /** Called when further processing would lose data. */
  readonly onFatal?: (error: unknown) => void
}

const waitingForFirstStart =
  'Waiting for a process with the role process: it sets up the installation (log, store and first company).'

/** Returns a function that calls `call` immediately, then at most once per interval. */
function throttle(everyMs: number, call: () => void): () => void {
  let lastMs = -Infinity
  return () => {
    if (performance.now() - lastMs < everyMs) return
    lastMs = performance.now()
    call()
  }
}

/** A running service. */
export interface Takt extends FirstCompany {
  readonly url: string
  readonly log: Log
  readonly store: Store
  readonly records: Records
  readonly commands: CommandClient
  readonly acceptor: Acceptor
  /** Token for the first-time setup at this process, valid while there is no user. */
  readonly setUpToken: string
  /** Closes all ports and connections immediately, for a process that must end. `stop` follows. */
  closePorts(): void
  /**
   * Completes work in progress and closes everything that this service opened, within this time; by default a few
   * seconds.
   */
  stop(withinMs?: number): Promise<void>
}

/** Creates the clients, starts the roles that the settings name, and listens. If it rejects, everything is stopped. */
export async function startTakt(options: TaktOptions): Promise<Takt> {
  const teardown = new Teardown(options.logger)
  try {
    return await start(options, teardown)
  } catch (error) {
    await teardown.stop()
    throw error
  }
}

async function start({ clock = Date.now, ...options }: TaktOptions, teardown: Teardown): Promise<Takt> {
  const { config, logger } = options
  const onFatal = options.onFatal ?? ((error: unknown) => logger.fatal({ err: error }, fatalMessage(error)))
  const gate = createPortGate()
  const listening = await listen(gate.request, listenOptions(config), gate.upgrades)
  teardown.add('port', () => listening.close())
  teardown.addFirst(() => listening.drop())
  const context = await createContext({ ...options, clock }, teardown)
  await watchEmbeddedStore(context, teardown)
  let alerts: AlertListener | null = null
  let releasing: (partitions: readonly number[]) => Promise<void> = async () => undefined
  const processor = config.TAKT_ROLES.includes('process')
    ? createProcessor(context, {
        onSeen: (partition, minutes) => alerts?.seen(partition, minutes),
        onDocuments: documents => alerts?.written(documents),
        onConsumed: () => alerts?.consumed(),
        onReleasing: partitions => releasing(partitions),
      })
    : null
  if (processor) context.followed.startAfter(await processor.prepare())
  await prepareInstallation(context, {
    startRegistrar: processor ? () => startRegistrar(context, teardown) : null,
    onWaiting: throttle(3_000, () => (options.report ?? toStderr)(waitingForFirstStart)),
    mayCreate: true,
  })
  await followVersions(context, teardown, onFatal)
  if (processor) {
    alerts = await startAlerts(context, processor, teardown)
    await startProcessor(processor, teardown)
  }
  if (config.TAKT_ROLES.includes('ingest')) startIngest(context, teardown, onFatal)
  if (config.TAKT_ROLES.includes('connect')) await startConnect(context, teardown)
  const { acceptor, connectorHealth, health, open, setUpToken } = await startHttp(
    context,
    { listening, gate },
    teardown,
  )
  if (processor) {
    startConnectorAlerts(context, processor, connectorHealth, teardown)
    startSystemAlerts(context, processor, health, teardown)
    releasing = await startDeliveries(context, processor, teardown)
  }
  await startControl(context, teardown)
  // The first company is created last, so that no later error can hide the generated key.
  const company = await ensureFirstCompany(context, options.generatesKey ?? false)
  open()
  const { log, store, records, commands } = context
  return {
    url: listening.url,
    log,
    store,
    records,
    commands,
    acceptor,
    setUpToken,
    ...company,
    closePorts: () => teardown.runFirst(),
    stop: withinMs => teardown.stop(withinMs),
  }
}

/** Interval of checks of the free disk space, ms. */
const diskSpaceEveryMs = 5_000

/** Reports damaged parts of an embedded store, and checks the free space of its folder from now on. */
async function watchEmbeddedStore({ config, store, problems }: ServiceContext, teardown: Teardown): Promise<void> {
  if (store.kind !== 'embedded') return
  await reportDamagedParts(store, problems)
  const check = () => checkDiskSpace(join(config.TAKT_DATA_DIR, 'store'), problems)
  await check()
  teardown.add('disk space', every(diskSpaceEveryMs, check))
}

/** Publishes this process, and ends it if a later version continues the log in a format that it cannot read. */
async function followVersions(
  { records, log, store, logger, config }: ServiceContext,
  teardown: Teardown,
  onFatal: (error: unknown) => void,
): Promise<void> {
  const check = (): void => {
    try {
      rejectLaterFormat(records)
    } catch (error) {
      onFatal(error)
    }
  }
  const stopListening = records.onEntry(({ changes }) => {
    if (changes.some(({ kind }) => kind === 'installation')) check()
  })
  teardown.add('versions', stopListening)
  // The format may have changed before the listener was added.
  check()
  if (log.kind === 'kafka') teardown.add('process', await announceProcess({ log, store, logger }, config.TAKT_ROLES))
}

function listenOptions(config: Config): ListenOptions {
  return {
    port: config.TAKT_PORT,
    host: config.TAKT_HOST,
    headerBytes: config.TAKT_HEADER_LIMIT,
    headers: config.TAKT_MAX_HEADERS,
    headersMs: config.TAKT_HTTP_HEADERS_SECONDS * 1000,
    requestMs: config.TAKT_HTTP_REQUEST_SECONDS * 1000,
    idleMs: config.TAKT_HTTP_IDLE_SECONDS * 1000,
    connections: config.TAKT_HTTP_CONNECTIONS,
    unsentBytes: config.TAKT_HTTP_UNSENT_BYTES,
  }
}
