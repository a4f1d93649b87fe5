import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { SourceError } from '../../connect/source/source.ts'
import { SecretFolder } from '../../service/secret-folder.ts'
import { StartError } from '../../service/start-error.ts'

const [companyId, otherId] = ['00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000c2']

describe('folder with the secrets of connectors', () => {
  let root: string
  let path: string
  let secrets: SecretFolder
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'takt-secrets-'))
    path = join(root, 'secrets')
    for (const id of [companyId, otherId]) mkdirSync(join(path, id), { recursive: true })
    secrets = await SecretFolder.open(path)
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const write = (name: string, content: string | Buffer) => writeFileSync(join(path, companyId, name), content)
  const read = async (passwordFile: string) => (await secrets.read(companyId, { passwordFile })).password
  /** The message of the error, without the place of the file. */
  const refusal = async (passwordFile: string) => {
    const error = await secrets.read(companyId, { passwordFile }).catch((thrown: unknown) => thrown)
    expect(error, passwordFile).to.be.instanceOf(SourceError).with.property('state', 'secret_unavailable')
    const { message } = error instanceof SourceError ? error : { message: '' }
    expect(message).to.not.include(root)
    return message.replace(`TAKT_CONNECT_SECRETS/${companyId}/${passwordFile}`, 'PATH')
  }

  it('Each named file is read from the folder of its company, without a line end at its end', async () => {
    write('plc', 'sesame\n')
    write('ca.pem', 'line 1\r\nline 2\r\n')
    writeFileSync(join(path, otherId, 'plc'), 'of the other company')
    expect(await secrets.read(companyId, { passwordFile: 'plc', caFile: 'ca.pem' })).to.deep.equal({
      password: 'sesame',
      ca: 'line 1\r\nline 2',
    })
    expect(await secrets.read(otherId, { passwordFile: 'plc' })).to.deep.equal({ password: 'of the other company' })
    expect(await secrets.read(companyId, {})).to.deep.equal({})
    write('plc', 'changed')
    expect(await read('plc')).to.equal('changed')
  })

  it('A link inside the folder of the company is followed, as Kubernetes mounts secrets', async () => {
    mkdirSync(join(path, companyId, '..2026'))
    write('..2026/plc', 'sesame')
    symlinkSync('..2026', join(path, companyId, '..data'))
    symlinkSync('..data/plc', join(path, companyId, 'plc'))
    const linked = join(root, 'linked')
    symlinkSync(path, linked)
    secrets = await SecretFolder.open(linked)
    expect(await read('plc')).to.equal('sesame')
  })

  it('No name and no link leads out of the folder of the company', async () => {
    writeFileSync(join(root, 'outside'), 'secret')
    writeFileSync(join(path, 'of-all'), 'secret')
    writeFileSync(join(path, otherId, 'plc'), 'secret')
    mkdirSync(join(path, `${companyId}-2`))
    writeFileSync(join(path, `${companyId}-2`, 'plc'), 'secret')
    const names = ['../of-all', '../../outside', `../${otherId}/plc`, `../${companyId}-2/plc`]
    for (const [i, target] of [join(root, 'outside'), ...names].entries()) {
      symlinkSync(target, join(path, companyId, `link${i}`))
      expect(await refusal(`link${i}`), target).to.equal('The file PATH is outside the folder of its company')
    }
    // Requests with such names are rejected before.
    for (const name of names) expect(await refusal(name)).to.equal('The file PATH is outside the folder of its company')
    rmSync(join(path, companyId), { recursive: true })
    symlinkSync(otherId, join(path, companyId))
    expect(await refusal('plc')).to.equal('The file PATH is outside the folder of its company')
  })

  it('Only a text of 1 to 65,536 bytes in a file is a secret', async () => {
    write('longest', 'x'.repeat(65_536))
    expect(await read('longest')).to.have.length(65_536)
    write('long', 'x'.repeat(65_537))
    expect(await refusal('long')).to.equal('The file PATH has more than 65536 bytes')
    write('empty', '\n')
    expect(await refusal('empty')).to.equal('The file PATH is empty')
    write('binary', Buffer.from([0x61, 0xff]))
    expect(await refusal('binary')).to.equal('The file PATH is not a text in UTF-8')
    mkdirSync(join(path, companyId, 'folder'))
    expect(await refusal('folder')).to.equal('PATH is not a file')
    execFileSync('mkfifo', [join(path, companyId, 'pipe')])
    expect(await refusal('pipe')).to.equal('PATH is not a file')
    symlinkSync('loop', join(path, companyId, 'loop'))
    expect(await refusal('loop')).to.equal('The file PATH cannot be read (ELOOP)')
    expect(await refusal('missing')).to.equal('The file PATH cannot be read (ENOENT)')
  })

  it('The setting must name a folder; without it, no file is read', async () => {
    writeFileSync(join(root, 'file'), '')
    for (const wrong of [join(root, 'file'), join(root, 'missing')])
      expect(await SecretFolder.open(wrong).catch((error: unknown) => error)).to.be.instanceOf(StartError)
    secrets = await SecretFolder.open(null)
    expect(secrets.isSet).to.equal(false)
    expect(await refusal('plc')).to.equal('The file PATH of a secret requires the setting TAKT_CONNECT_SECRETS')
    expect(await secrets.read(companyId, {})).to.deep.equal({})
  })
})
