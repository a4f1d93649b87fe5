import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { caller } from '../support/service.ts'
import { built } from '../support/built.ts'
import { childEnv, type ChildService, startChild } from '../support/child-service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('secret of user tokens', function () {
  let folder: string
  let service: ChildService
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-secret-'))
  })
  afterEach(async () => {
    await service.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const token = async () => String((await service.call('GET', '/user-token')).body)
  const statusWith = async (key: string) => (await caller(service.url, key)('GET', '/machines')).status
  const rotate = async (env: Readonly<Record<string, string>>) => {
    const command = await built('service/commands/rotate-token-secret.ts')
    return promisify(execFile)(process.execPath, [command], { cwd: root, env: childEnv(env) })
  }

  it('A rotated token secret invalidates earlier tokens while the service runs', async () => {
    const env = { TAKT_DATA_DIR: join(folder, 'data') }
    service = await startChild(env)
    const before = await token()
    assert.equal(await statusWith(before), 200)
    await rotate(env)
    assert.equal(await statusWith(before), 401)
    assert.equal(await statusWith(await token()), 200)
  })

  it('A token secret in a file is used and is not stored in the log', async () => {
    const file = join(folder, 'secret')
    writeFileSync(file, 'a secret of thirty-two bytes or more')
    const env = { TAKT_DATA_DIR: join(folder, 'data'), TAKT_TOKEN_SECRET_FILE: file }
    service = await startChild(env)
    const before = await token()
    assert.equal(await statusWith(before), 200)
    const refused: unknown = await rotate(env).catch((error: unknown) => error)
    assert.include(String(refused), 'write a new one there')
    await service.stop()
    for (const name of readdirSync(join(folder, 'data', 'log')))
      assert.notInclude(readFileSync(join(folder, 'data', 'log', name), 'latin1'), 'tokenSecret')
    service = await startChild(env)
    assert.equal(await statusWith(before), 200, 'the old token is valid after a restart')
    await service.stop()
    writeFileSync(file, 'another secret of thirty-two bytes or more')
    service = await startChild(env)
    assert.equal(await statusWith(before), 401)
  })
})
