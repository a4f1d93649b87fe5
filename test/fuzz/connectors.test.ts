import { assert } from 'chai'
import { DocumentError } from '../../connect/mtconnect/document-error.ts'
import { type AgentDocument, readDocument } from '../../connect/mtconnect/document.ts'
import { readStreamPosition, storeChanges } from '../../connect/mtconnect/stored-position.ts'
import { MessageStream } from '../../connect/mqtt/message-stream.ts'
import { readStored } from '../../connect/mqtt/stored-position.ts'
import { Position } from '../../connect/positions/position.ts'
import { AdapterStream } from '../../connect/shdr/adapter-stream.ts'
import { sourceDevices } from '../../connect/shdr/source-devices.ts'
import { readAdapterPosition, storeAdapterChanges } from '../../connect/shdr/stored-position.ts'
import { Random } from '../../demo/simulate/random.ts'
import { LineSplitter } from '../../ingest/shdr/lines.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
} from '../../schema/records/connector.ts'
import type { WireSample } from '../../schema/topics.ts'
import { streamOf } from '../connect/mtconnect/documents.ts'
import { mutateText, mutateValue } from './mutate.ts'

const messages = Number(process.env['TAKT_FUZZ_MESSAGES'] ?? 1_500)
const seed = Number(process.env['TAKT_FUZZ_SEED'] ?? Date.now() % 1_000_000)
/** One of so many messages is that of a machine whose messages are intact. */
const intactEvery = 10
/** Number of messages after which the position is stored. */
const storedEvery = 100
const startUs = Date.parse('2026-03-02T08:00:00Z') * 1_000

const [attacked, intact] = ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '7e9619ff-8b86-4d01-b42d-00cf4fc964ff']

function connectorOf(changes: Pick<ConnectorRecord, 'kind' | 'machines' | 'rules'>): ConnectorRecord {
  const names = { id: 'plant', companyId: 'company', name: 'Plant', sourceId: 'plant' }
  return { ...names, address: null, enabled: true, options: defaultConnectorOptions, secrets: {}, ...changes }
}

const ofIntact = (samples: readonly WireSample[]) => samples.filter(({ machineId }) => machineId === intact)

/** The records of a position that can be stored are written. */
function write(position: Position): void {
  assert.isAtLeast(position.takeChanges().length, 1)
}

