import { expect } from 'chai'
import { noPassword, type UserRecord } from '../../../../schema/records/user.ts'
import type { Payload } from '../../../../schema/commands/commands.ts'
import { Plant, hour } from '../plant.ts'

const issuer = 'https://id.example'
const password = { displayName: 'Ann', role: 'it_admin', passwordHash: 'hash' } as const

/** The description of a user by the identity provider. */
function who(subject: string, told: Partial<Payload<'user.identify'>> = {}): Payload<'user.identify'> {
  return { issuer, subject, email: `${subject}@id.example`, displayName: subject, role: null, ...told }
}

function start(plant: Plant, { id: userId, passwordHash, identity = null }: UserRecord): void {
  const id = String(plant.entries.length).padStart(64, '0')
  plant.result('session.start', { id, userId, passwordHash, identity, expiresAt: hour(24), idleSince: hour(-12) })
}

const sessionsOf = (plant: Plant, { id }: UserRecord): number =>
  plant.records.list('session', plant.companyId).filter(({ userId }) => userId === id).length

/** Creates a plant with an it_admin who signs in by password; sign-on creates further users. */
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

describe('user of the identity provider', () => {
  it('A user loses role and sessions if the provider names no role and the company has no default role', () => {
    const { plant, identified, userNow } = plantThat()
    const ada = identified('ada', { role: 'it_admin' })
    start(plant, ada)
    expect(plant.result('user.identify', who('ada'))).to.equal(null)
    expect(userNow(ada)?.role).to.equal('operator')
    expect(sessionsOf(plant, ada)).to.equal(0)
    expect(identified('ada', { role: 'manager' }).role).to.equal('manager')
  })

  it('A user gets the default role if the provider no longer names a role', () => {
    const { plant, identified } = plantThat('operator')
    const ada = identified('ada', { role: 'it_admin' })
    start(plant, ada)
    expect(identified('ada').role).to.equal('operator')
    expect(sessionsOf(plant, ada)).to.equal(1)
  })

  it('The provider changes neither a role that an administrator assigned nor the role of the last it_admin', () => {
    const { plant, ann, identified } = plantThat()
    const ada = identified('ada', { role: 'operator' })
    plant.result('user.patch', { id: ada.id, role: 'manager' })
    expect(identified('ada').role).to.equal('manager')
    const chief = identified('chief', { role: 'it_admin' })
    plant.result('user.patch', { id: ann.id, disabled: true })
    expect(identified('chief')).to.include({ id: chief.id, role: 'it_admin' })
    expect(identified('chief', { role: 'operator' }).role).to.equal('it_admin')
  })

  it('A disabled user cannot sign in, and a deleted user is created again', () => {
    const { plant, identified } = plantThat()
    const ada = identified('ada', { role: 'operator' })
    plant.result('user.patch', { id: ada.id, disabled: true })
    expect(plant.refusal('user.identify', who('ada', { role: 'operator' })).status).to.equal(409)
    plant.result('user.delete', { id: ada.id })
    expect(identified('ada', { role: 'operator' }).id).not.to.equal(ada.id)
    plant.result('sign-on.put', { makesUsers: false, defaultRole: null })
    expect(plant.refusal('user.identify', who('eve', { role: 'operator' })).message).to.include('No user is linked')
  })

  it('A user is created only with a role and an unused email address', () => {
    const { plant } = plantThat()
    const refusal = (told: Partial<Payload<'user.identify'>>) =>
      plant.refusal('user.identify', who('eve', told)).message
    expect(refusal({})).to.include('assigns you no role')
    expect(refusal({ role: 'operator', email: null })).to.include('no valid email address')
    expect(refusal({ role: 'operator', email: 'ANN@plant.example' })).to.include('link it in your account')
  })
})

describe('linking an identity', () => {
  const identity = { issuer, subject: 'ann' }

  it('An unused identity can be linked to a user without an identity', () => {
    const { plant, ann, identified } = plantThat()
    identified('ada', { role: 'operator' })
    const link = (subject: string) => ({ id: ann.id, identity: { issuer, subject } })
    expect(plant.refusal('user.link', link('ada')).message).to.include('Another user')
    expect(plant.result('user.link', link('ann')).identity).to.deep.equal(identity)
    expect(plant.result('user.link', link('ann')).identity, 'again').to.deep.equal(identity)
    expect(plant.refusal('user.link', link('mallory'))).to.include({ status: 409 })
    expect(identified('ann').id).to.equal(ann.id)
  })

  it('Unlinking an identity ends all sessions except the given one', () => {
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

  it('The last it_admin who can sign in can be neither deleted nor unlinked', () => {
    const { plant, ann, identified } = plantThat()
    const chief = identified('chief', { role: 'it_admin' })
    expect(chief.passwordHash).to.equal(noPassword)
    plant.result('user.link', { id: chief.id, identity: null })
    expect(plant.refusal('user.delete', { id: ann.id }).status, 'the other it_admin cannot sign in').to.equal(409)
    const second = identified('second', { role: 'it_admin' })
    plant.result('user.delete', { id: ann.id })
    expect(plant.refusal('user.link', { id: second.id, identity: null }).status).to.equal(409)
  })

  it('A session does not start if the identity was unlinked after the credentials were checked', () => {
    const { plant, ann } = plantThat()
    const linked = plant.result('user.link', { id: ann.id, identity })
    plant.result('user.link', { id: ann.id, identity: null })
    expect(() => start(plant, linked)).to.throw('The user was disabled, or the credentials have changed')
  })
})
