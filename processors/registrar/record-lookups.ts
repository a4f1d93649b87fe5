import type { LogRecord } from '../../log/log.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { type JobNames, namesKey } from '../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { inParts } from '../../shared/collections/in-parts.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import type { Records } from '../records/records.ts'
import { isStoredKind, type StoredData, type StoredDataReader } from './deciding/stored-reads.ts'
import { parseCommand } from './envelope.ts'

type RecordRequest = StoredData['record']['request']
type StoredRecord = NonNullable<StoredData['record']['result']>
type NamesRequest = StoredData['operationsByNames']['request']

/** Reads that need not wait until the store contains the changes before the decision. */
const lookupKinds = ['record', 'operationsByNames'] as const
export type LookupKind = (typeof lookupKinds)[number]

export function isLookup(kind: keyof StoredData): boolean {
  return lookupKinds.some(each => each === kind)
}

/** Returns the reads that the lookups answer. */
export function lookupReader(lookups: RecordLookups): Pick<StoredDataReader, LookupKind> {
  return { record: request => lookups.find(request), operationsByNames: request => lookups.findByNames(request) }
}

export interface RecordLookupsDeps {
  /** Reads records by id; the store may lack changes that were accepted since `settled` was last called. */
  readonly readByIds: (of: Omit<RecordRequest, 'id'>, ids: readonly string[]) => Promise<readonly StoredRecord[]>
  /** Reads the job operations that have these names; the store may lack the same changes. */
  readonly readByNames: (companyId: string, names: readonly JobNames[]) => Promise<readonly JobOperationRecord[]>
  /** Resolves when the store contains all accepted changes. */
  readonly settled: () => Promise<void>
}

/** Maximum size of a command that may start or name a run, bytes. */
const maxDispatchBytes = 20_000
/** Number of names that are read together. */
const namesPerRead = 2_000
/**
 * Number of read records above which a batch begins without them: the job operation of the start of a run is looked up
 * again for its stop.
 */
const maxRead = 10_000
/** Number of changes after which the store is awaited. */
const maxChanges = 20_000

/**
 * Finds records by id, and job operations by names, in the store, corrected by the changes that the store may lack: a
 * decision need not wait until the store contains those before it.
 */
export class RecordLookups {
  readonly #deps: RecordLookupsDeps
  #mustSettle = false
  /** Records by key, in their current state; null: deleted. */
  readonly #changed = new Map<string, StoredRecord | null>()
  /** Ids of changed job operations by names that they had after a change. */
  readonly #changedNames = new Map<string, string>()
  /** Records that were read; null: there was none. Later changes are in `#changed`. */
  readonly #read = new Map<string, StoredRecord | null>()
  /** Operations that were read, by names that the store has; null: there was none. */
  readonly #readNames = new Map<string, JobOperationRecord | null>()

  constructor(deps: RecordLookupsDeps) {
    this.#deps = deps
  }

  /** Notes changes that were decided, until there are too many. */
  async add(changes: readonly Change[]): Promise<void> {
    if (this.#mustSettle) return
    if (changes.length + this.#changed.size + this.#changedNames.size > maxChanges) {
      this.#mustSettle = true
      this.#forgetChanged()
      return
    }
    const slice = new TimeSlice()
    for (const { kind, id, before, after } of changes) {
      if (slice.isOver) await slice.next()
      const record = after ?? before
      if (!record || !isStoredKind(kind)) continue
      const companyId = companyOf(record)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of this kind
      this.#changed.set(keyOf({ kind, companyId, id }), after as StoredRecord | null)
      if (kind === 'jobOperation' && after) this.#changedNames.set(keyOfNames(companyId, after), id)
    }
  }

  /**
   * Whether `settle` must be called before the next lookup, because there were many changes. All changes up to now must
   * be committed and accepted by the projection.
   */
  get mustSettle(): boolean {
    return this.#mustSettle
  }

  async settle(): Promise<void> {
    await this.#deps.settled()
    this.#mustSettle = false
    this.#forgetChanged()
    this.#forgetRead()
  }

  #forgetChanged(): void {
    this.#changed.clear()
    this.#changedNames.clear()
  }

