import { expect } from 'chai'
import { encodeEntry } from '../../../../processors/records/entry-codec.ts'
import { runSync, runCooperatively, type Steps } from '../../../../shared/async/steps.ts'
import { Plant } from '../plant.ts'

const count = 2000
const perPart = count / 2

function jobs(part: number): object[] {
  return Array.from({ length: perPart }, (_, index) => ({
    row: part * perPart + index + 2,
    jobName: `Order ${part}-${index}`,
    lotName: '',
    operationName: '10',
    partName: '',
    quantityRequired: 5,
  }))
}

/** Returns the number of cooperative steps and the result. */
function stepsOf<T>(work: Steps<T>): { readonly steps: number; readonly result: T } {
  for (let steps = 0; ; steps++) {
    const step = work.next()
    if (step.done) return { steps, result: step.value }
  }
}

describe('large job import', () => {
  it('A large import is decided in steps with the same outcome as without steps', async () => {
    const plant = new Plant()
    const command = plant.command('jobImport.apply', [{ jobs: jobs(0), autoArchive: true }, { jobs: jobs(1) }])
    const { steps, result } = stepsOf(plant.registrar.decide(command, plant.nowMs))
    // Each job is checked in a batch of 100, then validated, then searched, then decided.
    expect(steps).to.equal(count / 100 + 3 * count)
    expect(result.outcome).to.deep.equal({ ok: true, result: { created: count, changed: 0, archived: 0 } })
    expect(result).to.deep.equal(runSync(plant.registrar.decide(command, plant.nowMs)))
    expect(result).to.deep.equal(await runCooperatively(plant.registrar.decide(command, plant.nowMs)))
  })

  it('Field errors of an import contain the index of the part and of the job', () => {
    const plant = new Plant()
    const late = { ...jobs(1)[950], row: -1 }
    const faults = plant.faults('jobImport.apply', [{ jobs: jobs(0) }, { jobs: [...jobs(1), late] }])
    expect(faults).to.deep.equal(['[1].jobs[1000].row OutOfRange'])
    expect(plant.faults('jobImport.apply', [{ jobs: 1 }])).to.deep.equal(['[0].jobs InvalidType'])
    expect(plant.faults('jobImport.apply', { jobs: [] })).to.deep.equal(['body InvalidType'])
  })

  it('A large entry is encoded in steps, in chunks below 1.1 MB', () => {
    const plant = new Plant()
    const entry = plant.do('jobImport.apply', [{ jobs: jobs(0) }, { jobs: jobs(1) }])
    const { steps, result } = stepsOf(encodeEntry(entry))
    expect(steps).to.equal(count + result.length)
    expect(result).to.deep.equal(runSync(encodeEntry(entry)))
    for (const { length } of result) expect(length).to.be.below(1_100_000)
  })
})
