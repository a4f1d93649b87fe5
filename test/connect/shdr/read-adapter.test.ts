import { assert } from 'chai'
import { Position } from '../../../connect/positions/position.ts'
import { allowedLookup } from '../../../connect/run/allowed-lookup.ts'
import { readAdapter } from '../../../connect/shdr/read-adapter.ts'
import { SourceError, type SourceSession } from '../../../connect/source/source.ts'
import { newTotals } from '../../../connect/source/totals.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
  type MappingRule,
} from '../../../schema/records/connector.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { type Deferred, deferred } from '../../../shared/async/deferred.ts'
import { eventually } from '../../log/fixture.ts'
import { Adapter } from './adapter.ts'

const rules: readonly MappingRule[] = [
  { from: 'DB10.W4', key: 'execution', type: 'EXECUTION', category: 'EVENT', map: { '3': 'ACTIVE', '4': 'READY' } },
]

/** A session of an adapter whose deliveries the test acknowledges. */
function open(address: string, changes: Partial<ConnectorRecord> = {}) {
  const stop = new AbortController()
  const position = new Position('company/adapter')
  const calls: { readonly samples: readonly WireSample[]; readonly acknowledged: Deferred<void> }[] = []
  const connector: ConnectorRecord = {
    id: 'adapter',
    companyId: 'company',
    name: 'Adapter',
    kind: 'shdr',
    address,
    enabled: true,
    sourceId: 'adapter',
    machines: [{ ...defaultConnectorMachine, source: 'Mill', machineId: 'Mill' }],
    rules,
    options: defaultConnectorOptions,
    secrets: {},
    ...changes,
  }
  const totals = newTotals()
  const session: SourceSession = {
    connector,
    secrets: {},
    position,
    notes: [],
    signal: stop.signal,
    clock: () => Date.parse('2024-05-06T06:00:00Z'),
    hasMachine: () => true,
    lookup: allowedLookup(() => true),
    totals,
    deliver: samples => {
      const acknowledged = deferred<void>()
      calls.push({ samples, acknowledged })
      return acknowledged.promise
    },
    deliverBody: () => Promise.resolve(),
    hasSpace: () => true,
    waitForSpace: () => Promise.resolve(),
    positionChanged: () => undefined,
    heard: () => undefined,
    report: () => undefined,
    sourceClock: () => undefined,
    lost: () => undefined,
    warn: () => undefined,
  }
  return { session, stop, position, calls, totals }
}

describe('reading an SHDR adapter', () => {
  let adapter: Adapter
  beforeEach(async () => {
    adapter = await Adapter.start()
  })
  afterEach(() => adapter.close())

  it('The position describes a line only after its samples are acknowledged', async () => {
    const { session, stop, position, calls } = open(adapter.address)
    adapter.present.set('line', '2024-05-06T05:00:00Z|DB10.W4|3\n')
    const reading = readAdapter(session)
    await eventually(() => calls.some(({ samples }) => samples.length > 0))
    assert.deepEqual([position.head, [...position.state.entries()]], [null, []])
    for (const { acknowledged } of calls) acknowledged.resolve()
    await eventually(() => [...position.state.entries()].length === 2)
    stop.abort()
    for (const { acknowledged } of calls) acknowledged.resolve()
    await reading
  })

  it('Without a document, only the keys of rules give samples, mapped by the rules', async () => {
    const { session, stop, calls, totals } = open(adapter.address)
    adapter.present.set('line', '2024-05-06T05:00:00Z|DB10.W4|3|other|5\n2024-05-06T05:00:01Z|DB10.W4|9\n')
    const reading = readAdapter(session)
    await eventually(() => totals.observations === 3)
    stop.abort()
    for (const { acknowledged } of calls) acknowledged.resolve()
    await reading
    assert.deepEqual(
      calls.flatMap(({ samples }) => samples.map(({ key, type, value }) => [key, type, value])),
      [['execution', 'EXECUTION', 'ACTIVE']],
    )
    assert.equal(totals.unmapped, 2)
  })

  it('A time that ingest rejects hides no later value, and is not the newest time of the machine', async () => {
    const { session, stop, calls, totals, position } = open(adapter.address)
    adapter.present.set('line', '2024-05-08T06:00:00Z|DB10.W4|3\n2024-05-06T05:00:01Z|DB10.W4|3\n')
    const reading = readAdapter(session)
    await eventually(() => totals.observations === 2)
    stop.abort()
    for (const { acknowledged } of calls) acknowledged.resolve()
    await reading
    assert.deepEqual(
      calls.flatMap(({ samples }) => samples.map(({ timestamp }) => timestamp.slice(0, 19))),
      ['2024-05-08T06:00:00', '2024-05-06T05:00:01'],
    )
    assert.equal(position.state.get('machine/Mill'), Date.parse('2024-05-06T05:00:01Z') * 1000)
  })

  it('A document that cannot be read, and machines that it lacks, are invalid settings', async () => {
    const devices = '<MTConnectDevices><Device name="Lathe"/></MTConnectDevices>'
    for (const text of ['<a', devices]) {
      const { session } = open(adapter.address, { options: { ...defaultConnectorOptions, devices: text } })
      const error: unknown = await readAdapter(session).catch((thrown: unknown) => thrown)
      assert.instanceOf(error, SourceError)
      assert.equal(error.state, 'invalid')
    }
  })

  it('An address where nothing listens is an error of the source', async () => {
    const { session } = open('tcp://127.0.0.1:1')
    const error: unknown = await readAdapter(session).catch((thrown: unknown) => thrown)
    assert.instanceOf(error, SourceError)
    assert.match(error.message, /ECONNREFUSED/)
  })
})
