import { expect } from 'chai'
import { hashKey } from '../../../api/auth/key.ts'
import { sharedAccess } from '../../../api/auth/shared-access.ts'
import { projectRecords } from '../../support/project-records.ts'
import { readCredentials } from '../../../clickhouse/projections/credentials.ts'
import { ApiError } from '../../../schema/errors.ts'
import type { UserRecord } from '../../../schema/records/user.ts'
import { Records } from '../../../processors/records/records.ts'
import { Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'

const hash = hashKey('a key')
const bob = { email: 'bob@plant.example', displayName: 'Bob', role: 'operator', passwordHash: 'hash' } as const

describe('access by credentials in a store shared by several processes', () => {
  const store = useFreshDatabase('front')
  let plant: Plant
  let isAway: boolean
  let reads: number

  beforeEach(async () => {
    await store().command({ parts: ['TRUNCATE TABLE records'] })
    await store().command({ parts: ['TRUNCATE TABLE credentials'] })
    await store().command({ parts: ['TRUNCATE TABLE user_emails'] })
    plant = new Plant()
    isAway = false
    reads = 0
  })

  /** Writes the records so far to the store, as the registrar of another process does; this process has not read them. */
  const project = () => projectRecords(store(), plant.entries)

  const access = (catchUp: (records: Records) => void = applyAll, knows = false) => {
    const records = new Records()
    if (knows) applyAll(records)
    return sharedAccess({
      read: async lookups => {
        reads++
        if (isAway) throw new Error('away')
        return readCredentials(store(), lookups)
      },
      records,
      catchUp: async () => catchUp(records),
    })
  }
  const applyAll = (records: Records): void => {
    for (const [offset, entry] of plant.entries.entries()) records.apply(entry, offset)
  }

  const signIn = (user: UserRecord, id: string) => {
    const times = { expiresAt: '2027-01-01T00:00:00.000Z', idleSince: '2026-01-01T00:00:00.000Z' }
    plant.result('session.start', { id, userId: user.id, passwordHash: user.passwordHash, ...times })
  }

  it('A key is found in the store after its creation, change and deletion in another process', async () => {
    const made = plant.result('key.create', { name: 'BI', scopes: ['reporting'], hash })
    const here = access()
    expect(await here.keyByHash(hash)).to.equal(null)
    await project()
    expect(await here.keyByHash(hash)).to.deep.equal(made)
    expect(await here.key(made.id)).to.deep.equal(made)
    expect(await here.company(plant.companyId)).to.include({ id: plant.companyId })
    plant.result('key.patch', { id: made.id, disabled: true, scopes: [] })
    await project()
    expect(await here.keyByHash(hash)).to.deep.include({ scopes: [], disabledAt: made.createdAt })
    plant.result('key.delete', { id: made.id })
    await project()
    expect([await here.keyByHash(hash), await here.key(made.id)]).to.deep.equal([null, null])
    const again = plant.result('key.create', { name: 'Again', scopes: [], hash })
    await project()
    expect(await here.keyByHash(hash)).to.deep.equal(again)
    expect(await here.key(hash), 'an id is no hash').to.deep.equal(again)
  })

  it('Users are found by their current email address only', async () => {
    const user = plant.result('user.create', bob)
    signIn(user, 'a'.repeat(64))
    await project()
    const here = access()
    expect(await here.usersByEmail('BOB@plant.example')).to.deep.equal([user])
    expect(await here.session('a'.repeat(64))).to.include({ userId: user.id })
    expect(await here.session(user.id), 'a user is no session').to.equal(null)
    expect(await here.user('a'.repeat(64)), 'a session is no user').to.equal(null)
    plant.result('user.patch', { id: user.id, email: 'robert@plant.example' })
    await project()
    expect(await here.usersByEmail('bob@plant.example')).to.deep.equal([])
    expect(await here.usersByEmail('robert@plant.example')).to.have.nested.property('[0].id', user.id)
    plant.result('user.delete', { id: user.id })
    await project()
    expect(await here.usersByEmail('robert@plant.example')).to.deep.equal([])
    expect(await here.session('a'.repeat(64))).to.equal(null)
  })

  it('A user is found by email in every company, and not by a former email', async () => {
    const user = plant.result('user.create', bob)
    const admin = { email: bob.email, displayName: 'Bob', passwordHash: 'other hash' }
    const other = { companyName: 'Other', admin }
    const { companyId } = plant.result('company.create', other, { companyId: null })
    for (let round = 0; round < 3; round++) {
      const gone = plant.result('user.create', { ...bob, email: `${round}@plant.example` })
      plant.result('user.patch', { id: user.id, email: 'away@plant.example' })
      plant.result('user.patch', { id: gone.id, email: bob.email })
      plant.result('user.delete', { id: gone.id })
      plant.result('user.patch', { id: user.id, email: bob.email })
    }
    await project()
    const companiesOf = async (knows: boolean) => {
      const found = await access(applyAll, knows).usersByEmail(bob.email)
      return found.map(found => found.companyId).sort()
    }
    expect(await companiesOf(false)).to.deep.equal([plant.companyId, companyId].sort())
    isAway = true
    expect(await companiesOf(false), 'by the log').to.deep.equal([plant.companyId, companyId].sort())
  })

  it('A session and its user are read by one query', async () => {
    const user = plant.result('user.create', bob)
    signIn(user, 'b'.repeat(64))
    await project()
    const here = access()
    await Promise.all([here.session('b'.repeat(64)), here.user(user.id)])
    expect(reads).to.equal(1)
  })

  it('While the store is unavailable, credentials come from the end of the log, and the store is not queried again immediately', async () => {
    const made = plant.result('key.create', { name: 'BI', scopes: [], hash })
    isAway = true
    const here = access()
    expect(await here.keyByHash(hash)).to.deep.equal(made)
    plant.result('key.delete', { id: made.id })
    expect(await here.keyByHash(hash)).to.equal(null)
    const user = plant.result('user.create', bob)
    expect(await here.usersByEmail(bob.email)).to.deep.equal([user])
    expect(reads).to.equal(1)
  })

  it('A key that the store has lost is read from the log', async () => {
    const made = plant.result('key.create', { name: 'BI', scopes: [], hash })
    expect(await access(applyAll, true).keyByHash(hash), 'not in the store').to.deep.equal(made)
    await project()
    const behind = access(() => undefined, true)
    plant.result('key.delete', { id: made.id })
    await project()
    expect(await behind.keyByHash(hash), 'gone in the store, which is not lost').to.equal(null)
  })

  it('A request receives 503 if its credentials can be read neither from the store nor from the log', async () => {
    isAway = true
    const here = access(() => {
      throw new Error('away, too')
    })
    const error: unknown = await here.keyByHash(hash).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ApiError).and.to.include({ status: 503 })
  })
})
