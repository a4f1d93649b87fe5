import { expect } from 'chai'
import { pino } from 'pino'
import type { KnownActivity } from '../../../respond/evaluate/known-activity.ts'
import { PartitionEvaluation } from '../../../respond/evaluate/partition-evaluation.ts'
import { SilenceFollower } from '../../../respond/evaluate/silence-follower.ts'
import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { dayMs, hourMs, minuteMs } from '../../../shared/time/units.ts'
import { Plant } from '../../processors/registrar/plant.ts'

/** Two companies with rules on silence, and a partition with the machines of both. */
class Scene {
  readonly plant = new Plant()
  readonly other: string
  readonly partition = new PartitionEvaluation(0, 1, null, this.plant.nowMs)
  isStoreDown = false
  reads = 0
  readonly #follower = new SilenceFollower({
    records: this.plant.records,
    partitionOf: () => 0,
    untilStored: async () => undefined,
    readNewestSamples: async (_company, machines, toMs) => {
      this.reads++
      if (this.isStoreDown) throw new Error('The store is not available')
      return new Map(machines.map(ref => [ref, toMs - minuteMs]))
    },
    readActivityAfter: async () => [],
    lateMs: 0,
    clock: () => this.plant.nowMs,
    logger: pino({ level: 'silent' }),
  })

  constructor() {
    this.other = this.plant.result('company.create', { companyName: 'B' }, { companyId: null }).companyId
    this.plant.machine()
  }

  putRule(companyId: string, forMs: number): void {
    const rule = { id: 'r', name: 'Silent', severity: 'warning', condition: { silent: true }, forMs } as const
    this.plant.result('alertRule.put', rule, { companyId })
  }

  concerns(ref: MachineRef): boolean {
    return this.#follower.concerns(ref)
  }

  /** Follows the rules after a time, and ends its reads. */
  async follow(afterMs = minuteMs): Promise<KnownActivity | null> {
    this.plant.nowMs += afterMs
    this.#follower.follow([this.partition], this.plant.nowMs)
    await new Promise(resolve => setImmediate(resolve))
    return this.partition.activity
  }
}

describe('SilenceFollower', () => {
  it('Changes of a rule restart the activity of the machines of all companies a few times in all', async () => {
    const scene = new Scene()
    scene.putRule(scene.plant.companyId, 7 * dayMs)
    for (let forMs = 7 * dayMs; forMs >= minuteMs; forMs = Math.floor(0.9 * forMs))
      for (const each of [forMs, 7 * dayMs]) {
        scene.putRule(scene.other, each)
        expect((await scene.follow())?.pauseMs).to.be.at.most(each)
      }
    expect(scene.reads).to.be.within(2, 14)
    expect(scene.partition.activity?.of(asMachineRef(1)).activityFromMs).to.be.below(Infinity)
  })

  it('The end of the rule on the shortest silence keeps what is known, also while the store is not available', async () => {
    const scene = new Scene()
    scene.putRule(scene.plant.companyId, 10 * minuteMs)
    scene.putRule(scene.other, minuteMs)
    const before = await scene.follow()
    scene.isStoreDown = true
    scene.plant.result('alertRule.delete', { id: 'r' }, { companyId: scene.other })
    expect(await scene.follow()).to.equal(before)
    expect(before?.pauseMs).to.equal(minuteMs)
    expect(await scene.follow(hourMs)).to.equal(before)
    expect(before?.pauseMs, 'an hour later').to.equal(8 * minuteMs)
    scene.plant.result('alertRule.delete', { id: 'r' })
    expect(await scene.follow()).to.equal(null)
  })

  it('Samples concern the machines of companies with a rule on silence', async () => {
    const scene = new Scene()
    const refOf = (companyId: string) => scene.plant.records.machines(companyId)[0]?.ref ?? asMachineRef(0)
    scene.plant.do('machine.put', { id: crypto.randomUUID(), name: 'Other' }, { companyId: scene.other })
    scene.putRule(scene.other, minuteMs)
    await scene.follow()
    expect([scene.plant.companyId, scene.other].map(id => scene.concerns(refOf(id)))).to.deep.equal([false, true])
  })
})
