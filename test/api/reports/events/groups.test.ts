import { expect } from 'chai'
import type { GroupingLevel } from '../../../../api/reports/grouping-levels.ts'
import type { Member } from '../../../../api/reports/member.ts'
import type { KeyValue } from '../../../../api/reports/columns.ts'
import type { DimensionKey } from '../../../../api/reports/entities.ts'
import { foldEvents, type EventGroup, type EventRow } from '../../../../api/reports/events/groups.ts'

/** A dimension whose values lead to the members named. */
function dimension(key: DimensionKey, namesOf: (value: KeyValue) => readonly string[]): GroupingLevel {
  const members = new Map<string, Member>()
  const memberOf = (id: string): Member => {
    const member = members.get(id) ?? {
      id,
      entity: {},
      flat: {},
      cells: [],
      order: [id],
      index: members.size,
      position: 0,
    }
    members.set(id, member)
    return member
  }
  return { group: 'day', key, of: value => namesOf(value).map(memberOf), arrange: () => {} }
}

const byCell = dimension('cell', value => [`day ${String(value)}`])
const byShift = dimension('shift', value => [`shift ${String(value)}`])

function row(records: number, machine: number, ...parts: readonly [cell: number, shift: number, amount: number][]) {
  return {
    records,
    machine,
    parts: parts.map(([cell, shift, amount]) => ({ keys: { machine, cell, shift }, amount })),
  } satisfies EventRow
}

/** `amount/records`, and those of the groups within. */
function outline({ amount, records, children }: EventGroup): unknown {
  const own = `${amount}/${records}`
  return children ? [own, Object.fromEntries([...children].map(([{ id }, group]) => [id, outline(group)]))] : own
}

describe('groups of records', () => {
  it('count a record once in each group that it has time in, and once above them', () => {
    const rows = [row(1, 1, [1, 7, 10], [2, 7, 20]), row(3, 1, [2, 7, 6])]
    expect(outline(foldEvents(rows, [byCell]))).to.deep.equal(['36/4', { 'day 1': '10/1', 'day 2': '26/4' }])
    expect(outline(foldEvents(rows, [byShift]))).to.deep.equal(['36/4', { 'shift 7': '36/4' }])
  })

  it('do so on every level, whatever is in between', () => {
    const rows = [row(1, 1, [1, 7, 1], [1, 8, 2], [2, 7, 4])]
    expect(outline(foldEvents(rows, [byCell, byShift]))).to.deep.equal([
      '7/1',
      { 'day 1': ['3/1', { 'shift 7': '1/1', 'shift 8': '2/1' }], 'day 2': ['4/1', { 'shift 7': '4/1' }] },
    ])
    expect(outline(foldEvents(rows, [byShift, byCell]))).to.deep.equal([
      '7/1',
      { 'shift 7': ['5/1', { 'day 1': '1/1', 'day 2': '4/1' }], 'shift 8': ['2/1', { 'day 1': '2/1' }] },
    ])
  })

  it('add nothing up twice above groups that overlap, and count what a filter hides in none of them', () => {
    const teams = dimension('machine', value => (value === 1 ? ['mills', 'hall'] : value === 2 ? ['hall'] : []))
    const rows = [row(2, 1, [1, 7, 10]), row(1, 2, [1, 7, 5]), row(1, 3, [1, 7, 1])]
    expect(outline(foldEvents(rows, [teams]))).to.deep.equal(['16/4', { mills: '10/2', hall: '15/3' }])
  })

  it('know machines and instants of each group, and none of an empty one', () => {
    const parts = [
      { keys: { cell: 1 }, amount: 1, firstMs: 5, lastMs: 8 },
      { keys: { cell: 2 }, amount: 1, firstMs: 8, lastMs: 9 },
    ]
    const rows = [{ records: 1, machine: 4, parts }, row(1, 5, [2, 0, 1]), row(1, 5, [2, 0, 1])]
    const root = foldEvents(rows, [byCell])
    expect([...(root.machines ?? [])]).to.deep.equal([4, 5])
    expect([root.firstMs, root.lastMs]).to.deep.equal([5, 9])
    const [first, second] = [...(root.children?.values() ?? [])]
    expect([first?.machines?.size, first?.firstMs, first?.lastMs]).to.deep.equal([1, 5, 8])
    expect([second?.machines?.size, second?.firstMs, second?.lastMs]).to.deep.equal([2, 8, 9])
    expect(foldEvents([], [])).to.deep.include({
      amount: 0,
      records: 0,
      firstMs: null,
      children: null,
      machines: null,
    })
  })
})
