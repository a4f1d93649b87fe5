import { expect } from 'chai'
import { setImmediate as turn } from 'node:timers/promises'
import { OneMachine, type Reader, until } from './one-machine.ts'

const metrics = 6_000
const text = 'x'.repeat(150)

describe('a machine with thousands of values', () => {
  const plant = new OneMachine()
  const tellAll = (round: string) => {
    plant.live.publishValues(
      Array.from({ length: metrics }, (_, i) => plant.sample(0, `${round} ${i} ${text}`, `key ${i}`)),
    )
  }
  const roundsOf = (reader: Reader, key: string) =>
    reader.told.flatMap(([name, value]) => (name === key ? [value.split(' ')[0]] : []))
  before(() => tellAll('first'))
  after(() => plant.live.stop())

  it('The live snapshot of a machine is sent in chunks, so that a slow reader has few pending bytes', async () => {
    const reader = plant.follow({ hasRoom: false })
    await until(() => reader.writes.length > 0)
    for (let i = 0; i < 100; i++) await turn()
    expect(reader.writes).to.have.length(1)
    expect(reader.writes[0]).to.be.below(256 * 1024)

    // Changes of a key that was already shown and of one that was not.
    const changed = [0, metrics - 1].map(i => `key ${i}`)
    plant.live.publishValues(changed.map(key => plant.sample(1, `second ${text}`, key)))
    reader.hasRoom = true
    reader.receiver.onDrain()
    await until(() => reader.told.length === metrics + 1)
    for (let i = 0; i < 100; i++) await turn()
    expect(reader.told).to.have.length(metrics + 1)
    expect(new Set(reader.told.map(([key]) => key)).size).to.equal(metrics)
    expect(changed.map(key => roundsOf(reader, key))).to.deep.equal([['first', 'second'], ['second']])
    for (const bytes of reader.writes) expect(bytes).to.be.below(256 * 1024)
    reader.receiver.closed()
  })

  it('A simultaneous change of all values of a machine is sent in chunks', async () => {
    const reader = plant.follow()
    await until(() => reader.told.length === metrics)
    reader.hasRoom = false
    const shown = reader.writes.length
    plant.nowMs += 1_000
    tellAll('third')
    await until(() => reader.writes.length > shown)
    expect(reader.writes.at(-1)).to.be.below(256 * 1024)
    tellAll('fourth')
    reader.hasRoom = true
    reader.receiver.onDrain()
    await until(() => roundsOf(reader, `key ${metrics - 1}`).at(-1) === 'fourth')
    const newest = new Map(reader.told)
    expect(newest.size).to.equal(metrics)
    for (const [key, value] of newest) expect([key, value.split(' ')[0]]).to.deep.equal([key, 'fourth'])
    reader.receiver.closed()
  })
})
