import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import { MessageStream, type StoredKey } from '../../../connect/mqtt/message-stream.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
  type MappingRule,
} from '../../../schema/records/connector.ts'
import { parseInstantUs } from '../../../shared/time/instant.ts'

const [mill, saw] = ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '7e9619ff-8b86-4d01-b42d-00cf4fc964ff']
const receivedUs = 1_795_420_800_000_000

const execution: MappingRule = { from: 'plant/{machine}/state', key: 'execution', type: 'EXECUTION' }
const speed: MappingRule = { from: 'plant/{machine}/speed', key: 'speed', type: 'ROTARY_VELOCITY', category: 'SAMPLE' }
const alarm: MappingRule = {
  from: 'plant/{machine}/alarm',
  key: 'plc',
  type: 'SYSTEM',
  category: 'CONDITION',
  value: '$.level',
  nativeCode: '$.code',
}

function connectorOf(
  rules: readonly MappingRule[],
  machineId: ConnectorRecord['machines'][number]['machineId'] = { mill, saw },
): ConnectorRecord {
  return {
    id: 'plant',
    companyId: 'company',
    name: 'Plant',
    kind: 'mqtt',
    address: null,
    enabled: true,
    sourceId: 'plant',
    machines: [{ ...defaultConnectorMachine, source: 'plant/{machine}', machineId }],
    rules: [...rules],
    options: defaultConnectorOptions,
    secrets: {},
  }
}

/** A stream whose changes are stored, as those of acknowledged samples. */
class StoredStream {
  readonly stored: Map<string, StoredKey>
  readonly stream: MessageStream

  constructor(connector: ConnectorRecord, stored = new Map<string, StoredKey>(), hasMachine?: (id: string) => boolean) {
    this.stored = stored
    this.stream = new MessageStream(connector, stored, hasMachine)
  }

  send(topic: string, value: unknown, { atUs = receivedUs, isRetained = false } = {}) {
    const payload = Buffer.from(JSON.stringify(value))
    const { samples, changes } = this.stream.apply({
      topic,
      payload,
      receivedUs: atUs,
      isRetained,
      isQos0: false,
    })
    for (const [id, key] of changes) this.stored.set(id, key)
    return samples
  }

  markGap(contactUs: number) {
    const { samples, changes } = this.stream.markGap(contactUs, false)
    for (const [id, key] of changes) this.stored.set(id, key)
    return samples
  }

  endFormer(contactUs: number) {
    const { samples, ids } = this.stream.endFormer(contactUs)
    for (const id of ids) this.stored.delete(id)
    return samples.map(({ machineId, key, type, value, timestamp }) => [machineId, key, type, value, timestamp])
  }
}

