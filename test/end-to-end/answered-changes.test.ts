import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type ChildService } from '../support/child-service.ts'

describe('acknowledged changes of records', function () {
  let dataDir: string
  let child: ChildService

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-answered-'))
    child = await startChild({ TAKT_DATA_DIR: dataDir })
  })

  after(async () => {
    await child.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function put(name: string): Promise<string> {
    const id = randomUUID()
    expect((await child.call('PUT', `/machines/${id}`, { name })).status).to.equal(200)
    return id
  }

  /** Returns the names of created machines in the audit trail, oldest first. */
  async function trailed(): Promise<readonly string[]> {
    const { body } = await child.call('GET', '/audit?kind=machine&limit=1000')
    return namesIn(body).toReversed()
  }

  /** Returns the names of the machines in the store. */
  async function stored(): Promise<readonly string[]> {
    const { body } = await child.call('POST', '/graphql', { query: '{ machines { name } }' })
    return namesIn(body)
  }

  it('Acknowledged changes are in the store for the next read, and after a kill', async () => {
    const names: string[] = []
    for (let round = 0; round < 3; round++) {
      for (const count of [1, 3]) {
        for (let i = 0; i < count; i++) {
          names.push(`Mill ${names.length}`)
          await put(names.at(-1) ?? '')
        }
        expect(await trailed()).to.deep.equal(names)
        expect(await stored()).to.have.members(names)
      }
      names.push(`Mill ${names.length}`)
      await put(names.at(-1) ?? '')
      await child.kill()
      child = await startChild({ TAKT_DATA_DIR: dataDir })
      expect(await trailed()).to.deep.equal(names)
      expect(await stored()).to.have.members(names)
    }
  })
})

function namesIn(body: unknown): readonly string[] {
  return [...JSON.stringify(body).matchAll(/"name":"(Mill \d+)"/g)].map(([, name = '']) => name)
}