describe(`connectors with ${messages} mutated messages (TAKT_FUZZ_SEED=${seed})`, function () {
  this.timeout(600_000 + messages * 10)

  it('MQTT: the messages of another device give the samples that they give alone', () => {
    const random = new Random(seed)
    const connector = connectorOf({
      kind: 'mqtt',
      machines: [{ ...defaultConnectorMachine, source: 'plant/{machine}', machineId: { mill: attacked, saw: intact } }],
      rules: [
        { from: 'plant/+/lwt', equals: 'offline', unavailable: true },
        {
          from: 'plant/+/state',
          value: '$.code',
          time: '$.ts',
          key: 'execution',
          type: 'EXECUTION',
          map: { 1: 'READY', '*': 'ACTIVE' },
        },
        {
          from: 'plant/+/speed',
          value: '$["v"]',
          key: 'speed',
          type: 'ROTARY_VELOCITY',
          category: 'SAMPLE',
          scale: 0.1,
          round: 3,
          deadband: 0.5,
        },
        {
          from: 'plant/+/alarms',
          each: '$.alarms[*]',
          time: '$.ts',
          key: 'plc',
          type: 'SYSTEM',
          category: 'CONDITION',
          value: '@.on',
          nativeCode: '@.no',
          message: '@.text',
          map: { true: 'FAULT', false: 'NORMAL' },
        },
        { from: 'plant/+/#', key: 'other', type: 'MESSAGE' },
      ],
    })
    const [stream, alone] = [new MessageStream(connector, []), new MessageStream(connector, [])]
    const position = new Position('company/plant')
    const own: WireSample[] = []
    const expected: WireSample[] = []
    const bodies = [
      ['state', { code: 1, ts: startUs / 1_000 }],
      ['speed', { v: 12 }],
      [
        'alarms',
        {
          ts: startUs / 1_000,
          alarms: [
            { no: 7, on: true, text: 'hot' },
            { no: 8, on: false, text: 'ok' },
          ],
        },
      ],
      ['lwt', 'offline'],
      ['x/y', [1, 'a', null]],
    ] as const
    for (let i = 0; i < messages; i++) {
      const [topic, body] = random.pick<readonly [string, unknown]>(bodies)
      const receivedUs = startUs + i * 1_000
      const origin = { receivedUs, isRetained: random.chance(0.2), isQos0: random.chance(0.2) }
      if (i % intactEvery === 0) {
        const payload = Buffer.from(
          topic === 'lwt' ? 'offline' : JSON.stringify({ ...Object(body), ts: receivedUs / 1_000 }),
        )
        const message = { topic: `plant/saw/${topic}`, payload, ...origin }
        own.push(...stream.apply(message).samples)
        expected.push(...alone.apply(message).samples)
      } else {
        const text = JSON.stringify(random.chance(0.9) ? mutateValue(body, random) : body)
        const payload = random.chance(0.3) ? mutateText(text, random) : Buffer.from(text)
        const levels = random.chance(0.1) ? mutateText(`plant/mill/${topic}`, random).toString() : `plant/mill/${topic}`
        const { samples, changes } = stream.apply({ topic: levels, payload, ...origin })
        assert.isAtMost(samples.length, 4_000)
        for (const [id, key] of changes) position.state.set(id, key)
        own.push(...ofIntact(samples))
      }
      if (i % storedEvery === 0) write(position)
    }
    assert.deepEqual(own, expected)
    assert.isAbove(expected.length, messages / intactEvery / 5)
    position.head = { contactUs: 0, perSecond: 0, hashes: [], filters: [], received: 0 }
    assert.isNotNull(readStored(position))
    assert.isAbove(stream.unmapped.total, messages / 10)
  })

  it('SHDR: the lines of another device give the samples that they give alone', () => {
    const random = new Random(seed + 1)
    const connector = connectorOf({
      kind: 'shdr',
      machines: [
        { ...defaultConnectorMachine, source: 'Mill', machineId: attacked },
        { ...defaultConnectorMachine, source: 'Saw', machineId: intact },
      ],
      rules: [
        { from: 'execution', key: 'execution', type: 'EXECUTION' },
        { from: 'system', key: 'system', type: 'SYSTEM', category: 'CONDITION' },
        { from: 'speed', key: 'speed', type: 'ROTARY_VELOCITY', category: 'SAMPLE' },
      ],
    })
    const open = () => new AdapterStream({ ...sourceDevices(connector), time: 'source' }, null)
    const [stream, alone] = [open(), open()]
    const [splitter, ownSplitter] = [new LineSplitter(), new LineSplitter()]
    const position = new Position('company/plant')
    for (const each of [stream, alone]) each.connect(startUs)
    const read = (target: AdapterStream, lines: readonly (string | null)[], atUs: number) => {
      for (const line of lines) if (line !== null) target.apply(line, atUs)
      return ofIntact(target.takeSamples())
    }
    const [own, expected]: [WireSample[], WireSample[]] = [[], []]
    for (let i = 0; i < messages; i++) {
      const atUs = startUs + i * 1_000
      const time = new Date(atUs / 1_000).toISOString()
      const contents = (device: string) =>
        [
          `${device}:execution|${random.pick(['ACTIVE', 'READY', 'UNAVAILABLE'])}`,
          `${device}:system|${random.pick(['FAULT', 'NORMAL', 'WARNING'])}|${random.integer(0, 3)}|1|HIGH|hot`,
          `${device}:speed|${random.integer(0, 100)}|${device}:execution|"ACT|IVE"`,
        ] as const
      if (i % intactEvery === 0) {
        const bytes = Buffer.from(`${time}|${random.pick(contents('Saw'))}\n`)
        own.push(...read(stream, splitter.push(bytes), atUs))
        expected.push(...read(alone, ownSplitter.push(bytes), atUs))
      } else {
        const bytes = mutateText(`${time}|${random.pick(contents('Mill'))}`, random)
        own.push(...read(stream, splitter.push(Buffer.concat([bytes, Buffer.from('\n')])), atUs))
      }
      if (i % storedEvery !== 0) continue
      storeAdapterChanges(position, stream.takeChanges())
      write(position)
    }
    assert.deepEqual(own, expected)
    assert.isAbove(expected.length, messages / intactEvery / 2)
    assert.isNotNull(readAdapterPosition(position))
  })

  it('MTConnect: a document is read or rejected, and the position can be stored after it', () => {
    const random = new Random(seed + 2)
    const stream = streamOf()
    const position = new Position('company/agent')
    let next = 1
    let read = 0
    for (let i = 0; i < messages; i++) {
      const text = documentText(next, random)
      let document: AgentDocument
      try {
        document = readDocument(mutateXml(text, random))
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error
        continue
      }
      if (document.kind !== 'streams') continue
      read++
      const request = random.pick<'current' | 'sample'>(['current', 'sample', 'sample'])
      const { situation } = stream.apply(document, request, 0, startUs)
      if (situation !== 'continue' && request === 'sample') stream.apply(document, 'current', 0, startUs)
      next = Number(stream.next ?? 1)
      const changes = stream.takeChanges()
      if (changes !== null) storeChanges(position, changes)
      if (i % storedEvery === 0) write(position)
    }
    assert.isNotNull(readStreamPosition(position))
    assert.isAbove(read, messages / 4)
  })
})

