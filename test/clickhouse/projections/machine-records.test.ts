import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Store } from '../../../clickhouse/client/store.ts'
import { readMachineRecords } from '../../../clickhouse/projections/machine-records.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { effectiveRuns, endMsOf } from '../../../processors/records/effective-runs.ts'
import { machineInputs, shareCalendars, timedInputs } from '../../../processors/records/machine-inputs.ts'
import { signInSpan } from '../../../processors/records/spans.ts'
import { maxSignInMs } from '../../../schema/records/company.ts'
import type { TimedInputs } from '../../../processors/timeline/types.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../../schema/records/operator-run.ts'
import type { MachineSpan, StartsFilter } from '../../../schema/records/timed-records.ts'
import { recordHistory } from '../../../service/record-history.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { projectRecords } from '../../support/project-records.ts'
import { forAll } from '../../support/for-all.ts'
import { must } from '../../processors/timeline/support.ts'
import { anyAct, anyInstant, blockMs, machineIds, newPlant, nowBlock, perform } from './record-acts.ts'

const calendarOf = shareCalendars(createCalendar)
const iso = (ms: number): string => new Date(ms).toISOString()

/** Spans of random bounds, often those of blocks; in half of the cases, all have the same bounds. */
function anySpans(): fc.Arbitrary<readonly MachineSpan[]> {
  const block = fc.integer({ min: -3, max: 2 }).map(index => (nowBlock + index) * blockMs)
  const anyBounds = fc
    .tuple(fc.oneof(block, anyInstant.map(Date.parse)), fc.constantFrom(1, hourMs, blockMs, 2 * blockMs))
    .map(([fromMs, lengthMs]) => ({ fromMs, toMs: fromMs + lengthMs }))
  const machineId = fc.constantFrom(...machineIds)
  const anySpan = fc
    .tuple(machineId, anyBounds)
    .map(([id, bounds]) => ({ machineId: id, fromMs: bounds.fromMs, toMs: bounds.toMs }))
  const ofAll = anyBounds.chain(bounds =>
    fc.array(
      machineId.map(id => ({ machineId: id, fromMs: bounds.fromMs, toMs: bounds.toMs })),
      { minLength: 1 },
    ),
  )
  return fc.oneof(fc.array(anySpan, { minLength: 4, maxLength: 10 }), ofAll)
}

describe('records of machines in spans', function () {
  const store = useFreshDatabase()

  it('Random records determine the same inputs of a span in memory and in the store, and by definition', async () => {
    await forAll(
      fc.asyncProperty(fc.array(anyAct(), { minLength: 10, maxLength: 40 }), anySpans(), async (acts, spans) => {
        const plant = newPlant()
        for (const act of acts) perform(plant, act)
        const fromStore = await readInputs(store(), plant, spans)
        for (const [index, span] of spans.entries()) {
          const fromMemory = machineInputs(plant.records, machineOf(plant, span), calendarOf, span)
          expectByDefinition(plant, span, fromMemory)
          const { runs, operators, annotations, adjustments } = fromMemory
          expect(fromStore[index], 'inputs from the store').to.deep.equal({ runs, operators, annotations, adjustments })
        }
      }),
      { numRuns: 25 },
    )
  })

  it('The next run, and the first and last start of records that match, are those of random records', async () => {
    await forAll(
      fc.asyncProperty(fc.array(anyAct(), { minLength: 10, maxLength: 40 }), anyInstant, async (acts, instant) => {
        const plant = newPlant()
        for (const act of acts) perform(plant, act)
        await projectRecords(store(), plant.entries)
        const history = recordHistory(store())
        const { records, companyId } = plant
        const [afterMs, longerThanMs] = [Date.parse(instant), 16 * hourMs]
        for (const machineId of machineIds) {
          const next = effectiveRuns(records.runsOf(machineId)).find(({ startMs }) => startMs > afterMs)
          expect(await history.readNextRunStart(companyId, machineId, afterMs)).to.equal(next?.startMs ?? null)
        }
        const isLong = (run: OperatorRunRecord) => endMsOf(run.endAt) - Date.parse(run.startAt) > longerThanMs
        const starts = {
          setupRuns: records.list('jobRun', companyId).filter(({ startInSetup }) => startInSetup),
          longSignIns: records.list('operatorRun', companyId).filter(isLong),
          adjustments: records
            .list('partAdjustment', companyId)
            .map(({ machineId, adjustmentTime: startAt }) => ({ machineId, startAt })),
        }
        const filters: readonly StartsFilter[] = [
          { kind: 'setupRuns' },
          { kind: 'longSignIns', longerThanMs },
          { kind: 'adjustments', categoryId: 1 },
        ]
        for (const filter of filters) {
          const read = await history.readStarts(companyId, filter)
          for (const { machineId, startAt } of starts[filter.kind]) {
            const found = read.find(each => each.machineId === machineId)
            expect(found?.firstMs, `first of ${filter.kind}`).to.be.at.most(Date.parse(startAt))
            expect(found?.lastMs, `last of ${filter.kind}`).to.be.at.least(Date.parse(startAt))
          }
        }
      }),
      { numRuns: 15 },
    )
  })
})

