import { assert } from 'chai'
import { hashKey } from '../../../api/auth/key.ts'
import { startApi, type TestApi } from '../../support/api.ts'

describe('the route of incident assignees', () => {
  let api: TestApi
  beforeEach(async () => (api = await startApi()))
  afterEach(() => api.close())

  async function createUser(displayName: string, companyId?: string) {
    const email = `${displayName.toLowerCase()}@plant.example`
    const user = { email, displayName, role: 'manager', passwordHash: 'none' } as const
    const { id } = await api.registrar.perform('user.create', user, companyId)
    return { id, displayName }
  }

  it('An operator gets the ids and names of the users of the company who are not disabled', async () => {
    const { cookie, userId } = await api.signIn('operator')
    const own = { id: userId, displayName: 'A operator' }
    const bob = await createUser('Bob')
    const eve = await createUser('Eve')
    api.registrar.addCompany('Other', hashKey('another key that is long enough to be one'))
    await createUser('Foreign', api.registrar.records.companies()[1]?.id)
    const list = async () => (await api.call('GET', '/incident-assignees', undefined, { cookie })).body
    assert.deepEqual(await list(), [own, bob, eve])
    await api.registrar.perform('user.patch', { id: bob.id, disabled: true })
    assert.deepEqual(await list(), [own, eve])
  })
})
