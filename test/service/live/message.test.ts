import { expect } from 'chai'
import { CompactSamples } from '../../../ingest/decode/compact-writer.ts'
import { parseLiveMessage } from '../../../service/live/message.ts'
import type { LiveMessage } from '../../../schema/topics.ts'

describe('live messages', () => {
  const progress: LiveMessage = {
    kind: 'progress',
    partition: 1,
    liveOffset: 5,
    liveDirtyHours: 0,
    liveSinceMs: null,
    staleDays: 0,
    nextOffset: 7,
    dirtyHours: 0,
    rebuilds: [],
    recordsOffset: 3,
  }
  const values: LiveMessage = { kind: 'values', samples: [] }
  const status: LiveMessage = { kind: 'status', statuses: [] }
  const record = (message: object) => Buffer.from(JSON.stringify(message))

  it('A live message is returned only to a reader of its kind', () => {
    for (const message of [progress, values, status]) {
      expect(parseLiveMessage(record(message), message.kind)).to.deep.equal(message)
    }
    expect(parseLiveMessage(record(values), 'status')).to.equal(null)
    expect(parseLiveMessage(record({ kind: 'values', samples: ['"progress"'] }), 'progress')).to.equal(null)
  })

  it('A compact record is not a live message, whatever its content', () => {
    const compact = new CompactSamples('"status"')
    for (const kind of ['values', 'status'] as const) expect(parseLiveMessage(compact.bytes(), kind)).to.equal(null)
  })

  it('A live message of another kind is not parsed', () => {
    expect(parseLiveMessage(Buffer.from('{"kind":"values","samples":[{'), 'progress')).to.equal(null)
  })
})
