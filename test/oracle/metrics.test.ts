import { expect } from 'chai'
import { metrics } from '../../schema/metrics.ts'
import { productionMetricNames } from './metrics.ts'

describe('the second computation of reports', () => {
  it('has every metric of the production report', () => {
    expect(productionMetricNames.toSorted()).to.deep.equal(Object.keys(metrics).toSorted())
  })
})
