import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { accessByRecords, readTokenSecret, withTokenSecret } from '../../../api/auth/access.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { directRegistrar } from '../../support/registrar.ts'

describe('secret of user tokens in a file', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'takt-secret-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const read = async (secret: Buffer) => {
    const path = join(folder, 'secret')
    writeFileSync(path, secret)
    return readTokenSecret(path).catch((error: unknown) => String(error))
  }

  it('A secret has at least 32 bytes', async () => {
    expect(await read(Buffer.alloc(31, 7))).to.match(
      /^Error: TAKT_TOKEN_SECRET_FILE: .*secret has fewer than 32 bytes$/,
    )
    expect(await read(Buffer.alloc(32, 7))).to.deep.equal(Buffer.alloc(32, 7))
  })

  it('The error for a file that cannot be read names the file', async () => {
    const error = await readTokenSecret(join(folder, 'missing')).catch(String)
    expect(error).to.match(/^Error: TAKT_TOKEN_SECRET_FILE: .*missing cannot be read$/)
  })

  it('Each company has its own secret, derived from that of the file', async () => {
    const { records, company } = directRegistrar(hashKey('a key of the first start'))
    const secretOf = async (secret: string, id: string) =>
      (await withTokenSecret(accessByRecords(records), Buffer.from(secret)).companyWithSecret(id))?.tokenSecret
    const { id } = company
    const secret = await secretOf('one', id)
    expect(secret).to.match(/^[0-9a-f]{64}$/)
    expect(await secretOf('one', id)).to.equal(secret)
    expect(await secretOf('two', id)).not.to.equal(secret)
    expect(await secretOf('one', 'unknown')).to.equal(undefined)
  })
})
