import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditPage } from '../../schema/requests/audit.ts'
import { Browser } from '../support/browser.ts'
import { startChild, type ChildService } from '../support/child-service.ts'
import { companyCommand, printed } from '../support/company-command.ts'
import { caller } from '../support/service.ts'

describe('company command on the embedded log', function () {
  let env: Readonly<Record<string, string>>
  let child: ChildService | null = null

  before(() => {
    env = { TAKT_DATA_DIR: mkdtempSync(join(tmpdir(), 'takt-companies-')) }
  })
  after(async () => {
    await child?.kill()
    rmSync(env['TAKT_DATA_DIR'] ?? '', { recursive: true, force: true })
  })

  const start = async (): Promise<string> => {
    child = await startChild(env)
    return child.url
  }

  it('Companies and users are created with and without a running service, and their sessions survive it', async () => {
    const made = await companyCommand(env, 'create', 'North plant', '--admin', 'Ada@north.example', '--key')
    let url = await start()
    const ada = new Browser()
    expect((await ada.signIn(url, 'ada@north.example', printed(made, 'Password'))).status).to.equal(200)
    const asKey = caller(url, printed(made, 'Key'))
    expect((await asKey('GET', '/settings')).body).to.include({ companyName: 'North plant' })

    const south = await companyCommand(env, 'create', 'South plant', '--admin', 'sue@south.example')
    const sue = new Browser()
    await sue.signIn(url, 'sue@south.example', printed(south, 'Password'))
    expect((await sue.call(url, 'GET', '/settings')).body).to.include({ companyName: 'South plant' })
    expect((await sue.call(url, 'GET', '/users')).body).to.have.lengthOf(1)

    const added = await companyCommand(env, 'add-user', 'North plant', 'bob@north.example', '--role', 'operator')
    const bob = new Browser()
    expect((await bob.signIn(url, 'bob@north.example', printed(added, 'Password'))).status).to.equal(200)
    const reset = await companyCommand(env, 'reset-password', 'bob@north.example')
    expect((await bob.call(url, 'GET', '/session')).status).to.equal(401)
    expect((await bob.signIn(url, 'bob@north.example', printed(reset, 'Password'))).status).to.equal(200)

    const list = await companyCommand(env, 'list')
    for (const text of ['North plant, 2 keys', 'operator   bob@north.example', 'South plant, 0 keys'])
      expect(list).to.include(text)

    await child?.kill()
    url = await start()
    expect((await ada.call(url, 'GET', '/session')).status).to.equal(200)
    expect((await bob.call(url, 'GET', '/session')).status).to.equal(200)
    await expectTrail(url, ada)
  })

  it('A password is reset in the named company if several companies have the email address', async () => {
    const north = await companyCommand(env, 'add-user', 'North plant', 'sue@south.example', '--role', 'manager')
    const inNorth = printed(north, 'Company')
    const unnamed: unknown = await companyCommand(env, 'reset-password', 'sue@south.example').catch(
      (thrown: unknown) => thrown,
    )
    expect(unnamed).to.have.property('stderr').that.includes('name one with --company').and.includes(inNorth)
    const reset = await companyCommand(env, 'reset-password', 'sue@south.example', '--company', 'North plant')
    expect(printed(reset, 'Company')).to.equal(inNorth)
    const sue = new Browser()
    const answer = await sue.signIn(child?.url ?? '', 'sue@south.example', printed(reset, 'Password'))
    expect(answer.body).to.have.nested.property('company.id', inNorth)
  })

  it('The company command reports what is wrong with its arguments', async () => {
    const complaint = async (...args: readonly string[]): Promise<string> => {
      const error: unknown = await companyCommand(env, ...args).catch((thrown: unknown) => thrown)
      return error instanceof Error && 'stderr' in error ? String(error.stderr) : 'none'
    }
    const create = (email: string) => complaint('create', 'Third', '--admin', email)
    const again = complaint('add-user', 'North plant', 'ADA@north.example', '--role', 'manager')
    expect(await again).to.include('Another user has this email address')
    expect(await create('nobody')).to.include('email must be an email address')
    expect(await complaint('add-user', 'West plant', 'a@b.de', '--role', 'manager')).to.include('Unknown company')
    expect(await complaint('add-user', 'a@b.de', '--role', 'manager')).to.include('Several companies match')
    expect(await complaint('reset-password', 'nobody@north.example')).to.include('Unknown user')
    expect(await complaint('create', 'No admin')).to.include('npm run company')
  })
})

/** Expects the changes of the commands in the audit trail, with their actor and without secrets. */
async function expectTrail(url: string, browser: Browser): Promise<void> {
  const { body } = await browser.call(url, 'GET', '/audit?kind=user')
  const page: AuditPage = JSON.parse(JSON.stringify(body))
  expect(page.items.map(({ action, fields }) => `${action} ${fields.join()}`.trim())).to.deep.equal([
    'changed passwordHash',
    'created',
    'created',
  ])
  expect(page.items[0]?.actor).to.deep.equal({ id: 'command line', kind: 'service', name: 'Command line' })
  expect(JSON.stringify(page)).not.to.include('scrypt')
}
