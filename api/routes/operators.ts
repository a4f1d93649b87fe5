import { exampleIds } from '../../schema/example-ids.ts'
import { operatorResponse } from '../../schema/records/operator.ts'
import { anyOf } from '../auth/scopes.ts'
import { recordRoutes, withoutCompany } from './record-routes.ts'
import { timedKinds } from '../../clickhouse/projections/timed-records.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import { int64, sql } from '../../clickhouse/sql/sql.ts'
import { openEnd } from '../../clickhouse/tables/values.ts'
import { maxSignInMs } from '../../schema/records/company.ts'
import { list, partial, text, unsafe } from '../../schema/types.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import {
  type OperatorRunResponse,
  operatorRunResponse,
  operatorRunEndInput,
  operatorRunInput,
  operatorRunList,
} from '../../schema/records/operator-run.ts'
import { route, commandBody } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { CommandsPort, RecordsPort, StorePort } from '../ports/ports.ts'
import { findRecord } from './find-record.ts'
import { answerPage, readPage } from './page.ts'
import { pathId, submit, withId } from '../commands/submit.ts'
import { rangeQuery } from '../../schema/requests/page.ts'

export const operatorRoutes = recordRoutes({
  kind: 'operator',
  path: '/operators',
  read: anyOf('operator'),
  write: anyOf('operator'),
  output: operatorResponse,
  present: ({ id, name }) => ({ id, name }),
  list: { summary: 'All operators' },
  get: { summary: 'One operator' },
  put: { summary: 'Create or rename an operator' },
  delete: {
    summary: 'Delete an operator who never signed in',
    description: '409 if the operator has signed in: reports refer to the operator.',
  },
})

const path = '/operator-runs'

const listOperatorRuns = route(`GET ${path}`, 'listOperatorRuns', {
  summary: 'Sign-ins of operators, by start',
  description:
    'Sign-ins that overlap the range. A sign-in without an end expires after `operatorMaxHours` of the settings.',
  scope: anyOf('operator'),
  query: partial({ machineId: list(text, { maxItems: 1000 }), ...rangeQuery }),
  output: unsafe<JsonList<OperatorRunResponse>>(operatorRunList),
  async handle(call, { records, store }: RecordsPort & StorePort) {
    const { company } = call.caller()
    const deps = { records, store, companyId: company.id }
    const runs = await readPage(signIns(company, deps), deps, call.query.machineId, call)
    return answerPage(runs, withoutCompany, path, call)
  },
})

const startOperatorRun = route(`POST ${path}`, 'startOperatorRun', {
  summary: 'Sign an operator in on a machine',
  description: 'If the operator is signed in there at that time, the response is the existing sign-in.',
  scope: anyOf('operator'),
  body: commandBody(operatorRunInput),
  keyed: {},
  output: operatorRunResponse,
  async handle({ caller, body }, deps: CommandsPort) {
    return withoutCompany(await submit(deps, caller(), 'operatorRun.start', body))
  },
})

const endOperatorRun = route(`POST ${path}/:id/end`, 'endOperatorRun', {
  example: { id: exampleIds.operatorRun },
  summary: 'Sign an operator out',
  description: 'An `endAt` corrects an earlier one; an end at the start undoes the sign-in.',
  scope: anyOf('operator'),
  body: commandBody(operatorRunEndInput),
  keyed: {},
  output: operatorRunResponse,
  async handle({ caller, params, body }, deps: CommandsPort) {
    return withoutCompany(await submit(deps, caller(), 'operatorRun.end', withId(body, pathId(params))))
  },
})

function signIns({ id, settings }: CompanyRecord, deps: RecordsPort & StorePort) {
  const maxMs = maxSignInMs(settings)
  const endMs = sql`least(ifNull(end_ms, ${openEnd.none}), start_ms + ${int64(maxMs)})`
  return {
    of: timedKinds.operatorRun,
    find: (runId: string, options: QueryOptions) => findRecord(deps, id, 'operatorRun', runId, options),
    lasting: { maxMs, reaches: (atMs: number) => ({ rows: [sql`${endMs} > ${int64(atMs)}`] }) },
  }
}

export const operatorRunRoutes = [listOperatorRuns, startOperatorRun, endOperatorRun]
