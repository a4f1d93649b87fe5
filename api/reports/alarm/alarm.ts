import { setTimeout as sleep } from 'node:timers/promises'
import { levels } from '../../../clickhouse/documents/document-rows.ts'
import { unavailable } from '../../../schema/errors.ts'
import { readNativeCodes } from '../alarm-instances/run.ts'
import type { Finder } from '../entities.ts'
import { parseAlarm } from '../parse.ts'
import type { RecordRow } from '../counted/groups.ts'
import { findsNothing } from '../counted/plan.ts'
import type { RecordReport } from '../counted/report.ts'
import type { AlarmRequest } from '../request.ts'
import { askDocuments } from '../ask.ts'
import { compileAlarm } from './compile.ts'
import { nativeCodeFinder } from './native-codes.ts'
import { partsOf } from './parts.ts'
import { type AlarmPlan, planAlarm } from './plan.ts'

type Answer = [
  ...[machine: number[], state: number[], native: number[], firstCell: number[], lastCell: number[]],
  ...[records: number[], totalMs: number[], intoFirst: number[], intoLast: number[], first: number[], last: number[]],
]

const stateFinder: Finder = {
  key: 'state',
  find: (_, level) => {
    const state = typeof level === 'number' ? levels[level] : undefined
    return state ? [{ id: state, name: state }] : []
  },
}

/** `POST /reports/alarm`. */
export const alarmReport: RecordReport<AlarmRequest, AlarmPlan> = {
  name: 'alarm',
  parse: parseAlarm,
  values: ({ metrics }) => metrics,
  plan: planAlarm,
  async read(plan, plant, deps) {
    const { states, codes, natives } = plan
    if (findsNothing(plan, states, codes.only, natives.only))
      return { rows: [], finders: { state: stateFinder, nativeCode: nativeCodeFinder([]) } }
    const ask = () => askDocuments<Answer>(plan, plant, carried => compileAlarm(plan, carried), deps)
    const answer = await untilIdentified(plan, ask, deps.options.signal)
    const ids = plan.byNativeCode ? [...new Set(answer[2])] : []
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
    if (!byNativeCode || !answer[2].includes(0)) return answer
    await sleep(waitMs, undefined, signal && { signal })
  }
  throw unavailable('Some native codes have no id yet')
}

function rowsOf(answer: Answer, { cellsMs }: AlarmPlan): readonly RecordRow[] {
  const [machines, states, natives, firstCells, lastCells, counts, totals, intoFirst, intoLast, firsts, lasts] = answer
  const starts = cellsMs.map(ms => ms / 1000)
  return machines.map((machine, i) => {
    const keys = { machine, state: states[i] ?? 0, nativeCode: natives[i] ?? 0 }
    const records = counts[i] ?? 0
    const span = {
      records,
      firstCell: firstCells[i] ?? 0,
      lastCell: lastCells[i] ?? 0,
      totalMs: totals[i] ?? 0,
      intoFirstMs: intoFirst[i] ?? 0,
      intoLastMs: intoLast[i] ?? 0,
      firstMs: firsts[i] ?? 0,
      lastMs: lasts[i] ?? 0,
    }
    return { machine, records, parts: partsOf(span, starts, keys) }
  })
}
