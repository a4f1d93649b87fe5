import { expect } from 'chai'
import * as fc from 'fast-check'
import { type Dimensions, type HourDocument } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { commissionedRange } from '../../../processors/timeline/commission.ts'
import type { Sample, ActivityMinute } from '../../../schema/sample.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import { anyArrival, anyInputs, anySamples, anySeen, spreadHours } from './arbitraries.ts'
import { compute, must, startMs, sum, throughText } from './support.ts'

const anyPlant = fc.record({ inputs: anyInputs(), samples: anySamples(), seen: anySeen() })

function forAny(
  check: (
    documents: HourDocument[],
    plant: { inputs: MachineInputs; samples: Sample[]; seen: ActivityMinute[] },
  ) => void,
) {
  fc.assert(
    fc.property(anyPlant, plant =>
      check(compute(plant.inputs, plant.samples, { hours: spreadHours, seen: plant.seen }), plant),
    ),
    { numRuns: 300 },
  )
}

function dimensionsOf({ shift, run, operators, mode, scheduled, nonOptional }: Dimensions): string {
  return JSON.stringify([shift, run, operators, mode, scheduled, nonOptional])
}

const tupleOf = (item: Dimensions & { readonly cell: number }) => `${item.cell} ${dimensionsOf(item)}`

const lengthOf = ({ start, end }: { readonly start: number; readonly end: number }) => end - start

function sumBy<T>(items: readonly T[], keyOf: (item: T) => string, numberOf: (item: T) => number): Map<string, number> {
  const sums = new Map<string, number>()
  for (const item of items) sums.set(keyOf(item), (sums.get(keyOf(item)) ?? 0) + numberOf(item))
  return sums
}

