import {
  absentId,
  type EntityGrouping,
  type GroupingName,
  isTimeGrouping,
  type TimeGrouping,
  flatFieldName,
  groupingFields,
} from '../../../schema/groupings.ts'
import type { Bucket } from '../../../processors/calendar/types.ts'
import type { KeyValue, RowKey } from '../query/query.ts'
import {
  absentEntity,
  type GroupEntity,
  type EntityResolver,
  type EntityResolvers,
  entityResolvers,
} from './entity-resolvers.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { NamedView } from '../company/job-runs.ts'
import type { ReportFilters, ReportRequest } from '../request/parse.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { compareTexts } from '../../../shared/collections/compare-texts.ts'

/** One level of grouping. */
export interface GroupingLevel {
  readonly group: GroupingName
  /** The key of a row that decides to which members the row belongs. */
  readonly key: RowKey
  /** The groups of a row with this value: several if groups overlap, none if a filter excludes the row. */
  of(value: KeyValue): readonly GroupMember[]
  /** Sets every member's position: buckets by time, all else by name, then id. */
  arrange(): void
}

/** The part of a report in progress that its levels depend on. */
interface LevelContext {
  readonly request: Pick<ReportRequest, 'groupBy' | 'filters'>
  readonly plan: { readonly buckets: ReadonlyMap<TimeGrouping, readonly Bucket[]> }
  readonly view: NamedView
}

/** The levels of grouping of a report, outermost first. `ownResolvers`: of groupings that only this report has. */
export function createGroupingLevels(
  { request: { groupBy, filters }, plan: { buckets }, view }: LevelContext,
  ownResolvers: EntityResolvers = {},
): readonly GroupingLevel[] {
  const known: EntityResolvers = { ...entityResolvers, ...ownResolvers }
  return groupBy.map(group => {
    if (isTimeGrouping(group)) return timeLevel(group, buckets.get(group) ?? [])
    if (group === 'machine' && !known.machine) return machineLevel(view)
    const resolver = known[group]
    if (!resolver) throw new Error(`invariant: nothing finds the groups by ${group}`)
    return entityLevel(group, resolver, view, hidingFilter(group, filters))
  })
}

/** Ids of the shown groups; null: all. A filter for one group of a row hides the row's other groups. */
function hidingFilter(group: EntityGrouping, filters: ReportFilters): ReadonlySet<string> | null {
  if (group !== 'machineGroup' && group !== 'operator') return null
  return filters[group] ? new Set(filters[group]) : null
}

function entityLevel(
  group: EntityGrouping,
  resolver: EntityResolver,
  view: NamedView,
  shown: ReadonlySet<string> | null,
): GroupingLevel {
  const { key, find } = resolver
  const members = new Map<string, GroupMember>()
  const memberOf = (entity: GroupEntity): GroupMember => {
    const member = members.get(entity.id) ?? entityMember(group, resolver, entity)
    members.set(entity.id, member)
    return member
  }
  return {
    group,
    key,
    of: cacheMembers(value => {
      const found = find(view, value)
      const entities = found.length > 0 ? found : [absentEntity(group)]
      return entities.filter(({ id }) => shown === null || shown.has(id)).map(memberOf)
    }),
    arrange() {
      const inOrder = [...members.values()].sort(byOrder)
      inOrder.forEach((member, position) => (member.position = position))
    },
  }
}

function machineLevel({ machines }: CompanyView): GroupingLevel {
  const members = machineMembers(machines)
  const of = (ref: KeyValue) => (typeof ref === 'number' ? members.get(ref) : undefined) ?? []
  return { group: 'machine', key: 'machine', of, arrange: () => {} }
}

function entityMember(group: EntityGrouping, { shown, order }: EntityResolver, entity: GroupEntity): GroupMember {
  const { id, name } = entity
  const asShown = shown?.(entity) ?? entity
  return {
    id,
    entity: asShown,
    ...flatMember(group, name, id === absentId ? null : id, { ...asShown }),
    order: order?.(entity) ?? [name],
    position: 0,
  }
}

