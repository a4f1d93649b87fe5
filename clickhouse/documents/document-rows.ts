import type {
  AdjustmentInstant,
  AlarmPiece,
  Dimensions,
  DowntimePiece,
  Fact,
  PartInstant,
  Segment,
  SetupStart,
} from '../../schema/document.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import { type documentLists, evenHours, hours } from '../tables/documents.ts'
import { levelCodes, modeCodes, openEnd, statusCodes } from '../tables/values.ts'

type Lists = typeof documentLists
/** The value of each element of a list's items. */
type Elements<List extends keyof Lists, Item> = Readonly<Record<keyof Lists[List], (item: Item) => unknown>>

const dimensions = {
  shift: (item: Dimensions) => item.shift,
  run: (item: Dimensions) => item.run,
  operators: (item: Dimensions) => item.operators,
  mode: (item: Dimensions) => modeCodes.code(item.mode),
  scheduled: (item: Dimensions) => Number(item.scheduled),
  non_optional: (item: Dimensions) => Number(item.nonOptional),
}

const facts: Elements<'facts', Fact> = {
  cell: item => item.cell,
  ...dimensions,
  first: item => item.first,
  last: item => item.last,
  duration_ms: item => item.durationMs,
  in_cycle_ms: item => item.inCycleMs,
  spindle_ms: item => item.spindleMs,
  cut_ms: item => item.cutMs,
  parts: item => item.parts,
  adjusted: item => item.adjusted,
  scrap: item => item.scrap,
  nonconform: item => item.nonconform,
}

const downtimes: Elements<'downtime', DowntimePiece> = {
  cell: item => item.cell,
  ...dimensions,
  start: item => item.start,
  end: item => item.end,
  reason: item => item.reason,
  record_start_ms: item => item.recordStartMs,
}

const alarms: Elements<'alarm', AlarmPiece> = {
  key: item => item.key,
  code: item => item.nativeCode,
  message: item => item.message,
  level: item => levelCodes.code(item.level),
  start_ms: item => item.startMs,
  end_ms: item => openEnd.stored(item.endMs),
}

const setups: Elements<'setup', SetupStart> = { at: item => item.at, ...dimensions }

const segments: Elements<'segment', Segment> = {
  cell: item => item.cell,
  start: item => item.start,
  end: item => item.end,
  status: item => statusCodes.code(item.status),
  in_cycle: item => Number(item.inCycle),
  spindle: item => Number(item.spindle),
  cut: item => Number(item.cut),
  down: item => Number(item.reason !== null),
  reason: item => item.reason ?? 0,
  ...dimensions,
}

const parts: Elements<'part', PartInstant> = {
  cell: item => item.cell,
  at: item => item.at,
  count: item => item.parts,
  ...dimensions,
}

const adjustments: Elements<'adjustment', AdjustmentInstant> = {
  cell: item => item.cell,
  at: item => item.at,
  count: item => item.count,
  scrap: item => item.scrap,
  nonconform: item => item.nonconform,
  type: item => item.type,
  ...dimensions,
}

/** How one list of a document becomes parallel arrays. */
interface ListColumns {
  readonly names: readonly string[]
  readonly isEmpty: (document: VersionedDocument) => boolean
  /** The arrays as JSON, each after a comma. */
  readonly text: (document: VersionedDocument) => string
}

const lists: readonly ListColumns[] = [
  listColumns('facts', facts, document => document.facts),
  listColumns('downtime', downtimes, document => document.downtimes),
  listColumns('alarm', alarms, document => document.alarms),
  listColumns('setup', setups, document => document.setups),
  listColumns('segment', segments, document => document.segments),
  listColumns('part', parts, document => document.parts),
  listColumns('adjustment', adjustments, document => document.adjustments),
]

const ownColumns = ['company', 'machine', 'slot', 'version', 'hash_in', 'hash_out', 'state_out'] as const

/** Columns of `hours`, in the order of `documentLine`. */
export const documentColumns: readonly (keyof typeof hours.columns)[] = inTable([
  ...ownColumns,
  ...lists.flatMap(({ names }) => names),
])

/** Returns a whole document as one line of JSONCompactEachRow. */
export function documentLine(document: VersionedDocument): string {
  return lineOf(document, lists)
}

/** How documents are written: a line of JSONCompactEachRow has a value for each of the columns. */
export interface DocumentLines {
  readonly columns: readonly string[]
  readonly line: (document: VersionedDocument) => string
}

/** Leaves out lists that are empty in all of these documents, as their default is: a column that is read costs, also an empty one. */
export function filledLines(documents: readonly VersionedDocument[]): DocumentLines {
  const filled = lists.filter(({ isEmpty }) => !documents.every(isEmpty))
  return {
    columns: [...ownColumns, ...filled.flatMap(({ names }) => names)],
    line: document => lineOf(document, filled),
  }
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

/** As `filledLines`, of what may repeat from hour to hour. */
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

function lineOf(document: VersionedDocument, filled: readonly ListColumns[]): string {
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
  for (const { text } of filled) line += text(document)
  return `${line}]`
}

function listColumns<List extends keyof Lists, Item>(
  list: List,
  elements: Elements<List, Item>,
  items: (document: VersionedDocument) => readonly Item[],
): ListColumns {
  const readers: readonly ((item: Item) => unknown)[] = Object.values(elements)
  const empty = ',[]'.repeat(readers.length)
  return {
    names: Object.keys(elements).map(name => `${list}_${name}`),
    isEmpty: document => items(document).length === 0,
    text: document => {
      const own = items(document)
      if (own.length === 0) return empty
      return `,${JSON.stringify(readers.map(read => own.map(read))).slice(1, -1)}`
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
