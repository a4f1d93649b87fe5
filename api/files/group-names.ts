import { absentNamesDe, reasonNamesDe } from '../../schema/groupings.de.ts'
import type { Language } from '../../schema/languages.ts'
import type { FileColumn, FileTableRow } from './table.ts'

/** Returns the name of a stored row's cell in a language; null: the cell stays as it is. */
export type TranslateName = (row: FileTableRow, column: number) => string | null

/** Id of absent groups in files: an empty cell. */
const absentCell = ''

/** German names of the groups without a record, by the name of their column and the id in the row. */
const namesDe: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map<string, ReadonlyMap<string, string>>([
  ...Object.entries(absentNamesDe).map(([group, name]) => [group, new Map([[absentCell, name]])] as const),
  ['reason', new Map(Object.entries(reasonNamesDe))],
])

/** Returns the function that translates the names of the groups without a record; users have named the others. */
export function nameTranslator(columns: readonly FileColumn[], language: Language): TranslateName {
  if (language === 'en') return () => null
  const found = columns.map(({ name }) => {
    const names = namesDe.get(name)
    const idAt = columns.findIndex(column => column.name === `${name}Id`)
    return names === undefined || idAt < 0 ? null : { names, idAt }
  })
  return (row, column) => {
    const of = found[column]
    return of ? (of.names.get(String(row[of.idAt] ?? absentCell)) ?? null) : null
  }
}
