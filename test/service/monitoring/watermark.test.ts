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

  it('After a long backlog, the watermark is at most 1 % of the age of the backlog too old', () => {
    const watermark = new Watermark()
    watermark.add(reading(0, 0, 0, 0, 0))
    // A state sample every 10 ms; the processors do nothing for 10 minutes, then they are twice as fast.
    const backlogMs = 600_000
    for (let nowMs = 50; nowMs <= 2 * backlogMs; nowMs += 50) {
      const doneMs = nowMs < backlogMs ? 0 : 2 * (nowMs - backlogMs)
      const ageMs = watermark.add(reading(nowMs, nowMs / 10, nowMs / 10, nowMs / 10, doneMs / 10))
      if (ageMs < nowMs - doneMs || ageMs > nowMs - doneMs + 0.01 * backlogMs + 100)
        throw new Error(`At ${nowMs} ms the age is ${ageMs} ms, and samples of ${nowMs - doneMs} ms are missing`)
    }
  })

  it('The watermark stops while a partition has reported no offset', () => {
    const watermark = new Watermark()
    watermark.add(reading(0, 0, null, 0))
    expect(watermark.add(reading(5000, 0, null, 0))).to.equal(5000)
    expect(watermark.add(reading(6000, 0, null, 0, 0))).to.equal(0)
  })
})
