/** The part of a report's response that tests read. */
export interface NestedReport {
  readonly aggregate: Readonly<Record<string, number | string | null>>
  readonly entities: Readonly<Record<string, Readonly<Record<string, Entity>>>>
  readonly items: readonly NestedItem[]
}

type Entity = Readonly<Record<string, unknown>>

interface NestedItem {
  readonly entity: { readonly type: string; readonly id: string }
  readonly aggregate: Readonly<Record<string, number | string | null>>
  readonly items?: readonly NestedItem[]
}

export type FlatRow = Readonly<Record<string, number | string | boolean | null>>

/** Fields of a grouping's entities in addition to id and name; null if an entity lacks one. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  jobOperation: ['jobName', 'lotName', 'operationName', 'partName'],
  jobOperationRun: ['jobOperationId', 'machineId', 'startAt', 'endAt'],
  shift: ['scheduleId', 'optional'],
  reason: ['color'],
  nativeCode: ['message', 'state'],
  hour: ['start', 'end', 'shopDate'],
  ...Object.fromEntries(['day', 'week', 'month', 'quarter'].map(group => [group, ['start', 'end']])),
}

const notInFiles = new Set(['jobOperationId', 'machineId', 'scheduleId', 'optional', 'color', 'shopDate'])

/** Columns of files for a grouping, exactly as in the API documentation. */
export function fileColumns(group: string): string[] {
  const fields = (fieldsOf[group] ?? []).filter(field => !notInFiles.has(field))
  return [group, `${group}Id`, ...fields.map(field => flatName(group, field))]
}

/** The flat rows of a nested report, exactly as in the API documentation, without code of the product. */
export function flatten(
  { items, entities, aggregate }: NestedReport,
  { isGrouped = items.length > 0 }: { readonly isGrouped?: boolean } = {},
): FlatRow[] {
  const rowsOf = (item: NestedItem, above: FlatRow): FlatRow[] => {
    const { type, id } = item.entity
    const row = { ...above, ...named(type, id, entities[type]?.[id] ?? {}) }
    return item.items ? item.items.flatMap(child => rowsOf(child, row)) : [{ ...row, ...item.aggregate }]
  }
  return isGrouped ? items.flatMap(item => rowsOf(item, {})) : [{ ...aggregate }]
}

function named(group: string, id: string, entity: Entity): FlatRow {
  const name = group === 'hour' ? entity['start'] : (entity['name'] ?? entity['nativeCode'] ?? entity['shopDate'])
  const others = (fieldsOf[group] ?? []).map(field => [flatName(group, field), valueOf(entity[field])] as const)
  return { [group]: valueOf(name), [`${group}Id`]: id === 'none' ? null : id, ...Object.fromEntries(others) }
}

function valueOf(value: unknown): string | boolean | null {
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

function flatName(group: string, field: string): string {
  return `${group}${field.charAt(0).toUpperCase()}${field.slice(1)}`
}
