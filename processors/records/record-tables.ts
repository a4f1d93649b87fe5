import {
  type Change,
  type ChangeOf,
  type RecordKind,
  recordKindNames,
  type RecordKinds,
} from '../../schema/records/record-kinds.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { DeliveryTable } from './delivery-table.ts'
import { IncidentTable } from './incident-table.ts'
import { JobOperationTable } from './job-operation-table.ts'
import { PlainTable, type RecordTable } from './table.ts'

type Tables = { readonly [K in RecordKind]: RecordTable<RecordKinds[K]> }

/** A record with its kind. */
export interface RecordWithKind {
  readonly kind: RecordKind
  readonly id: string
  readonly record: RecordKinds[RecordKind]
}

/** All records, one table per kind. */
export class RecordTables {
  readonly jobOperations = new JobOperationTable()
  readonly incidents = new IncidentTable()
  readonly deliveries = new DeliveryTable()
  readonly #tables: Tables = {
    ...plainTables(),
    jobOperation: this.jobOperations,
    incident: this.incidents,
    delivery: this.deliveries,
  }

  of<K extends RecordKind>(kind: K): RecordTable<RecordKinds[K]> {
    return this.#tables[kind]
  }

  store<K extends RecordKind>({ kind, id, before, after }: ChangeOf<K>): void {
    const table: RecordTable<RecordKinds[K]> = this.#tables[kind]
    if (after) table.put(companyOf(after), id, after)
    else if (before) table.delete(companyOf(before), id)
  }

  /** Returns every record of every kind. */
  *allRecords(): Generator<RecordWithKind> {
    for (const kind of recordKindNames)
      for (const record of this.#tables[kind].all()) yield { kind, id: String(record.id), record }
  }
}

/** Returns the company's id if all changes are of job operations of one company; otherwise null. */
export function companyOfOperations(changes: readonly Change[]): string | null {
  const [first] = changes
  const record = first?.after ?? first?.before
  if (!record) return null
  const companyId = companyOf(record)
  const isAlike = ({ kind, before, after }: Change): boolean =>
    kind === 'jobOperation' && (after ?? before)?.companyId === companyId
  return changes.every(isAlike) ? companyId : null
}

function plainTables(): Tables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a table of each kind
  return Object.fromEntries(recordKindNames.map(kind => [kind, new PlainTable()])) as unknown as Tables
}
