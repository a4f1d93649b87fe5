import { assert } from 'chai'
import { readStreamPosition, storeChanges } from '../../../connect/mtconnect/stored-position.ts'
import { decodePositions, Position } from '../../../connect/positions/position.ts'
import { described, streamOf, streams, type Written } from './documents.ts'

const id = 'company/agent'

/** Applies observations to a stream of which `current` was read, and stores the position. */
function store(observations: readonly Omit<Written, 'sequence'>[]) {
  const stream = streamOf()
  stream.apply(streams({ next: 1 }), 'current')
  const numbered = observations.map((one, i) => ({ ...one, sequence: i + 1 }))
  const { samples } = stream.apply(streams({ next: numbered.length + 1, observations: numbered }), 'sample')
  const position = new Position(id)
  const changes = stream.takeChanges()
  if (changes !== null) storeChanges(position, changes)
  return { position, samples }
}

describe('stored position of an agent', () => {
  it('Long values, conditions and names fit the records of a position', () => {
    const long = (length: number) => '→'.repeat(length)
    const { position, samples } = store([
      ...Array.from({ length: 16 }, (_, i) => ({ id: 'part', ms: i, value: `${i} ${long(30_000)}` })),
      ...Array.from({ length: 1_100 }, (_, i) => ({
        id: 'sys',
        ms: i,
        value: 'Fault',
        attributes: { nativeCode: `${i}`, message: long(300) },
      })),
      { id: long(60_000), ms: 1, value: 'x', attributes: { name: long(60_000), subType: long(60_000) } },
    ])
    assert.lengthOf(samples, 16 + 1_100 + 1)
    assert.isAtLeast(position.takeChanges().length, 3)
    assert.isDefined(position.state.get('item/sys'))
    assert.isDefined(position.state.get('item/part'))
  })

  it('A position of another shape is lost, and the next one replaces it', () => {
    const written = () => {
      const { position } = store([
        { id: 'exec', ms: 1, value: 'ACTIVE' },
        { id: 'sys', ms: 2, value: 'Fault', attributes: { nativeCode: '7' } },
      ])
      return new Map(position.takeChanges().map(({ key, value }) => [key ?? '', value]))
    }
    const whole = decodePositions(written()).get(id)
    assert.isNotNull(whole && readStreamPosition(whole))
    const head = { instanceId: '1', restarts: 0, next: '3', contactUs: 0 }
    const damages = {
      head: [7, 'text', {}, { ...head, next: 3 }, { ...head, contactUs: 1e300 }].map(each => ({
        kind: null,
        head: each,
      })),
      'keys/0': [[['exec', 'execution']], [['[1]', 'execution']], [['null', 'execution']]],
      'state/0': [
        [['item/exec', null]],
        [['item/exec', { id: 'exec' }]],
        [['machine/1', '7']],
        [['item/exec', { ...Object(whole?.state.get('item/exec')), recent: [7] }]],
        [['item/sys', { ...Object(whole?.state.get('item/sys')), active: [['7', null]] }]],
      ],
    }
    for (const [part, values] of Object.entries(damages))
      for (const value of values) {
        const records = written().set(`${id}/${part}`, Buffer.from(JSON.stringify(value)))
        const damaged = decodePositions(records).get(id)
        if (damaged === undefined) throw new Error(`Invariant: a position with another ${part}`)
        assert.isFalse(damaged.isLost, part)
        assert.isNull(readStreamPosition(damaged), JSON.stringify(value))
        assert.isTrue(damaged.isLost)
        damaged.head = head
        for (const { key, value: record } of damaged.takeChanges())
          if (record.length === 0) records.delete(key ?? '')
          else records.set(key ?? '', record)
        const repaired = decodePositions(records).get(id)
        const empty = { ...head, newestUs: [], keys: [], items: [] }
        assert.deepEqual(repaired && readStreamPosition(repaired), empty, JSON.stringify(value))
      }
  })

  it('A long discrete value that was delivered before UNAVAILABLE is skipped, and another one of that time is not', () => {
    const part = (ms: number, value: string) => ({ id: 'part', ms, value })
    const [long, other] = ['1', '2'].map(end => 'x'.repeat(1_000) + end)
    const { samples } = store([
      part(10, long ?? ''),
      part(100, 'UNAVAILABLE'),
      part(10, long ?? ''),
      part(10, other ?? ''),
    ])
    assert.deepEqual(samples.map(described), [`part 10 ${long} #1`, 'part 100 UNAVAILABLE #2', `part 10 ${other} #4`])
  })
})
