import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { hashKey } from '../../../api/auth/key.ts'
import type { UserResponse as User } from '../../../schema/records/user.ts'
import { faultsOf, shaped, startApi, type TestApi } from '../../support/api.ts'

const password = 'correct horse battery'
const bob = { email: 'Bob@plant.example', displayName: 'Bob', role: 'operator', password }

describe('users over HTTP', () => {
  let api: TestApi
  let cookie: string
  let adminId: string
  beforeEach(async () => {
    api = await startApi()
    ;({ cookie, userId: adminId } = await api.signIn('it_admin'))
  })
  afterEach(() => api.close())

  const call = (method: string, path: string, body?: unknown) => api.call(method, path, body, { cookie })
  const signIn = async (given: string) =>
    (await api.call('POST', '/session', { email: bob.email, password: given }, { key: null })).status

  it('Users are created, listed, changed and deleted, and their passwords are never returned', async () => {
    const made = await call('POST', '/users', bob)
    const user = shaped<User>(made)
    expect(user).to.include({ email: 'bob@plant.example', displayName: 'Bob', role: 'operator', disabledAt: null })
    expect(user).to.include({ hasPassword: true, identity: null })
    expect(await signIn(password)).to.equal(200)
    const list = await call('GET', '/users')
    expect(shaped<User[]>(list).map(({ id }) => id)).to.deep.equal([adminId, user.id])
    expect(JSON.stringify([made.body, list.body])).not.to.match(/scrypt|passwordHash/)
    const patched = await call('PATCH', `/users/${user.id}`, { role: 'manager', password: 'another long one' })
    expect(patched.body).to.deep.equal({ ...user, role: 'manager' })
    expect([await signIn(password), await signIn('another long one')]).to.deep.equal([401, 200])
    expect((await call('DELETE', `/users/${user.id}`)).body).to.equal(null)
    expect((await call('DELETE', `/users/${user.id}`)).status).to.equal(404)
    expect(await signIn('another long one')).to.equal(401)
  })

  it('A password hash in a request is ignored', async () => {
    const { id } = shaped<User>(await call('POST', '/users', { ...bob, passwordHash: 'none', disabled: true }))
    const passwordHash = '$scrypt$ln=24,r=4,p=1$AAAA$AAAA'
    const keepSession = 'ab'.repeat(32)
    expect((await call('PATCH', `/users/${id}`, { passwordHash, keepSession })).status).to.equal(200)
    expect(await signIn(password)).to.equal(200)
  })

  it('Field errors of a user and an email address in use are reported', async () => {
    const answer = await call('POST', '/users', { email: 'x', role: 'king', password: 'short' })
    expect(answer.status).to.equal(400)
    expect(faultsOf(answer)).to.have.members([
      'displayName Required',
      'email InvalidDataItem',
      'role InvalidEnum',
      'password OutOfRange',
    ])
    await call('POST', '/users', bob)
    expect((await call('POST', '/users', { ...bob, email: 'BOB@PLANT.EXAMPLE' })).status).to.equal(409)
    expect(faultsOf(await call('PATCH', `/users/${adminId}`, { role: 1 }))).to.deep.equal(['role InvalidEnum'])
  })

  it('The last it_admin cannot be deleted, disabled or given another role', async () => {
    for (const body of [{ role: 'manager' }, { disabled: true }])
      expect((await call('PATCH', `/users/${adminId}`, body)).status).to.equal(409)
    expect((await call('DELETE', `/users/${adminId}`)).status).to.equal(409)
  })

  it('An own password change keeps the session, and a password change by an admin ends the sessions of the user', async () => {
    const other = await api.signIn('it_admin')
    expect((await call('PATCH', `/users/${adminId}`, { password })).status).to.equal(200)
    expect((await call('GET', '/session')).status).to.equal(200)
    await call('PATCH', `/users/${other.userId}`, { password })
    expect((await api.call('GET', '/session', undefined, { cookie: other.cookie })).status).to.equal(401)
  })

  it('Users and keys of another company are not found', async () => {
    const key = `another company's key ${randomUUID()}`
    api.registrar.addCompany('Other', hashKey(key))
    const other = api.registrar.records.companies()[1]
    const user = { email: 'other@plant.example', displayName: 'Other', role: 'manager', passwordHash: 'none' } as const
    await api.registrar.perform('user.create', user, other?.id)
    const [foreign] = api.registrar.records.usersByEmail('other@plant.example')
    expect((await call('PATCH', `/users/${foreign?.id}`, { role: 'it_admin' })).status).to.equal(404)
    expect((await call('DELETE', `/users/${foreign?.id}`)).status).to.equal(404)
    expect(JSON.stringify((await call('GET', '/users')).body)).not.to.include('other@')
    const foreignKey = api.registrar.records.keyByHash(hashKey(key))
    expect((await call('DELETE', `/api-keys/${foreignKey?.id}`)).status).to.equal(404)
    expect((await call('PATCH', `/api-keys/${foreignKey?.id}`, { disabled: true })).status).to.equal(404)
    expect(JSON.stringify((await call('GET', '/api-keys')).body)).not.to.include(foreignKey?.id)
  })
})
