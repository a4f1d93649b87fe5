import type { VersionedDocument } from '../../schema/document-store.ts'
import { evenHours, hours } from '../tables/documents.ts'
import { type ListColumns, lists } from './document-lists.ts'

const ownColumns = ['company', 'machine', 'slot', 'version', 'hash_in', 'hash_out', 'state_out'] as const

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

/** Columns of what a document holds, and their values as the rest of a line of JSONCompactEachRow: no column of its machine, hour or version. */
export interface DocumentContents {
  readonly columns: readonly string[]
  readonly rest: (document: VersionedDocument) => string
}

const evenLists: readonly ListColumns[] = lists.filter(({ names }) => names.every(name => name in evenHours.columns))
const unevenLists: readonly ListColumns[] = lists.filter(list => !evenLists.includes(list))

/** Whether a document holds nothing that `even_hours` has no column for. */
export function mayBeEven(document: VersionedDocument): boolean {
  return unevenLists.every(({ isEmpty }) => isEmpty(document))
}

/** Leaves out lists that are empty in all of these documents, as their default is: a column that is read costs, also an empty one. */
export function filledContents(documents: readonly VersionedDocument[]): DocumentContents {
  const filled = evenLists.filter(({ isEmpty }) => !documents.every(isEmpty))
  return {
    columns: ['hash_in', 'hash_out', 'state_out', ...filled.flatMap(({ names }) => names)],
    rest: document => {
      const { hashIn, hashOut, stateOut } = document
      let rest = JSON.stringify([hashIn, hashOut, stateOut]).slice(1, -1)
      for (const { text } of filled) rest += text(document)
      return `${rest}]`
    },
  }
}

function inTable(names: readonly string[]): readonly (keyof typeof hours.columns)[] {
  const known = Object.keys(hours.columns)
  const unknown = names.filter(name => !known.includes(name))
  if (unknown.length > 0 || names.length !== known.length) throw new TypeError(`hours has no ${unknown.join(', ')}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked above
  return names as readonly (keyof typeof hours.columns)[]
}
