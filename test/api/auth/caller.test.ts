import { expect } from 'chai'
import { hasRole, subjectCaller, subjectIdPrefix, userCaller } from '../../../api/auth/caller.ts'
import { hashKey } from '../../../api/auth/key.ts'
import type { SessionRecord } from '../../../schema/records/session.ts'
import { noPassword, type UserRecord } from '../../../schema/records/user.ts'
import { managingRoles, scopesOfRole } from '../../../schema/roles.ts'
import { directRegistrar } from '../../support/registrar.ts'

describe('callers', () => {
  const { company } = directRegistrar(hashKey('a key of the first start'))
  const user: UserRecord = {
    id: 'ann',
    companyId: company.id,
    email: 'ann@plant.example',
    displayName: 'Ann',
    role: 'operator',
    passwordHash: noPassword,
    createdAt: '2026-05-04T06:00:00.000Z',
    disabledAt: null,
  }
  const session: SessionRecord = {
    id: 'session',
    companyId: company.id,
    userId: user.id,
    createdAt: '2026-05-04T06:00:00.000Z',
    expiresAt: '2026-05-05T06:00:00.000Z',
    usedAt: '2026-05-04T06:00:00.000Z',
  }

  it('A signed-in user has the scopes and only the role of the user', () => {
    const caller = userCaller(user, session, company)
    expect(caller).to.include({ kind: 'user', id: 'ann', name: 'Ann', session, signedIn: user, tokenEndsAtMs: null })
    expect(caller.scopes).to.deep.equal(scopesOfRole.operator)
    expect([hasRole(caller, ['operator']), hasRole(caller, managingRoles)]).to.deep.equal([true, false])
  })

  it('An OAuth subject has no role, and its rights end with its token', () => {
    const subject = { id: `${subjectIdPrefix}ann`, name: 'Ann', scopes: ['reporting'], endsAtMs: 5 }
    const caller = subjectCaller(subject, company)
    expect(caller).to.deep.equal({
      kind: 'user',
      id: 'oauth:ann',
      name: 'Ann',
      scopes: ['reporting'],
      company,
      session: null,
      tokenEndsAtMs: 5,
      signedIn: null,
    })
    expect(hasRole(caller, ['it_admin', 'executive', 'manager', 'operator'])).to.equal(false)
  })
})
