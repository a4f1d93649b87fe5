import { expect } from 'chai'
import { machineGaps } from '../../../respond/spans/machine-gaps.ts'

const second = 1000
const sent = (...seconds: readonly number[]) => seconds.map(at => ({ firstMs: at * second, lastMs: at * second }))
const gap = (start: number, end: number) => ({ startMs: start * second, endMs: end * second })

describe('machineGaps', () => {
  it('A gap lasts until the next sample, at most a minute longer', () => {
    expect(machineGaps([gap(100, 200)], sent(50, 150, 230, 300))).to.deep.equal([gap(100, 230)])
    expect(machineGaps([gap(100, 200)], sent(150, 261))).to.deep.equal([gap(100, 260)])
    expect(machineGaps([gap(100, 200)], sent(200))).to.deep.equal([gap(100, 200)])
    expect(machineGaps([gap(100, 200)], [])).to.deep.equal([gap(100, 260)])
  })

  it('A minute with samples before and after the end of the gap ends it', () => {
    expect(machineGaps([gap(100, 200)], [{ firstMs: 190_000, lastMs: 210_000 }])).to.deep.equal([gap(100, 200)])
  })

  it('Gaps that touch are joined', () => {
    expect(machineGaps([gap(100, 200), gap(240, 300)], sent(310))).to.deep.equal([gap(100, 310)])
  })
})
