import type { VersionedDocument } from '../../schema/document-store.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { hourMs } from '../../shared/time/units.ts'
import {
  arrayColumn,
  dateTimeColumn,
  type NativeColumn,
  nativeRows,
  type NativeRows,
  StringColumn,
  uint32Column,
  uint64Column,
} from '../client/native-block.ts'
import { lists } from './document-lists.ts'

type Documents = readonly VersionedDocument[]

/** Converts documents to rows of `hours`, as columns. Yields to the event loop. */
export function* documentBlock(documents: Documents): Steps<NativeRows> {
  const slots = Uint32Array.from(documents, ({ slotMs }) => slotMs / 1000)
  const versions = BigUint64Array.from(documents, ({ version }) => version)
  return nativeRows(documents.length, [
    dateTimeColumn('slot', slots),
    uint64Column('version', versions),
    ...(yield* contentColumns(documents)),
  ])
}

/** Equal hours of one machine. */
export interface RepeatedContent {
  readonly first: VersionedDocument
  /** Starts of the hours in seconds, ascending. */
  readonly slots: number[]
}

/** Rows of `repeated_hours` for contents of a run of consecutive hours. Yields to the event loop. */
export function* repeatedBlock(contents: readonly RepeatedContent[], run: Documents): Steps<NativeRows> {
  const [fromMs, untilMs] = [run[0]?.slotMs ?? 0, (run.at(-1)?.slotMs ?? 0) + hourMs]
  const version = run.reduce((lowest, each) => (each.version < lowest ? each.version : lowest), run[0]?.version ?? 0n)
  let end = 0
  const ends = Uint32Array.from(contents, ({ slots }) => (end += slots.length))
  const slots = Uint32Array.from(contents.flatMap(each => each.slots))
  const count = contents.length
  return nativeRows(count, [
    dateTimeColumn('from_slot', new Uint32Array(count).fill(fromMs / 1000)),
    dateTimeColumn('until_slot', new Uint32Array(count).fill(untilMs / 1000)),
    arrayColumn(dateTimeColumn('slots', slots), ends),
    uint64Column('version', new BigUint64Array(count).fill(version)),
    ...(yield* contentColumns(contents.map(({ first }) => first))),
  ])
}

/** Columns of machines, states and lists. Lists that are empty in all documents are omitted: each column has a cost. */
function* contentColumns(documents: Documents): Steps<readonly NativeColumn[]> {
  const states = new StringColumn(documents.length * 512)
  for (const { stateOut } of documents) states.push(stateOut)
  const companies = Uint32Array.from(documents, ({ companyRef }) => companyRef)
  const machines = Uint32Array.from(documents, ({ machineRef }) => machineRef)
  const hashesIn = BigUint64Array.from(documents, ({ hashIn }) => BigInt(hashIn))
  const hashesOut = BigUint64Array.from(documents, ({ hashOut }) => BigInt(hashOut))
  const columns = [
    uint32Column('company', companies),
    uint32Column('machine', machines),
    uint64Column('hash_in', hashesIn),
    uint64Column('hash_out', hashesOut),
    states.column('state_out'),
  ]
  for (const { isEmpty, block } of lists) if (!documents.every(isEmpty)) columns.push(...(yield* block(documents)))
  return columns
}
