import { expect } from 'chai'
import { barsOf } from '../../web/screens/performance/histogram.ts'

const bins = [
  { fromMs: 40_000, toMs: 50_000, cycleCount: 2 },
  { fromMs: 50_000, toMs: 60_000, cycleCount: 8 },
  { fromMs: 60_000, toMs: 70_000, cycleCount: 0 },
]

describe('histogram of cycle times', () => {
  it('Bars are as high as their share of the highest one, and those from the standard on are marked', () => {
    const { bars, standardShare } = barsOf({ bins, standardMs: 55_000 })
    expect(bars.map(({ share }) => share)).to.deep.equal([0.25, 1, 0])
    expect(bars.map(({ isAboveStandard }) => isAboveStandard)).to.deep.equal([false, false, true])
    expect(standardShare).to.equal(0.5)
  })

  it('At most five labels mark the bounds of the bins at equal distances', () => {
    const manyBins = Array.from({ length: 21 }, (_, i) => ({ fromMs: 10 * i, toMs: 10 * i + 10, cycleCount: 1 }))
    const { ticks } = barsOf({ bins: manyBins, standardMs: null })
    expect(ticks.map(({ ms }) => ms)).to.deep.equal([0, 60, 120, 180])
    expect(barsOf({ bins, standardMs: null }).ticks).to.deep.equal([
      { ms: 40_000, share: 0 },
      { ms: 50_000, share: 1 / 3 },
      { ms: 60_000, share: 2 / 3 },
      { ms: 70_000, share: 1 },
    ])
  })

  it('A standard outside of the bins has no place between them', () => {
    expect(barsOf({ bins, standardMs: 39_999 }).standardShare).to.equal(null)
    expect(barsOf({ bins, standardMs: null }).standardShare).to.equal(null)
    expect(barsOf({ bins: [], standardMs: 5 })).to.deep.equal({
      bars: [],
      greatestCount: 0,
      ticks: [],
      standardShare: null,
    })
  })
})
