import { expect } from 'chai'
import { DeliveryStopped } from '../../../connect/buffer/delivery-stopped.ts'
import { Delivery } from '../../../connect/run/delivery.ts'
import { WaitingSamples } from '../../../connect/run/waiting-samples.ts'
import { newTotals } from '../../../connect/source/totals.ts'
import type { Acceptor } from '../../../ingest/accept/acceptor.ts'
import { LogUnavailable } from '../../../log/log.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { JsonOutOfBounds } from '../../../shared/json/bounds.ts'
import { eventually } from '../../log/fixture.ts'

const sample = (value: number | string): WireSample => ({
  machineId: '6f9619ff-8b86-4d01-b42d-00cf4fc96401',
  timestamp: '2024-05-06T07:59:59Z',
  key: 'count',
  type: 'PART_COUNT',
  value,
})
const samples = (count: number) => Array.from({ length: count }, (_, index) => sample(index))

/** A delivery to a log that accepts, waits or fails as the test decides. */
function open(lingerMs = 0, waiting = new WaitingSamples()) {
  const batches: (readonly WireSample[])[] = []
  const problems: string[] = []
  const totals = newTotals()
  const log: { gate: Promise<void>; failures: Error[]; refuses: (batch: readonly WireSample[]) => boolean } = {
    gate: Promise.resolve(),
    failures: [],
    refuses: () => false,
  }
  const acceptor: Acceptor = {
    async accept({ body }) {
      await log.gate
      const failure = log.failures.shift()
      if (failure) throw failure
      if (body.at(-1) === 0x3a) throw new JsonOutOfBounds('textBytes', 10)
      const batch: readonly WireSample[] = JSON.parse(body.toString())
      if (log.refuses(batch)) throw new JsonOutOfBounds('textBytes', 10)
      batches.push(batch)
      return { accepted: batch.length, rejected: [], rejectedCount: 0, rejectedByCode: {} }
    },
  }
  const onProblem = (message: string) => problems.push(message)
  const delivery = new Delivery({ acceptor, companyRef: asCompanyRef(1), waiting, totals, onProblem, lingerMs })
  return { delivery, log, batches, problems, totals, waiting }
}

describe('delivery of samples', () => {
  it('Samples are sent in order, in batches of at most 2,000', async () => {
    const { delivery, batches, totals } = open()
    const all = samples(5_001)
    await Promise.all([delivery.deliver(all.slice(0, 4_500)), delivery.deliver(all.slice(4_500)), delivery.deliver([])])
    expect(batches.flat()).to.deep.equal(all)
    expect(Math.max(...batches.map(({ length }) => length))).to.equal(2_000)
    expect([totals.samples, delivery.bytes]).to.deep.equal([5_001, 0])
  })

  it('Calls are acknowledged in their order, and none before the log has all of its samples', async () => {
    const { delivery, log, batches } = open()
    const gate = deferred<void>()
    log.gate = gate.promise
    const acknowledged: number[] = []
    const calls = [3_000, 10, 10].map((count, call) =>
      delivery.deliver(samples(count)).then(() => acknowledged.push(call)),
    )
    await eventually(() => delivery.bytes > 0)
    expect([acknowledged, batches]).to.deep.equal([[], []])
    gate.resolve()
    await Promise.all(calls)
    expect(acknowledged).to.deep.equal([0, 1, 2])
  })

  it('While the log is unavailable, samples wait and are then sent once', async () => {
    const { delivery, log, batches, problems } = open()
    log.failures.push(new LogUnavailable('No broker'), new LogUnavailable('No broker'))
    await delivery.deliver(samples(3))
    expect(batches).to.deep.equal([samples(3)])
    expect(problems).to.deep.equal(['No broker', 'No broker'])
  })

  it('A sample that is above the limits is counted as rejected, and the samples around it are delivered', async () => {
    const { delivery, log, batches, totals } = open()
    log.refuses = batch => batch.some(({ value }) => value === 'x'.repeat(20))
    const sent = [...samples(30), sample('x'.repeat(20)), ...samples(30)]
    await delivery.deliver(sent)
    expect(batches.flat()).to.deep.equal(sent.filter(({ value }) => typeof value === 'number'))
    expect(totals.rejected).to.deep.equal({ invalid_sample: 1 })
  })

  it('A body is sent as it is, between the samples before and after it, and an unreadable one is counted', async () => {
    const { delivery, batches, totals, problems } = open()
    const body = (text: string) => delivery.deliverBody(Buffer.from(text))
    await Promise.all([
      delivery.deliver(samples(2)),
      delivery.deliver(samples(1)),
      body(` ${JSON.stringify(samples(3))}`),
      body('{"samples":'),
      delivery.deliver(samples(4)),
    ])
    expect(batches).to.deep.equal([[...samples(2), ...samples(1)], samples(3), samples(4)])
    expect([totals.samples, totals.rejected, delivery.bytes]).to.deep.equal([10, { invalid_body: 1 }, 0])
    expect(problems).to.deep.equal(['A body of samples cannot be read: a text must have at most 10 bytes: {"samples":'])
  })

  it('A connector with too many waiting bytes waits, and so do all if those of the process are too many', async () => {
    const waiting = new WaitingSamples({ ofConnector: 1_000, ofProcess: 1_500 })
    const [first, second] = [open(0, waiting), open(0, waiting)]
    const gate = deferred<void>()
    for (const { log } of [first, second]) log.gate = gate.promise
    const hasSpace = async ({ delivery }: typeof first) => {
      let isResolved = false
      const space = delivery.waitForSpace().then(() => (isResolved = true))
      await Promise.race([space, new Promise(resolve => setImmediate(resolve))])
      return isResolved
    }
    const calls = [first.delivery.deliver(samples(7))]
    expect([first.delivery.bytes < 1_000, await hasSpace(first)]).to.deep.equal([true, true])
    calls.push(first.delivery.deliver(samples(2)))
    expect([await hasSpace(first), await hasSpace(second)]).to.deep.equal([false, true])
    calls.push(second.delivery.deliver(samples(6)))
    expect([second.delivery.bytes < 1_000, await hasSpace(second)]).to.deep.equal([true, false])
    gate.resolve()
    await Promise.all(calls)
    expect([await hasSpace(first), await hasSpace(second)]).to.deep.equal([true, true])
  })

  it('A flush sends samples immediately, and a stop rejects those that are not acknowledged', async () => {
    const { delivery, log, batches, waiting } = open(1_000_000)
    await Promise.all([delivery.deliver(samples(2)), delivery.flush()])
    expect(batches).to.deep.equal([samples(2)])
    log.gate = new Promise(() => undefined)
    const late = delivery.deliver(samples(3)).catch((error: unknown) => error)
    delivery.stop()
    expect(await late).to.be.instanceOf(DeliveryStopped)
    expect(await delivery.deliver([]).catch((error: unknown) => error)).to.be.instanceOf(DeliveryStopped)
    expect([delivery.bytes, waiting.hasSpace(1)]).to.deep.equal([0, true])
  })
})
