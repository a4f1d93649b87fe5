import { alarmLevels, levelCodes } from '../../clickhouse/tables/values.ts'
import { compileAlarm } from './compile/alarm.ts'
import { alarmRows } from './fold/event-rows.ts'
import { type EntityResolver, nativeCodeResolver, readNativeCodes } from './groupings/entity-resolvers.ts'
import { type AlarmPlan, planAlarm } from './plan/alarm.ts'
import { keyNames } from './plan/plan.ts'
import { eventColumns, eventValues } from './present/event-values.ts'
import type { EventReport } from './report.ts'
import { parseAlarm, type AlarmRequest } from './request/parse.ts'
import type { Columns } from './query/query.ts'

/** `POST /reports/alarm`: alarm instances, cut to the range. */
export const alarmReport: EventReport<AlarmRequest, AlarmPlan> = {
  name: 'alarm',
  parse: parseAlarm,
  plan: planAlarm,
  sources: { maxStaleMachines: null, splitsHours: false },
  compile: compileAlarm,
  // Ids are assigned shortly after the documents are written; 0: no id yet.
  completion: plan => ({
    isComplete: columns => !nativeCodesIn(plan, columns).includes(0),
    message: 'Some native codes have no id yet',
  }),
  entityResolvers: async ({ plan }, columns, queries) => {
    const natives = await readNativeCodes(plan.companyRef, nativeCodesIn(plan, columns), queries)
    return { state: stateResolver, nativeCode: nativeCodeResolver(natives) }
  },
  rows: alarmRows,
  values: ({ metrics }, folded) => eventValues('alarm', folded, metrics),
  columns: ({ metrics }) => eventColumns('alarm', metrics),
}

/** Ids of native codes that group the rows, each once. */
function nativeCodesIn(plan: AlarmPlan, columns: Columns): readonly number[] {
  const names = keyNames(plan).filter(name => name !== 'cell')
  const ids = new Set<unknown>(plan.keys.nativeCode ? columns[names.indexOf('nativeCode')] : [])
  return [...ids].filter(id => typeof id === 'number')
}

const stateResolver: EntityResolver = {
  key: 'state',
  find: (_, level) => {
    const state = alarmLevels.find(each => levelCodes.code(each) === level)
    return state ? [{ id: state, name: state }] : []
  },
}
