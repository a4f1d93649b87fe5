import { assert } from 'chai'
import { storeChanges } from '../../../connect/mtconnect/stored-position.ts'
import { Position } from '../../../connect/positions/position.ts'
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