describe('messages of a broker', () => {
  const marker = '2026-11-23T08:00:05.000001Z'
  const contactUs = receivedUs + 5_000_000

  function started(): StoredStream {
    const before = new StoredStream(connectorOf([execution, speed, alarm]))
    for (const machine of ['mill', 'saw']) {
      before.send(`plant/${machine}/state`, 'ACTIVE')
      before.send(`plant/${machine}/speed`, 12)
      before.send(`plant/${machine}/alarm`, { level: 'FAULT', code: 'E1' })
    }
    assert.equal(before.stored.size, 6)
    return before
  }

  it('A key whose rule has another name becomes UNAVAILABLE once, after the last contact, and is forgotten', () => {
    const { stored } = started()
    const renamed = connectorOf([{ ...execution, key: 'path1' }, { ...speed, key: 'rpm' }, alarm])
    const after = new StoredStream(renamed, stored)
    assert.deepEqual(after.endFormer(contactUs), [
      [mill, 'execution', 'EXECUTION', 'UNAVAILABLE', marker],
      [saw, 'execution', 'EXECUTION', 'UNAVAILABLE', marker],
    ])
    assert.equal(after.stored.size, 2)
    const keys = (samples: readonly { readonly key: string }[]) => samples.map(({ key }) => key)
    assert.deepEqual(keys(after.stream.markGap(contactUs, false).samples), ['plc', 'plc'])
    assert.deepEqual(keys(after.send('plant/mill/state', 'READY')), ['path1'])
    const again = new StoredStream(renamed, after.stored)
    assert.deepEqual(again.endFormer(contactUs), [])
    assert.deepEqual(keys(again.stream.markGap(contactUs, false).samples), ['plc', 'plc', 'path1'])
  })

  it('A rule that is removed ends its alarms, and another type of a key ends the former one', () => {
    const { stored } = started()
    const after = new StoredStream(connectorOf([{ ...execution, type: 'CONTROLLER_MODE' }, speed]), stored)
    assert.sameDeepMembers(after.endFormer(contactUs), [
      [mill, 'execution', 'EXECUTION', 'UNAVAILABLE', marker],
      [saw, 'execution', 'EXECUTION', 'UNAVAILABLE', marker],
      [mill, 'plc', 'SYSTEM', 'UNAVAILABLE', marker],
      [saw, 'plc', 'SYSTEM', 'UNAVAILABLE', marker],
    ])
  })

  it('A machine that the connector no longer reads, or that was deleted, gets no markers, and is forgotten', () => {
    const isMill = (id: string) => id === mill
    for (const [connector, hasMachine] of [
      [connectorOf([execution, speed, alarm], { mill }), undefined],
      [connectorOf([execution, speed, alarm], mill), undefined],
      [connectorOf([execution, speed, alarm], '{machine}'), isMill],
    ] as const) {
      const after = new StoredStream(connector, started().stored, hasMachine)
      assert.deepEqual(after.endFormer(contactUs), [])
      assert.equal(after.stored.size, 3)
      assert.deepEqual([...after.stream.machineIds], [mill])
      assert.deepEqual([...after.stream.markGap(contactUs, false).machineIds], [mill])
    }
  })

  it('Ids of machines that the company does not have leave space for the keys of the others', () => {
    const machines = new Set([mill])
    const connector = connectorOf([execution], '{machine}')
    const { stream, stored, send } = (() => {
      const opened = new StoredStream(connector, new Map(), id => machines.has(id))
      return { stream: opened.stream, stored: opened.stored, send: opened.send.bind(opened) }
    })()
    // The limit of the keys of a connector is 20,000.
    for (let i = 0; i < 20_001; i++) assert.equal(send(`plant/${randomUUID()}/state`, 'ACTIVE').length, 1)
    assert.equal(stored.size, 0)
    assert.equal(send(`plant/${mill}/state`, 'ACTIVE').length, 1)
    assert.deepEqual([...stream.machineIds], [mill])
    assert.equal(stream.markGap(contactUs, false).samples.length, 1)
    // A machine that is created later is read from then on.
    machines.add(saw)
    assert.equal(send(`plant/${saw}/state`, 'ACTIVE').length, 1)
    assert.deepEqual([...stream.machineIds], [mill, saw])
  })

  describe('after a gap marker', () => {
    const timed = { value: '$.value', time: '$.at', timeUnit: 'us' } as const
    const connector = connectorOf([
      { ...execution, ...timed },
      { from: 'plant/{machine}/mode', key: 'mode', type: 'CONTROLLER_MODE' },
      { from: 'plant/{machine}/parts', key: 'parts', type: 'PART_COUNT', ...timed },
    ])
    /** Values, and their times in µs after the marker. */
    const described = (samples: ReturnType<StoredStream['send']>) =>
      samples.map(({ value, timestamp }) => [value, (parseInstantUs(timestamp) ?? 0) - contactUs - 1])
    const at = (seconds: number, value: unknown) => ({ value, at: receivedUs + seconds * 1_000_000 })

    /** A stream after values of a state, a mode and a count, and the marker at 5.000001 s. */
    function marked(): StoredStream {
      const before = new StoredStream(connector)
      before.send('plant/mill/state', at(1, 'ACTIVE'))
      before.send('plant/mill/mode', 'AUTOMATIC', { isRetained: true })
      before.send('plant/mill/parts', at(1, 7))
      assert.deepEqual(described(before.markGap(contactUs)), [
        ['UNAVAILABLE', 0],
        ['UNAVAILABLE', 0],
        ['UNAVAILABLE', 0],
      ])
      return before
    }

    it('Words of the time before it are restated in the order in which they come, 1 µs apart', () => {
      const stream = marked()
      assert.deepEqual(described(stream.send('plant/mill/state', at(2, 'READY'))), [
        ['READY', -3_000_001],
        ['READY', 1],
      ])
      assert.deepEqual(described(stream.send('plant/mill/state', at(3, 'ACTIVE'))), [
        ['ACTIVE', -2_000_001],
        ['ACTIVE', 2],
      ])
    })

    it('The value of before is restated once, although it is retained and comes at each subscription', () => {
      const stream = marked()
      const send = () => described(stream.send('plant/mill/state', at(1, 'ACTIVE'), { isRetained: true }))
      assert.deepEqual(send(), [
        ['ACTIVE', -4_000_001],
        ['ACTIVE', 1],
      ])
      assert.deepEqual(send(), [])
    })

    it('A number is not restated: an increment would count twice', () => {
      const stream = marked()
      assert.deepEqual(stream.send('plant/mill/parts', at(1, 7), { isRetained: true }), [])
      assert.deepEqual(described(stream.send('plant/mill/parts', at(2, 8))), [[8, -3_000_001]])
    })

    it('A retained value without a time holds again from its receipt on, also if it is unchanged', () => {
      const stream = marked()
      const send = () => stream.send('plant/mill/mode', 'AUTOMATIC', { atUs: contactUs + 1_001, isRetained: true })
      assert.deepEqual(described(send()), [['AUTOMATIC', 1_000]])
      assert.deepEqual(send(), [])
    })

    it('Another process that continues at the position restates the values', () => {
      const next = new StoredStream(connector, marked().stored)
      assert.deepEqual(described(next.send('plant/mill/state', at(2, 'READY'))), [
        ['READY', -3_000_001],
        ['READY', 1],
      ])
    })
  })
})
