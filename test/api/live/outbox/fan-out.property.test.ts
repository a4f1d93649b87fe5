import { expect } from 'chai'
import * as fc from 'fast-check'
import { setImmediate as turn } from 'node:timers/promises'
import type { Connection } from '../../../../api/live/outbox/connection.ts'
import { FanOut } from '../../../../api/live/outbox/fan-out.ts'
import { Frame } from '../../../../api/live/outbox/frame.ts'
import { FrameCache } from '../../../../api/live/outbox/frame-cache.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import { FlushScheduler } from '../../../../api/live/outbox/flush-scheduler.ts'
import { forAll } from '../../../support/for-all.ts'
import { asMachineRef, type MachineRef } from '../../../../schema/refs.ts'

/** Random actions of a plant and its screens. */
type Step =
  | { readonly kind: 'change'; readonly machineRef: MachineRef; readonly metric: number }
  | { readonly kind: 'follow'; readonly screen: number; readonly machines: readonly MachineRef[] }
  | { readonly kind: 'room'; readonly screen: number; readonly writes: number }
  | { readonly kind: 'turn' }

interface Told {
  readonly machineRef: MachineRef
  readonly metric: number
  /** The running number of the change. */
  readonly change: number
}

const machines = 4
const metrics = 4
const screens = 3

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      machineRef: fc.integer({ min: 1, max: machines }).map(asMachineRef),
      metric: below(metrics),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      screen: below(screens),
      machines: fc.subarray([1, 2, 3, 4].map(asMachineRef)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('room' as const), screen: below(screens), writes: below(3) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'turn' as const }) },
)

function below(limit: number): fc.Arbitrary<number> {
  return fc.nat({ max: limit - 1 })
}

/** A screen that accepts as many writes as its buffer has space for. */
class Screen implements Connection {
  readonly told: Told[] = []
  readonly subscriber: Subscriber
  follows = new Set<MachineRef>()
  /** Length of `told` when the screen began to follow a machine without interruption; by machine. */
  readonly since = new Map<number, number>()
  #writes = 0

  constructor(scheduler: FlushScheduler) {
    this.subscriber = new Subscriber(this, scheduler, { bytes: 1e6, blockedMs: 1e9 })
  }

  write(frames: readonly Frame[]): boolean {
    for (const frame of frames) {
      const told: Told = JSON.parse(frame.json)
      if (!this.follows.has(told.machineRef))
        throw new Error(`Told of machine ${told.machineRef}, which it does not follow`)
      this.told.push(told)
    }
    this.#writes = Math.max(0, this.#writes - 1)
    return this.#writes > 0
  }

  close(): void {
    throw new Error('Closed for being slow')
  }

  makeRoom(writes: number): void {
    this.#writes += writes
    if (this.#writes > 0) this.subscriber.onDrain()
  }
}

describe('random fan-outs', () => {
  it('Each screen receives the snapshot once, then every change or a newer one, in order, at any reading speed', async () => {
    await holds(200)
  })

  it('Each screen receives the snapshot before changes, in order, even if both need several flushes', async () => {
    await holds(40_000)
  })
})

/** `frameBytes`: bytes of each frame against the limit of a flush. */
async function holds(frameBytes: number): Promise<void> {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), steps => run(steps, frameBytes))
  await forAll(property, { numRuns: 200, shrinks: true })
}

async function run(steps: readonly Step[], frameBytes: number): Promise<void> {
  const scheduler = new FlushScheduler()
  const latest = new Map<number, Told>()
  const frameOf = (told: Told) => new SizedFrame(told, frameBytes)
  const fanOut = new FanOut<Told>({
    snapshot(machineRef, fromIndex, show) {
      for (let metric = fromIndex; metric < metrics; metric++) {
        const told = latest.get(keyOf({ machineRef, metric }))
        if (told && !show(frameOf(told), metric)) return
      }
    },
    indexOf: ({ metric }) => metric,
    frameOf,
    // The buffer has space for about six of them.
    cache: new FrameCache(30 * frameBytes),
  })
  const all = Array.from({ length: screens }, () => new Screen(scheduler))
  let changes = 0

  for (const each of steps) {
    if (each.kind === 'change') {
      const told = { machineRef: each.machineRef, metric: each.metric, change: ++changes }
      latest.set(keyOf(told), told)
      fanOut.publish(told.machineRef, keyOf(told), told)
    } else if (each.kind === 'turn') await turn()
    else {
      const screen = all[each.screen]
      if (screen === undefined) throw new Error('There are as many screens')
      if (each.kind === 'room') screen.makeRoom(each.writes)
      else follow(screen, new Set(each.machines), fanOut)
    }
  }
  for (const screen of all) screen.makeRoom(1_000)
  for (let i = 0; i < 40; i++) await turn()
  for (const screen of all) expectRight(screen, latest)
}

function follow(screen: Screen, follows: ReadonlySet<MachineRef>, fanOut: FanOut<Told>): void {
  for (const machineRef of follows)
    if (!screen.follows.has(machineRef)) screen.since.set(machineRef, screen.told.length)
  screen.follows = new Set(follows)
  fanOut.setMachines(screen.subscriber, follows)
}

function expectRight({ told, follows, since }: Screen, latest: ReadonlyMap<number, Told>): void {
  for (const machineRef of follows) {
    const own = told.slice(since.get(machineRef)).filter(each => each.machineRef === machineRef)
    for (let metric = 0; metric < metrics; metric++) {
      const changes = own.filter(each => each.metric === metric).map(({ change }) => change)
      // Each change at most once, never backwards, the last one last.
      expect(changes).to.deep.equal([...new Set(changes)].sort((a, b) => a - b))
      expect(changes.at(-1)).to.equal(latest.get(keyOf({ machineRef, metric }))?.change)
    }
    // The snapshot comes first, then changes of all metrics in their order.
    const first = own.findIndex(({ metric }, i) => own.slice(0, i).some(each => each.metric === metric))
    const live = first < 0 ? [] : own.slice(first)
    expect(live.map(({ change }) => change)).to.deep.equal(live.map(({ change }) => change).sort((a, b) => a - b))
  }
}

function keyOf({ machineRef, metric }: Pick<Told, 'machineRef' | 'metric'>): number {
  return machineRef * metrics + metric
}

/** A frame that counts as `bytes` bytes. */
class SizedFrame extends Frame {
  readonly #bytes: number

  constructor(told: Told, bytes: number) {
    super('diagnostics', 'update', JSON.stringify(told))
    this.#bytes = bytes
  }

  override get bytes(): number {
    return this.#bytes
  }
}
