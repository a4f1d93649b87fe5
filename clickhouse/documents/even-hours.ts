import type { VersionedDocument } from '../../schema/document-store.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { filledContents, mayBeEven } from './document-rows.ts'

/** Documents that mostly hold the same, as rows of `even_hours`. */
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
  readonly slots: number[]
  readonly versions: bigint[]
}

/** Rows for fewer hours than this, on average, are not worth it. */
const leastHours = 4
/** So many documents may differ before it is clear whether most do. */
const judgedAfter = 200

/**
 * Gathers hours that hold the same, as those of a machine that sends nothing; null: there are too few. Others get their turn in between.
 */
export function* evenRows(documents: readonly VersionedDocument[]): Steps<EvenRows | null> {
  const { columns, rest } = filledContents(documents)
  const found = new Map<string, Even>()
  const others: VersionedDocument[] = []
  let last: Even | null = null
  let seen = 0
  for (const document of documents) {
    if (!mayBeEven(document)) others.push(document)
    else {
      if (last === null || !holdsSame(last.first, document)) {
        const key = `[${document.companyRef},${document.machineRef},${rest(document)}`
        last = found.get(key) ?? { first: document, slots: [], versions: [] }
        found.set(key, last)
      }
      last.slots.push(document.slotMs / 1000)
      last.versions.push(document.version)
    }
    if ((found.size + others.length) * leastHours > Math.max(++seen, judgedAfter)) return null
    yield
  }
  const lines = [...found.values()].map(
    ({ first, slots, versions }) =>
      `[${first.companyRef},${first.machineRef},[${slots.join(',')}],[${versions.join(',')}],${rest(first)}`,
  )
  return { columns: ['company', 'machine', 'slots', 'versions', ...columns], lines, others }
}

/** Whether two documents are the same but for their hours and versions. */
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
