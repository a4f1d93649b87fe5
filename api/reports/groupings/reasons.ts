import { reasonCode } from '../../../schema/document.ts'
import type { GroupEntity, EntityResolver } from './entity-resolvers.ts'

/** A reason of downtime or rejects, from the records. */
export interface Reason {
  readonly id: number
  readonly name: string
  readonly color: string
}

const virtual: ReadonlyMap<number, GroupEntity> = new Map([
  [reasonCode.uncategorized, { id: 'uncategorized', name: 'Uncategorized', virtual: true }],
  [reasonCode.setup, { id: 'setup', name: 'Setup', virtual: true }],
])

/** Finds reasons by their stored codes: the virtual ones too. */
export function reasonResolver(reasons: readonly Reason[]): EntityResolver {
  const entities = new Map(reasons.map(({ id, name, color }) => [id, { id: String(id), name, color }]))
  return {
    key: 'reason',
    find: (_, code) => {
      const found = typeof code === 'number' ? (virtual.get(code) ?? entities.get(code) ?? unknown(code)) : null
      return found ? [found] : []
    },
    shown: entity => (entity['virtual'] === true ? entity : { ...entity, id: Number(entity.id) }),
  }
}

/** The name and colour of each stored code; virtual reasons have no colour. */
export function reasonNames(
  reasons: readonly Reason[],
): (code: number) => { readonly id: string; readonly name: string; readonly color: string | null } {
  const known = new Map(reasons.map(({ id, name, color }) => [id, { id: String(id), name, color }]))
  return code => {
    const found = virtual.get(code)
    if (found) return { id: found.id, name: found.name, color: null }
    return known.get(code) ?? { id: String(code), name: String(code), color: '#808080' }
  }
}

/** Stands for a reason that is gone. */
function unknown(code: number): GroupEntity {
  return { id: String(code), name: String(code), color: '#808080' }
}

/** Stored codes of the reasons in a filter; an id that nothing has keeps nothing. null: no filter. */
export function reasonCodes(ids: readonly string[] | undefined, reasons: readonly Reason[]): readonly number[] | null {
  const ofRecords = reasons.map(({ id }) => [String(id), id] as const)
  const codes = new Map([...ofRecords, ...[...virtual].map(([code, { id }]) => [id, code] as const)])
  return ids ? ids.flatMap(id => codes.get(id) ?? []) : null
}
