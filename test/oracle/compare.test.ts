import { expect } from 'chai'
import { compareReports, expectSameReport } from './compare.ts'
import { nativeCodeId } from './groups.ts'
import type { ReportAnswer } from './types.ts'

const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }
const item = (id: string, aggregate: ReportAnswer['aggregate']) => ({ entity: { type: 'machine', id }, aggregate })
const answer: ReportAnswer = {
  range,
  aggregate: { oee: 0.3, totalParts: 12, quality: null },
  entities: { machine: { a: { id: 'a', name: 'A' }, b: { id: 'b', name: 'B' } } },
  items: [item('a', { oee: 0.1 }), item('b', { oee: null })],
}

describe('oracle: comparison', () => {
  it('The comparison of reports is exact for integers, null and order, and has a tolerance for rates', () => {
    expect(compareReports({ ...answer, aggregate: { ...answer.aggregate, oee: 0.1 + 0.2 } }, answer)).to.deep.equal([])
    expect(compareReports({ ...answer, csv: { url: 'x' } }, answer)).to.deep.equal([])
    const different = {
      ...answer,
      aggregate: { oee: 0.3000001, totalParts: 13, quality: 0 },
      items: answer.items.toReversed(),
    }
    expect(compareReports(different, answer)).to.deep.equal([
      '$.aggregate.oee: 0.3000001, 0.3',
      '$.aggregate.totalParts: 13, 12',
      '$.aggregate.quality: 0, null',
      '$.items lists: [machine=b machine=a], [machine=a machine=b]',
    ])
  })

  it('A difference between reports names the item and the missing and superfluous values', () => {
    const different = {
      ...answer,
      entities: {},
      items: [item('a', { oee: 0.2 }), { ...item('b', { oee: null }), items: [] }],
    }
    expect(compareReports(different, answer)).to.deep.equal([
      `$.entities.machine: missing, ${JSON.stringify(answer.entities['machine'])}`,
      '$.items[machine=a].aggregate.oee: 0.2, 0.1',
      '$.items[machine=b].items: [], missing',
    ])
    expect(() => expectSameReport(different, answer)).to.throw('3 differences')
  })

  it('The comparison of reports ignores the ids of native codes', () => {
    const coded = (id: string): ReportAnswer => ({
      range,
      aggregate: {},
      entities: { nativeCode: { [id]: { id, nativeCode: 'A', message: 'hot', state: 'FAULT' } } },
      items: [{ entity: { type: 'nativeCode', id }, aggregate: { recordCount: 1 }, items: [item('a', {})] }],
    })
    expect(compareReports(coded('17'), coded(nativeCodeId('A', 'hot', 'FAULT')))).to.deep.equal([])
  })
})
