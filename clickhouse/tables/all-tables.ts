import * as alarms from './alarms.ts'
import * as documents from './documents.ts'
import * as exports from './exports.ts'
import * as recordKinds from './record-kinds.ts'
import * as records from './records.ts'
import * as samples from './samples.ts'
import type { Table } from './table.ts'

/** All tables of the store: those that these modules export. */
export const allTables: readonly Table[] = [samples, documents, records, recordKinds, alarms, exports]
  .flatMap(module => Object.values<unknown>(module))
  .filter(isTable)

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && 'name' in value && 'columns' in value
}
