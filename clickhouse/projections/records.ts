import { companyOf } from '../../schema/company-of.ts'
import type { Change, RecordEntry } from '../../schema/records.ts'
import { sql } from '../sql/sql.ts'
import type { RecordsView } from './records-view.ts'
import type { Store } from '../client/store.ts'

/** The records as tables, for whoever asks the store; written by the registrar alone. */
export interface RecordsProjection {
  /**
   * Idempotent: rows are versioned by the entry's `commandOffset`. With a rebuild every record is written again, as `records`, which
   * hold the entries, have it now. Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], records: Pick<RecordsView, 'everything'>): Promise<void>
  /** `commandOffset` up to which every entry is in the store; -1: none. */
  projectedTo(): Promise<number>
}

const columns = ['company', 'kind', 'id', 'ref', 'json', 'deleted', 'command_offset'] as const
/** An insert that is not answered by then is sent again. */
const withinMs = 10_000

/** Of one insert, where a rebuild writes all records again. */
const rowsPerInsert = 50_000

export function createRecordsProjection(store: Store): RecordsProjection {
  const insert = async (lines: readonly string[]): Promise<void> => {
    if (lines.length === 0) return
    const signal = AbortSignal.timeout(withinMs + lines.length)
    await store.insert('records', columns, lines.join('\n'), { signal })
  }
  return {
    async project(entries, records) {
      // In one insert, however many there are: `projectedTo` takes an entry for stored where any of it is.
      let lines: string[] = []
      for (const entry of entries) {
        const rebuild = entry.changes.find(isNewRebuild)
        if (rebuild) {
          // All that came before is stored by the time that rows say so.
          await insert(lines)
          lines = []
          for (const again of linesAgain(rebuild, entry, records)) await insert(again)
        }
        for (const change of entry.changes) lines.push(line(change, entry))
      }
      await insert(lines)
    },

    async projectedTo() {
      const [row] = await store.query<{ readonly last: string }>(
        sql`SELECT max(toInt64(command_offset)) AS last FROM records HAVING count() > 0`,
        { lane: 'process', signal: AbortSignal.timeout(withinMs) },
      )
      return row ? Number(row.last) : -1
    },
  }
}

function isNewRebuild({ kind, before }: Change): boolean {
  return kind === 'rebuild' && before === null
}

/** Every record of the company, or of all, as of the command before: as new as any row of them, and not yet of this one. */
function* linesAgain(
  { after: rebuild }: Change,
  { commandOffset }: RecordEntry,
  records: Pick<RecordsView, 'everything'>,
): Generator<readonly string[]> {
  const companyId = rebuild ? companyOf(rebuild) : ''
  let lines: string[] = []
  for (const { kind, id, record } of records.everything()) {
    const company = kind === 'company' ? id : companyOf(record)
    if (companyId !== '' && company !== companyId) continue
    lines.push(
      JSON.stringify([company, kind, id, refOf(record), JSON.stringify(record), 0, Math.max(0, commandOffset - 1)]),
    )
    if (lines.length < rowsPerInsert) continue
    yield lines
    lines = []
  }
  yield lines
}

/** A deleted record keeps what it was last. */
function line(change: Change, { command, commandOffset }: RecordEntry): string {
  const { kind, id, before, after } = change
  const record = after ?? before
  const company = companyOfChange(change, command.companyId)
  const deleted = after === null ? 1 : 0
  return JSON.stringify([company, kind, id, refOf(record), JSON.stringify(record), deleted, commandOffset])
}

/** Whose a record is, '' for no company's: a command of the installation itself may make a company's records; claims belong to none. */
export function companyOfChange({ kind, id, before, after }: Change, commandCompany: string | null): string {
  if (kind === 'company') return id
  const record = after ?? before
  return commandCompany ?? (record ? companyOf(record) : '')
}

function refOf(record: Change['after']): number {
  return record && 'ref' in record ? record.ref : 0
}
