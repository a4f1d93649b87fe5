import { expect } from 'chai'
import { Plant } from '../plant.ts'

const installation = { companyId: null }

describe('rebuild', () => {
  const done = (plant: Plant, id: string, partition: number) =>
    plant.result('rebuild.partitionDone', { id, partition, partitions: 2, hours: 10 + partition }, installation)

  it('A rebuild covers one company or all, and a running rebuild is returned instead of a second one', () => {
    const plant = new Plant()
    const ofCompany = plant.result('rebuild.start', {})
    expect(ofCompany).to.include({ companyId: plant.companyId, finishedAt: null })
    const ofAll = plant.result('rebuild.start', {}, installation)
    expect(ofAll).to.include({ companyId: '', finishedAt: null })
    expect(plant.result('rebuild.start', {}).id).to.equal(ofCompany.id)
    expect(plant.result('rebuild.start', { companyId: plant.companyId }, installation).id).to.equal(ofCompany.id)
    expect(plant.refusal('rebuild.start', { companyId: 'nobody' }, installation)).to.include({ status: 404 })
  })

  it('A rebuild finishes once every partition has reported, and repeated reports change nothing', () => {
    const plant = new Plant()
    const { id } = plant.result('rebuild.start', {})
    expect(done(plant, id, 1)).to.deep.include({ doneHours: { 1: 11 }, finishedAt: null })
    expect(done(plant, id, 1)).to.deep.include({ doneHours: { 1: 11 }, finishedAt: null })
    plant.nowMs += 5000
    const finished = done(plant, id, 0)
    expect(finished).to.deep.include({
      doneHours: { 0: 10, 1: 11 },
      finishedAt: new Date(plant.nowMs).toISOString(),
    })
    plant.nowMs += 5000
    expect(done(plant, id, 0)).to.deep.equal(finished)
    expect(
      plant.refusal('rebuild.partitionDone', { id: 'x', partition: 0, partitions: 2, hours: 1 }, installation),
    ).to.include({
      status: 404,
    })
    expect(plant.result('rebuild.start', {}).id).not.to.equal(id)
  })
})
