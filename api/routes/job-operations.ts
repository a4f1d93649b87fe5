import { partial, text, unsafe, bool } from '../../schema/types.ts'
import { type PageQuery, pageQuery } from '../../schema/requests/page.ts'
import {
  type JobOperationRecord,
  type JobOperationResponse,
  jobOperationResponse,
  jobOperationList,
} from '../../schema/records/job-operation.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import { answerPage, unknownAfter } from './page.ts'
import type { RecordsPort } from '../ports/ports.ts'
import { recordRoutes } from './record-routes.ts'

const path = '/job-operations'
const read = anyOf('erp.read')

const names = ['jobName', 'lotName', 'operationName', 'partName'] as const

type OperationsQuery = PageQuery & { readonly archived?: boolean } & Partial<
    Pick<JobOperationRecord, (typeof names)[number]>
  >

const listOperations = route(`GET ${path}`, 'listJobOperations', {
  summary: 'Job operations, oldest first',
  description: 'Job operations that match all given names.',
  scope: read,
  query: partial({
    jobName: text,
    lotName: text,
    operationName: text,
    partName: text,
    archived: { ...bool, description: 'true: only archived ones; false: only active ones' },
    ...pageQuery,
  }),
  output: unsafe<JsonList<JobOperationResponse>>(jobOperationList),
  handle(call, deps: RecordsPort) {
    const { query } = call
    const { id: companyId } = call.caller().company
    const last = query.after === undefined ? null : deps.records.get('jobOperation', companyId, query.after)
    if (query.after !== undefined && !last) throw unknownAfter(query.after)
    const all = deps.records.list('jobOperation', companyId)
    const rest = last ? all.slice(all.indexOf(last) + 1) : all
    const found = rest.filter(operation => matches(operation, query))
    return answerPage(found, present, path, call)
  },
})

function matches(operation: JobOperationRecord, query: OperationsQuery): boolean {
  if (query.archived !== undefined && query.archived !== (operation.archivedAt !== null)) return false
  return names.every(name => query[name] === undefined || query[name] === operation[name])
}

function present(operation: JobOperationRecord): JobOperationResponse {
  const { companyId: _, ref: __, ...shown } = operation
  return shown
}

export const jobOperationRoutes = [
  listOperations,
  ...recordRoutes({
    kind: 'jobOperation',
    path,
    read,
    write: anyOf('erp'),
    output: jobOperationResponse,
    present,
    get: { summary: 'One job operation' },
    put: {
      summary: 'Create or replace a job operation',
      description:
        'Its four names together are unique in the company. Omitted fields get their defaults. Part times and multipliers also change past reports.',
    },
    delete: {
      summary: 'Delete a job operation that never ran',
      description: '409 if it has run: archive it instead.',
    },
  }),
]
