import type { OperatorRecord, OperatorRunRecord } from '../records.ts'
import { id, instant, looseInstant, name, nullable, object, partial, schema, text, uuid } from './json-schema.ts'

export type OperatorAnswer = Pick<OperatorRecord, 'id' | 'name'>

export const operator = schema<OperatorAnswer>(object({ id: text, name: text }))

/** Body of `PUT /operators/:id`. */
export const operatorInput = { ...object({ name }), examples: [{ name: 'Ann' }] }

/** A sign-in as stored. */
export type OperatorRunAnswer = Omit<OperatorRunRecord, 'companyId'>

export const operatorRun = schema<OperatorRunAnswer>(
  object({ id: uuid, machineId: uuid, operatorId: text, startAt: instant, endAt: nullable(instant) }),
)

const nowUnlessGiven = { ...nullable(looseInstant), description: 'ISO 8601 date-time; now unless given' }

/** Body of `POST /operator-runs`. */
export const operatorRunInput = {
  ...partial({ machineId: uuid, operatorId: id, startAt: nowUnlessGiven }),
  required: ['machineId', 'operatorId'],
}

/** Body of `POST /operator-runs/:id/end`. */
export const operatorRunEndInput = partial({ endAt: nowUnlessGiven })