describe('any hour of any machine', () => {
  it('Segments cover exactly the commissioned part of an hour', () => {
    forAny((documents, { inputs, samples, seen }) => {
      const instants = [...samples.map(({ atUs }) => Math.floor(atUs / 1000)), ...seen.map(({ firstMs }) => firstMs)]
      const range = commissionedRange(inputs.commissioned, instants.length > 0 ? Math.min(...instants) : null)
      for (const { slotMs, segments } of documents) {
        const from = Math.max(slotMs, range.fromMs) - slotMs
        const to = Math.min(slotMs + hourMs, range.toMs) - slotMs
        let end = from
        for (const segment of segments) {
          expect(segment.start).to.equal(end)
          expect(segment.end).to.be.above(segment.start)
          end = segment.end
        }
        expect(end).to.equal(Math.max(from, segments.length > 0 ? to : from))
        expect(segments.length > 0).to.equal(from < to)
      }
    })
  })

  it('Adjacent segments differ in at least one field', () => {
    forAny(documents => {
      for (const { segments } of documents) {
        const texts = segments.map(segment => JSON.stringify({ ...segment, start: 0, end: 0 }))
        for (let i = 1; i < texts.length; i++) expect(texts[i]).not.to.equal(texts[i - 1])
      }
    })
  })

  it('Facts are unique by cell and dimensions, and equal the sums of segments, parts and adjustments', () => {
    forAny(documents => {
      for (const { facts, segments, parts, adjustments } of documents) {
        const inFacts = (numberOf: (fact: HourDocument['facts'][number]) => number) => sumBy(facts, tupleOf, numberOf)
        expect(inFacts(() => 1).size).to.equal(facts.length)
        expect(sumBy(segments, tupleOf, lengthOf)).to.deep.equal(inFacts(fact => fact.durationMs))
        const inState = (key: 'inCycle' | 'spindle' | 'cut') =>
          sumBy(segments, tupleOf, segment => (segment[key] ? lengthOf(segment) : 0))
        expect(inState('inCycle')).to.deep.equal(inFacts(fact => fact.inCycleMs))
        expect(inState('spindle')).to.deep.equal(inFacts(fact => fact.spindleMs))
        expect(inState('cut')).to.deep.equal(inFacts(fact => fact.cutMs))
        for (const fact of facts) {
          const own = segments.filter(segment => tupleOf(segment) === tupleOf(fact))
          expect([own[0]?.start, own.at(-1)?.end]).to.deep.equal([fact.first, fact.last])
          const ofFact = <T extends Dimensions & { cell: number }>(items: readonly T[]) =>
            items.filter(item => tupleOf(item) === tupleOf(fact))
          expect(sum(ofFact(parts).map(item => item.parts))).to.equal(fact.parts)
          expect(sum(ofFact(adjustments).map(item => item.count))).to.equal(fact.adjusted)
          expect(sum(ofFact(adjustments).map(item => item.scrap))).to.equal(fact.scrap)
          expect(sum(ofFact(adjustments).map(item => item.nonconform))).to.equal(fact.nonconform)
        }
      }
    })
  })

  it('Parts, adjustments and setups have the dimensions of the segment at their instant', () => {
    forAny(documents => {
      for (const { segments, parts, adjustments, setups } of documents) {
        for (const instant of [...parts, ...adjustments, ...setups]) {
          const holding = segments.find(({ start, end }) => start <= instant.at && instant.at < end)
          expect(dimensionsOf(must(holding))).to.equal(dimensionsOf(instant))
        }
      }
    })
  })

  it('Setup, scheduled and unscheduled time add up to the time of the hour', () => {
    forAny(documents => {
      for (const { facts, segments } of documents) {
        const inMode = (fact: Dimensions) =>
          fact.mode === 'setup' ? 'setup' : fact.scheduled ? 'scheduled' : 'unscheduled'
        const times = sumBy(facts, inMode, fact => fact.durationMs)
        expect(sum([...times.values()])).to.equal(sum(segments.map(lengthOf)))
      }
    })
  })

  it('Downtime is exactly the scheduled time out of cycle, with one reason at a time', () => {
    forAny(documents => {
      for (const { segments, downtimes } of documents) {
        for (const { scheduled, inCycle, reason } of segments) expect(reason !== null).to.equal(scheduled && !inCycle)
        const down = segments.filter(({ reason }) => reason !== null)
        const byReason = (item: Dimensions & { cell: number; reason: number | null }) =>
          `${tupleOf(item)} ${item.reason}`
        expect(sumBy(downtimes, byReason, lengthOf)).to.deep.equal(sumBy(down, byReason, lengthOf))
      }
    })
  })

  it('A downtime record continues in the next hour exactly while downtime of its reason continues', () => {
    forAny(documents => {
      const elements = documents.flatMap(({ slotMs, downtimes }) =>
        downtimes.map(({ start, end, reason, recordStartMs }) => ({
          from: slotMs + start,
          to: slotMs + end,
          reason,
          recordStartMs,
        })),
      )
      for (const [index, element] of elements.entries()) {
        const before = elements[index - 1]
        const goesOn = before?.to === element.from && before.reason === element.reason
        expect(element.recordStartMs).to.equal(goesOn ? before.recordStartMs : element.from)
      }
    })
  })

  it('An alarm instance across hours ends once, and instances of one key and code do not overlap', () => {
    forAny((documents, { inputs }) => {
      if (inputs.commissioned.fromMs !== null || inputs.commissioned.toMs !== null) return
      const instances = new Map<string, { slots: number[]; ends: (number | null)[]; startMs: number }>()
      for (const { slotMs, alarms } of documents) {
        for (const { key, nativeCode, level, startMs, endMs } of alarms) {
          const id = JSON.stringify([key, nativeCode, level, startMs])
          const instance = instances.get(id) ?? { slots: [], ends: [], startMs }
          instances.set(id, { slots: [...instance.slots, slotMs], ends: [...instance.ends, endMs], startMs })
        }
      }
      for (const { slots, ends, startMs: began } of instances.values()) {
        expect(slots).to.deep.equal(slots.map((_, index) => must(slots[0]) + index * hourMs))
        expect(began).to.be.within(must(slots[0]), must(slots[0]) + hourMs - 1)
        expect(ends.slice(0, -1).every(end => end === null)).to.equal(true)
        const end = must(ends.at(-1))
        if (end === null) expect(slots.at(-1)).to.equal(startMs + (spreadHours - 1) * hourMs)
        else expect(end).to.be.above(began)
      }
    })
  })

  it('The status is FAULT only while an alarm at FAULT or an emergency stop is active', () => {
    forAny((documents, { samples }) => {
      if (samples.some(({ type }) => type === 'EMERGENCY_STOP')) return
      for (const { slotMs, segments, alarms } of documents) {
        for (const { start, status } of segments) {
          const atMs = slotMs + start
          const faults = alarms.filter(
            ({ level, startMs, endMs }) => level === 'FAULT' && startMs <= atMs && atMs < (endMs ?? Infinity),
          )
          if (status === 'FAULT') expect(faults).not.to.be.empty
          if (status === 'ACTIVE' || status === 'INACTIVE') expect(faults).to.be.empty
        }
      }
    })
  })

  it('Documents do not depend on arrival order, copies or storing the state between hours', () => {
    const arrivals = anyPlant.chain(plant =>
      anyArrival(plant.samples).map(([, arrived]) => Object.assign({ arrived }, plant)),
    )
    fc.assert(
      fc.property(arrivals, ({ inputs, samples, arrived, seen }) => {
        const documents = compute(inputs, samples, { hours: spreadHours, seen })
        expect(compute(inputs, arrived, { hours: spreadHours, seen, carry: throughText })).to.deep.equal(documents)
      }),
      { numRuns: 300 },
    )
  })

  it('The incoming state hash of an hour equals the outgoing hash of the hour before', () => {
    forAny(documents => {
      for (let i = 1; i < documents.length; i++) expect(documents[i]?.hashIn).to.equal(documents[i - 1]?.hashOut)
    })
  })

  it('Later samples do not change the document of an earlier hour', () => {
    forAny((documents, { inputs, samples, seen }) => {
      const early = samples.filter(({ atUs }) => atUs < (startMs + 2 * hourMs) * 1000)
      const earlySeen = seen.filter(({ firstMs }) => firstMs < startMs + 2 * hourMs)
      expect(compute(inputs, early, { hours: 2, seen: earlySeen })).to.deep.equal(documents.slice(0, 2))
    })
  })
})
