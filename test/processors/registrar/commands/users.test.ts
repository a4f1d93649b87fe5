import type { Payload } from '../../../../schema/commands/commands.ts'
import { expect } from 'chai'
import { systemChecks } from '../../../../schema/records/alert-condition.ts'
import type { UserRecord } from '../../../../schema/records/user.ts'
import { Plant, hour, startMs } from '../plant.ts'

const ada = { email: 'Ada@Plant.example', displayName: 'Ada', role: 'it_admin', passwordHash: 'hash 1' } as const
const bob = { email: 'bob@plant.example', displayName: 'Bob', role: 'operator', passwordHash: 'hash 2' } as const
const sessionId = (digit: number): string => String(digit).repeat(64)

function signIn(plant: Plant, user: UserRecord, digit: number, rest: object = {}): unknown {
  const times = { expiresAt: hour(24), idleSince: hour(-12) }
  const payload = { id: sessionId(digit), userId: user.id, passwordHash: user.passwordHash, ...times, ...rest }
  return plant.result('session.start', payload)
}

describe('users', () => {
  it('A user is found by email address in any letter case until the user is deleted', () => {
    const plant = new Plant()
    const user = plant.result('user.create', ada)
    expect(user).to.include({ email: 'ada@plant.example', role: 'it_admin', createdAt: hour(0), disabledAt: null })
    expect(plant.records.usersByEmail('ADA@plant.example')).to.deep.equal([user])
    expect(plant.records.userById(user.id)).to.deep.equal(user)
    plant.result('user.create', { ...ada, email: 'second@plant.example' })
    plant.result('user.patch', { id: user.id, email: 'Lovelace@plant.example', displayName: 'Lovelace' })
    expect(plant.records.usersByEmail('ada@plant.example')).to.deep.equal([])
    expect(plant.records.usersByEmail('lovelace@plant.example')).to.have.nested.property('[0].displayName', 'Lovelace')
    plant.result('user.delete', { id: user.id })
    expect(plant.records.usersByEmail('lovelace@plant.example')).to.deep.equal([])
    expect(plant.refusal('user.patch', { id: user.id, displayName: 'Gone' }).status).to.equal(404)
  })

  it('A user can be created as the first only if no user exists', () => {
    const plant = new Plant()
    plant.result('user.create', { ...ada, isFirst: true })
    expect(plant.refusal('user.create', { ...bob, isFirst: true })).to.include({ status: 409, code: 'NotFirst' })
    expect(plant.records.list('user', plant.companyId)).to.have.length(1)
  })

  it('The first administrator of the installation gets rules on the system that notify this user', () => {
    const plant = new Plant()
    const user = plant.result('user.create', { ...ada, isFirst: true })
    const rules = plant.records.list('alertRule', plant.companyId)
    expect(rules.map(({ condition }) => condition)).to.have.deep.members(systemChecks.map(system => ({ system })))
    const [target, ...more] = plant.records.list('alertTarget', plant.companyId)
    expect(more).to.deep.equal([])
    expect(target).to.include({ kind: 'user', userId: user.id, name: ada.displayName })
    expect(rules.every(({ enabled, steps }) => enabled && steps[0]?.targets[0] === target?.id)).to.equal(true)
    for (const { activeFrom: _, companyId: __, ...rule } of rules) plant.result('alertRule.put', rule)
  })

  it('The default rules and their target have the language of the set-up', () => {
    const plant = new Plant()
    plant.result('user.create', { ...ada, isFirst: true, language: 'de' })
    const names = plant.records.list('alertRule', plant.companyId).map(({ name }) => name)
    expect(names).to.include.members(['Berichte im Rückstand', 'Messwerte werden abgelehnt'])
    expect(plant.records.list('alertTarget', plant.companyId)[0]).to.include({ language: 'de' })
  })

  it('Users of other roles, and of further companies, get no default rules', () => {
    const plant = new Plant()
    const { companyId } = plant.result('company.create', { companyName: 'Other' }, { companyId: null })
    plant.result('user.create', { ...ada, isFirst: true }, { companyId })
    plant.result('user.create', bob)
    expect(plant.records.list('alertRule', companyId)).to.deep.equal([])
    expect(plant.records.list('alertRule', plant.companyId)).to.deep.equal([])
  })

  it('Default rules replace no record, and are not added to rules on the system', () => {
    const rulesAfter = (existing: (plant: Plant) => unknown) => {
      const plant = new Plant()
      existing(plant)
      const before = plant.records.list('alertRule', plant.companyId)
      plant.result('user.create', { ...ada, isFirst: true })
      return plant.records.list('alertRule', plant.companyId).length - before.length
    }
    const rule = { id: 'r', name: 'R', severity: 'info' } as const
    const fault = { status: ['FAULT'] } as const
    expect(rulesAfter(plant => plant.result('alertRule.put', { ...rule, condition: { system: 'lag' } }))).to.equal(0)
    expect(
      rulesAfter(plant => plant.result('alertRule.put', { ...rule, id: 'system-lag', condition: fault })),
    ).to.equal(0)
    const target = { id: 'administrator', name: 'A', kind: 'mail', addresses: ['a@plant.example'] } as const
    expect(rulesAfter(plant => plant.result('alertTarget.put', target))).to.equal(0)
    expect(rulesAfter(plant => plant.result('alertRule.put', { ...rule, condition: fault }))).to.equal(
      systemChecks.length,
    )
    const other = { ...target, id: 'other' }
    expect(rulesAfter(plant => plant.result('alertTarget.put', other))).to.equal(systemChecks.length)
  })

  it('An email address is unique within a company, and other companies can use it', () => {
    const plant = new Plant()
    const { id } = plant.result('user.create', ada)
    expect(plant.refusal('user.create', { ...bob, email: 'ADA@PLANT.EXAMPLE' }).status).to.equal(409)
    plant.result('user.patch', { id, email: 'ADA@plant.example' })
    const other = { companyName: 'Other', admin: { email: ada.email, displayName: 'X', passwordHash: 'hash' } }
    const { companyId } = plant.result('company.create', other, { companyId: null })
    const companies = () => plant.records.usersByEmail(ada.email).map(user => user.companyId)
    expect(companies()).to.deep.equal([plant.companyId, companyId])
    expect(plant.do('user.patch', { id, displayName: 'Foreign' }, { companyId }).outcome).to.deep.include({ ok: false })
    const { id: bobId } = plant.result('user.create', bob)
    expect(plant.refusal('user.patch', { id: bobId, email: ada.email }).status).to.equal(409)
    const moved = plant.do('user.create', bob, { companyId }).outcome
    expect(moved).to.deep.include({ ok: true })
    plant.result('user.create', { ...ada, email: 'second@plant.example' })
    plant.result('user.delete', { id })
    expect(companies()).to.deep.equal([companyId])
  })

  it('User commands list every invalid field', () => {
    const plant = new Plant()
    for (const email of ['', 'x', 'a@b@c', 'a b@c', 'ä@b', '@b', `${'x'.repeat(250)}@b.de`])
      expect(plant.faults('user.create', { ...bob, email }), email).to.deep.equal(['email InvalidDataItem'])
    expect(plant.faults('user.create', { role: 'king' })).to.have.members([
      'email Required',
      'displayName Required',
      'passwordHash Required',
      'role InvalidEnum',
    ])
  })

  it('The last it_admin who can sign in can be neither demoted nor disabled nor deleted', () => {
    const plant = new Plant()
    const first = plant.result('user.create', ada)
    const second = plant.result('user.create', { ...ada, email: 'b@plant.example' })
    plant.result('user.patch', { id: second.id, disabled: true })
    for (const payload of [{ role: 'executive' }, { disabled: true }])
      expect(plant.refusal('user.patch', { id: first.id, ...payload }).status).to.equal(409)
    expect(plant.refusal('user.delete', { id: first.id }).status).to.equal(409)
    plant.result('user.patch', { id: second.id, disabled: false })
    plant.result('user.patch', { id: first.id, role: 'executive' })
    plant.result('user.delete', { id: first.id })
  })
})