const items = [
  'exec',
  'mode',
  'count',
  'part',
  'sys',
  'speed',
  'vib',
  'note',
  'vars',
  'work',
  'asset',
  'unknown',
] as const

/** A document of values whose first observation has a sequence. */
function documentText(next: number, random: Random): string {
  const observations = Array.from({ length: random.integer(0, 6) }, (_, i) => {
    const time = new Date(startUs / 1_000 + random.integer(-5, 5)).toISOString()
    const attributes = `dataItemId="${random.pick(items)}" timestamp="${time}" sequence="${next + i}" nativeCode="${random.integer(0, 3)}"`
    const value = random.pick(['ACTIVE', 'UNAVAILABLE', '12', '1 2 3', '<Entry key="a">1</Entry>', ''])
    const element = random.pick(['Execution', 'Fault', 'Normal', 'Unavailable'])
    const section = random.pick(['Events', 'Samples', 'Condition'])
    return `<${section}><${element} ${attributes}>${value}</${element}></${section}>`
  })
  const end = next + observations.length
  const created = new Date(startUs / 1_000).toISOString()
  const header = `<Header instanceId="1" creationTime="${created}" firstSequence="${Math.max(1, next - 10)}" nextSequence="${end}"/>`
  return `<MTConnectStreams>${header}<Streams><DeviceStream name="Mill" uuid="uuid-Mill"><ComponentStream>${observations.join('')}</ComponentStream></DeviceStream></Streams></MTConnectStreams>`
}

/** Replaces some values of attributes and texts, or some bytes. */
function mutateXml(text: string, random: Random): Buffer {
  if (random.chance(0.2)) return mutateText(text, random)
  const odd = [
    '',
    '0',
    '-1',
    '1e9',
    '9007199254740993',
    'x'.repeat(20_000),
    '&#0;',
    '&amp;',
    '1970-01-01T00:00:00Z',
  ] as const
  const mutated = text.replaceAll(/="[^"]*"/g, value =>
    random.chance(0.02) ? `="${random.pick([...odd, String(random.integer(0, 30)), '9999-12-31T23:59:59Z'])}"` : value,
  )
  return Buffer.from(mutated)
}
