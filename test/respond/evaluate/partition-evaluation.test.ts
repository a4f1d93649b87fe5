import { expect } from 'chai'
import { KnownActivity } from '../../../respond/evaluate/known-activity.ts'
import { LongActivities } from '../../../respond/evaluate/long-activities.ts'
import { PartitionEvaluation } from '../../../respond/evaluate/partition-evaluation.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'

const [first, second] = [asMachineRef(1), asMachineRef(2)]
const at = (hour: number) => hour * hourMs
const never = { limitMs: Infinity, silentMs: Infinity, silentForMs: Infinity, clockMs: Infinity }

/** A partition that was evaluated to 10:30. */
function scene() {
  const partition = new PartitionEvaluation(0, 1, at(10.5), at(10.5))
  const due = (limitMs: number, clockMs = limitMs) => [...partition.due(limitMs, clockMs)]
  return { partition, due }
}

describe('PartitionEvaluation', () => {
  it('A machine is due from the earliest change of its documents, or from the limit of the last evaluation', () => {
    const { partition, due } = scene()
    expect(due(at(11))).to.deep.equal([])
    partition.add(first, at(8))
    partition.add(first, at(9))
    partition.add(second, at(11))
    expect(due(at(11))).to.deep.equal([
      [first, at(8)],
      [second, at(10.5)],
    ])
  })

  it('A completed machine is not due by the clock, until a document of it is written', () => {
    const { partition, due } = scene()
    partition.add(first, at(9))
    partition.completed(first, partition.added, never)
    expect([...due(at(10.5)), ...due(at(11)), ...due(at(100))]).to.deep.equal([])
    partition.add(first, at(11))
    expect(due(at(12))).to.deep.equal([[first, at(10.5)]])
  })

  it('After an evaluation, a machine is due from a document that was written meanwhile, and from its earlier change', () => {
    const { partition, due } = scene()
    partition.add(first, at(8))
    const { added } = partition
    partition.add(first, at(9))
    partition.completed(first, added, never)
    expect(due(at(11))).to.deep.equal([[first, at(8)]])
  })

  it('A machine is due at its limit by the limit, and at its step by the clock', () => {
    const { partition, due } = scene()
    partition.completed(first, partition.added, { ...never, limitMs: at(11), clockMs: at(20) })
    expect(due(at(11) - 1, at(19))).to.deep.equal([])
    expect(due(at(11), at(11))).to.deep.equal([[first, at(10.5)]])
    expect(due(at(10.6), at(20))).to.deep.equal([[first, at(10.5)]])
    partition.completed(first, partition.added, never)
    expect(due(at(30))).to.deep.equal([])
  })

  it('A machine whose evaluation is delayed stays due from the limit before it was due', () => {
    const { partition, due } = scene()
    partition.completed(first, partition.added, { ...never, limitMs: at(11) })
    expect(due(at(11), at(11))).to.deep.equal([[first, at(10.5)]])
    partition.delay(first, at(11))
    partition.evaluatedToMs = at(12)
    expect(due(at(12), at(11))).to.deep.equal([])
    expect(due(at(12), at(12))).to.deep.equal([[first, at(10.5)]])
  })

  it('Delays of a machine double up to a minute, and end with the next document', () => {
    const { partition, due } = scene()
    partition.add(first, at(10))
    const waits: number[] = []
    let clockMs = at(11)
    for (let attempt = 0; attempt < 10; attempt++) {
      partition.delay(first, clockMs)
      let waitMs = 0
      while (due(at(11), clockMs + waitMs).length === 0) waitMs += 250
      waits.push(waitMs)
      clockMs += waitMs
    }
    expect(waits).to.deep.equal([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    partition.delay(first, clockMs)
    partition.add(first, at(11))
    expect(due(at(11), clockMs)).to.have.length(1)
    partition.delay(first, clockMs)
    expect(due(at(11), clockMs - 1), 'the clock was set back').to.have.length(1)
  })

  it('A machine whose evaluation failed is due from its own limit, after a delay that documents do not end', () => {
    const { partition, due } = scene()
    partition.add(first, at(11))
    partition.failed(first, at(11))
    partition.evaluatedToMs = at(15)
    partition.add(first, at(15))
    partition.add(second, at(15))
    expect(due(at(15), at(11))).to.deep.equal([[second, at(15)]])
    expect(due(at(15), at(12))).to.deep.equal([
      [first, at(10)],
      [second, at(15)],
    ])
    expect([first, second].map(each => partition.evaluatedToOf(each))).to.deep.equal([at(10.5), at(15)])
    expect(partition.allEvaluatedToMs).to.equal(at(10.5))
    partition.succeeded(first)
    expect([partition.evaluatedToOf(first), partition.allEvaluatedToMs]).to.deep.equal([at(15), at(15)])
  })

  it('Nothing is due after a time without rules', () => {
    const { partition, due } = scene()
    partition.add(first, at(9))
    partition.completed(second, partition.added, { ...never, limitMs: at(11), clockMs: at(11) })
    partition.behindSinceMs = at(1)
    partition.clear(at(12))
    expect(due(at(20))).to.deep.equal([])
    expect(partition).to.include({ evaluatedToMs: at(12), behindSinceMs: null })
    partition.clear(at(11))
    expect(partition.evaluatedToMs).to.equal(at(12))
  })

  it('A removed machine is not due', () => {
    const { partition, due } = scene()
    partition.add(first, at(9))
    partition.remove(first)
    expect(due(at(20))).to.deep.equal([])
  })

  it('Each sample postpones the instant at which a machine would be silent', () => {
    const partition = new PartitionEvaluation(0, 1, at(0), at(0))
    partition.activity = new KnownActivity(60_000, new LongActivities(() => undefined))
    partition.activity.restore(new Map([[first, at(0)]]), () => Infinity)
    partition.add(first, at(0))
    const silentForMs = at(1) - at(0)
    partition.completed(first, partition.added, { ...never, silentMs: at(1) + 1, silentForMs })
    expect([...partition.due(at(1), at(1)).keys()]).to.deep.equal([])
    partition.activity.note(first, at(0.5), at(0.5), at(0))
    expect([...partition.due(at(1.2), at(1.2)).keys()], 'postponed').to.deep.equal([])
    expect([...partition.due(at(1.5), at(1.5)).keys()]).to.deep.equal([])
    expect([...partition.due(at(1.5) + 1, at(2)).keys()]).to.deep.equal([first])
    partition.activity.note(first, at(9), at(9), at(0))
    expect([...partition.due(at(1.5) + 1, at(2)).keys()], 'a sample after the limit').to.deep.equal([first])
  })
})
