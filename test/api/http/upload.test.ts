import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { adminKey, startApi, type TestApi } from '../../support/api.ts'

const boundary = 'the-boundary-of-this-form'
const goodFile = part('name="csvFile"; filename="jobs.csv"', 'job,operation\r\n1,10')
const end = `--${boundary}--\r\n`

describe('HTTP: an invalid form after a valid file', () => {
  let api: TestApi
  let folder: string
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  let others: NodeJS.UnhandledRejectionListener[] = []
  beforeEach(async () => {
    // Mocha's own listener would end the test before its assertions.
    others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', note)
    unhandled.length = 0
    folder = mkdtempSync(join(tmpdir(), 'takt-upload-test-'))
    api = await startApi({ settings: { uploads: { folder, limitBytes: 100_000 } } })
  })
  afterEach(async () => {
    await api.close()
    process.off('unhandledRejection', note)
    for (const listener of others) process.on('unhandledRejection', listener)
    rmSync(folder, { recursive: true, force: true })
  })

  const bad: Readonly<Record<string, string>> = {
    'a field that is too long': goodFile + part('name="autoArchive"', 'x'.repeat(1001)) + end,
    'a name that is too long': goodFile + part(`name="${'n'.repeat(101)}"`, 'x') + end,
    'a name with brackets': goodFile + part('name="a[b]"', 'x') + end,
    'a field without a name': goodFile + part('', 'x') + end,
    'too many fields': goodFile + part('name="a"', 'x').repeat(12) + end,
    'a second file': goodFile.repeat(2) + end,
    'a file that is too large':
      goodFile + part('name="csvFile"; filename="b.csv"', 'x'.repeat(200_000)) + part('name="a"', 'x') + end,
    'no end': goodFile + '--the',
    'no end of a field': goodFile + `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx`,
    'headers that do not end': `${goodFile}--${boundary}\r\nContent-Disposition: form-data; name="a"`,
    'headers that are too many': `${goodFile}--${boundary}\r\n${'X-A: b\r\n'.repeat(50)}\r\nx\r\n${end}`,
  }
  for (const [name, body] of Object.entries(bad))
    it(`An upload with ${name} is rejected and leaves no file`, async () => {
      const asked = ask(api)
      asked.end(body)
      const [response] = await once(asked, 'response')
      assert.oneOf(response.statusCode, [400, 413])
      response.resume()
      await once(response, 'close')
      await nothingStays()
    })

  it('An upload that disconnects at any byte leaves no file', async function () {
    const whole = goodFile + part('name="autoArchive"', 'true') + end
    for (let length = 0; length < whole.length; length += 7) {
      const asked = ask(api, { 'Content-Length': whole.length })
      asked.on('error', () => undefined)
      asked.flushHeaders()
      asked.write(whole.slice(0, length))
      await sleep(length % 3)
      asked.destroy()
    }
    await nothingStays()
    assert.equal((await api.call('GET', '/machines')).status, 200)
  })

  async function nothingStays(): Promise<void> {
    const untilMs = Date.now() + 60_000
    while (readdirSync(folder).length > 0 && Date.now() < untilMs) await sleep(10)
    assert.deepEqual(readdirSync(folder), [])
    await sleep(50)
    assert.deepEqual(unhandled, [])
  }
})

function part(disposition: string, content: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
}

function ask(api: TestApi, headers: Readonly<Record<string, string | number>> = {}): ClientRequest {
  return request(`${api.url}/jobs/import`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${adminKey}`,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
  })
}
