import { expect } from 'chai'
import { newestVersions } from '../../../clickhouse/projections/newest-versions.ts'

describe('newest versions of records', () => {
  it('Of each record the newest version counts, in any order of the rows, and deleted records are omitted', () => {
    const row = (id: string, version: number, deleted = false) => ({ id, version, deleted })
    const rows = [row('a', 2), row('b', 5, true), row('a', 7), row('c', 1, true), row('a', 3, true), row('c', 4)]
    for (const each of [rows, rows.toReversed()])
      expect(newestVersions(each, ({ id }) => id)).to.have.deep.members([row('a', 7), row('c', 4)])
  })
})
