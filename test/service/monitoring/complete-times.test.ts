import { expect } from 'chai'
import * as fc from 'fast-check'
import { topics } from '../../../schema/topics.ts'
import { ForwardedOffsets } from '../../../service/live/forwarded-offsets.ts'
import { CompleteTimes } from '../../../service/monitoring/complete-times.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { forAll } from '../../support/for-all.ts'

const partitions = 3

interface Sample {
  /** Partition of state samples. */
  readonly partition: number
  readonly atMs: number
}

/** A pipeline whose stages advance on command: one partition of samples, several of state samples. */
class Pipeline {
  nowMs = 1_000
  readonly samples: Sample[] = []
  readonly forwarded = new ForwardedOffsets()
  /** Partitions of state samples that the process owns. */
  readonly owned = new Set(Array.from({ length: partitions }, (_, partition) => partition))
  readonly live = Array.from({ length: partitions }, () => ({ liveOffset: 0, liveSinceMs: null as number | null }))
  readonly times: CompleteTimes

  constructor(minReadIntervalMs = 0) {
    this.times = new CompleteTimes({
      log: {
        endOffsets: async topic => (topic === topics.samples ? [this.samples.length] : this.#stateEnds()),
        committed: async () => [0],
      },
      clock: () => this.nowMs,
      forwarded: this.forwarded,
      progress: () => new Map([...this.live.entries()].filter(([partition]) => this.owned.has(partition))),
      minReadIntervalMs,
    })
  }

  append(partition: number): void {
    this.samples.push({ partition, atMs: this.nowMs })
  }

  forward(count: number): void {
    this.forwarded.advance(0, Math.min(this.samples.length, this.forwarded.of(0) + count))
  }

  compute(partition: number, count: number): void {
    const live = this.live[partition]
    if (live) live.liveOffset = Math.min(this.#stateEnds()[partition] ?? 0, live.liveOffset + count)
  }

  /** The time of the first sample that the documents of a partition lack; null: they lack none. */
  firstMissingMs(partition: number): number | null {
    const ofPartition = this.samples.filter(sample => sample.partition === partition)
    return ofPartition[this.live[partition]?.liveOffset ?? 0]?.atMs ?? null
  }

  #stateEnds(): readonly number[] {
    const moved = this.samples.slice(0, this.forwarded.of(0))
    return this.live.map((_, partition) => moved.filter(sample => sample.partition === partition).length)
  }
}

describe('complete times', () => {
  it('A partition with a backlog does not delay the others', async () => {
    const pipeline = new Pipeline()
    await pipeline.times.measure()
    pipeline.append(0)
    pipeline.append(1)
    pipeline.forward(2)
    pipeline.compute(1, 1)
    pipeline.nowMs = 60_000
    expect(await pipeline.times.measure()).to.deep.equal(
      new Map([
        [0, 1_000],
        [1, 60_000],
        [2, 60_000],
      ]),
    )
  })

  it('A partition whose samples were never computed has no time', async () => {
    const pipeline = new Pipeline()
    pipeline.append(0)
    pipeline.forward(1)
    expect([...(await pipeline.times.measure()).keys()]).to.deep.equal([1, 2])
  })

  it('A partition has no time from a reading that precedes its take-over', async () => {
    const pipeline = new Pipeline(hourMs)
    pipeline.owned.delete(0)
    expect([...(await pipeline.times.measure()).keys()]).to.deep.equal([1, 2])
    pipeline.owned.add(0)
    pipeline.nowMs += 1
    expect([...(await pipeline.times.measure()).keys()]).to.deep.equal([1, 2])
  })

  it('A change of records that live hours lack limits the time', async () => {
    const pipeline = new Pipeline()
    const [live] = pipeline.live
    if (live) live.liveSinceMs = 400
    expect((await pipeline.times.measure()).get(0)).to.equal(400)
  })

  it('Documents contain every sample before the time, and the time follows', async () => {
    const partition = fc.nat({ max: partitions - 1 })
    const count = fc.integer({ min: 1, max: 5 })
    const act = fc.oneof(
      fc.record({ type: fc.constant('append' as const), partition }),
      fc.record({ type: fc.constant('forward' as const), count }),
      fc.record({ type: fc.constant('compute' as const), partition, count }),
      fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1_000 }) }),
      fc.record({ type: fc.constant('measure' as const) }),
    )
    await forAll(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async acts => {
        const pipeline = new Pipeline()
        for (const act of acts) {
          if (act.type === 'append') pipeline.append(act.partition)
          else if (act.type === 'forward') pipeline.forward(act.count)
          else if (act.type === 'compute') pipeline.compute(act.partition, act.count)
          else if (act.type === 'wait') pipeline.nowMs += act.ms
          else
            for (const [number, completeMs] of await pipeline.times.measure())
              expect(completeMs).to.be.at.most(pipeline.firstMissingMs(number) ?? pipeline.nowMs)
        }
        pipeline.forward(Infinity)
        for (const [number] of pipeline.live.entries()) pipeline.compute(number, Infinity)
        pipeline.nowMs++
        const times = [...(await pipeline.times.measure()).values()]
        expect(times).to.deep.equal(pipeline.live.map(() => pipeline.nowMs))
      }),
      { numRuns: 300, shrinks: true },
    )
  })
})
