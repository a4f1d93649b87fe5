import { assert } from 'chai'
import { EventEmitter, once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createImportLimiter, type ImportLimiter } from '../../../api/import/import-limiter.ts'
import { type Mappings, readMappings } from '../../../api/import/mappings.ts'
import { ApiError } from '../../../schema/errors.ts'
import { adminKey, startApi, type TestApi } from '../../support/api.ts'
import { importFile } from './form.ts'

describe('the limit of concurrent imports', () => {
  let gate: ImportLimiter
  const isFull = (companyId: string): boolean => {
    try {
      gate.enter(companyId)()
      return false
    } catch (error) {
      assert.instanceOf(error, ApiError)
      assert.deepInclude(error, { status: 429, retryAfterS: 5 })
      return true
    }
  }
  beforeEach(async () => {
    gate = createImportLimiter(await readMappings(null))
  })

  it('A company has at most two concurrent imports, independent of other companies', () => {
    const [leave] = [gate.enter('a'), gate.enter('a')]
    assert.deepEqual([isFull('a'), isFull('b')], [true, false])
    leave()
    assert.isFalse(isFull('a'))
  })

  it('At most eight imports are accepted in all, the last of them only from a company without one', () => {
    const [leave] = ['a', 'a', 'b', 'b', 'c', 'c', 'd'].map(company => gate.enter(company))
    assert.deepEqual([isFull('d'), isFull('e')], [true, false])
    gate.enter('e')
    assert.isTrue(isFull('f'))
    leave?.()
    assert.isFalse(isFull('f'))
  })

  it('Imports of a company are computed one after the other', async () => {
    const done: string[] = []
    await Promise.all(
      [20, 0].map(ms =>
        gate.run('a', async () => {
          await sleep(ms)
          done.push(`after ${ms} ms`)
        }),
      ),
    )
    assert.deepEqual(done, ['after 20 ms', 'after 0 ms'])
  })

  it('Imports of two companies alternate', async () => {
    const done: string[] = []
    await Promise.all(['a', 'a', 'a', 'b'].map(company => gate.run(company, async () => void done.push(company))))
    assert.deepEqual(done, ['a', 'a', 'b', 'a'])
  })
})

describe('POST /jobs/import with concurrent imports', function () {
  let api: TestApi
  let folder: string
  let sent: ClientRequest[]

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-gate-'))
    api = await startApi({ settings: { uploads: { folder, limitBytes: 1_000_000 } } })
    sent = []
  })
  afterEach(async () => {
    for (const each of sent) each.destroy()
    await api.close()
    rmSync(folder, { recursive: true })
  })

  /** Starts to send a file, and then pauses. */
  const begin = (): ClientRequest => {
    const begun = request(`${api.url}/jobs/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'multipart/form-data; boundary=x' },
    }).on('error', () => undefined)
    begun.write('--x\r\nContent-Disposition: form-data; name="csvFile"; filename="f"\r\n\r\nname\nJ1\n')
    sent.push(begun)
    return begun
  }
  const uploads = async (count: number): Promise<void> => {
    while (readdirSync(folder).length !== count) await sleep(5)
  }
  const answerTo = async (begun: ClientRequest): Promise<IncomingMessage> => {
    const [answer]: IncomingMessage[] = await once(begun, 'response')
    return answer ?? assert.fail()
  }

  it('An import beyond the limit is rejected before its file is read', async () => {
    const first = begin()
    begin()
    await uploads(2)
    const refused = await answerTo(begin())
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '5'])
    assert.lengthOf(readdirSync(folder), 2)
    assert.equal((await importFile(api, 'name\nJ2\n')).status, 429)

    first.end('\r\n--x--\r\n')
    assert.equal((await answerTo(first)).statusCode, 200)
    await uploads(1)
    assert.equal((await importFile(api, 'name\nJ2\n')).status, 200)
  })

  it('The import slot of a client that disconnects during the upload is freed', async () => {
    const both = [begin(), begin()]
    await uploads(2)
    for (const each of both) each.destroy()
    await uploads(0)
    assert.equal((await importFile(api, 'name\nJ2\n')).status, 200)
  })

  it('The import slot of a client that disconnects after the upload is freed when its import ends', async () => {
    const gate = heldGate(await readMappings(null))
    const held = await startApi({ imports: gate.imports })
    try {
      const abort = new AbortController()
      const both = [1, 2].map(() => importFile(held, 'name\nJ1\n', { signal: abort.signal }).catch(() => null))
      while (gate.waiting.length < 2) await sleep(5)
      abort.abort()
      await Promise.all(both)
      assert.equal((await importFile(held, 'name\nJ2\n')).status, 429)
      gate.open()
      await Promise.allSettled(gate.waiting)
      assert.equal((await importFile(held, 'name\nJ2\n')).status, 200)
    } finally {
      await held.close()
    }
  })
})

interface HeldGate {
  readonly imports: ImportLimiter
  /** Work that arrived before the gate opened. */
  readonly waiting: Promise<unknown>[]
  open(): void
}

/** A gate that runs no import until it is opened. */
function heldGate(mappings: Mappings): HeldGate {
  const gate = createImportLimiter(mappings)
  const waiting: Promise<unknown>[] = []
  const opening = new EventEmitter()
  const opened = once(opening, 'open')
  return {
    imports: {
      enter: companyId => gate.enter(companyId),
      run(companyId, task) {
        const done = opened.then(() => gate.run(companyId, task))
        waiting.push(done)
        return done
      },
    },
    waiting,
    open: () => void opening.emit('open'),
  }
}
