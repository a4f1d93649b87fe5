import { strict as assert } from 'node:assert'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { convertValue, compileConversion, Problem } from '../../../ingest/mapping/convert-value.ts'
import { type DeliveredKey, MessageMapping } from '../../../ingest/mapping/message-mapping.ts'
import { defaultConnectorMachine, defaultConnectorOptions } from '../../../schema/records/connector.ts'
import { parseInstantUs } from '../../../shared/time/instant.ts'
import { converted, mapNaively } from './naive-mapping.ts'
import { conversionRule, machineIds, randomConnector, randomMessage, scalar } from './random-connector.ts'

describe('mapping of messages', () => {
  it('Random rules give the samples of the naive interpreter, and count the same values without one', () => {
    const seen = { samples: 0, unmapped: 0, unavailable: 0 }
    const check = fc.property(randomConnector, fc.array(randomMessage, { maxLength: 25 }), (connector, messages) => {
      const expected = mapNaively(connector, messages)
      const mapping = new MessageMapping(connector, new Map())
      const mapped = messages.map(({ topic, text, receivedUs }) =>
        mapping
          .map({ topic, payload: Buffer.from(text), receivedUs })
          .map(sample => Object.assign({}, sample, { timestamp: parseInstantUs(sample.timestamp) })),
      )
      assert.deepEqual(mapped, expected.samples)
      assert.equal(mapping.unmapped.total, expected.unmapped)
      seen.samples += mapped.flat().length
      seen.unmapped += expected.unmapped
      seen.unavailable += mapped.flat().filter(({ value }) => value === 'UNAVAILABLE').length
    })
    fc.assert(check, { numRuns: 4_000, examples: [listAsTime] })
    expect(seen.samples).to.be.above(1_500)
    expect(seen.unmapped).to.be.above(2_000)
    expect(seen.unavailable).to.be.above(20)
  })

  it('Each value is converted as by the naive interpreter', () => {
    const check = fc.property(conversionRule, scalar, (rule, value) => {
      const result = convertValue(value, compileConversion({ from: 'x', ...rule }, 'rules[0]'))
      assert.deepEqual(result instanceof Problem ? null : result, converted(value, rule))
    })
    fc.assert(check, { numRuns: 20_000 })
  })

  it('A mapping continues from the delivered keys of another one as if it had not stopped', () => {
    const check = fc.property(
      randomConnector,
      fc.array(randomMessage, { maxLength: 20 }),
      fc.nat(20),
      (connector, messages, cut) => {
        const whole = new MessageMapping(connector, new Map())
        const delivered = new Map<string, DeliveredKey>()
        const [first, second] = [0, 1].map(() => new MessageMapping(connector, delivered))
        for (const [index, { topic, text, receivedUs }] of messages.entries()) {
          const message = { topic, payload: Buffer.from(text), receivedUs }
          assert.deepEqual((index < cut ? first : second)?.map(message), whole.map(message))
        }
      },
    )
    fc.assert(check, { numRuns: 500 })
  })

  it('No payload and no topic throws an error, and each message gives at most 2,000 samples', () => {
    const text = randomMessage.map(message => Buffer.from(message.text))
    const damaged = fc.tuple(text, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([bytes, at, byte]) => {
      bytes[at % Math.max(1, bytes.length)] = byte
      return bytes
    })
    const payload = fc.oneof(
      damaged,
      fc.uint8Array({ maxLength: 50 }).map(bytes => Buffer.from(bytes)),
      fc.nat(200_000).map(count => Buffer.from(`{"a":[${'{"b":1},'.repeat(count % 20_000)}[[1]]]}`)),
    )
    const topic = fc.oneof(
      fc.string(),
      fc.nat(20_000).map(levels => '/'.repeat(levels)),
    )
    const check = fc.property(randomConnector, payload, topic, (connector, bytes, name) => {
      const mapping = new MessageMapping(connector, new Map())
      expect(mapping.map({ topic: name, payload: bytes, receivedUs: 1 }).length).to.be.at.most(2_000)
    })
    fc.assert(check, { numRuns: 2_000 })
  })

  it('The first example of each reason is counted', () => {
    const mapping = mappingOf([
      { from: 'p/state', value: '$.code', key: 'k', type: 'EXECUTION', map: { 1: 'READY' } },
      { from: 'p/temp', key: 't', type: 'TEMPERATURE', scale: 0.1 },
    ])
    for (const [topic, payload] of [
      ['p/state', '{"code":1}'],
      ['p/state', '{"code":2}'],
      ['p/state', '{"code":3}'],
      ['p/state', '{"mode":3}'],
      ['p/temp', '"hot"'],
      ['p/temp', 'hot'],
      ['q', '1'],
    ] as const)
      mapping.map({ topic, payload: Buffer.from(payload), receivedUs: 1_700_000_000_000_000 })
    expect(
      [...mapping.unmapped.byReason].map(([reason, { count, example }]) => [reason, count, example]),
    ).to.deep.equal([
      ['rules[0].map has no such text', 2, 'p/state {"code":2}'],
      ['rules[0].value has no match', 1, 'p/state {"mode":3}'],
      ['rules[1].scale, offset and round require a number', 1, 'p/temp "hot"'],
      ['the payload is not JSON', 1, 'p/temp hot'],
      ['no rule matches the topic and payload', 1, 'q 1'],
    ])
  })

  it('A message gives at most 2,000 samples, and a payload above 1 MiB or too deep none', () => {
    const mapping = mappingOf([{ from: '#', each: '$[*]', key: 'k', type: 'TEMPERATURE' }])
    const map = (text: string) => mapping.map({ topic: 'x', payload: Buffer.from(text), receivedUs: 1 }).length
    expect(map(`[${'1,'.repeat(50_000)}1]`)).to.equal(2_000)
    expect(map(`["${'x'.repeat(1_048_576)}"]`)).to.equal(0)
    expect(map('['.repeat(40) + ']'.repeat(40))).to.equal(0)
    expect([...mapping.unmapped.byReason.keys()]).to.deep.equal([
      'the message has more than 2000 elements',
      'the payload has more than 1048576 bytes',
      'JSON must be nested at most 32 levels deep',
    ])
  })

  it('A text that the acceptor would reject gives no sample', () => {
    const mapping = mappingOf([
      { from: '#', value: '$.v', nativeCode: '$.c', message: '$.m', key: 'k', type: 'SYSTEM' },
    ])
    const map = (v: number, c: number, m: number) => {
      const payload = Buffer.from(JSON.stringify({ v: 'v'.repeat(v), c: 'c'.repeat(c), m: 'm'.repeat(m) }))
      return mapping.map({ topic: 'x', payload, receivedUs: 1 }).length
    }
    expect([map(16_384, 256, 16_384), map(16_385, 1, 1), map(1, 257, 1), map(1, 1, 16_385)]).to.deep.equal([1, 0, 0, 0])
    expect([...mapping.unmapped.byReason.keys()]).to.deep.equal([
      'rules[0].value has more than 16384 characters',
      'rules[0].nativeCode has more than 256 characters',
      'rules[0].message has more than 16384 characters',
    ])
  })

  it('A message that makes a machine unavailable gives at most 2,000 samples', () => {
    const [machineId] = machineIds
    const keys = Array.from({ length: 2_001 }, (_, i) => ({
      machineId,
      key: `k${i}`,
      type: 'T',
      newestUs: 1,
      number: null,
    }))
    const delivered = new Map<string, DeliveredKey>(keys.map(key => [key.key, key]))
    const mapping = mappingOf([{ from: '#', unavailable: true }], delivered)
    expect(mapping.map({ topic: 'x', payload: Buffer.from('x'), receivedUs: 1 }).length).to.equal(2_000)
    expect([...mapping.unmapped.byReason.keys()]).to.deep.equal(['the machine has more than 2000 keys'])
  })
})

/** The payload is a list of one time, which is no time. */
const listAsTime: [Parameters<typeof mapNaively>[0], { topic: string; text: string; receivedUs: number }[]] = [
  {
    rules: [{ from: '#', key: 'k1', type: 'EXECUTION', unavailable: true, time: '$' }],
    machines: [{ ...defaultConnectorMachine, source: '+', machineId: machineIds[0] }],
    options: defaultConnectorOptions,
  },
  [{ topic: 'p', text: '["2024-05-06T08:00:00.123Z"]', receivedUs: 1_700_000_000_000_000 }],
]

function mappingOf(
  rules: ConstructorParameters<typeof MessageMapping>[0]['rules'],
  delivered = new Map<string, DeliveredKey>(),
): MessageMapping {
  const machines = [{ ...defaultConnectorMachine, source: '#', machineId: machineIds[0] }]
  return new MessageMapping({ rules, machines, options: defaultConnectorOptions }, delivered)
}
