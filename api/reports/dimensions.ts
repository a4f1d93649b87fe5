import { type EntityGrouping, type GroupingName, isTimeGrouping, type TimeGrouping } from '../../schema/groupings.ts'
import type { Bucket } from '../../processors/calendar/types.ts'
import type { KeyName } from './compile.ts'
import type { KeyValue } from './columns.ts'
import { absentEntity, type Entity, finders } from './entities.ts'
import { isoText } from './iso-text.ts'
import type { Plan } from './plan.ts'
import type { Plant } from './plant.ts'
import type { Filters } from './request.ts'

/** What a group of one grouping stands for; the same object for all groups of one entity. */
export interface Member {
  readonly id: string
  /** As in the answer's `entities`. */
  readonly entity: object
  /** How flat rows name it; null id: it has no such dimension. */
  readonly flat: Readonly<Record<string, string | null>>
  readonly name: string
  /** Its place among the members of its grouping, once all are known. */
  position: number
}

/** One level of grouping. */
export interface Dimension {
  readonly group: GroupingName
  /** The column of the rows that decides. */
  readonly key: KeyName
  /** The members that a row with this value belongs to: several where groups overlap, none where a filter hides them. */
  of(value: KeyValue): readonly Member[]
  /** Sets every member's position: buckets by time, all else by name, then id. */
  arrange(): void
}

/** The dimensions of a grouping, outermost first. */
export function createDimensions(
  groupBy: readonly GroupingName[],
  { plan, plant, filters }: { readonly plan: Plan; readonly plant: Plant; readonly filters: Filters },
): readonly Dimension[] {
  return groupBy.map(group =>
    isTimeGrouping(group)
      ? timeDimension(group, plan.buckets.get(group) ?? [])
      : entityDimension(group, plant, hidingFilter(group, filters)),
  )
}

/** Ids of the only groups to be shown; null: all. Rows that overlapping groups share get past the filter of one of them. */
function hidingFilter(group: EntityGrouping, filters: Filters): ReadonlySet<string> | null {
  const ids = group === 'jobOperationRun' ? undefined : filters[group]
  return ids && (group === 'machineGroup' || group === 'operator') ? new Set(ids) : null
}

function entityDimension(group: EntityGrouping, plant: Plant, shown: ReadonlySet<string> | null): Dimension {
  const { key, find } = finders[group]
  const members = new Map<string, Member>()
  const memberOf = (entity: Entity): Member => {
    const member = members.get(entity.id) ?? entityMember(group, entity)
    members.set(entity.id, member)
    return member
  }
  return {
    group,
    key,
    of: remember(value => {
      const found = find(plant, value)
      const entities = found.length > 0 ? found : [absentEntity(group)]
      return entities.filter(({ id }) => shown === null || shown.has(id)).map(memberOf)
    }),
    arrange() {
      const inOrder = [...members.values()].sort((a, b) => byText(a.name, b.name) || byText(a.id, b.id))
      inOrder.forEach((member, position) => (member.position = position))
    },
  }
}

function entityMember(group: EntityGrouping, entity: Entity): Member {
  const flat = { [group]: entity.name, [`${group}Id`]: entity['virtual'] === true ? null : entity.id }
  return { id: entity.id, name: entity.name, entity, flat, position: 0 }
}

function timeDimension(group: TimeGrouping, buckets: readonly Bucket[]): Dimension {
  const members = buckets.map((bucket, index) => [timeMember(group, bucket, index)])
  return {
    group,
    key: 'cell',
    of: remember(second => {
      const index = buckets.findLastIndex(({ startMs }) => startMs <= Number(second) * 1000)
      return members[Math.max(index, 0)] ?? []
    }),
    arrange: () => {},
  }
}

function timeMember(group: TimeGrouping, { startMs, endMs, shopDate }: Bucket, index: number): Member {
  const id = String(index)
  const entity = { start: isoText(startMs), end: isoText(endMs), shopDate: `${shopDate}T00:00:00.000Z` }
  const name = group === 'hour' ? entity.start : entity.shopDate
  const flat = { [group]: name, [`${group}Id`]: id, [`${group}Start`]: entity.start, [`${group}End`]: entity.end }
  return { id, name, entity, flat, position: index }
}

/** Remembers what a key value leads to: there are far fewer values than rows. */
function remember(find: (value: KeyValue) => readonly Member[]): (value: KeyValue) => readonly Member[] {
  const known = new Map<number | string, readonly Member[]>()
  return value => {
    const key = typeof value === 'number' ? value : value.join()
    let members = known.get(key)
    if (!members) known.set(key, (members = find(value)))
    return members
  }
}

/** By code units. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
