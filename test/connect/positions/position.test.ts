import { expect } from 'chai'
import { ChunkedMap } from '../../../connect/positions/chunked-map.ts'
import { decodePositions, NewerPositions, Position, positionId } from '../../../connect/positions/position.ts'
import type { NewRecord } from '../../../log/log.ts'

describe('chunks of a position', () => {
  const keyOf = (index: number) => `key ${index}`
  const filled = (count: number, value: (index: number) => string): ChunkedMap<string> => {
    const map = new ChunkedMap<string>()
    for (let index = 0; index < count; index++) map.set(keyOf(index), value(index))
    return map
  }

  const take = (map: ChunkedMap<string>) => {
    const changes = map.changes()
    map.markWritten()
    return changes
  }

  it('A change writes only the chunks of changed entries, of at most 500 keys and 256 KiB', () => {
    const map = filled(1_200, String)
    const all = take(map)
    expect([...all.values()].map(value => JSON.parse(value.toString()).length)).to.deep.equal([500, 500, 200])
    expect(take(map).size).to.equal(0)
    map.set(keyOf(700), 'new')
    map.delete(keyOf(1_100))
    expect([...take(map).keys()]).to.deep.equal([1, 2])
    map.set('added', 'x')
    expect([...take(map).keys()]).to.deep.equal([2])
  })

  it('Entries that grow beyond a chunk move to other chunks, and all entries are read again', () => {
    const map = filled(500, String)
    take(map)
    for (let index = 0; index < 500; index++) map.set(keyOf(index), 'ä'.repeat(index < 10 ? 60_000 : 100))
    const changes = take(map)
    for (const value of changes.values()) expect(value.length).to.be.at.most(256 << 10)
    const read = new ChunkedMap<string>()
    for (const [number, value] of changes) read.load(number, value)
    expect(new Map(read.entries())).to.deep.equal(new Map(map.entries()))
    map.set('large', 'x'.repeat(256 << 10))
    expect(() => map.changes()).to.throw(RangeError, 'The state of the key large exceeds')
  })

  it('A chunk whose entries are all deleted is written as empty and used again', () => {
    const map = filled(501, String)
    take(map)
    map.delete(keyOf(500))
    expect([...take(map)].map(([number, value]) => [number, value.length])).to.deep.equal([[1, 0]])
    map.set('added', 'x')
    expect([...take(map).keys()]).to.deep.equal([1])
  })
})

describe('position of a connector', () => {
  const stored = (records: readonly NewRecord[], into = new Map<string, Buffer>()) => {
    for (const { key, value } of records)
      if (value.length === 0) into.delete(key ?? '')
      else into.set(key ?? '', value)
    return into
  }

  it('A position is read as it was written, for any id of a connector', () => {
    const ids = ['a', 'a/head', 'keys/0', 'Fräse 1/state/2'].map(id => positionId('company', id))
    const records = stored([])
    for (const [index, id] of ids.entries()) {
      const position = new Position(id)
      position.head = { next: index }
      position.keys.set(`item ${id}`, 'key')
      for (let key = 0; key < 600; key++) position.state.set(`${key}`, { value: id, at: key })
      stored(position.takeChanges(), records)
    }
    const read = decodePositions(records)
    expect([...read.keys()]).to.deep.equal(ids)
    for (const [index, id] of ids.entries()) {
      expect(read.get(id)?.head).to.deep.equal({ next: index })
      expect(read.get(id)?.keys.get(`item ${id}`)).to.equal('key')
      expect(read.get(id)?.state.get('599')).to.deep.equal({ value: id, at: 599 })
    }
    const [first = ''] = ids
    stored(read.get(first)?.deletion() ?? [], records)
    expect([...decodePositions(records).keys()]).to.deep.equal(ids.slice(1))
  })

  it('A position with an entry that is too large has no written part, and all are written when the entry fits', () => {
    const position = new Position(positionId('company', 'large'))
    position.head = { next: 1 }
    for (let key = 0; key < 600; key++) position.state.set(`${key}`, key)
    position.keys.set('item', 'key')
    position.heartbeats.set('machine', 7)
    position.state.set('large', 'x'.repeat(300_000))
    for (let i = 0; i < 2; i++) expect(() => position.takeChanges()).to.throw(RangeError, 'key large exceeds')
    expect(position.isStored).to.equal(false)
    position.state.set('large', 'short')
    const read = decodePositions(stored(position.takeChanges())).get(position.id)
    for (const part of ['keys', 'state', 'heartbeats'] as const)
      expect(new Map<string, unknown>(read?.[part].entries())).to.deep.equal(new Map(position[part].entries()))
    expect(position.takeChanges()).to.have.lengthOf(1)
  })

  it('A position with a record that is not JSON is lost as a whole, other positions are not, and the next write repairs it', () => {
    const [broken, whole] = ['broken', 'whole'].map(id => new Position(positionId('company', id)))
    if (broken === undefined || whole === undefined) throw new Error('Invariant: two positions')
    for (const position of [broken, whole]) {
      position.head = { next: 1 }
      for (let key = 0; key < 1_100; key++) position.state.set(`${key}`, key)
      position.heartbeats.set('machine', 7)
    }
    for (const damage of ['{"next":', '[[1', '{}', 'null']) {
      const records = stored(whole.takeChanges(), stored(broken.takeChanges()))
      records.set(`${broken.id}/state/2`, Buffer.from(damage))
      const read = decodePositions(records)
      const lost = read.get(broken.id)
      expect([lost?.isLost, lost?.head, lost?.state.chunkNumbers()]).to.deep.equal([true, null, []])
      expect([read.get(whole.id)?.isLost, read.get(whole.id)?.head]).to.deep.equal([false, { next: 1 }])
      if (lost) lost.head = { next: 2 }
      const repaired = decodePositions(stored(lost?.takeChanges() ?? [], records)).get(broken.id)
      expect([repaired?.isLost, repaired?.head, repaired?.state.chunkNumbers()]).to.deep.equal([false, { next: 2 }, []])
    }
  })

  it('Positions in the format of a later version are rejected', () => {
    const position = new Position(positionId('company', 'connector'))
    position.head = { next: 1 }
    const records = stored(position.takeChanges())
    expect(records.get(`${position.id}/head`)?.toString()).to.equal('{"format":1,"kind":null,"head":{"next":1}}')
    records.set(`${position.id}/head`, Buffer.from('{"format":2,"kind":null,"parts":[]}'))
    expect(() => decodePositions(records)).to.throw(NewerPositions, 'have format 2, this version reads 1')
  })

  it('A position whose records are JSON of another shape is lost', () => {
    const position = new Position(positionId('company', 'broken'))
    position.head = { next: 1 }
    for (const [part, json] of [
      ['head', '5'],
      ['head', '{"kind":5,"head":1}'],
      ['head', '{"kind":null}'],
      ['keys/0', '[["item",7]]'],
      ['state/0', '["ab"]'],
      ['state/0', '[[1,2]]'],
      ['heartbeats/0', '[["machine","7"]]'],
      ['heartbeats/0', '[["machine",1e300]]'],
    ] as const) {
      const records = stored(position.takeChanges()).set(`${position.id}/${part}`, Buffer.from(json))
      expect(decodePositions(records).get(position.id)?.isLost, json).to.equal(true)
    }
  })
})
