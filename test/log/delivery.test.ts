import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Delivery } from '../../log/delivery.ts'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import type { LogRecord } from '../../log/log.ts'
import { Problems } from '../../shared/problems.ts'
import { eventually, freshGroup, freshTopic, text } from './fixture.ts'

const place = { topic: 't', partition: 3, key: null, headers: {}, timestampMs: 0 } as const

describe('delivery of records', () => {
  const sound: LogRecord = { ...place, offset: 4, value: Buffer.from('a') }
  const tombstone: LogRecord = {
    ...place,
    offset: 5,
    value: Buffer.alloc(0),
    defect: { kind: 'tombstone', firstOffset: 5 },
  }
  const damaged: LogRecord = {
    ...place,
    offset: 9,
    value: Buffer.alloc(0),
    defect: { kind: 'undecodable', firstOffset: 6, message: 'The checksum of the batch is wrong' },
  }

  it('A handler that accepts defects gets every record', async () => {
    const problems = new Problems()
    const got: LogRecord[][] = []
    const onBatch = async ({ records }: { readonly records: readonly LogRecord[] }) => void got.push([...records])
    const delivery = new Delivery({ topic: 't', partition: 3, acceptsDefects: true, onBatch, problems })
    await delivery.deliver([sound, tombstone, damaged])
    expect(got).to.deep.equal([[sound, tombstone, damaged]])
    expect(problems.open()).to.deep.equal([])
  })

  it('A handler that accepts no defects gets sound records only, and each defect is a problem with its offsets', async () => {
    const problems = new Problems()
    const got: LogRecord[][] = []
    const onBatch = async ({ records }: { readonly records: readonly LogRecord[] }) => void got.push([...records])
    const delivery = new Delivery({ topic: 't', partition: 3, onBatch, problems })
    await delivery.deliver([tombstone])
    expect(problems.open()[0]).to.include({ code: 'damaged_record', topic: 't', partition: 3, offset: 5 })
    await delivery.deliver([sound, damaged])
    expect(got).to.deep.equal([[sound]])
    const [problem, ...others] = problems.open()
    expect(others).to.deep.equal([])
    expect(problem).to.include({ code: 'damaged_record', offset: 6 })
    expect(problem?.message).to.match(/Offsets 6 to 9 .*checksum/)
  })

  it('A consumer that fails at one offset is a problem within 15 s, blocks readiness after 2 min, and is cleared by its success', async function () {
    const lines: object[] = []
    const problems = new Problems({ logger: { warn: fields => void lines.push(fields), info: () => undefined } })
    const path = mkdtempSync(join(tmpdir(), 'takt-delivery-'))
    const log = await openEmbeddedLog({ path, problems })
    try {
      const topic = await freshTopic(log)
      await log.append(topic, [text('a'), text('b')])
      let isFailing = true
      const group = freshGroup()
      const consumer = await log.consume({
        topic,
        group,
        onBatch: async () => {
          if (isFailing) throw new TypeError('secret content')
        },
      })
      const startMs = performance.now()
      await eventually(() => problems.open().length > 0)
      expect(performance.now() - startMs).to.be.within(9_000, 17_000)
      const [problem] = problems.open()
      expect(problem).to.include({ code: 'consumer_failing', topic, partition: 0, offset: 0, unreadyAfterMs: 110_000 })
      expect(problem?.message).to.include(group).and.include('TypeError').and.not.include('secret')
      expect(lines).to.have.lengthOf(1)
      expect(problems.blocking()).to.deep.equal([])
      isFailing = false
      await eventually(() => problems.open().length === 0)
      await consumer.stop()
    } finally {
      await log.close()
      rmSync(path, { recursive: true })
    }
  })
})