function machineOf({ records }: Plant, { machineId }: MachineSpan): MachineRecord {
  return must(records.machine(machineId) ?? undefined)
}

async function readInputs(store: Store, plant: Plant, spans: readonly MachineSpan[]): Promise<readonly TimedInputs[]> {
  const { records, companyId } = plant
  await projectRecords(store, plant.entries)
  const settings = must(records.company(companyId)?.settings)
  const read = await readMachineRecords(store, companyId, spans, maxSignInMs(settings), {})
  return spans.map((span, index) => timedInputs(records, machineOf(plant, span), must(read[index]), span))
}

interface Interval {
  readonly startMs: number
  readonly endMs: number
}

/** Compares inputs with the records at each instant of the span at which a record begins or ends, and just before. */
function expectByDefinition({ records, companyId }: Plant, span: MachineSpan, inputs: TimedInputs): void {
  const { machineId, fromMs, toMs } = span
  const isHere = (record: { readonly machineId: string }): boolean => record.machineId === machineId
  const settings = must(records.company(companyId)?.settings)
  const runs = records.list('jobRun', companyId).filter(run => isHere(run) && run.endAt !== run.startAt)
  const annotations = records.list('annotation', companyId).filter(isHere)
  const signIns = records.list('operatorRun', companyId).filter(isHere)
  const adjustments = records.list('partAdjustment', companyId).filter(isHere)
  const msOf = (text: string | null): number => (text === null ? Infinity : Date.parse(text))
  /** Ref of the run that was started last, by start and sequence, until its end. */
  const runAt = (atMs: number): readonly number[] => {
    const started = runs.filter(({ startAt }) => msOf(startAt) <= atMs)
    const last = started.sort((a, b) => msOf(a.startAt) - msOf(b.startAt) || a.startSequence - b.startSequence).at(-1)
    return last && atMs < msOf(last.endAt) ? [last.ref] : []
  }
  const texts = [...runs, ...annotations, ...signIns].flatMap(({ startAt, endAt }) => [startAt, endAt])
  const bounds = [...texts.map(msOf), ...signIns.map(run => signInSpan(run, settings).endMs)]
  const instants = [fromMs, toMs - 1, ...bounds.flatMap(atMs => [atMs - 1, atMs])]
  for (const atMs of instants.filter(each => each >= fromMs && each < toMs)) {
    const isIn = ({ startMs, endMs }: Interval): boolean => startMs <= atMs && atMs < endMs
    const at = iso(atMs)
    expect(
      inputs.runs.filter(isIn).map(({ run }) => run),
      `run at ${at}`,
    ).to.deep.equal(runAt(atMs))
    expect(
      inputs.annotations.filter(isIn).map(({ reason }) => reason),
      `annotation at ${at}`,
    ).to.deep.equal(
      annotations
        .filter(({ startAt, endAt }) => msOf(startAt) <= atMs && atMs < msOf(endAt))
        .map(({ reasonId }) => reasonId),
    )
    expect(
      inputs.operators.filter(isIn).map(({ operator }) => operator),
      `operators at ${at}`,
    ).to.have.members(
      signIns
        .filter(run => isIn(signInSpan(run, settings)))
        .map(({ operatorId }) => records.get('operator', companyId, operatorId)?.ref),
    )
  }
  // A run that starts at the end of the span ends the run before it.
  const last = inputs.runs.find(({ startMs, endMs }) => startMs < toMs && endMs >= toMs)
  if (last && runs.some(({ startAt }) => msOf(startAt) === toMs))
    expect(last.endMs, 'end of the last run').to.equal(toMs)
  const times = adjustments.map(({ adjustmentTime }) => msOf(adjustmentTime)).sort((a, b) => a - b)
  expect(inputs.adjustments.map(({ atMs }) => atMs)).to.deep.equal(times.filter(each => each >= fromMs && each < toMs))
}
