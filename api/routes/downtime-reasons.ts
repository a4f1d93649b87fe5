import { downtimeReasonResponse } from '../../schema/records/downtime-reason.ts'
import { anyOf } from '../auth/scopes.ts'
import { recordRoutes, withoutCompany } from './record-routes.ts'

export const downtimeReasonRoutes = recordRoutes({
  kind: 'downtimeReason',
  path: '/downtime-reasons',
  ids: 'int',
  read: anyOf('annotation.read'),
  write: anyOf('annotation'),
  output: downtimeReasonResponse,
  // Records of earlier versions lack these fields.
  present: ({ group = null, machineGroupIds = [], ...record }) => ({
    ...withoutCompany(record),
    group,
    machineGroupIds,
  }),
  list: { summary: 'All downtime reasons, by id', description: 'Includes hidden ones.' },
  order: (a, b) => a.id - b.id,
  post: { summary: 'Create a downtime reason', description: 'The next id is assigned.' },
  put: {
    summary: 'Create or replace a downtime reason',
    description:
      'Omitted fields get their defaults. A change of `planned` also changes past reports. `group` and `machineGroupIds` determine which reasons screens offer; stops of other machines may have the reason too.',
  },
  delete: {
    summary: 'Delete a downtime reason that no annotation uses',
    description: '409 if an annotation uses it: hide it instead.',
  },
})
