import { expect } from 'chai'
import { DeliveryStopped } from '../../../connect/buffer/delivery-stopped.ts'
import { openSession, type SessionPorts } from '../../../connect/run/session.ts'
import { Position } from '../../../connect/positions/position.ts'
import { newTotals } from '../../../connect/source/totals.ts'
import { type ConnectorRecord, defaultConnectorOptions } from '../../../schema/records/connector.ts'

const connector: ConnectorRecord = {
  id: 'connector',
  companyId: 'company',
  name: 'Connector',
  kind: 'mtconnect',
  address: null,
  enabled: true,
  sourceId: 'connector',
  machines: [],
  rules: [],
  options: defaultConnectorOptions,
  secrets: {},
}

function open() {
  const calls: string[] = []
  const ports: SessionPorts = {
    connector,
    secrets: {},
    position: new Position('company/connector'),
    notes: [],
    signal: new AbortController().signal,
    clock: Date.now,
    hasMachine: () => true,
    lookup: () => undefined,
    totals: newTotals(),
    deliver: async () => void calls.push('deliver'),
    deliverBody: async () => void calls.push('deliverBody'),
    hasSpace: () => true,
    waitForSpace: async () => undefined,
    positionChanged: () => calls.push('positionChanged'),
    onHeard: () => calls.push('heard'),
    onState: state => calls.push(state),
    sourceClock: () => calls.push('sourceClock'),
    lost: () => calls.push('lost'),
    warn: message => calls.push(message),
  }
  return { ...openSession(ports), calls }
}

describe('session of a source', () => {
  it('After the end of the connection, calls have no effect, and an ignored rejection does not end the process', async () => {
    const { session, close, calls } = open()
    await session.deliver([])
    session.report('connected')
    expect(calls).to.deep.equal(['deliver', 'connected'])
    close()
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.prependListener('unhandledRejection', note)
    const late = session.deliver([])
    session.heard()
    session.report('catching_up')
    session.sourceClock(0)
    session.lost({ fromMs: 0, toMs: 0, lost: null })
    session.warn('late')
    await new Promise(resolve => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect([calls.length, unhandled]).to.deep.equal([2, []])
    expect(await late.catch((error: unknown) => error)).to.be.instanceOf(DeliveryStopped)
  })
})
