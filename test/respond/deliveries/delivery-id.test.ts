import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { deliveryIdOf } from '../../../respond/deliveries/delivery-id.ts'

const content = {
  incidents: [
    { id: 'b', reopened: 1 },
    { id: 'a', reopened: 0 },
  ],
  event: 'incident.opened',
  step: 1,
  repeat: 0,
  targetId: 't',
}

/** UUID of version 5 according to RFC 9562. */
function naiveId(name: string): string {
  const namespace = Buffer.from('7d6f2f0e5a7c4f0c9a0e2f1b8f0c6d11', 'hex')
  const hash = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  hash[6] = 0x50 + ((hash[6] ?? 0) % 16)
  hash[8] = 0x80 + ((hash[8] ?? 0) % 64)
  return hash.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}

describe('ids of deliveries', () => {
  it('The id is the UUIDv5 of the sorted incidents, event, step, repeat and target', () => {
    const expected = naiveId('[[["a",0],["b",1]],"incident.opened",1,0,"t"]')
    expect(deliveryIdOf(content)).to.equal(expected)
    expect(deliveryIdOf({ ...content, incidents: content.incidents.toReversed() })).to.equal(expected)
  })

  it('Another content has another id', () => {
    const others = [
      { incidents: content.incidents.slice(1) },
      { incidents: content.incidents.map(each => ({ ...each, reopened: 2 })) },
      { event: 'incident.resolved' },
      { step: 2 },
      { repeat: 1 },
      { targetId: 'u' },
    ]
    const ids = [{}, ...others].map(change => deliveryIdOf({ ...content, ...change }))
    expect(new Set(ids).size).to.equal(ids.length)
  })
})
