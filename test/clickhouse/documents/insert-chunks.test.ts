import { expect } from 'chai'
import { insertChunks } from '../../../clickhouse/documents/insert-chunks.ts'

describe('insertChunks', () => {
  it('Insert chunks contain every row once, sorted by hour', () => {
    const rows = Array.from({ length: 25_000 }, (_, i) => ({ slotMs: ((i * 7919) % 25_000) * 3_600_000 }))
    const chunks = [...insertChunks(rows)]
    expect(chunks.map(chunk => chunk.length)).to.deep.equal([10_000, 10_000, 5_000])
    expect(chunks.flat().map(row => row.slotMs)).to.deep.equal(rows.map(row => row.slotMs).sort((a, b) => a - b))
  })

  it('An insert chunk has rows of at most 100 months', () => {
    const rows = Array.from({ length: 240 * 2 }, (_, i) => ({ slotMs: Date.UTC(2006, i >> 1, 1 + (i % 2)) }))
    expect([...insertChunks(rows)].map(chunk => chunk.length)).to.deep.equal([200, 200, 80])
  })

  it('No rows make no insert chunks', () => {
    expect([...insertChunks([])]).to.deep.equal([])
  })
})
