import type { VersionedDocument } from '../../schema/document-store.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { NativeRows } from '../client/native-block.ts'
import { repeatedUntilMs } from '../tables/stored-hours.ts'
import { repeatedBlock, type RepeatedContent } from './document-block.ts'

interface Separated {
  /** Rows of `repeated_hours`, by run of consecutive hours. */
  readonly rows: readonly NativeRows[]
  /** Documents to be written before the rows. */
  readonly others: readonly VersionedDocument[]
}

/** Shortest run of consecutive hours that is written as rows of `repeated_hours`. */
const minRunHours = 1_000
/** Rows for fewer hours than this on average are not worth it. */
const minHoursPerRow = 4
/** Number of documents after which the average counts. */
const minDocumentsForAverage = 200

/** Separates long runs of historic hours that are mostly equal from the documents. Yields to the event loop. */
export async function separateRepeated(documents: readonly VersionedDocument[]): Promise<Separated> {
  if (documents.length < minRunHours) return { rows: [], others: documents }
  const rows: NativeRows[] = []
  const others: (readonly VersionedDocument[])[] = []
  for (const run of runsOf(documents)) {
    const [first] = run
    const isHistoric = first !== undefined && first.slotMs < repeatedUntilMs && run.length >= minRunHours
    const separated = isHistoric ? await runCooperatively(separateRun(run)) : null
    if (separated) rows.push(separated.rows)
    others.push(separated?.others ?? run)
  }
  return { rows, others: others.flat() }
}

/** Consecutive hours of one machine, on one side of the border of repeated hours. */
function runsOf(documents: readonly VersionedDocument[]): readonly (readonly VersionedDocument[])[] {
  const runs: VersionedDocument[][] = []
  let last: VersionedDocument | null = null
  for (const document of documents) {
    const { companyRef, machineRef, slotMs } = document
    const continues =
      last?.companyRef === companyRef &&
      last.machineRef === machineRef &&
      last.slotMs + hourMs === slotMs &&
      slotMs !== repeatedUntilMs
    if (continues) runs.at(-1)?.push(document)
    else runs.push([document])
    last = document
  }
  return runs
}

/** Rows of the equal hours of a run, and its other documents; null: too few hours are equal. */
function* separateRun(
  run: readonly VersionedDocument[],
): Steps<{ readonly rows: NativeRows; readonly others: readonly VersionedDocument[] } | null> {
  const contents = new Map<string, RepeatedContent>()
  const others: VersionedDocument[] = []
  let last: RepeatedContent | null = null
  for (const [index, document] of run.entries()) {
    if (!mayBeRepeated(document)) others.push(document)
    else {
      if (last === null || !sharesContent(last.first, document)) {
        const { hashIn, hashOut, stateOut, facts, downtimes, segments } = document
        const key = JSON.stringify([hashIn, hashOut, stateOut, facts, downtimes, segments])
        last = contents.get(key) ?? { first: document, slots: [] }
        contents.set(key, last)
      }
      last.slots.push(document.slotMs / 1000)
    }
    if ((contents.size + others.length) * minHoursPerRow > Math.max(index + 1, minDocumentsForAverage)) return null
    yield
  }
  return { rows: yield* repeatedBlock([...contents.values()], run), others }
}

/** Whether `repeated_hours` has columns for all lists of a document, and the document has no job run. */
function mayBeRepeated({ alarms, setups, parts, adjustments, facts, segments }: VersionedDocument): boolean {
  const hasNoRun = ({ run }: { readonly run: number }) => run === 0
  const areEmpty = [alarms, setups, parts, adjustments].every(({ length }) => length === 0)
  return areEmpty && facts.every(hasNoRun) && segments.every(hasNoRun)
}

/** Whether two documents of a machine share their lists, as hours without events do (`HourComputer`). */
function sharesContent(a: VersionedDocument, b: VersionedDocument): boolean {
  return (
    a.facts === b.facts &&
    a.segments === b.segments &&
    a.downtimes === b.downtimes &&
    a.hashIn === b.hashIn &&
    a.hashOut === b.hashOut &&
    a.stateOut === b.stateOut
  )
}
