import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { Buffers } from '../../../connect/buffer/buffers.ts'
import { Position } from '../../../connect/positions/position.ts'
import { allowedLookup } from '../../../connect/run/allowed-lookup.ts'
import { ConnectSlots } from '../../../connect/run/connect-slots.ts'
import { PositionWriter } from '../../../connect/run/position-writer.ts'
import { RunningConnector } from '../../../connect/run/running-connector.ts'
import { WaitingSamples } from '../../../connect/run/waiting-samples.ts'
import type { SourceSession } from '../../../connect/source/source.ts'
import type { Acceptor } from '../../../ingest/accept/acceptor.ts'
import { maxMessageChars } from '../../../schema/error-text.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
} from '../../../schema/records/connector.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { eventually } from '../../log/fixture.ts'

const record: ConnectorRecord = {
  id: 'connector',
  companyId: 'company',
  name: 'Connector',
  kind: 'mtconnect',
  address: 'http://127.0.0.1:5000',
  enabled: true,
  sourceId: 'connector',
  machines: [
    { ...defaultConnectorMachine, source: 'a', machineId: 'a' },
    { ...defaultConnectorMachine, source: 'b', machineId: 'b' },
  ],
  rules: [],
  options: defaultConnectorOptions,
  secrets: {},
}

/** A connector whose source runs these steps, and then stays connected. */
function open(
  steps: (session: SourceSession) => void,
  write: () => Promise<void> = async () => undefined,
  { buffers, kind }: { readonly buffers: Buffers | null; readonly kind: ConnectorRecord['kind'] } = {
    buffers: null,
    kind: 'mtconnect',
  },
) {
  const sent: WireSample[] = []
  const acceptor: Acceptor = {
    async accept({ body }) {
      const batch: readonly WireSample[] = JSON.parse(body.toString())
      sent.push(...batch)
      return { accepted: batch.length, rejected: [], rejectedCount: 0, rejectedByCode: {} }
    },
  }
  const position = new Position('company/connector')
  const ports = {
    acceptor,
    waiting: new WaitingSamples(),
    buffers,
    slots: new ConnectSlots(1),
    lookup: allowedLookup(() => true),
    requireAllowed: () => undefined,
    secretsOf: async () => ({}),
    clock: Date.now,
    random: Math.random,
    owner: 'process',
    logger: pino({ level: 'silent' }),
  }
  const connector = new RunningConnector(ports, {
    record: { ...record, kind },
    companyRef: asCompanyRef(1),
    read: async session => {
      steps(session)
      await new Promise(resolve => session.signal.addEventListener('abort', resolve))
    },
    position,
    writer: new PositionWriter({ write }, { onInvalid: () => undefined }),
    hasMachine: () => true,
    onState: () => undefined,
  })
  return { connector, sent }
}

/** Stores the position of a source that has read something. */
function store(session: SourceSession): void {
  session.position.head = { next: 1 }
  session.positionChanged()
}

describe('a running connector', () => {
  it('A connector is connected when its first position is stored, and writes no heartbeats before', async () => {
    const stored = deferred<void>()
    const { connector, sent } = open(
      session => {
        session.heard()
        session.report('connected')
        store(session)
        session.heard()
      },
      () => stored.promise,
    )
    await eventually(() => connector.health().lastHeardMs !== null)
    expect([connector.health().state, sent]).to.deep.equal(['catching_up', []])
    stored.resolve()
    await eventually(() => sent.length > 0)
    expect(connector.health().state).to.equal('connected')
    await connector.stop()
  })

  it('A source that has caught up gives heartbeats to the machines that it was heard of, not to the other ones', async () => {
    const { connector, sent } = open(session => {
      session.report('catching_up')
      session.heard(['a'])
      session.report('connected')
      store(session)
    })
    await eventually(() => sent.length > 0)
    await connector.stop()
    expect(sent.map(({ machineId }) => machineId)).to.deep.equal(['a'])
  })

  it('A source that has caught up before it is heard gives no heartbeats', async () => {
    const { connector, sent } = open(session => {
      session.report('connected')
      store(session)
    })
    await eventually(() => connector.health().state === 'connected')
    await connector.stop()
    expect(sent).to.deep.equal([])
  })

  it('A connector whose buffer cannot be opened is disconnected, and tries it again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'takt-running-'))
    const acceptor: Acceptor = { accept: () => Promise.reject(new Error('No sample is sent')) }
    const limits = { eachBytes: 64 << 20, totalBytes: 64 << 20 }
    const buffers = await Buffers.open({ folder, acceptor, limits, logger: pino({ level: 'silent' }) })
    buffers.of('company/connector', asCompanyRef(1))
    const path = join(folder, readdirSync(folder)[0] ?? '')
    await buffers.stop()
    mkdirSync(path)
    const steps = (session: SourceSession) => {
      session.report('connected')
      store(session)
    }
    const { connector } = open(steps, async () => undefined, { buffers, kind: 'shdr' })
    await eventually(() => connector.health().totals.reconnects > 0)
    await eventually(() => connector.health().state === 'disconnected')
    expect(connector.health().lastError?.message).to.include('EISDIR')
    rmdirSync(path)
    await eventually(() => connector.health().state === 'connected')
    await connector.stop()
    await buffers.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('A long error is cut to the maximum length of messages', async () => {
    const { connector } = open(session => session.warn('too long '.repeat(maxMessageChars)))
    await eventually(() => connector.health().lastError !== null)
    expect(connector.health().lastError?.message).to.have.length.within(maxMessageChars - 10, maxMessageChars + 1)
    await connector.stop()
  })
})
