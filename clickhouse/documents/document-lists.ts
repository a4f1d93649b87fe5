import type {
  AdjustmentInstant,
  AlarmElement,
  Dimensions,
  DowntimeElement,
  Fact,
  PartInstant,
  Segment,
  SetupStart,
} from '../../schema/document.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import type { Steps } from '../../shared/async/steps.ts'
import type { NativeColumn } from '../client/native-block.ts'
import { documentLists } from '../tables/documents.ts'
import { levelCodes, modeCodes, openEnd, statusCodes } from '../tables/values.ts'
import { columnsOfArrays, type ListArrays, listArrays, type NumberLists, arraysText } from './list-block.ts'

type Lists = typeof documentLists

/** Writes an item of a list into the arrays at an index. Written out: a function for each element takes eight times as long. */
type Put<List extends keyof Lists, Item> = (to: ListArrays<Lists[List]>, at: number, item: Item) => void

const putFact: Put<'facts', Fact> = (to, at, item) => {
  to.cell[at] = item.cell
  putDimensions(to, at, item)
  to.first[at] = item.first
  to.last[at] = item.last
  to.duration_ms[at] = item.durationMs
  to.in_cycle_ms[at] = item.inCycleMs
  to.spindle_ms[at] = item.spindleMs
  to.cut_ms[at] = item.cutMs
  to.parts[at] = item.parts
  to.adjusted[at] = item.adjusted
  to.scrap[at] = item.scrap
  to.nonconform[at] = item.nonconform
}

const putDowntime: Put<'downtime', DowntimeElement> = (to, at, item) => {
  to.cell[at] = item.cell
  putDimensions(to, at, item)
  to.start[at] = item.start
  to.end[at] = item.end
  to.reason[at] = item.reason
  to.record_start_ms[at] = item.recordStartMs
}

const putAlarm: Put<'alarm', AlarmElement> = (to, at, item) => {
  to.key[at] = item.key
  to.code[at] = item.nativeCode
  to.message[at] = item.message
  to.level[at] = levelCodes.code(item.level)
  to.start_ms[at] = item.startMs
  to.end_ms[at] = openEnd.stored(item.endMs)
}

const putSetup: Put<'setup', SetupStart> = (to, at, item) => {
  to.at[at] = item.at
  putDimensions(to, at, item)
}

const putSegment: Put<'segment', Segment> = (to, at, item) => {
  to.cell[at] = item.cell
  to.start[at] = item.start
  to.end[at] = item.end
  to.status[at] = statusCodes.code(item.status)
  to.in_cycle[at] = Number(item.inCycle)
  to.spindle[at] = Number(item.spindle)
  to.cut[at] = Number(item.cut)
  to.down[at] = Number(item.reason !== null)
  to.reason[at] = item.reason ?? 0
  putDimensions(to, at, item)
}

const putPart: Put<'part', PartInstant> = (to, at, item) => {
  to.cell[at] = item.cell
  to.at[at] = item.at
  to.count[at] = item.parts
  putDimensions(to, at, item)
}

const putAdjustment: Put<'adjustment', AdjustmentInstant> = (to, at, item) => {
  to.cell[at] = item.cell
  to.at[at] = item.at
  to.count[at] = item.count
  to.scrap[at] = item.scrap
  to.nonconform[at] = item.nonconform
  to.type[at] = item.type
  putDimensions(to, at, item)
}

interface DimensionArrays {
  readonly shift: Uint32Array
  readonly run: Uint32Array
  readonly operators: NumberLists
  readonly mode: Uint8Array
  readonly scheduled: Uint8Array
  readonly non_optional: Uint8Array
}

function putDimensions(to: DimensionArrays, at: number, item: Dimensions): void {
  to.shift[at] = item.shift
  to.run[at] = item.run
  to.operators.set(at, item.operators)
  to.mode[at] = modeCodes.code(item.mode)
  to.scheduled[at] = Number(item.scheduled)
  to.non_optional[at] = Number(item.nonOptional)
}

/** How one list of a document becomes parallel arrays. */
export interface ListColumns {
  readonly names: readonly string[]
  readonly isEmpty: (document: VersionedDocument) => boolean
  /** The arrays as JSON, each after a comma. */
  readonly text: (document: VersionedDocument) => string
  /** The arrays of documents, one per row. Yields to the event loop. */
  readonly block: (documents: readonly VersionedDocument[]) => Steps<readonly NativeColumn[]>
}

/** The lists of a document. */
export const lists: readonly ListColumns[] = [
  listColumns('facts', putFact, document => document.facts),
  listColumns('downtime', putDowntime, document => document.downtimes),
  listColumns('alarm', putAlarm, document => document.alarms),
  listColumns('setup', putSetup, document => document.setups),
  listColumns('segment', putSegment, document => document.segments),
  listColumns('part', putPart, document => document.parts),
  listColumns('adjustment', putAdjustment, document => document.adjustments),
]

function listColumns<List extends keyof Lists, Item>(
  list: List,
  put: Put<List, Item>,
  itemsOf: (document: VersionedDocument) => readonly Item[],
): ListColumns {
  const elements = documentLists[list]
  const names = Object.keys(elements).map(name => `${list}_${name}`)
  const empty = ',[]'.repeat(names.length)
  return {
    names,
    isEmpty: document => itemsOf(document).length === 0,
    text: document => {
      const items = itemsOf(document)
      if (items.length === 0) return empty
      const arrays = listArrays(elements, items.length)
      for (const [at, item] of items.entries()) put(arrays, at, item)
      return arraysText(arrays)
    },
    *block(documents) {
      const ends = new Uint32Array(documents.length)
      let end = 0
      for (const [row, document] of documents.entries()) ends[row] = end += itemsOf(document).length
      const arrays = listArrays(elements, end)
      let at = 0
      for (const document of documents) {
        for (const item of itemsOf(document)) put(arrays, at++, item)
        yield
      }
      return columnsOfArrays(list, elements, arrays, ends)
    },
  }
}
