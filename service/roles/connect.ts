import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Buffers } from '../../connect/buffer/buffers.ts'
import { readBroker } from '../../connect/mqtt/read-broker.ts'
import { readAgent } from '../../connect/mtconnect/read-agent.ts'
import { allowedLookup, requireAllowed } from '../../connect/run/allowed-lookup.ts'
import { Connectors, type SourceKinds } from '../../connect/run/connectors.ts'
import { ConnectSlots } from '../../connect/run/connect-slots.ts'
import { WaitingSamples } from '../../connect/run/waiting-samples.ts'
import { readAdapter } from '../../connect/shdr/read-adapter.ts'
import { createAcceptor } from '../../ingest/accept/acceptor.ts'
import { lockBuffers } from '../buffers-lock.ts'
import { configureConnectors, readSecrets } from '../connectors.ts'
import type { ServiceContext } from '../context.ts'
import { measureConnectors } from '../monitoring/connector-metrics.ts'
import { HealthPublisher } from '../monitoring/connector-health.ts'
import type { Teardown } from '../teardown.ts'

/** Number of connectors of a process that connect at the same time. */
const connectingAtOnce = 50

/** Kinds of connectors whose sources are read. Senders of the kind `http` post samples. */
const kinds: SourceKinds = { mtconnect: readAgent, mqtt: readBroker, shdr: readAdapter }

/** Starts the connectors of this process; resolves when it has joined the processes that run connectors. */
export async function startConnect(context: ServiceContext, teardown: Teardown): Promise<void> {
  const { config, log, records, machines, followed, clock, logger, metrics } = context
  const access = await configureConnectors(config)
  const allows = (address: string, hostname?: string) =>
    access.connectorNetworks.allows(address, records.companies().length === 1, hostname)
  const catchUpRecords = () => followed.catchUp()
  const publisher = new HealthPublisher({ log, logger, read: () => connectors.health() })
  const acceptor = createAcceptor({ log, machines, catchUpRecords, now: clock })
  const { TAKT_CONNECT_BUFFER: totalBytes, TAKT_CONNECT_BUFFER_EACH: eachBytes } = config
  const folder = join(config.TAKT_DATA_DIR, 'connect-buffers')
  const unlockBuffers = await lockBuffers(folder)
  teardown.add('buffers of connectors', unlockBuffers)
  const buffers = await Buffers.open({ folder, acceptor, limits: { eachBytes, totalBytes }, logger })
  const connectors: Connectors = new Connectors({
    log,
    records,
    catchUpRecords,
    kinds,
    acceptor,
    waiting: new WaitingSamples(),
    buffers,
    slots: new ConnectSlots(connectingAtOnce),
    lookup: allowedLookup(allows),
    requireAllowed: address => requireAllowed(address, allows),
    secretsOf: record => readSecrets(record, access),
    clock,
    random: Math.random,
    owner: `${hostname()}/${process.pid}/${randomUUID()}`,
    logger,
    onState: ref => publisher.changed(ref),
  })
  teardown.add('connectors', async () => {
    await connectors.stop()
    await buffers.stop()
    await publisher.stop()
  })
  measureConnectors(metrics, {
    isByConnector: config.TAKT_METRICS_CONNECTORS === '1',
    *read() {
      for (const { companyRef, connectorId, health } of connectors.health()) {
        const companyId = records.companyByRef(companyRef)?.id ?? ''
        const record = records.get('connector', companyId, connectorId)
        if (record !== null) yield { kind: record.kind, name: `${companyId}/${connectorId}`, health }
      }
    },
  })
  publisher.start()
  await connectors.start()
}