  #forgetRead(): void {
    this.#read.clear()
    this.#readNames.clear()
  }

  /**
   * Reads the runs and job operations that the commands of a batch name and that are not in memory, with one query of
   * each kind per company.
   */
  async startBatch(batch: readonly LogRecord[], records: Records): Promise<void> {
    if (this.#read.size + this.#readNames.size > maxRead) this.#forgetRead()
    const readsRuns = records.horizonMs !== -Infinity
    if (!readsRuns && records.hasAllOperations) return
    const runs = new Map<string, Set<string>>()
    const names = new Map<string, Map<string, JobNames>>()
    for (const { value } of batch) {
      const named = value.length <= maxDispatchBytes ? readDispatch(value) : null
      if (!named) continue
      const { companyId, runId, operation } = named
      if (
        readsRuns &&
        !records.get('jobRun', companyId, runId) &&
        !this.#isKnown({ kind: 'jobRun', companyId, id: runId })
      )
        getOrCreate(runs, companyId, () => new Set()).add(runId)
      if (
        operation &&
        !records.hasAllOperations &&
        !records.jobOperation(companyId, operation) &&
        !this.#readNames.has(keyOfNames(companyId, operation))
      )
        getOrCreate(names, companyId, () => new Map()).set(namesKey(operation), operation)
    }
    await Promise.all([
      ...Array.from(runs, ([companyId, ids]) => this.#readMissing({ kind: 'jobRun', companyId }, [...ids])),
      ...Array.from(names, ([companyId, ofCompany]) => this.#readNamed(companyId, [...ofCompany.values()])),
    ])
  }

  async find(request: RecordRequest): Promise<StoredRecord | null> {
    const [found = null] = await this.#findAll(request, [request.id])
    return found
  }

  /** Returns those job operations that exist, by their ids, in no order. */
  async findOperations(companyId: string, ids: readonly string[]): Promise<readonly JobOperationRecord[]> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- records of this kind
    return (await this.#findAll({ kind: 'jobOperation', companyId }, ids)) as readonly JobOperationRecord[]
  }

  #isKnown(request: RecordRequest): boolean {
    const key = keyOf(request)
    return this.#changed.has(key) || this.#read.has(key)
  }

  async #findAll(of: Omit<RecordRequest, 'id'>, ids: readonly string[]): Promise<readonly StoredRecord[]> {
    const missing = ids.filter(id => !this.#isKnown({ ...of, id }))
    if (missing.length > 0) await this.#readMissing(of, missing)
    return ids.flatMap(id => {
      const changed = this.#changed.get(keyOf({ ...of, id }))
      return (changed === undefined ? this.#read.get(keyOf({ ...of, id })) : changed) ?? []
    })
  }

  /** Returns the job operations that have any of these names; yields to the event loop. */
  async findByNames({ companyId, names }: NamesRequest): Promise<readonly JobOperationRecord[]> {
    const slice = new TimeSlice()
    const found: JobOperationRecord[] = []
    for (const some of inParts(names, namesPerRead)) {
      const missing = some.filter(each => !this.#readNames.has(keyOfNames(companyId, each)))
      if (missing.length > 0) await this.#readNamed(companyId, missing)
      for (const each of some) {
        const current = this.#currentByNames(companyId, each)
        if (current) found.push(current)
      }
      // An import names more operations than should stay in memory.
      if (names.length > namesPerRead) this.#forgetRead()
      if (slice.isOver) await slice.next()
    }
    return found
  }

  /** Corrects what the store has by the changes since. */
  #currentByNames(companyId: string, names: JobNames): JobOperationRecord | null {
    const key = keyOfNames(companyId, names)
    const stored = this.#readNames.get(key)
    for (const id of [this.#changedNames.get(key), stored?.id]) {
      if (id === undefined) continue
      const changed = this.#changed.get(keyOf({ kind: 'jobOperation', companyId, id }))
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of the kind in its key
      const current = changed === undefined ? stored : (changed as JobOperationRecord | null)
      if (current && namesKey(current) === namesKey(names)) return current
    }
    return null
  }

  async #readNamed(companyId: string, names: readonly JobNames[]): Promise<void> {
    const found = await this.#deps.readByNames(companyId, names)
    for (const each of names) this.#readNames.set(keyOfNames(companyId, each), null)
    for (const operation of found) {
      this.#readNames.set(keyOfNames(companyId, operation), operation)
      this.#read.set(keyOf({ kind: 'jobOperation', companyId, id: operation.id }), operation)
    }
  }

  async #readMissing(of: Omit<RecordRequest, 'id'>, ids: readonly string[]): Promise<void> {
    const found = await this.#deps.readByIds({ kind: of.kind, companyId: of.companyId }, ids)
    for (const id of ids) this.#read.set(keyOf({ ...of, id }), null)
    for (const record of found) this.#read.set(keyOf({ ...of, id: record.id }), record)
  }
}

interface Dispatch {
  readonly companyId: string
  readonly runId: string
  /** null: the command does not start a run. */
  readonly operation: JobNames | null
}

/** Returns the run that a command names, and the operation if the command starts the run; null if there is none. */
function readDispatch(value: Buffer): Dispatch | null {
  try {
    const { companyId, payload } = parseCommand(value)
    if (companyId === null || typeof payload !== 'object' || payload === null) return null
    const {
      erpJobOperationRunId: runId,
      jobName,
      lotName,
      operationName,
      partName,
    }: Record<string, unknown> = {
      ...payload,
    }
    if (typeof runId !== 'string') return null
    const text = (name: unknown) => (typeof name === 'string' ? name : '')
    const names = { lotName: text(lotName), operationName: text(operationName), partName: text(partName) }
    return { companyId, runId, operation: typeof jobName === 'string' ? { jobName, ...names } : null }
  } catch {
    // The processor reports commands that cannot be parsed.
    return null
  }
}

function keyOfNames(companyId: string, names: JobNames): string {
  return `${companyId} ${namesKey(names)}`
}

function keyOf({ kind, companyId, id }: RecordRequest): string {
  return `${kind} ${companyId} ${id}`
}
