import type { Change, RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { JobOperationTable } from './job-operation-table.ts'
import { type RecordTable, Table } from './table.ts'

type Tables = { readonly [K in RecordKind]: RecordTable<RecordKinds[K]> }
type ChangeOf<K extends RecordKind> = {
  readonly [P in K]: {
    readonly kind: P
    readonly id: string
    readonly before: RecordKinds[P] | null
    readonly after: RecordKinds[P] | null
  }
}[K]

/** A record of any kind, with its kind. */
export interface KindedRecord {
  readonly kind: RecordKind
  readonly id: string
  readonly record: RecordKinds[RecordKind]
}

/** The records themselves, a table a kind. */
export class RecordTables {
  readonly jobOperations = new JobOperationTable()
  readonly #tables: Tables = {
    installation: new Table(),
    company: new Table(),
    key: new Table(),
    user: new Table(),
    session: new Table(),
    machine: new Table(),
    schedule: new Table(),
    machineGroup: new Table(),
    operator: new Table(),
    operatorRun: new Table(),
    downtimeReason: new Table(),
    annotation: new Table(),
    partAdjustmentType: new Table(),
    partAdjustment: new Table(),
    jobOperation: this.jobOperations,
    jobRun: new Table(),
    claim: new Table(),
    rebuild: new Table(),
  }

  of<K extends RecordKind>(kind: K): RecordTable<RecordKinds[K]> {
    return this.#tables[kind]
  }

  store<K extends RecordKind>({ kind, id, before, after }: ChangeOf<K>): void {
    const table: RecordTable<RecordKinds[K]> = this.#tables[kind]
    if (after) table.put(companyOf(after), id, after)
    else if (before) table.delete(companyOf(before), id)
  }

  /** Every record that there is, of every kind. */
  *everything(): Generator<KindedRecord> {
    for (const kind of kindsOf(this.#tables))
      for (const record of this.#tables[kind].all()) yield { kind, id: String(record.id), record }
  }
}

/** Returns the company whose job operations are all that changes; null: other records change too. */
export function companyOfOperations(changes: readonly Change[]): string | null {
  const [first] = changes
  const record = first?.after ?? first?.before
  if (!record) return null
  const companyId = companyOf(record)
  const isAlike = ({ kind, before, after }: Change): boolean =>
    kind === 'jobOperation' && (after ?? before)?.companyId === companyId
  return changes.every(isAlike) ? companyId : null
}

function kindsOf(tables: Tables): readonly RecordKind[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the type
  return Object.keys(tables) as RecordKind[]
}
