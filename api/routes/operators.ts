import { exampleIds } from '../../schema/example-ids.ts'
import { operatorAnswer } from '../../schema/records/operator.ts'
import { anyOf } from '../auth/scopes.ts'
import { deleteRecord, getRecord, listRecords, putRecord, type Resource } from './record-routes.ts'

const operators: Resource<'operator', typeof operatorAnswer> = {
  kind: 'operator',
  exampleId: exampleIds.operator,
  path: '/operators',
  read: anyOf('operator'),
  write: anyOf('operator'),
  output: operatorAnswer,
  present: ({ id, name }) => ({ id, name }),
}

export const operatorRoutes = [
  listRecords(operators, { summary: 'All operators' }),
  getRecord(operators, { summary: 'One operator' }),
  putRecord(operators, { summary: 'Create or rename an operator' }),
  deleteRecord(operators, {
    summary: 'Delete an operator who never signed in',
    description: '409 if the operator has signed in: reports refer to the operator.',
  }),
]
