import { setTimeout as sleep } from 'node:timers/promises'
import { int, wide } from '../../../clickhouse/client/kinds.ts'
import type { RowOf } from '../../../clickhouse/client/rows.ts'
import { alarmLevels, levelCodes } from '../../../clickhouse/tables/values.ts'
import { unavailable } from '../../../schema/errors.ts'
import { readNativeCodes } from '../alarm-instances/run.ts'
import type { Finder } from '../entities.ts'
import { parseAlarm } from '../parse.ts'
import type { EventRow } from '../events/groups.ts'
import { findsNothing } from '../events/plan.ts'
import type { EventReport } from '../events/report.ts'
import type { AlarmRequest } from '../request.ts'
import { askDocuments } from '../ask.ts'
import { compileAlarm } from './compile.ts'
import { nativeCodeFinder } from './native-codes.ts'
import { partsOf } from './parts.ts'
import { type AlarmPlan, planAlarm } from './plan.ts'

const answerShape = {
  k_machine: int,
  k_state: int,
  k_native: int,
  first_cell: int,
  last_cell: int,
  records: wide,
  total_ms: wide,
  into_first: wide,
  into_last: wide,
  first_ms: wide,
  last_ms: wide,
} as const
type Answer = readonly RowOf<typeof answerShape>[]

const stateFinder: Finder = {
  key: 'state',
  find: (_, level) => {
    const state = alarmLevels.find(each => levelCodes.code(each) === level)
    return state ? [{ id: state, name: state }] : []
  },
}

/** `POST /reports/alarm`. */
export const alarmReport: EventReport<AlarmRequest, AlarmPlan> = {
  name: 'alarm',
  parse: parseAlarm,
  values: ({ metrics }) => metrics,
  plan: planAlarm,
  async read(plan, view, deps) {
    const { states, codes, natives } = plan
    if (findsNothing(plan, states, codes.only, natives.only))
      return { rows: [], finders: { state: stateFinder, nativeCode: nativeCodeFinder([]) } }
    const ask = () => askDocuments(plan, view, provisional => compileAlarm(plan, provisional), answerShape, deps)
    const answer = await untilIdentified(plan, ask, deps.options.signal)
    const ids = plan.byNativeCode ? [...new Set(answer.map(row => row.k_native))] : []
    const found = await readNativeCodes(plan.company, ids, deps.store, deps.options)
    return {
      rows: rowsOf(answer, plan),
      finders: { state: stateFinder, nativeCode: nativeCodeFinder(found) },
    }
  },
}

/** Ids follow the documents within moments. */
const waitsMs = [50, 100, 200, 400, 800]

/** Asks until every native code that is grouped by has its id. Rejects with 503 where one doesn't get it. */
async function untilIdentified(
  { byNativeCode }: AlarmPlan,
  ask: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  for (const waitMs of waitsMs) {
    const answer = await ask()
    if (!byNativeCode || answer.every(row => row.k_native !== 0)) return answer
    await sleep(waitMs, undefined, signal && { signal })
  }
  throw unavailable('Some native codes have no id yet')
}

function rowsOf(answer: Answer, { cellsMs }: AlarmPlan): readonly EventRow[] {
  const starts = cellsMs.map(ms => ms / 1000)
  return answer.map(row => {
    const { k_machine: machine, records } = row
    const span = {
      records,
      firstCell: row.first_cell,
      lastCell: row.last_cell,
      totalMs: row.total_ms,
      intoFirstMs: row.into_first,
      intoLastMs: row.into_last,
      firstMs: row.first_ms,
      lastMs: row.last_ms,
    }
    return { machine, records, parts: partsOf(span, starts, { machine, state: row.k_state, nativeCode: row.k_native }) }
  })
}
