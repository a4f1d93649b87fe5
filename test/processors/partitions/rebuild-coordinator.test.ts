import { expect } from 'chai'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RebuildCoordinator, type RebuildWork } from '../../../processors/partitions/rebuild-coordinator.ts'
import { Plant } from '../registrar/plant.ts'

/** A partition whose store fails a given number of times; a rebuild that it starts has no hours to recompute. */
class Work implements RebuildWork {
  failures: number
  begun: string[] = []

  constructor(failures: number) {
    this.failures = failures
  }

  get rebuilds() {
    return {
      progress: this.begun.map(id => ({ id, totalHours: 5, leftHours: 0 })),
      forget: (id: string) => void (this.begun = this.begun.filter(other => other !== id)),
    }
  }

  async startRebuild(id: string): Promise<void> {
    if (this.failures-- > 0) throw new Error('The store is unavailable')
    if (!this.begun.includes(id)) this.begun.push(id)
  }
}

describe('RebuildCoordinator', () => {
  it('A rebuild is retried until the store is available, and finishes after each partition has reported once', async () => {
    const plant = new Plant()
    const works = [new Work(2), new Work(0)]
    let dirtyHours = 1
    const failures: unknown[] = []
    const coordinator = new RebuildCoordinator({
      records: plant.records,
      commands: {
        submit: async (name, payload) => ({ ok: true, result: plant.result(name, payload, { companyId: null }) }),
      },
      logger: { error: (failure: unknown) => failures.push(failure) },
      works: () => works.entries(),
      partitions: () => works.length,
      dirtyHours: () => dirtyHours,
      wake: () => undefined,
    })
    const rebuild = () => plant.records.rebuilds()[0]
    const tick = async () => {
      await coordinator.tick()
      await nextTurn()
    }

    plant.result('rebuild.start', {}, { companyId: null })
    coordinator.start(rebuild() ?? null)
    await nextTurn()
    expect(works.map(({ begun }) => begun.length)).to.deep.equal([0, 1])
    await tick()
    await tick()
    expect([works.map(({ begun }) => begun.length), failures.length]).to.deep.equal([[1, 1], 2])
    expect(rebuild()).to.deep.include({ doneHours: {}, finishedAt: null })

    dirtyHours = 0
    await tick()
    expect(rebuild()?.doneHours).to.deep.equal({ 0: 5, 1: 5 })
    expect(rebuild()?.finishedAt).to.be.a('string')
    await tick()
    expect(
      works.map(({ begun }) => begun.length),
      'a finished rebuild is not started again',
    ).to.deep.equal([0, 0])
  })
})
