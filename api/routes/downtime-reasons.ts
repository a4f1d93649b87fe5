import { exampleIds } from '../../schema/example-ids.ts'
import { downtimeReasonAnswer } from '../../schema/records/downtime-reason.ts'
import { anyOf } from '../auth/scopes.ts'
import { deleteRecord, listRecords, postRecord, putRecord, type Resource, withoutCompany } from './record-routes.ts'

const downtimeReasons: Resource<'downtimeReason', typeof downtimeReasonAnswer> = {
  kind: 'downtimeReason',
  exampleId: exampleIds.downtimeReason,
  path: '/downtime-reasons',
  ids: 'int',
  read: anyOf('annotation.read'),
  write: anyOf('annotation'),
  output: downtimeReasonAnswer,
  present: withoutCompany,
}

export const downtimeReasonRoutes = [
  listRecords(downtimeReasons, { summary: 'All downtime reasons', description: 'Includes hidden ones.' }),
  postRecord(downtimeReasons, { summary: 'Create a downtime reason', description: 'The next id is assigned.' }),
  putRecord(downtimeReasons, {
    summary: 'Create or replace a downtime reason',
    description: 'Omitted fields get their defaults. A change of `planned` also changes past reports.',
  }),
  deleteRecord(downtimeReasons, {
    summary: 'Delete a downtime reason that no annotation uses',
    description: '409 if an annotation uses it: hide it instead.',
  }),
]
