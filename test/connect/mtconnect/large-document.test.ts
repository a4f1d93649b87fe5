import { assert } from 'chai'
import { readDocumentInSteps, type AgentDocument } from '../../../connect/mtconnect/document.ts'
import { DocumentDelivery } from '../../../connect/mtconnect/document-delivery.ts'
import { Position } from '../../../connect/positions/position.ts'
import { newTotals } from '../../../connect/source/totals.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { runSync, type Steps } from '../../../shared/async/steps.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { streamOf, streams, time } from './documents.ts'

const count = 50_000
const sample = (sequence: number) => ({ id: 'pos', sequence, ms: sequence, value: String(sequence) })
const list = Array.from({ length: count }, (_, i) => `<Value dataItemId="pos" sequence="${count - i}">1</Value>`)
const body = Buffer.from(
  `<MTConnectStreams><Header instanceId="1" creationTime="${time(0)}" firstSequence="1" nextSequence="${count + 1}"/>
  <Streams><DeviceStream name="Mill" uuid="uuid-Mill"><ComponentStream><Samples>
  ${list.join('\r\n')}</Samples></ComponentStream></DeviceStream></Streams></MTConnectStreams>`,
)

/** Returns the number of steps. `onStep` is called after each one. */
function countSteps(steps: Steps<unknown>, onStep: () => void = () => undefined): number {
  let number = 0
  while (steps.next().done !== true) {
    number++
    onStep()
  }
  return number
}

describe('a large document of an agent', () => {
  it('Is read in steps of 64 KiB: line ends, characters, elements, and the order of its observations', () => {
    const parts = Math.floor(body.length / 65_536)
    const merges = Math.ceil(count / 2_000)
    assert.isAbove(parts, 30)
    assert.isAtLeast(countSteps(readDocumentInSteps(body)), 3 * parts + merges)
    const read: AgentDocument = runSync(readDocumentInSteps(body))
    const sequences = read.kind === 'streams' ? read.observations.map(({ sequence }) => sequence) : []
    assert.deepEqual(
      sequences,
      [...Array(count).keys()].map(i => i + 1),
    )
  })

  it('Is decoded in steps of 1 MiB without a character being cut', () => {
    for (const shift of [0, 1, 2]) {
      const value = '\u20ac'.repeat(800_000)
      const observation = `<Value dataItemId="note" sequence="1">${value}</Value>`
      const text =
        ' '.repeat(shift) + body.toString().replace(/<Samples>[^]*<\/Samples>/, `<Events>${observation}</Events>`)
      const read: AgentDocument = runSync(readDocumentInSteps(Buffer.from(text)))
      assert.isTrue(read.kind === 'streams' && read.observations[0]?.text === value)
    }
  })

  it('Is applied in steps of at most 2,000 observations, whatever was requested', () => {
    const observations = Array.from({ length: 10_000 }, (_, i) => sample(i + 1))
    for (const request of ['current', 'sample'] as const) {
      const stream = streamOf()
      if (request === 'sample') stream.apply(streams({ next: 1 }), 'current')
      let before = 0
      const steps = countSteps(
        stream.applyInSteps(streams({ next: 10_001, observations }), request, 0, Infinity),
        () => {
          assert.isAtMost(stream.totals.observations - before, 2_000)
          before = stream.totals.observations
        },
      )
      assert.equal(before, 10_000, request)
      assert.equal(steps, 5, request)
    }
  })

  it('Is delivered in parts of at most 2,000 samples; the position follows the last one', async () => {
    const parts: (readonly WireSample[])[] = []
    const acknowledged = deferred<void>()
    const position = new Position('a')
    const delivery = new DocumentDelivery(
      {
        position,
        totals: newTotals(),
        clock: () => Date.now(),
        deliver: samples => (parts.push(samples), parts.length < 3 ? Promise.resolve() : acknowledged.promise),
        waitForSpace: async () => undefined,
        positionChanged: () => undefined,
        heard: () => undefined,
        report: () => undefined,
        lost: () => undefined,
        warn: () => undefined,
      },
      streamOf(),
    )
    const observations = Array.from({ length: 5_000 }, (_, i) => sample(i + 1))
    await delivery.apply(streams({ next: 5_001, observations }), 'current')
    assert.deepEqual(
      parts.map(({ length }) => length),
      [2_000, 2_000, 1_000],
    )
    assert.deepEqual(
      parts.flat().map(({ sequence }) => sequence),
      observations.map(({ sequence }) => sequence),
    )
    assert.isNull(position.head)
    acknowledged.resolve()
    await delivery.settle()
    assert.isNotNull(position.head)
  })
})
