import { expect } from 'chai'
import { Watermark } from '../../../service/monitoring/watermark.ts'

function reading(
  nowMs: number,
  samplesEnd: number,
  samplesDone: number | null,
  stateSamplesEnd: number,
  clean?: number,
) {
  const stateSamplesClean = new Map(clean === undefined ? [] : [[0, clean]])
  return {
    nowMs,
    samplesEnd: [samplesEnd],
    samplesDone: [samplesDone],
    stateSamplesEnd: [stateSamplesEnd],
    stateSamplesClean,
  }
}

describe('watermark of reports', () => {
  it('The watermark is the current time while all samples are processed', () => {
    const watermark = new Watermark()
    expect(watermark.add(reading(1000, 5, 5, 3, 3))).to.equal(0)
    expect(watermark.add(reading(2000, 5, 5, 3, 3))).to.equal(0)
  })

  it('The watermark follows a steady flow of samples with a constant delay', () => {
    const watermark = new Watermark()
    const ages = Array.from({ length: 50 }, (_, second) => {
      // Ingest is one sample behind, the processors are two state samples behind.
      const end = second + 10
      return watermark.add(reading(second * 1000, end, end - 1, end - 1, end - 3))
    })
    expect(Math.max(...ages)).to.be.at.most(4000)
    expect(ages.at(-1)).to.equal(ages.at(-2))
  })

  it('The watermark stops while ingest or a processor makes no progress', () => {
    const watermark = new Watermark()
    watermark.add(reading(0, 5, 5, 3, 3))
    expect(watermark.add(reading(1000, 6, 5, 3, 3))).to.equal(1000)
    expect(watermark.add(reading(2000, 6, 6, 4, 3))).to.equal(2000)
    expect(watermark.add(reading(60_000, 6, 6, 4, 3))).to.equal(60_000)
    expect(watermark.add(reading(61_000, 6, 6, 4, 4))).to.equal(0)
  })

  it('The watermark has no time until a measurement is reached', () => {
    const watermark = new Watermark()
    watermark.add(reading(1000, 5, 5, 3, 2))
    expect(watermark.reachedMs).to.equal(null)
    watermark.add(reading(2000, 6, 5, 3, 3))
    expect(watermark.reachedMs).to.equal(1000)
  })

  it('In a long backlog, the watermark is at most 1 % of its age too old', () => {
    const watermark = new Watermark()
    watermark.add(reading(0, 0, 0, 0, 0))
    // A state sample every 10 ms; the processors do nothing for an hour, then they are twice as fast.
    for (let nowMs = 50; nowMs <= 6_000_000; nowMs += 50) {
      const doneMs = nowMs < 3_600_000 ? 0 : 2 * (nowMs - 3_600_000)
      const ageMs = watermark.add(reading(nowMs, nowMs / 10, nowMs / 10, nowMs / 10, doneMs / 10))
      expect(ageMs).to.be.within(nowMs - doneMs, 1.02 * (nowMs - doneMs) + 100)
    }
  })

  it('The watermark stops while a partition has reported no offset', () => {
    const watermark = new Watermark()
    watermark.add(reading(0, 0, null, 0))
    expect(watermark.add(reading(5000, 0, null, 0))).to.equal(5000)
    expect(watermark.add(reading(6000, 0, null, 0, 0))).to.equal(0)
  })
})
