import type { VersionedDocument } from '../../schema/document-store.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { hourMs } from '../../shared/time/units.ts'
import { filledContents, mayBeEven } from './document-rows.ts'

/** Documents that mostly hold the same, as rows that name each content once. */
export interface EvenRows {
  readonly columns: readonly string[]
  /** Lines of JSONCompactEachRow. */
  readonly lines: readonly string[]
  /** Documents that have to be written one by one. */
  readonly others: readonly VersionedDocument[]
}

/** Hours of one machine with the same content. */
interface Even {
  readonly first: VersionedDocument
  /** Starts of the hours in seconds, ascending where the documents are. */
  readonly slots: number[]
  readonly versions: bigint[]
}

/** Rows for fewer hours than this, on average, are not worth it. */
const leastHours = 4
/** Number of documents after which it is clear that most differ. */
const judgedAfter = 200

/**
 * Rows of `even_hours`, which the engine expands to documents; null: too few hours are equal. Yields to the event loop.
 */
export function* evenRows(documents: readonly VersionedDocument[]): Steps<EvenRows | null> {
  const found = yield* evenHoursOf(documents, mayBeEven)
  return (
    found &&
    rowsOf(found, ['slots', 'versions'], ({ slots, versions }) => `[${slots.join(',')}],[${versions.join(',')}]`)
  )
}

/**
 * Rows of `repeated_hours`, of consecutive hours of one machine; null: too few of them are equal. Yields to the event
 * loop.
 */
export function* repeatedRows(stretch: readonly VersionedDocument[]): Steps<EvenRows | null> {
  const found = yield* evenHoursOf(stretch, mayBeRepeated)
  const [first, last] = [stretch[0], stretch.at(-1)]
  if (!found || !first || !last) return null
  const version = stretch.reduce((lowest, each) => (each.version < lowest ? each.version : lowest), first.version)
  const bounds = `${first.slotMs / 1000},${(last.slotMs + hourMs) / 1000}`
  return rowsOf(
    found,
    ['from_slot', 'until_slot', 'slots', 'version'],
    ({ slots }) => `${bounds},[${slots.join(',')}],${version}`,
  )
}

function mayBeRepeated(document: VersionedDocument): boolean {
  const { alarms, facts, segments } = document
  return mayBeEven(document) && alarms.length === 0 && facts.every(hasNoRun) && segments.every(hasNoRun)
}

function hasNoRun({ run }: { readonly run: number }): boolean {
  return run === 0
}

interface EvenHours {
  readonly even: readonly Even[]
  readonly others: readonly VersionedDocument[]
}

/** Gathers hours that hold the same, as those of a machine that sends nothing; null: there are too few. */
function* evenHoursOf(
  documents: readonly VersionedDocument[],
  mayBe: (document: VersionedDocument) => boolean,
): Steps<EvenHours | null> {
  const { rest } = filledContents(documents)
  const found = new Map<string, Even>()
  const others: VersionedDocument[] = []
  let last: Even | null = null
  let seen = 0
  for (const document of documents) {
    if (!mayBe(document)) others.push(document)
    else {
      if (last === null || !holdsSame(last.first, document)) {
        const key = `${document.companyRef},${document.machineRef},${rest(document)}`
        last = found.get(key) ?? { first: document, slots: [], versions: [] }
        found.set(key, last)
      }
      last.slots.push(document.slotMs / 1000)
      last.versions.push(document.version)
    }
    if ((found.size + others.length) * leastHours > Math.max(++seen, judgedAfter)) return null
    yield
  }
  return { even: [...found.values()], others }
}

/** `names` and `text`: the columns that tell the hours and their versions, and their values. */
function rowsOf({ even, others }: EvenHours, names: readonly string[], text: (even: Even) => string): EvenRows {
  const { columns, rest } = filledContents(even.map(({ first }) => first))
  const lines = even.map(each => `[${each.first.companyRef},${each.first.machineRef},${text(each)},${rest(each.first)}`)
  return { columns: ['company', 'machine', ...names, ...columns], lines, others }
}

/** Whether two documents are equal except for their hours and versions. */
function holdsSame(a: VersionedDocument, b: VersionedDocument): boolean {
  return (
    a.machineRef === b.machineRef &&
    a.companyRef === b.companyRef &&
    a.hashIn === b.hashIn &&
    a.hashOut === b.hashOut &&
    a.stateOut === b.stateOut &&
    haveSame(a.facts, b.facts) &&
    haveSame(a.segments, b.segments) &&
    haveSame(a.downtimes, b.downtimes) &&
    haveSame(a.alarms, b.alarms)
  )
}

/** Whether two lists have the same items, of plain values and lists of them. */
function haveSame(a: readonly object[], b: readonly object[]): boolean {
  // Hours in which nothing happened share their lists.
  if (a === b) return true
  return a.length === b.length && a.every((item, index) => areSame(Object.values(item), Object.values(b[index] ?? {})))
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return (
    a.length === b.length &&
    a.every((own, index) => {
      const other = b[index]
      return own === other || (Array.isArray(own) && Array.isArray(other) && areSame(own, other))
    })
  )
}
