import { readOperations } from '../../clickhouse/projections/job-operations.ts'
import { partial, text, unsafe, bool } from '../../schema/types.ts'
import { pageQuery } from '../../schema/requests/page.ts'
import {
  type JobOperationRecord,
  type JobOperationResponse,
  jobOperationResponse,
  jobOperationList,
} from '../../schema/records/job-operation.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import { findRecord } from './find-record.ts'
import { answerPage, pageSize, unknownAfter } from './page.ts'
import type { RecordsPort, StorePort } from '../ports/ports.ts'
import { recordRoutes } from './record-routes.ts'

const path = '/job-operations'
const read = anyOf('erp.read')

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
  async handle(call, deps: RecordsPort & StorePort) {
    const { query, signal } = call
    const { id: companyId } = call.caller().company
    const { after, ...filter } = query
    const last = after === undefined ? null : await findRecord(deps, companyId, 'jobOperation', after, { signal })
    if (after !== undefined && !last) throw unknownAfter(after)
    const page = { ...filter, afterRef: last?.ref ?? 0, limit: pageSize(query) + 1 }
    return answerPage(await readOperations(deps.store, companyId, page, { signal }), present, path, call)
  },
})

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
