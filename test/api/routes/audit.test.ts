import { expect } from 'chai'
import type { AuditPage, AuditQuery } from '../../../schema/requests/audit.ts'
import type { Role } from '../../../schema/roles.ts'
import { faultsOf, startApi, type TestApi } from '../../support/api.ts'

const page: AuditPage = {
  items: [
    {
      at: '2026-03-02T08:00:00.000Z',
      actor: { id: 'u1', kind: 'user', name: 'Ada' },
      command: 'machine.put',
      kind: 'machine',
      id: 'm1',
      action: 'changed',
      fields: ['name'],
      before: { name: 'Mill' },
      after: { name: 'Lathe' },
    },
  ],
  cursor: '12-0',
}

describe('the audit trail over HTTP', () => {
  let api: TestApi
  const asked: { readonly companyId: string; readonly query: AuditQuery; readonly hidden: readonly string[] }[] = []
  before(async () => {
    api = await startApi({
      audit: async (companyId, query, { hidden }) => {
        asked.push({ companyId, query, hidden })
        return page
      },
    })
  })
  after(() => api.close())

  const get = (query: string) => api.call('GET', `/audit${query}`)

  it("The audit trail is that of the caller's company, with the requested filter", async () => {
    const answer = await get('?limit=1000&cursor=13-5&kind=machine&id=m1&actor=u1&start=2026-03-02T00:00:00Z')
    expect(answer.body).to.deep.equal(page)
    expect(asked.at(-1)).to.deep.equal({
      companyId: api.registrar.company.id,
      query: { limit: 1000, cursor: '13-5', kind: 'machine', id: 'm1', actor: 'u1', start: '2026-03-02T00:00:00Z' },
      hidden: ['key', 'user', 'session'],
    })
  })

  it('The audit trail shows changes of users, sessions and keys only to roles that manage them', async () => {
    const hiddenFrom = async (role: Role) => {
      const { cookie } = await api.signIn(role)
      expect((await api.call('GET', '/audit', undefined, { cookie })).status).to.equal(200)
      return asked.at(-1)?.hidden
    }
    expect(await hiddenFrom('it_admin')).to.deep.equal([])
    expect(await hiddenFrom('executive')).to.deep.equal([])
    expect(await hiddenFrom('manager')).to.deep.equal(['key', 'user', 'session'])
  })

  it('All errors of an audit request are listed', async () => {
    const answer = await get('?limit=1001&cursor=x&kind=claim&start=yesterday&end=2026-13-01')
    expect(faultsOf(answer)).to.have.members([
      'limit OutOfRange',
      'cursor InvalidDataItem',
      'kind InvalidEnum',
      'start InvalidDate',
      'end InvalidDate',
    ])
    expect(faultsOf(await get('?limit=0'))).to.deep.equal(['limit OutOfRange'])
  })
})
