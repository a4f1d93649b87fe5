import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { type ChildService, startChild } from '../support/child-service.ts'
import { forAll } from '../support/for-all.ts'
import { testKey } from '../support/service.ts'

const machineId = randomUUID()
const itemsOfUpload = 200
const boundary = 'the-boundary-of-this-form'

interface Upload {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const uploads = {
  form: (run: number): Upload => {
    const rows = Array.from({ length: itemsOfUpload }, (_, i) => `J${run}-${i},${i}`)
    const csv = `name,idealparttime\r\n${rows.join('\r\n')}\r\n`
    const part = `Content-Disposition: form-data; name="csvFile"; filename="jobs.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}`
    return {
      path: '/jobs/import',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: Buffer.from(`--${boundary}\r\n${part}\r\n--${boundary}--\r\n`),
    }
  },
  NDJSON: (run: number): Upload => ({
    path: '/ingest/samples',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Buffer.from(`${samplesOf(run).join('\n')}\n`),
  }),
  gzip: (run: number): Upload => ({
    path: '/ingest/samples',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(`[${samplesOf(run).join(',')}]`),
  }),
} as const
type Kind = keyof typeof uploads

const kinds: readonly Kind[] = ['form', 'NDJSON', 'gzip']

function samplesOf(run: number): readonly string[] {
  return Array.from({ length: itemsOfUpload }, (_, i) =>
    JSON.stringify({
      machineId,
      timestamp: new Date(Date.now() - i).toISOString(),
      key: 'load',
      type: 'LOAD',
      value: `${run}.${i}`,
    }),
  )
}

describe('uploads that are cut at any byte', function () {
  const dataDir = mkdtempSync(join(tmpdir(), 'takt-cut-'))
  let service: ChildService
  before(async () => {
    service = await startChild({ TAKT_DATA_DIR: dataDir })
    expect((await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe' })).status).to.equal(200)
  })
  after(async () => {
    await service?.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('A cut upload leaves a responsive service, no file and no partially applied data', async () => {
    let runs = 0
    const whole: Record<Kind, number> = { form: 0, NDJSON: 0, gzip: 0 }
    const cutAt = fc.record({
      kind: fc.constantFrom(...kinds),
      // Some cuts are near the ends of the parts of a body, which are the likely places of errors.
      from: fc.constantFrom('start', 'end'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      near: fc.nat({ max: 120 }),
      isChunked: fc.boolean(),
      pauseMs: fc.nat({ max: 5 }),
    })
    const property = fc.asyncProperty(cutAt, async ({ kind, from, at, near, isChunked, pauseMs }) => {
      const upload = uploads[kind](++runs)
      const { length } = upload.body
      const bytes = from === 'end' ? Math.max(0, length - near) : Math.floor(at * length)
      const status = await sendPart(upload, { bytes, isChunked, pauseMs })
      if (status === null) return
      expect(bytes, `${kind} was answered ${status}`).to.equal(length)
      expect(status).to.be.oneOf([200, 202])
      whole[kind] += 1
    })
    await forAll(property, { numRuns: 150 })
    for (const kind of kinds) {
      const upload = uploads[kind](++runs)
      const status = await sendPart(upload, { bytes: upload.body.length, isChunked: false, pauseMs: 0 })
      expect(status, `a whole ${kind}`).to.be.oneOf([200, 202])
      whole[kind] += 1
    }
    await service.settled()
    expect((await service.call('GET', '/health')).body).to.include({ status: 'ok' })
    await noFileStays()
    expect(await jobsOfUploads()).to.deep.equal(Array.from({ length: whole.form }, () => itemsOfUpload))
    expect(await acceptedSamples()).to.equal((whole.NDJSON + whole.gzip) * itemsOfUpload)
  })

  /** Sends the given number of bytes of an upload; after all of them, resolves to the status. */
  async function sendPart(
    { path, headers, body }: Upload,
    { bytes, isChunked, pauseMs }: { readonly bytes: number; readonly isChunked: boolean; readonly pauseMs: number },
  ): Promise<number | null> {
    const asked = request(service.url + path, {
      method: 'POST',
      headers: {
        ...headers,
        authorization: `Bearer ${testKey}`,
        ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
      },
    })
    asked.on('error', () => undefined)
    asked.flushHeaders()
    if (bytes > 0) asked.write(body.subarray(0, bytes))
    if (bytes < body.length) {
      await sleep(pauseMs)
      asked.destroy()
      return null
    }
    asked.end()
    const [response] = await once(asked, 'response')
    response.resume()
    await once(response, 'close')
    return response.statusCode
  }

  async function noFileStays(): Promise<void> {
    const folder = join(dataDir, 'tmp')
    const untilMs = Date.now() + 60_000
    while (readdirSync(folder).length > 0 && Date.now() < untilMs) await sleep(10)
    expect(readdirSync(folder)).to.deep.equal([])
  }

  /** Returns the number of jobs of each form of upload. */
  async function jobsOfUploads(): Promise<readonly number[]> {
    const counts = new Map<string, number>()
    const { status, body } = await service.call('GET', '/job-operations')
    expect(status).to.equal(200)
    const jobs: readonly { readonly jobName: string }[] = JSON.parse(JSON.stringify(body))
    for (const { jobName } of jobs) {
      const [run = ''] = jobName.split('-')
      counts.set(run, (counts.get(run) ?? 0) + 1)
    }
    return [...counts.values()]
  }

  async function acceptedSamples(): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^takt_samples_accepted_total (\d+)/m.exec(text)?.[1])
  }
})