function timeLevel(group: TimeGrouping, buckets: readonly Bucket[]): GroupingLevel {
  const members = buckets.map((bucket, index) => [timeMember(group, bucket, index)])
  return {
    group,
    key: 'cell',
    of: cacheMembers(second => {
      const index = buckets.findLastIndex(({ startMs }) => startMs <= Number(second) * 1000)
      return members[Math.max(index, 0)] ?? []
    }),
    arrange: () => {},
  }
}

function timeMember(group: TimeGrouping, { startMs, endMs, shopDate }: Bucket, index: number): GroupMember {
  const id = String(index)
  const entity = { start: isoText(startMs), end: isoText(endMs), shopDate: `${shopDate}T00:00:00.000Z` }
  const name = group === 'hour' ? entity.start : entity.shopDate
  return { id, entity, ...flatMember(group, name, id, entity), order: [], position: index }
}

/** Caches the members of each key value: there are far fewer values than rows. */
function cacheMembers(find: (value: KeyValue) => readonly GroupMember[]): (value: KeyValue) => readonly GroupMember[] {
  const known = new Map<number | string, readonly GroupMember[]>()
  // Rows are in the order of the first grouping: most values equal the previous one.
  let [lastValue, last]: [KeyValue | null, readonly GroupMember[]] = [null, []]
  return value => {
    if (value === lastValue) return last
    const key = typeof value === 'number' ? value : value.join()
    let members = known.get(key)
    if (!members) known.set(key, (members = find(value)))
    ;[lastValue, last] = [value, members]
    return members
  }
}

function byOrder(a: GroupMember, b: GroupMember): number {
  const differing = a.order.findIndex((text, i) => text !== b.order[i])
  return compareTexts(a.order[differing] ?? '', b.order[differing] ?? '') || compareTexts(a.id, b.id)
}

/** The entity or time bucket of a group. All groups of one entity share one object. */
export interface GroupMember {
  readonly id: string
  /** As in `entities` of the response. */
  readonly entity: object
  /** Its fields in flat rows; null id: without this dimension. */
  readonly flat: Readonly<Record<string, FlatValue>>
  /** Its cells in files, without the names of the columns. */
  readonly cells: readonly (string | null)[]
  /** Sort keys; members with equal keys are sorted by id. */
  readonly order: readonly string[]
  /** Index among the members of its level, once all are known. */
  position: number
}

type FlatValue = string | boolean | null

/** A member's fields in flat rows and cells in files. null id: there is no such dimension. */
function flatMember(
  group: GroupingName,
  name: string,
  id: string | null,
  entity: Readonly<Record<string, unknown>>,
): Pick<GroupMember, 'flat' | 'cells'> {
  const flat: Record<string, FlatValue> = { [group]: name, [`${group}Id`]: id }
  const cells: (string | null)[] = [name, id]
  for (const field of groupingFields[group]) {
    const value = flatValue(entity[field.name])
    flat[flatFieldName(group, field.name)] = value
    if (field.inFiles) cells.push(value === null ? null : String(value))
  }
  return { flat, cells }
}

function flatValue(value: unknown): FlatValue {
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

const known = new WeakMap<readonly MachineRecord[], ReadonlyMap<number, readonly GroupMember[]>>()

/**
 * Members of groups by machine, by ref, in the order of reports: by name, then id. Cached for each list of machines, because a company has
 * thousands; a change of machines creates another list.
 */
function machineMembers(machines: readonly MachineRecord[]): ReadonlyMap<number, readonly GroupMember[]> {
  let members = known.get(machines)
  if (!members)
    known.set(machines, (members = new Map(machines.map((machine, i) => [machine.ref, [memberOf(machine, i)]]))))
  return members
}

function memberOf({ id, name }: MachineRecord, position: number): GroupMember {
  return {
    id,
    entity: { id, name },
    ...flatMember('machine', name, id, {}),
    order: [name],
    position,
  }
}
