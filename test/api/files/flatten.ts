/** What a test reads of a report's answer. */
export interface NestedReport {
  readonly aggregate: Readonly<Record<string, number | string | null>>
  readonly entities: Readonly<Record<string, Readonly<Record<string, Entity>>>>
  readonly items: readonly NestedItem[]
}

interface Entity {
  readonly name?: string
  readonly nativeCode?: string
  readonly start?: string
  readonly end?: string
  readonly shopDate?: string
}

interface NestedItem {
  readonly entity: { readonly type: string; readonly id: string }
  readonly aggregate: Readonly<Record<string, number | string | null>>
  readonly items?: readonly NestedItem[]
}

export type FlatRow = Readonly<Record<string, number | string | null>>

/** The flat rows of a nested report, by the letter of the interface's description and by nothing of the product. */
export function flatten({ items, entities }: NestedReport): FlatRow[] {
  const rowsOf = (item: NestedItem, above: FlatRow): FlatRow[] => {
    const { type, id } = item.entity
    const row = { ...above, ...named(type, id, entities[type]?.[id] ?? {}) }
    return item.items ? item.items.flatMap(child => rowsOf(child, row)) : [{ ...row, ...item.aggregate }]
  }
  return items.flatMap(item => rowsOf(item, {}))
}

function named(group: string, id: string, entity: Entity): FlatRow {
  const { start, end, shopDate, name, nativeCode } = entity
  if (start === undefined) return { [group]: name ?? nativeCode ?? null, [`${group}Id`]: id === 'none' ? null : id }
  const bucket = (group === 'hour' ? start : shopDate) ?? null
  return { [group]: bucket, [`${group}Id`]: id, [`${group}Start`]: start, [`${group}End`]: end ?? null }
}
