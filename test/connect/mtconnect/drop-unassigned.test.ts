import { assert } from 'chai'
import { dropUnassigned, readStreamPosition, storeChanges } from '../../../connect/mtconnect/stored-position.ts'
import { decodePositions, Position } from '../../../connect/positions/position.ts'
import { streamOf, streams } from './documents.ts'

describe('position of an agent whose connector has other machines', () => {
  it('A position loses the items and machines that its connector no longer names, and their records', () => {
    const stream = streamOf({ machines: [{ source: 'Mill', machineId: 'a', paths: { path2: 'b' } }] })
    const observations = ['exec', 'speed'].map((id, i) => ({ id, ms: 1, value: 'READY', sequence: i + 1 }))
    stream.apply(streams({ next: 3, observations }), 'current')
    const position = new Position('company/agent')
    const changes = stream.takeChanges()
    if (changes !== null) storeChanges(position, changes)
    const records = new Map<string, Buffer>()
    const store = () => {
      for (const { key, value } of position.takeChanges()) {
        // An empty record deletes its key.
        if (value.length === 0) records.delete(key ?? '')
        else records.set(key ?? '', Buffer.from(value))
      }
    }
    store()
    /** Machines, and items with theirs, of the stored position after the connector has other machines. */
    const stored = (...machines: Parameters<typeof dropUnassigned>[2]) => {
      const before = readStreamPosition(position)
      if (before !== null) dropUnassigned(position, before, machines)
      store()
      const read = decodePositions(records).get(position.id)
      const { newestUs = [], items = [], keys = [] } = (read && readStreamPosition(read)) ?? {}
      assert.lengthOf(keys, 15)
      return [newestUs.map(([id]) => id), items.map(({ id }) => id)]
    }
    assert.deepEqual(stored({ source: 'Mill', machineId: 'a', paths: { path2: 'b' } }), [['a', 'b'], ['exec']])
    assert.deepEqual(stored({ source: 'uuid-Mill', machineId: 'b' }), [['b'], ['exec']], 'another name of the device')
    assert.deepEqual(stored({ source: 'Mill', machineId: 'c' }), [[], ['exec']], 'the device has another machine')
    assert.deepEqual(stored({ source: 'Mill2', machineId: 'c' }), [[], []])
  })
})
