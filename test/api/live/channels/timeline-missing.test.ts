import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import type { Member } from '../../../../api/live/channels/channel.ts'
import { TimelineChannel, type TimelineChannelDeps } from '../../../../api/live/channels/timeline.ts'
import { FlushScheduler } from '../../../../api/live/outbox/flush-scheduler.ts'
import type { Frame } from '../../../../api/live/outbox/frame.ts'
import { LatestValues, type LiveValue } from '../../../../api/live/values/latest-values.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import { asCompanyRef, asMachineRef } from '../../../../schema/refs.ts'
import { defaultMachineSettings } from '../../../../schema/records/machine.ts'
import { Shares } from '../../../../shared/shares.ts'
import { shapeOf } from '../plant.ts'

const machine = {
  ...defaultMachineSettings,
  id: 'b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e2c11',
  ref: asMachineRef(1),
  companyId: 'c',
  name: 'Lathe',
  createdAt: '2026-03-02T00:00:00Z',
}
const startMs = Date.UTC(2026, 2, 2, 6)

/** A sample whose value is its time in µs after the start. */
const sample = (offsetUs: number): LiveValue => ({
  machineRef: machine.ref,
  atUs: startMs * 1000 + offsetUs,
  key: 'Load',
  type: 'LOAD',
  subtype: '',
  value: String(offsetUs),
})

interface Update {
  readonly data: { readonly Load: { readonly data: readonly { readonly value: string }[] } }
}

describe('the timeline while samples reach the store late', () => {
  let nowMs: number
  let stored: LiveValue[]
  let isCaughtUp: boolean
  let shares: Shares
  let channel: TimelineChannel
  let frames: Frame[]
  let member: Member

  beforeEach(() => {
    nowMs = startMs + 1_000
    stored = [sample(1)]
    isCaughtUp = false
    frames = []
    shares = new Shares({ limit: 100 })
    const values = new LatestValues()
    values.apply(sample(3))
    const scheduler = new FlushScheduler()
    const deps: TimelineChannelDeps = {
      records: shapeOf<TimelineChannelDeps['records']>({
        get: () => machine,
        company: () => ({ ref: asCompanyRef(1) }),
      }),
      values,
      history: {
        samples: async () => stored,
        documented: async () => ({ spans: [], parts: [] }),
        caughtUp: async () => isCaughtUp,
      },
      scheduler,
      limits: { days: 30, samples: 3_000 },
      subscriptions: shares,
      clock: () => nowMs,
      logger: pino({ level: 'silent' }),
    }
    channel = new TimelineChannel(deps)
    const connection = { write: (more: readonly Frame[]) => frames.push(...more) > 0, close: () => undefined }
    const subscriber = new Subscriber(connection, scheduler, { bytes: 1_000_000, blockedMs: 1_000 })
    member = { companyId: 'c', caller: null, isJoined: true, subscriber, send: () => undefined, fail: () => undefined }
  })

  const ask = (range: object) =>
    channel.commands.get_metrics({ machineId: machine.id, metrics: [{ key: 'Load' }], ...range })(member)
  const told = () =>
    frames.flatMap(({ json }) => shapeOf<Update>(JSON.parse(json)).data.Load.data.map(({ value }) => Number(value)))
  const untilTold = async (count: number) => {
    while (told().length < count) {
      await channel.tick()
      await sleep(10)
    }
  }

  it('Samples that were missing in a timeline response are sent later, each sample once', async () => {
    stored = Array.from({ length: 2_500 }, (_, i) => sample(i))
    await ask({ startAt: '2026-03-02T06:00:00Z' })
    await untilTold(2_500)
    await channel.tick()
    channel.samplePublished(sample(5_000))
    stored = [...stored, sample(3_000), sample(4_000), sample(5_000)]
    isCaughtUp = true
    await untilTold(2_503)
    await channel.tick()
    channel.samplePublished(sample(6_000))
    await untilTold(2_504)
    expect(told().slice(2_500)).to.deep.equal([5_000, 3_000, 4_000, 6_000])
  })

  it('A timeline request remains open after the end of its range until all samples are stored', async () => {
    await ask({ startAt: '2026-03-02T06:00:00Z', endAt: '2026-03-02T06:00:00.500Z' })
    await untilTold(1)
    nowMs += 120_000
    await channel.tick()
    expect(shares.usedBy('c')).to.equal(1)
    stored = [sample(1), sample(2), sample(501_000)]
    isCaughtUp = true
    await untilTold(2)
    expect(told()).to.deep.equal([1, 2])
    await channel.tick()
    expect(shares.usedBy('c')).to.equal(0)
  })
})
