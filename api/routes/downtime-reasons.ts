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
  listRecords(downtimeReasons, { summary: 'Every downtime reason', description: 'Hidden ones too.' }),
  postRecord(downtimeReasons, { summary: 'Create a downtime reason', description: 'It gets the next id.' }),
  putRecord(downtimeReasons, {
    summary: 'Create or replace a downtime reason',
    description: 'What is left out has its default. Whether it is planned changes past reports too.',
  }),
  deleteRecord(downtimeReasons, {
    summary: 'Delete a downtime reason that no annotation names',
    description: '409 while annotations do: hide it instead.',
  }),
]
