import { expect } from 'chai'
import type { GroupingLevel, GroupMember } from '../../../../api/reports/groupings/grouping-levels.ts'
import type { RowKey, KeyValue } from '../../../../api/reports/query/query.ts'
import { foldSteps, type Rows } from '../../../../api/reports/fold/fold.ts'
import { runSync } from '../../../../shared/async/steps.ts'
import { type Group, root } from '../../../../api/reports/fold/group-tree.ts'
import { eventValues } from '../../../../api/reports/present/event-values.ts'
import type { EventSum } from '../../../../schema/event-metrics.ts'
import { asMachineRef, type MachineRef } from '../../../../schema/refs.ts'

/** A dimension whose values map to the given members. */
function dimension(key: RowKey, namesOf: (value: KeyValue) => readonly string[]): GroupingLevel {
  const members = new Map<string, GroupMember>()
  const memberOf = (id: string): GroupMember => {
    const member = members.get(id) ?? {
      id,
      entity: {},
      flat: {},
      cells: [],
      order: [id],
      position: members.size,
    }
    members.set(id, member)
    return member
  }
  return { group: 'day', key, of: value => namesOf(value).map(memberOf), arrange: () => {} }
}

const byCell = dimension('cell', value => [`day ${String(value)}`])
const byShift = dimension('shift', value => [`shift ${String(value)}`])

/** Equal events, with their amounts in each cell and shift. */
interface EventRow {
  readonly records: number
  readonly machineRef: MachineRef
  readonly parts: readonly {
    readonly keys: Readonly<Partial<Record<RowKey, number>>>
    readonly amount: number
    readonly firstMs?: number
    readonly lastMs?: number
  }[]
}

function row(
  records: number,
  machineRef: MachineRef,
  ...parts: readonly [cell: number, shift: number, amount: number][]
) {
  return {
    records,
    machineRef,
    parts: parts.map(([cell, shift, amount]) => ({ keys: { machine: machineRef, cell, shift }, amount })),
  } satisfies EventRow
}

function folded(eventRows: readonly EventRow[], levels: readonly GroupingLevel[]) {
  const shares = eventRows.flatMap(({ parts, ...event }, number) => parts.map(part => ({ ...event, ...part, number })))
  const column = (of: (share: (typeof shares)[number]) => number) => Float64Array.from(shares, of)
  const sums: Rows<EventSum>['sums'] = new Map([
    ['amount', { how: 'add', values: column(({ amount }) => amount) }],
    [
      'records',
      {
        how: 'once',
        values: column(({ records }) => records),
        numbers: Int32Array.from(shares, ({ number }) => number),
      },
    ],
    [
      'machines',
      { how: 'once', values: column(() => 1), numbers: Int32Array.from(shares, ({ machineRef }) => machineRef) },
    ],
    ['firstMs', { how: 'min', values: column(({ firstMs }) => firstMs ?? Infinity) }],
    ['lastMs', { how: 'max', values: column(({ lastMs }) => lastMs ?? -Infinity) }],
  ])
  const keys = Object.fromEntries(levels.map(({ key }) => [key, column(share => share.keys[key] ?? 0)]))
  const { tree, sums: ofGroups } = runSync(foldSteps({ count: shares.length, keys, sums }, levels))
  return { tree, sums: ofGroups, of: (name: EventSum, group: Group = root) => ofGroups.get(name)?.[group] }
}

/** `amount/records` of a group and of its children. */
function outline(found: ReturnType<typeof folded>, group: Group = root): unknown {
  const own = `${found.of('amount', group)}/${found.of('records', group)}`
  const children = found.tree.childrenOf(group, () => true)
  if (children.length === 0) return own
  return [own, Object.fromEntries(children.map(child => [found.tree.memberOf(child).id, outline(found, child)]))]
}

describe('groups of downtime records', () => {
  it('A downtime record counts once in each group in which it has time, and once above them', () => {
    const rows = [row(1, asMachineRef(1), [1, 7, 10], [2, 7, 20]), row(3, asMachineRef(1), [2, 7, 6])]
    expect(outline(folded(rows, [byCell]))).to.deep.equal(['36/4', { 'day 1': '10/1', 'day 2': '26/4' }])
    expect(outline(folded(rows, [byShift]))).to.deep.equal(['36/4', { 'shift 7': '36/4' }])
  })

  it('A downtime record counts once in its groups on every level', () => {
    const rows = [row(1, asMachineRef(1), [1, 7, 1], [1, 8, 2], [2, 7, 4])]
    expect(outline(folded(rows, [byCell, byShift]))).to.deep.equal([
      '7/1',
      { 'day 1': ['3/1', { 'shift 7': '1/1', 'shift 8': '2/1' }], 'day 2': ['4/1', { 'shift 7': '4/1' }] },
    ])
    expect(outline(folded(rows, [byShift, byCell]))).to.deep.equal([
      '7/1',
      { 'shift 7': ['5/1', { 'day 1': '1/1', 'day 2': '4/1' }], 'shift 8': ['2/1', { 'day 1': '2/1' }] },
    ])
  })

  it('A record in overlapping groups counts once in the total, and a record in no group counts in the total', () => {
    const teams = dimension('machine', value => (value === 1 ? ['mills', 'hall'] : value === 2 ? ['hall'] : []))
    const rows = [
      row(2, asMachineRef(1), [1, 7, 10]),
      row(1, asMachineRef(2), [1, 7, 5]),
      row(1, asMachineRef(3), [1, 7, 1]),
    ]
    expect(outline(folded(rows, [teams]))).to.deep.equal(['16/4', { mills: '10/2', hall: '15/3' }])
  })

  it('A group of records has its number of machines and its first and last instant, and an empty group has none', () => {
    const parts = [
      { keys: { cell: 1 }, amount: 1, firstMs: 5, lastMs: 8 },
      { keys: { cell: 2 }, amount: 1, firstMs: 8, lastMs: 9 },
    ]
    const rows = [
      { records: 1, machineRef: asMachineRef(4), parts },
      row(1, asMachineRef(5), [2, 0, 1]),
      row(1, asMachineRef(5), [2, 0, 1]),
    ]
    const found = folded(rows, [byCell])
    const of = (group: Group) => (['machines', 'firstMs', 'lastMs'] as const).map(name => found.of(name, group))
    expect(of(root)).to.deep.equal([2, 5, 9])
    expect(found.tree.childrenOf(root, () => true).map(of)).to.deep.equal([
      [1, 5, 8],
      [2, 8, 9],
    ])
    const nothing = folded([], [])
    const { names, valueAt } = eventValues('alarm', nothing, [
      'durationMs',
      'recordCount',
      'machineCount',
      'minStartTime',
      'maxEndTime',
    ])
    expect(names.map((_, i) => valueAt(root, i))).to.deep.equal([0, 0, 0, null, null])
    expect(nothing.tree.childrenOf(root, () => true)).to.deep.equal([])
  })
})
