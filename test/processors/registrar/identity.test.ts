import { expect } from 'chai'
import { noPassword, type UserRecord } from '../../../schema/records/user.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import { Plant, hour } from './plant.ts'

const issuer = 'https://id.example'
const password = { displayName: 'Ann', role: 'it_admin', passwordHash: 'hash' } as const

/** Somebody as the provider tells. */
function who(subject: string, told: Partial<Payload<'user.identify'>> = {}): Payload<'user.identify'> {
  return { issuer, subject, email: `${subject}@id.example`, displayName: subject, role: null, ...told }
}

function start(plant: Plant, { id: userId, passwordHash, identity = null }: UserRecord): void {
  const id = String(plant.entries.length).padStart(64, '0')
  plant.result('session.start', { id, userId, passwordHash, identity, expiresAt: hour(24), idleSince: hour(-12) })
}

const sessionsOf = (plant: Plant, { id }: UserRecord): number =>
  plant.records.list('session', plant.companyId).filter(({ userId }) => userId === id).length

/** A plant with an it_admin of a password, whose company makes users. */
function plantThat(defaultRole: Payload<'sign-on.put'>['defaultRole'] = null) {
  const plant = new Plant()
  const ann = plant.result('user.create', { ...password, email: 'ann@plant.example' })
  plant.result('sign-on.put', { makesUsers: true, defaultRole })
  const identified = (subject: string, told: Partial<Payload<'user.identify'>> = {}): UserRecord => {
    const user = plant.result('user.identify', who(subject, told))
    if (!user) throw new Error(`${subject} has no role`)
    return user
  }
  const userNow = ({ id }: UserRecord) => plant.records.get('user', plant.companyId, id)
  return { plant, ann, identified, userNow }
}

describe('a user of the provider', () => {
  it('loses the role, and the sessions, when the provider names none and the company has none in its place', () => {
    const { plant, identified, userNow } = plantThat()
    const ada = identified('ada', { role: 'it_admin' })
    start(plant, ada)
    expect(plant.result('user.identify', who('ada'))).to.equal(null)
    expect(userNow(ada)?.role).to.equal('operator')
    expect(sessionsOf(plant, ada)).to.equal(0)
    expect(identified('ada', { role: 'manager' }).role).to.equal('manager')
  })

  it('takes the default role when the provider names none any more', () => {
    const { plant, identified } = plantThat('operator')
    const ada = identified('ada', { role: 'it_admin' })
    start(plant, ada)
    expect(identified('ada').role).to.equal('operator')
    expect(sessionsOf(plant, ada)).to.equal(1)
  })

  it('keeps a role that an administrator gave, and that of the last it_admin', () => {
    const { plant, ann, identified } = plantThat()
    const ada = identified('ada', { role: 'operator' })
    plant.result('user.patch', { id: ada.id, role: 'manager' })
    expect(identified('ada').role).to.equal('manager')
    const chief = identified('chief', { role: 'it_admin' })
    plant.result('user.patch', { id: ann.id, disabled: true })
    expect(identified('chief')).to.include({ id: chief.id, role: 'it_admin' })
    expect(identified('chief', { role: 'operator' }).role).to.equal('it_admin')
  })

  it('may not sign in where the user is disabled; is a stranger where deleted', () => {
    const { plant, identified } = plantThat()
    const ada = identified('ada', { role: 'operator' })
    plant.result('user.patch', { id: ada.id, disabled: true })
    expect(plant.refusal('user.identify', who('ada', { role: 'operator' })).status).to.equal(409)
    plant.result('user.delete', { id: ada.id })
    expect(identified('ada', { role: 'operator' }).id).not.to.equal(ada.id)
    plant.result('sign-on.put', { makesUsers: false, defaultRole: null })
    expect(plant.refusal('user.identify', who('eve', { role: 'operator' })).message).to.include('No user is linked')
  })

  it('is made only with a role and an address that nobody has', () => {
    const { plant } = plantThat()
    const refusal = (told: Partial<Payload<'user.identify'>>) =>
      plant.refusal('user.identify', who('eve', told)).message
    expect(refusal({})).to.include('gives you no role')
    expect(refusal({ role: 'operator', email: null })).to.include('no email address')
    expect(refusal({ role: 'operator', email: 'ANN@plant.example' })).to.include('link it in your account')
  })
})

describe('linking', () => {
  const identity = { issuer, subject: 'ann' }

  it('takes an identity that nobody has, for a user who has none', () => {
    const { plant, ann, identified } = plantThat()
    identified('ada', { role: 'operator' })
    const link = (subject: string) => ({ id: ann.id, identity: { issuer, subject } })
    expect(plant.refusal('user.link', link('ada')).message).to.include('Another user')
    expect(plant.result('user.link', link('ann')).identity).to.deep.equal(identity)
    expect(plant.result('user.link', link('ann')).identity, 'again').to.deep.equal(identity)
    expect(plant.refusal('user.link', link('mallory'))).to.include({ status: 409 })
    expect(identified('ann').id).to.equal(ann.id)
  })

  it('is undone, which ends the sessions but for one', () => {
    const { plant, ann } = plantThat()
    const linked = plant.result('user.link', { id: ann.id, identity })
    start(plant, linked)
    start(plant, linked)
    const [kept] = plant.records.list('session', plant.companyId)
    plant.result('user.link', { id: ann.id, identity: null, keepSession: kept?.id ?? null })
    expect(plant.records.list('session', plant.companyId)).to.deep.equal([kept])
    plant.result('user.link', { id: ann.id, identity: null })
    expect(sessionsOf(plant, ann)).to.equal(0)
  })

  it('leaves the company an it_admin who can sign in', () => {
    const { plant, ann, identified } = plantThat()
    const chief = identified('chief', { role: 'it_admin' })
    expect(chief.passwordHash).to.equal(noPassword)
    plant.result('user.link', { id: chief.id, identity: null })
    expect(plant.refusal('user.delete', { id: ann.id }).status, 'the other has no way in').to.equal(409)
    const second = identified('second', { role: 'it_admin' })
    plant.result('user.delete', { id: ann.id })
    expect(plant.refusal('user.link', { id: second.id, identity: null }).status).to.equal(409)
  })

  it('counts where a session starts that was checked before', () => {
    const { plant, ann } = plantThat()
    const linked = plant.result('user.link', { id: ann.id, identity })
    plant.result('user.link', { id: ann.id, identity: null })
    expect(() => start(plant, linked)).to.throw('may not sign in any more')
  })
})
