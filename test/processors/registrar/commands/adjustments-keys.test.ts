import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { scopes } from '../../../../schema/scopes.ts'
import { Plant, hour } from '../plant.ts'

describe('part adjustment types', () => {
  it('A part adjustment type can be created and replaced, and deleted only when no adjustment uses it', () => {
    const plant = new Plant()
    const type = plant.result('partAdjustmentType.put', { name: 'Scratch', color: 'red' })
    expect(type).to.deep.equal({
      id: 1,
      companyId: plant.companyId,
      name: 'Scratch',
      color: 'red',
      correction: false,
      scrap: true,
      rejectBehavior: 'operator',
      hidden: false,
    })
    const put = { id: 1, name: 'Scratch', reject_behavior: 'nonconform', correction: true, hidden: true } as const
    expect(plant.result('partAdjustmentType.put', put)).to.include({ scrap: false, rejectBehavior: 'nonconform' })
    plant.result('partAdjustment.create', { machine_id: plant.machine(), category_id: 1 })
    expect(plant.refusal('partAdjustmentType.delete', { id: 1 }))
      .to.include({ status: 409 })
      .and.to.have.property('message')
      .that.match(/^In use by 1 part adjustment: .*; hide it instead$/)
    expect(plant.faults('partAdjustmentType.put', { reject_behavior: 'eat' })).to.have.members([
      'name Required',
      'reject_behavior InvalidEnum',
    ])
  })
})

describe('part adjustments', () => {
  it('A part adjustment is created with defaults, partially updated and deleted', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    const { id: type } = plant.result('partAdjustmentType.put', { name: 'Scratch' })
    const made = plant.result('partAdjustment.create', { machine_id: machineId, scrapcount: 5 })
    expect(made).to.include({
      machineId,
      adjustmentTime: hour(0),
      categoryId: null,
      scrapCount: 5,
      count: 0,
      message: '',
    })
    const updated = plant.result('partAdjustment.update', {
      id: made.id,
      scrapcount: 2,
      count: -2,
      category_id: type,
      reject_behavior: 'nonconform',
    })
    expect(updated).to.deep.equal({ ...made, scrapCount: 2, count: -2, categoryId: type, rejectBehavior: 'nonconform' })
    const moved = { id: made.id, scrapcount: 2, count: -2, category_id: null, adjustmenttime: '2026-03-02T09:00:00' }
    expect(plant.result('partAdjustment.update', moved)).to.include({ categoryId: null, adjustmentTime: hour(1) })
    expect(plant.result('partAdjustment.delete', { id: made.id })).to.equal(null)
    expect(plant.records.adjustmentsOf(machineId)).to.deep.equal([])
  })

  it('The two documented error texts of part adjustments are returned unchanged', () => {
    const plant = new Plant()
    const unknownType = plant.refusal('partAdjustment.create', { machine_id: plant.machine(), category_id: 9 })
    expect(unknownType).to.include({ status: 400, message: 'cannot read property id of null' })
    expect(plant.faults('partAdjustment.create', { machine_id: randomUUID(), category_id: 9 })).to.have.members([
      'machine_id InvalidDataItem',
      'category_id InvalidDataItem',
    ])
    const unknown = plant.refusal('partAdjustment.update', { id: randomUUID(), scrapcount: 0, count: 0 })
    expect(unknown).to.include({ status: 404, message: "cannot read property 'machine' of null" })
  })

  it('Every invalid field of a part adjustment is listed', () => {
    const plant = new Plant()
    expect(plant.faults('partAdjustment.create', { scrapcount: 1.5, reject_behavior: 'operator' })).to.have.members([
      'machine_id Required',
      'scrapcount InvalidType',
      'reject_behavior InvalidEnum',
    ])
    expect(plant.faults('partAdjustment.update', { id: 'x' })).to.have.members([
      'scrapcount Required',
      'count Required',
    ])
    expect(plant.faults('partAdjustment.create', { machine_id: randomUUID() })).to.deep.equal([
      'machine_id InvalidDataItem',
    ])
  })
})

describe('keys', () => {
  const hash = 'ab'.repeat(32)

  it('An API key is found by its hash until it is deleted', () => {
    const plant = new Plant()
    const key = plant.result('key.create', { name: 'BI', scopes: ['reporting', 'reporting'], hash })
    expect(key).to.include({ name: 'BI', hash, createdAt: hour(0) })
    expect(key.scopes).to.deep.equal(['reporting'])
    expect(plant.records.keyByHash(hash)).to.deep.equal(key)
    expect(plant.refusal('key.create', { name: 'Twice', scopes: [], hash }).status).to.equal(409)
    plant.result('key.patch', { id: key.id, scopes: ['erp'] })
    expect(plant.records.keyByHash(hash)).to.deep.include({ name: 'BI', scopes: ['erp'] })
    plant.result('key.delete', { id: key.id })
    expect(plant.records.keyByHash(hash)).to.equal(null)
    expect(plant.refusal('key.patch', { id: key.id, name: 'Gone' }).status).to.equal(404)
    expect(plant.faults('key.create', { name: 'X', scopes: ['root'], hash: 'short' })).to.have.members([
      'scopes[0] InvalidEnum',
      'hash InvalidDataItem',
    ])
  })
})

describe('secrets of user tokens', () => {
  it('A secret is created once, and replaced only on request', () => {
    const plant = new Plant()
    const secret = () => plant.records.company(plant.companyId)?.tokenSecret
    expect(secret()).to.equal(undefined)
    expect(plant.result('token-secret.make', {})).to.equal(null)
    const first = secret()
    expect(first).to.match(/^[0-9a-f]{64}$/)
    expect(plant.do('token-secret.make', {})).to.deep.include({ changes: [], outcome: { ok: true, result: null } })
    expect(secret()).to.equal(first)
    expect(plant.result('token-secret.rotate', {})).to.equal(null)
    expect(secret())
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(first)
  })
})

describe('installation.start', () => {
  const hash = 'cd'.repeat(32)

  it('installation.start creates the first company and its admin key once', () => {
    const plant = new Plant()
    const again = plant.result('installation.start', { adminKeyHash: hash, generated: true }, { companyId: null })
    expect(again, 'a key is generated only in a new installation').to.deep.equal({
      companyId: plant.companyId,
      companyCreated: false,
      keyAdded: false,
    })
    const given = plant.result('installation.start', { adminKeyHash: hash }, { companyId: null })
    expect(given).to.deep.equal({ companyId: plant.companyId, companyCreated: false, keyAdded: true })
    expect(plant.records.keyByHash(hash)).to.deep.include({ companyId: plant.companyId, scopes: [...scopes] })
    expect(plant.do('installation.start', { adminKeyHash: hash }, { companyId: null }).changes).to.deep.equal([])
    expect(plant.records.companies()).to.have.length(1)
  })
})

describe('claim', () => {
  it('Every claim gets a higher fence than all earlier claims and than the store contains', () => {
    const plant = new Plant()
    const claim = (payload: object) =>
      plant.result('claim', { partition: 3, owner: 'p1', ...payload }, { companyId: null }).fence
    expect([claim({}), claim({}), claim({ partition: 4 }), claim({ above: 40 }), claim({})]).to.deep.equal([
      1, 2, 3, 41, 42,
    ])
    expect(plant.records.claim('state-samples/3')).to.deep.equal({ id: 'state-samples/3', owner: 'p1', fence: 42 })
  })
})
