import type { UsedRecord, Uses } from '../../../schema/commands/uses.ts'
import type { JobNames } from '../../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { RecordKind, RecordKinds } from '../../../schema/records/record-kinds.ts'
import {
  type MachineSpan,
  timedKindNames,
  type TimedRecords,
  type UseElsewhere,
} from '../../../schema/records/timed-records.ts'

/**
 * Number of active job operations that are read to archive those that a file lacks. The entry of more changes would
 * exceed the maximum size.
 */
export const maxActiveOperations = 250_000

/** Kinds of records that memory may lack. */
export const storedKindNames = [...timedKindNames, 'jobOperation', 'incident'] as const
export type StoredKindName = (typeof storedKindNames)[number]

export function isStoredKind(kind: RecordKind): kind is StoredKindName {
  return storedKindNames.some(each => each === kind)
}

/** Data that decisions may need from the store: for each kind of read, its request and its result. */
export interface StoredData {
  /** Records that refer to a record. */
  readonly uses: { readonly request: UsedRecord; readonly result: Uses }
  /** A record of a kind that memory may lack; null if there is none. */
  readonly record: {
    readonly request: { readonly kind: StoredKindName; readonly companyId: string; readonly id: string }
    readonly result: RecordKinds[StoredKindName] | null
  }
  /** The job operations that have any of these names, in no order. */
  readonly operationsByNames: {
    readonly request: { readonly companyId: string; readonly names: readonly JobNames[] }
    readonly result: readonly JobOperationRecord[]
  }
  /** The job operations that are not archived, by the order of their creation; at most one more than `maxActiveOperations`. */
  readonly activeOperations: {
    readonly request: { readonly companyId: string }
    readonly result: readonly JobOperationRecord[]
  }
  /** Records with a time of a machine in a span, with those in force at its start. */
  readonly span: {
    readonly request: MachineSpan & { readonly companyId: string; readonly maxSignInMs: number }
    readonly result: TimedRecords
  }
  /**
   * All records with a time of some machines, the job operations that ran only there, and what the records of the other
   * machines and the other job operations refer to.
   */
  readonly machines: {
    readonly request: { readonly companyId: string; readonly machineIds: readonly string[] }
    readonly result: {
      readonly records: TimedRecords
      readonly operations: readonly JobOperationRecord[]
      readonly elsewhere: UseElsewhere
    }
  }
}

/** Reads from a store that contains all projected entries. Reads reject with a `StoreError`. */
export type StoredDataReader = {
  readonly [K in keyof StoredData]: (request: StoredData[K]['request']) => Promise<StoredData[K]['result']>
}

/** All data, in memory. */
export type StoredDataSource = {
  readonly [K in keyof StoredData]: (request: StoredData[K]['request']) => StoredData[K]['result']
}

/**
 * The data that a decision needs from the store. A decision is synchronous: if it needs data that is not read yet, it
 * throws `NotRead`, and is repeated when the data is read.
 */
export class StoredReads {
  readonly #read = new Map<string, unknown>()

  /** Throws `NotRead`. `key`: names a large request, which is the only one of its kind that a decision makes. */
  get<K extends keyof StoredData>(
    what: K,
    request: StoredData[K]['request'],
    key = `${what} ${JSON.stringify(request)}`,
  ): StoredData[K]['result'] {
    if (!this.#read.has(key)) throw new NotRead(what, request, key)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of this request was added
    return this.#read.get(key) as StoredData[K]['result']
  }

  /** Reads the data that a decision did not find. Rejects with a `StoreError`. */
  async read({ what, request, key }: NotRead, reader: StoredDataReader): Promise<void> {
    this.#read.set(key, await readOf(reader, what, request))
  }

  /** Adds the data that a decision did not find, from data that need not be read. */
  addFrom({ what, request, key }: NotRead, source: StoredDataSource): void {
    this.#read.set(key, readOf(source, what, request))
  }
}

function readOf(reader: StoredDataReader | StoredDataSource, what: keyof StoredData, request: Request): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the request belongs to the kind of read
  const read = reader[what] as (request: Request) => unknown
  return read(request)
}

type Request = StoredData[keyof StoredData]['request']

/** Thrown by a decision that needs data from the store. */
export class NotRead extends Error {
  override readonly name = 'NotRead'
  readonly what: keyof StoredData
  readonly request: Request
  readonly key: string

  constructor(what: keyof StoredData, request: Request, key: string) {
    super(`The ${what} that a decision needs was not read`)
    this.what = what
    this.request = request
    this.key = key
  }
}
