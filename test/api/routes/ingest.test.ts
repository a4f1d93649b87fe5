import { randomUUID } from 'node:crypto'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { topics } from '../../../schema/topics.ts'
import type { IngestResponse } from '../../../schema/requests/ingest.ts'
import { defaultJsonBounds } from '../../../shared/json/bounds.ts'
import { readCompact } from '../../ingest/decode/read-samples.ts'
import { bugFile } from '../../support/bug-file.ts'
import { shaped, startApi, type TestApi } from '../../support/api.ts'

const noneRejected = { rejected: [], rejectedCount: 0, rejectedByCode: {} }

describe('POST /ingest/samples', () => {
  let api: TestApi
  const machineId = randomUUID()
  const sample = (value: string) => ({
    machineId,
    timestamp: '2026-03-02T08:00:00Z',
    key: 'execution',
    type: 'EXECUTION',
    value,
  })
  const valuesInLog = () =>
    api.log.appended
      .filter(({ topic }) => topic === topics.samples)
      .flatMap(({ record }) => readCompact(record.value).map(({ value }) => value))

  beforeEach(async () => {
    api = await startApi({ settings: { ingest: { ...defaultJsonBounds, bytes: 10_000 } } })
    await api.call('PUT', `/machines/${machineId}`, { name: 'A' })
  })
  afterEach(() => api.close())

  it('An object, an array, a batch and NDJSON of samples are accepted', async () => {
    const one = await api.call('POST', '/ingest/samples', sample('ACTIVE'))
    assert.deepEqual([one.status, one.body], [202, { accepted: 1, ...noneRejected }])
    await api.call('POST', '/ingest/samples', [sample('READY'), sample('STOPPED')])
    const { machineId: _, ...bare } = sample('WAIT')
    await api.call('POST', '/ingest/samples', { machineId, samples: [bare] })
    const lines = [sample('FEED_HOLD'), sample('INTERRUPTED')].map(line => JSON.stringify(line)).join('\n')
    const headers = { 'content-type': 'application/x-ndjson' }
    await api.call('POST', '/ingest/samples', undefined, { raw: lines, headers })
    assert.deepEqual(valuesInLog(), ['ACTIVE', 'READY', 'STOPPED', 'WAIT', 'FEED_HOLD', 'INTERRUPTED'])
  })

  it('Samples in gzip are accepted', async () => {
    const raw = gzipSync(JSON.stringify([sample('ACTIVE')]))
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const { status, body } = await api.call('POST', '/ingest/samples', undefined, { raw, headers })
    assert.deepEqual([status, body], [202, { accepted: 1, ...noneRejected }])
  })

  it('A truncated compressed body of samples receives 400 with the cause, and none of its samples is accepted', async () => {
    const lines = ['ACTIVE', 'READY'].map(value => `${JSON.stringify(sample(value))}\n`).join('')
    for (const [encoding, raw, cause] of [
      ['gzip', gzipSync(lines).subarray(0, -10), 'gzip: unexpected end of file'],
      ['gzip', Buffer.concat([gzipSync(lines), gzipSync(lines).subarray(0, 15)]), 'gzip: unexpected end of file'],
      ['deflate', deflateRawSync(lines), 'deflate (zlib format): incorrect header check'],
    ] as const) {
      const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': encoding }
      const { status, body } = await api.call('POST', '/ingest/samples', undefined, { raw, headers })
      assert.deepEqual(
        [status, body],
        [400, { code: 'BadRequest', message: `The body is not valid ${cause}`, errors: [] }],
      )
    }
    assert.isEmpty(valuesInLog())
    const headers = { 'content-encoding': 'x-gzip' }
    assert.equal((await api.call('POST', '/ingest/samples', undefined, { raw: gzipSync(lines), headers })).status, 202)
    assert.deepEqual(valuesInLog(), ['ACTIVE', 'READY'])
  })

  it('Each recorded body of samples that cannot be decompressed receives 400 with the cause', async function () {
    for (const [file, encoding] of [
      ['cut.gz', 'gzip'],
      ['raw.deflate', 'deflate'],
    ] as const) {
      const headers = { 'content-encoding': encoding }
      const raw = bugFile(this, `34-body-cannot-be-unpacked/${file}`)
      const { status, body } = await api.call('POST', '/ingest/samples', undefined, { raw, headers })
      assert.equal(status, 400)
      assert.include(JSON.stringify(body), `The body is not valid ${encoding}`)
    }
  })

  it('Rejected samples are listed, and the other samples are accepted', async () => {
    const unknown = { ...sample('ACTIVE'), machineId: randomUUID() }
    const answer = await api.call('POST', '/ingest/samples', [sample('READY'), unknown, { key: 1 }])
    assert.equal(answer.status, 202)
    const { accepted, rejected } = shaped<IngestResponse>(answer)
    assert.equal(accepted, 1)
    assert.deepEqual(
      rejected.map(({ index, code }) => [index, code]),
      [
        [1, 'unknown_machine'],
        [2, 'invalid_sample'],
      ],
    )
  })

  it('A body of samples beyond the size limit after decompression receives 413, and invalid JSON receives 400', async () => {
    const raw = gzipSync(JSON.stringify([sample('A'.repeat(20_000))]))
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    assert.equal((await api.call('POST', '/ingest/samples', undefined, { raw, headers })).status, 413)
    const bad = await api.call('POST', '/ingest/samples', undefined, { raw: '{"a":', headers: {} })
    assert.deepEqual([bad.status, bad.body], [400, { message: 'Problem parsing JSON' }])
    assert.equal((await api.call('POST', '/ingest/samples')).status, 400)
  })

  it('While the log is unavailable, samples receive 503 with Retry-After and none is accepted', async () => {
    api.log.isDown = true
    const { status, headers, body } = await api.call('POST', '/ingest/samples', sample('ACTIVE'))
    assert.equal(status, 503)
    assert.isNotNull(headers.get('retry-after'))
    assert.propertyVal(body, 'code', 'Unavailable')
    assert.isEmpty(valuesInLog())
  })

  it('Samples need the scope ingest.activity or system.gateway', async () => {
    for (const [scope, status] of [
      ['ingest.activity', 202],
      ['system.gateway', 202],
      ['machine', 403],
    ] as const) {
      const key = api.addKey([scope])
      assert.equal((await api.call('POST', '/ingest/samples', sample('ACTIVE'), { key })).status, status)
    }
  })
})
