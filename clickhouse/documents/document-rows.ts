import { modes, statuses } from '../../schema/document.ts'
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

/** How one list of a document becomes parallel arrays: a column for each entry, named `<prefix>_<entry>`. */
type Columns<Item> = Readonly<Record<string, (item: Item) => unknown>>

/** The end of an alarm instance that goes on: so far ahead that `least(a_end, now)` needs no case. */
export const noEndMs = Number.MAX_SAFE_INTEGER

export const levels = ['', 'WARNING', 'FAULT'] as const

const dimensions = {
  shift: item => item.shift,
  run: item => item.run,
  ops: item => item.operators,
  mode: item => modes.indexOf(item.mode),
  scheduled: item => Number(item.scheduled),
  nonoptional: item => Number(item.nonOptional),
} satisfies Columns<Dimensions>

const facts = {
  cell: item => item.cell,
  ...dimensions,
  first: item => item.first,
  last: item => item.last,
  ms: item => item.durationMs,
  cycle: item => item.inCycleMs,
  spindle: item => item.spindleMs,
  cut: item => item.cutMs,
  parts: item => item.parts,
  adjusted: item => item.adjusted,
  scrap: item => item.scrap,
  nonconform: item => item.nonconform,
} satisfies Columns<Fact>

const downtimes = {
  cell: item => item.cell,
  ...dimensions,
  start: item => item.start,
  end: item => item.end,
  reason: item => item.reason,
  record: item => item.recordStartMs,
} satisfies Columns<DowntimePiece>

const alarms = {
  key: item => item.key,
  code: item => item.nativeCode,
  message: item => item.message,
  level: item => levels.indexOf(item.level),
  start: item => item.startMs,
  end: item => item.endMs ?? noEndMs,
} satisfies Columns<AlarmPiece>

const setups = { at: item => item.at, ...dimensions } satisfies Columns<SetupStart>

const segments = {
  cell: item => item.cell,
  start: item => item.start,
  end: item => item.end,
  status: item => statuses.indexOf(item.status),
  cycle: item => Number(item.inCycle),
  spindle: item => Number(item.spindle),
  cut: item => Number(item.cut),
  down: item => Number(item.reason !== null),
  reason: item => item.reason ?? 0,
  ...dimensions,
} satisfies Columns<Segment>

const parts = {
  cell: item => item.cell,
  at: item => item.at,
  parts: item => item.parts,
  ...dimensions,
} satisfies Columns<PartInstant>

const adjustments = {
  cell: item => item.cell,
  at: item => item.at,
  count: item => item.count,
  scrap: item => item.scrap,
  nonconform: item => item.nonconform,
  type: item => item.type,
  ...dimensions,
} satisfies Columns<AdjustmentInstant>

const prefixed = (prefix: string, columns: Readonly<Record<string, unknown>>) =>
  Object.keys(columns).map(name => `${prefix}_${name}`)

/** Columns of `hours_in`, in the order of `documentLine`. */
export const documentColumns: readonly string[] = [
  'company',
  'machine',
  'slot',
  'ver',
  'hash_in',
  'hash_out',
  'state_out',
  ...prefixed('f', facts),
  ...prefixed('d', downtimes),
  ...prefixed('a', alarms),
  ...prefixed('u', setups),
  ...prefixed('s', segments),
  ...prefixed('p', parts),
  ...prefixed('q', adjustments),
]

/** One line of JSONCompactEachRow: a whole document. */
export function documentLine(document: VersionedDocument): string {
  return JSON.stringify([
    document.company,
    document.machine,
    document.slotMs / 1000,
    document.version.toString(),
    document.hashIn,
    document.hashOut,
    document.stateOut,
    ...arrays(factColumns, document.facts),
    ...arrays(downtimeColumns, document.downtimes),
    ...arrays(alarmColumns, document.alarms),
    ...arrays(setupColumns, document.setups),
    ...arrays(segmentColumns, document.segments),
    ...arrays(partColumns, document.parts),
    ...arrays(adjustmentColumns, document.adjustments),
  ])
}

const factColumns = Object.values(facts)
const downtimeColumns = Object.values(downtimes)
const alarmColumns = Object.values(alarms)
const setupColumns = Object.values(setups)
const segmentColumns = Object.values(segments)
const partColumns = Object.values(parts)
const adjustmentColumns = Object.values(adjustments)

function arrays<Item>(columns: readonly ((item: Item) => unknown)[], items: readonly Item[]): unknown[] {
  return columns.map(column => items.map(column))
}
