import { expect } from 'chai'
import { Position } from '../../../connect/positions/position.ts'
import { PositionWriter } from '../../../connect/run/position-writer.ts'
import type { NewRecord } from '../../../log/log.ts'
import { eventually } from '../../log/fixture.ts'

function open(intervalMs: number) {
  const writes: (readonly NewRecord[])[] = []
  const invalid: string[] = []
  const write = async (records: readonly NewRecord[]) => void writes.push(records)
  const writer = new PositionWriter({ write }, { intervalMs, onInvalid: ({ id }) => invalid.push(id) })
  const heads = () => writes.map(records => records.filter(({ key }) => key?.endsWith('/head')).map(({ key }) => key))
  return { writer, writes, invalid, heads }
}

describe('writer of positions', () => {
  it('The first position of a connector is written immediately, and later ones of all connectors together', async () => {
    const { writer, writes, heads } = open(50)
    const positions = ['a', 'b', 'c'].map(id => new Position(`company/${id}`))
    for (const [index, position] of positions.entries()) {
      position.head = { next: index }
      writer.changed(position)
    }
    await Promise.resolve()
    expect(heads()).to.deep.equal([['company/a/head'], ['company/b/head'], ['company/c/head']])
    for (let next = 10; next < 100; next++)
      for (const position of positions) {
        position.head = { next }
        writer.changed(position)
      }
    await eventually(() => writes.length > 3)
    for (const position of positions) {
      position.head = { next: 100 }
      writer.changed(position)
    }
    await eventually(() => writes.length > 4)
    expect(heads().slice(3)).to.deep.equal([
      ['company/a/head', 'company/b/head', 'company/c/head'],
      ['company/a/head', 'company/b/head', 'company/c/head'],
    ])
    writer.stop()
  })

  it('A flush writes a changed position once, and a position that cannot be written does not affect the other ones', async () => {
    const { writer, writes, invalid, heads } = open(10)
    const [large, small] = [new Position('company/large'), new Position('company/small')]
    large.state.set('key', 'x'.repeat(300_000))
    for (const position of [large, small]) {
      position.isStored = true
      writer.changed(position)
    }
    await eventually(() => writes.length === 1)
    expect([heads(), invalid]).to.deep.equal([[['company/small/head']], ['company/large']])
    writer.changed(small)
    await writer.flush(small)
    await writer.flush(small)
    writer.stop()
    expect(writes).to.have.lengthOf(2)
  })
})
