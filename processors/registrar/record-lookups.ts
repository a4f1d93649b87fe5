import type { LogRecord } from '../../log/log.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import { isTimedKind, type TimedRecord } from '../records/machine-histories.ts'
import type { Records } from '../records/records.ts'
import type { StoredData } from './deciding/stored-reads.ts'
import { parseCommand } from './envelope.ts'

type RecordRequest = StoredData['record']['request']

export interface RecordLookupsDeps {
  /** Reads records by id; the store may lack changes that were accepted since `settled` was last called. */
  readonly readByIds: (of: Omit<RecordRequest, 'id'>, ids: readonly string[]) => Promise<readonly TimedRecord[]>
  /** Resolves when the store contains all accepted changes. */
  readonly settled: () => Promise<void>
}

/** Maximum size of a command that may name a run, bytes. */
const maxDispatchBytes = 20_000
/** Number of changes after which the store is awaited. */
const maxChanges = 20_000

/**
 * Finds records by id in the store, corrected by the changes that the store may lack: a decision need not wait until
 * the store contains those before it.
 */
export class RecordLookups {
  readonly #deps: RecordLookupsDeps
  /** Records by key, in their current state; null: deleted. */
  readonly #changed = new Map<string, TimedRecord | null>()
  /** Records that were read for the current batch; null: there was none. */
  readonly #read = new Map<string, TimedRecord | null>()

  constructor(deps: RecordLookupsDeps) {
    this.#deps = deps
  }

  /** Notes changes that were decided. */
  add(changes: readonly Change[]): void {
    for (const { kind, id, before, after } of changes) {
      const record = after ?? before
      if (!record || !isTimedKind(kind)) continue
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of this kind
      this.#changed.set(keyOf({ kind, companyId: companyOf(record), id }), after as TimedRecord | null)
    }
  }

  /** Whether `settle` should be called: all changes up to now must be committed and accepted by the projection. */
  get isFull(): boolean {
    return this.#changed.size > maxChanges
  }

  async settle(): Promise<void> {
    await this.#deps.settled()
    this.#changed.clear()
    this.#read.clear()
  }

  /** Reads the runs that the commands of a batch name and that are not in memory, with one query per company. */
  async startBatch(batch: readonly LogRecord[], records: Records): Promise<void> {
    this.#read.clear()
    if (records.horizonMs === -Infinity) return
    const missing = new Map<string, Set<string>>()
    for (const { value } of batch) {
      const named = value.length <= maxDispatchBytes ? readNamedRun(value) : null
      if (!named || records.get('jobRun', named.companyId, named.id)) continue
      missing.set(named.companyId, (missing.get(named.companyId) ?? new Set()).add(named.id))
    }
    for (const [companyId, ids] of missing) await this.#readMissing({ kind: 'jobRun', companyId }, [...ids])
  }

  async find(request: RecordRequest): Promise<TimedRecord | null> {
    const key = keyOf(request)
    const changed = this.#changed.get(key)
    if (changed !== undefined) return changed
    if (!this.#read.has(key)) await this.#readMissing(request, [request.id])
    return this.#read.get(key) ?? null
  }

  async #readMissing(of: Omit<RecordRequest, 'id'>, ids: readonly string[]): Promise<void> {
    const found = await this.#deps.readByIds({ kind: of.kind, companyId: of.companyId }, ids)
    for (const id of ids) this.#read.set(keyOf({ ...of, id }), null)
    for (const record of found) this.#read.set(keyOf({ ...of, id: record.id }), record)
  }
}

/** Returns the run that a command names; null if there is none. */
function readNamedRun(value: Buffer): { readonly companyId: string; readonly id: string } | null {
  try {
    const { companyId, payload } = parseCommand(value)
    if (companyId === null || typeof payload !== 'object' || payload === null) return null
    const id = 'erpJobOperationRunId' in payload ? payload.erpJobOperationRunId : null
    return typeof id === 'string' ? { companyId, id } : null
  } catch {
    // The processor reports commands that cannot be parsed.
    return null
  }
}

function keyOf({ kind, companyId, id }: RecordRequest): string {
  return `${kind} ${companyId} ${id}`
}