describe('sessions', () => {
  it('A session lasts until it is ended or expires, and expired sessions are removed at the next sign-in', () => {
    const plant = new Plant()
    const user = plant.result('user.create', bob)
    signIn(plant, user, 1)
    signIn(plant, user, 2, { expiresAt: hour(30) })
    expect(plant.records.sessionById(sessionId(1))).to.include({ userId: user.id, usedAt: hour(0) })
    expect(plant.refusal('session.start', { ...startOf(user), id: sessionId(2) }).status).to.equal(409)
    plant.nowMs = startMs + 25 * 3_600_000
    plant.result('session.touch', { id: sessionId(2) })
    signIn(plant, user, 3, { idleSince: hour(13), expiresAt: hour(40) })
    expect(plant.records.sessionById(sessionId(1)), 'expired').to.equal(null)
    expect(plant.records.sessionById(sessionId(2)), 'in use').to.include({ usedAt: hour(25) })
    plant.nowMs = startMs + 26 * 3_600_000
    signIn(plant, user, 4, { idleSince: hour(25.5), expiresAt: hour(40) })
    expect(plant.records.sessionById(sessionId(2)), 'idle').to.equal(null)
    plant.result('session.end', { id: sessionId(4) })
    expect(plant.records.sessionById(sessionId(4))).to.equal(null)
    plant.result('session.end', { id: sessionId(4) })
    expect(plant.refusal('session.touch', { id: sessionId(4) }).status).to.equal(404)
  })

  it('A session starts only for an enabled user with the current password', () => {
    const plant = new Plant()
    const user = plant.result('user.create', bob)
    expect(plant.refusal('session.start', { ...startOf(user), passwordHash: 'old' }).status).to.equal(409)
    plant.result('user.patch', { id: user.id, disabled: true })
    expect(plant.refusal('session.start', startOf(user)).status).to.equal(409)
  })

  it('A changed password ends all other sessions of a user, and deleting the user ends all', () => {
    const plant = new Plant()
    const user = plant.result('user.create', bob)
    const other = plant.result('user.create', { ...bob, email: 'other@plant.example' })
    const lasting = (): string[] => plant.records.list('session', plant.companyId).map(({ id }) => id.slice(0, 1))
    for (const digit of [1, 2]) signIn(plant, user, digit)
    signIn(plant, other, 3)
    plant.result('user.patch', { id: user.id, displayName: 'Robert', role: 'manager' })
    expect(lasting()).to.deep.equal(['1', '2', '3'])
    const changed = { id: user.id, passwordHash: 'hash 3', keepSession: sessionId(2) }
    const after = plant.result('user.patch', changed)
    expect(lasting()).to.deep.equal(['2', '3'])
    signIn(plant, after, 4)
    plant.result('user.patch', { id: user.id, disabled: true })
    expect(lasting()).to.deep.equal(['3'])
    plant.result('user.delete', { id: other.id })
    expect(lasting()).to.deep.equal([])
  })

  it('A user has at most 50 sessions', () => {
    const plant = new Plant()
    const user = plant.result('user.create', bob)
    const ids = Array.from({ length: 52 }, (_, index) => index.toString(16).padStart(64, '0'))
    for (const id of ids) plant.result('session.start', { ...startOf(user), id })
    expect(plant.records.list('session', plant.companyId).map(({ id }) => id)).to.deep.equal(ids.slice(2))
  })
})

describe('API key', () => {
  it('An API key can be disabled and enabled again', () => {
    const plant = new Plant()
    const made = { name: 'BI', scopes: ['reporting'], hash: 'ab'.repeat(32) } as const
    const { id } = plant.result('key.create', made)
    const disabledAt = (payload: object): unknown => plant.result('key.patch', { id, ...payload }).disabledAt
    expect(disabledAt({ disabled: true })).to.equal(hour(0))
    plant.nowMs = startMs + 3_600_000
    expect(disabledAt({ disabled: true }), 'again').to.equal(hour(0))
    expect(disabledAt({ name: 'Reports' })).to.equal(hour(0))
    expect(disabledAt({ disabled: false })).to.equal(null)
  })
})

function startOf(user: UserRecord): Payload<'session.start'> {
  const { id: userId, passwordHash } = user
  return { id: sessionId(9), userId, passwordHash, expiresAt: hour(24), idleSince: hour(-12) }
}
