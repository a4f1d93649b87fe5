import { expect } from 'chai'
import { type HourDocument } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { Sample } from '../../../schema/sample.ts'
import { computeHour } from '../../../processors/timeline/compute-hour.ts'
import { conditionLimits } from '../../../processors/timeline/conditions.ts'
import { initialState } from '../../../processors/timeline/state.ts'
import { compute, computeOne, condition, inputsOf, startMs, throughText } from './support.ts'

/** Instances in short form: code, level, start, end, message; instants as offsets from `startMs`. */
function short({ alarms }: HourDocument) {
  return alarms.map(({ nativeCode, level, startMs: began, endMs, message }) => [
    nativeCode,
    level,
    began - startMs,
    endMs === null ? null : endMs - startMs,
    message,
  ])
}

function computed(samples: readonly Sample[]) {
  return computeHour(inputsOf(), startMs, initialState(), samples, [])
}

const alarmsOf = (...samples: readonly Sample[]) => short(computeOne(inputsOf(), samples))

describe('alarm instances', () => {
  it('An alarm instance lasts from the sample that raises it to the one that clears it; repeats of the level extend it', () => {
    const actual = alarmsOf(
      condition(10, 'WARNING', 'a', 'x'),
      condition(20, 'WARNING', 'a', 'y'),
      condition(30, 'NORMAL', 'a'),
    )
    expect(actual).to.deep.equal([['a', 'WARNING', 10, 30, 'x']])
  })

  it('A change of level ends an alarm instance and starts another', () => {
    const actual = alarmsOf(
      condition(10, 'WARNING', 'a', 'x'),
      condition(20, 'FAULT', 'a', 'y'),
      condition(30, 'WARNING', 'a', 'z'),
    )
    expect(actual).to.deep.equal([
      ['a', 'WARNING', 10, 20, 'x'],
      ['a', 'FAULT', 20, 30, 'y'],
      ['a', 'WARNING', 30, null, 'z'],
    ])
  })

  it('NORMAL with a code clears that code, and NORMAL without a code clears all codes of the key', () => {
    const actual = alarmsOf(
      condition(10, 'WARNING', 'a'),
      condition(10, 'FAULT', 'b'),
      condition(10, 'FAULT', ''),
      condition(10, 'FAULT', 'a', '', 'other'),
      condition(20, 'NORMAL', 'a'),
      condition(20, 'NORMAL', 'unknown'),
      condition(30, 'NORMAL'),
    )
    expect(actual).to.deep.equal([
      ['a', 'FAULT', 10, null, ''],
      ['', 'FAULT', 10, 30, ''],
      ['a', 'WARNING', 10, 20, ''],
      ['b', 'FAULT', 10, 30, ''],
    ])
  })

  it('A condition with the value UNAVAILABLE clears all codes of its key', () => {
    const actual = alarmsOf(
      condition(10, 'WARNING', 'a'),
      condition(10, 'FAULT', 'b'),
      condition(20, 'UNAVAILABLE', 'a'),
    )
    expect(actual).to.deep.equal([
      ['a', 'WARNING', 10, 20, ''],
      ['b', 'FAULT', 10, 20, ''],
    ])
  })

  it('An alarm of zero milliseconds creates no alarm instance', () => {
    expect(alarmsOf(condition(10, 'FAULT', 'a'), condition(10.5, 'NORMAL', 'a'))).to.deep.equal([])
  })

  it('An alarm that clears and returns within one millisecond is one instance', () => {
    const actual = alarmsOf(
      condition(10, 'FAULT', 'a', 'x'),
      condition(20, 'NORMAL'),
      condition(20.3, 'WARNING', 'a', 'y'),
      condition(20.5, 'FAULT', 'a', 'z'),
    )
    expect(actual).to.deep.equal([['a', 'FAULT', 10, null, 'x']])
  })

  it('An alarm instance has the last message of its first millisecond', () => {
    const actual = alarmsOf(
      condition(10, 'FAULT', 'a', 'first'),
      condition(10.4, 'FAULT', 'a', 'last'),
      condition(11, 'FAULT', 'a', 'later'),
    )
    expect(actual).to.deep.equal([['a', 'FAULT', 10, null, 'last']])
  })

  it('Spellings of a condition key are equal, and the first spelling is kept', () => {
    const document = computeOne(inputsOf(), [
      condition(10, 'FAULT', 'a', '', 'SysCond'),
      condition(20, 'NORMAL', 'a', '', 'sys_cond'),
    ])
    expect(document.alarms.map(({ key, endMs }) => [key, endMs])).to.deep.equal([['SysCond', startMs + 20]])
  })

  it('An active alarm is in the document of each of its hours, and its end in the hour in which it ends', () => {
    const samples = [condition(10, 'FAULT', 'a', 'x'), condition(2 * hourMs, 'NORMAL', 'a')]
    const documents = compute(inputsOf(), samples, { hours: 4, carry: throughText })
    expect(documents.map(short)).to.deep.equal([
      [['a', 'FAULT', 10, null, 'x']],
      [['a', 'FAULT', 10, null, 'x']],
      [['a', 'FAULT', 10, 2 * hourMs, 'x']],
      [],
    ])
  })

  it('An alarm that ends exactly at the creation of its machine has its end in that hour', () => {
    const commissioned = { fromMs: null, createdMs: startMs + hourMs, toMs: null }
    const samples = [condition(10, 'FAULT', 'a', 'x'), condition(hourMs, 'NORMAL', 'a')]
    const documents = compute(inputsOf({}, { commissioned }), samples, { hours: 3, carry: throughText })
    expect(documents.map(short)).to.deep.equal([[['a', 'FAULT', 10, null, 'x']], [['a', 'FAULT', 10, hourMs, 'x']], []])
  })

  it('Staleness does not change alarm instances', () => {
    const document = computeOne(inputsOf({ staleAfterMs: 60_000 }), [condition(10, 'FAULT', 'a')])
    expect(short(document)).to.deep.equal([['a', 'FAULT', 10, null, '']])
  })

  it('A condition value that is not a level is skipped', () => {
    expect(alarmsOf(condition(10, 'FAULT', 'a'), condition(20, 'OOPS', 'a'))).to.deep.equal([
      ['a', 'FAULT', 10, null, ''],
    ])
  })

  it('Alarm instances count only with time in the commissioned range, and keep their true start', () => {
    const commissioned = { fromMs: startMs + hourMs + 1000, createdMs: 0, toMs: startMs + 2 * hourMs + 1000 }
    const samples = [
      condition(10, 'FAULT', 'before'),
      condition(hourMs + 1000, 'NORMAL', 'before'),
      condition(20, 'FAULT', 'into'),
      condition(hourMs + 5000, 'NORMAL', 'into'),
      condition(2 * hourMs + 1000, 'FAULT', 'after'),
    ]
    const documents = compute(inputsOf({}, { commissioned }), samples, { hours: 3 })
    expect(documents.map(short)).to.deep.equal([[], [['into', 'FAULT', 20, hourMs + 5000, '']], []])
  })

  describe('beyond the limits of a machine', () => {
    const { active, begunInHour, chars } = conditionLimits

    it('Conditions beyond the limit are skipped and counted, and the others stay exact', () => {
      const raised = Array.from({ length: active + 5 }, (_, i) => condition(i, 'FAULT', `code ${i}`))
      const { document, skippedSamples } = computed([
        ...raised,
        condition(5_000, 'FAULT', 'code 7'),
        condition(6_000, 'NORMAL', 'code 7'),
        condition(7_000, 'WARNING', 'below the limit again'),
        condition(8_000, 'NORMAL'),
      ])
      expect(skippedSamples).to.equal(5)
      expect(document.alarms.length).to.equal(active + 1)
      expect(short(document).filter(([code]) => code === 'code 7' || code === 'below the limit again')).to.deep.equal([
        ['code 7', 'FAULT', 7, 6_000, ''],
        ['below the limit again', 'WARNING', 7_000, 8_000, ''],
      ])
      expect(document.stateOut).not.to.contain('conditions')
    })

    it("The size limit of a machine's state also limits its active conditions", () => {
      const message = 'm'.repeat(16_000)
      const raised = Array.from({ length: 100 }, (_, i) => condition(i, 'FAULT', `code ${i}`, message))
      const { document, skippedSamples } = computed(raised)
      expect(document.stateOut.length).to.be.within(chars / 2, chars * 1.1)
      expect(document.alarms.length + skippedSamples).to.equal(100)
    })

    it('The limit of alarms that begin in an hour is reset in the next hour', () => {
      const storm = Array.from({ length: begunInHour + 100 }, (_, i) => [
        condition(2 * i, 'FAULT', `code ${i}`),
        condition(2 * i + 1, 'NORMAL', `code ${i}`),
      ]).flat()
      const [first, second] = compute(inputsOf(), [...storm, condition(hourMs + 1, 'FAULT', 'x')], { hours: 2 })
      expect(first?.alarms.length).to.equal(begunInHour)
      expect(second?.alarms.map(({ nativeCode }) => nativeCode)).to.deep.equal(['x'])
    })
  })
})
