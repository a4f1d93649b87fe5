import { expect } from 'chai'
import { metrics } from '../../schema/metrics.ts'
import { productionMetricNames } from './metrics.ts'

describe('naive recomputation of reports', () => {
  it('The oracle has every metric of the production report', () => {
    expect(productionMetricNames.toSorted()).to.deep.equal(Object.keys(metrics).toSorted())
  })
})
