import type { VersionedDocument } from '../../schema/document-store.ts'
import { hours } from '../tables/documents.ts'
import { lists } from './document-lists.ts'

const ownColumns = ['company', 'machine', 'slot', 'version', 'hash_in', 'hash_out', 'state_out']

/** Columns of `hours`, in the order of `documentLine`. */
export const documentColumns: readonly (keyof typeof hours.columns)[] = inTable([
  ...ownColumns,
  ...lists.flatMap(({ names }) => names),
])

/** Returns a whole document as one line of JSONCompactEachRow. */
export function documentLine(document: VersionedDocument): string {
  const own = JSON.stringify([
    document.companyRef,
    document.machineRef,
    document.slotMs / 1000,
    document.version.toString(),
    document.hashIn,
    document.hashOut,
    document.stateOut,
  ])
  let line = own.slice(0, -1)
  for (const { text } of lists) line += text(document)
  return `${line}]`
}

function inTable(names: readonly string[]): readonly (keyof typeof hours.columns)[] {
  const known = Object.keys(hours.columns)
  const unknown = names.filter(name => !known.includes(name))
  if (unknown.length > 0 || names.length !== known.length) throw new TypeError(`hours has no ${unknown.join(', ')}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked above
  return names as readonly (keyof typeof hours.columns)[]
}
