import { Type } from 'typebox'
import { statuses } from '../document.ts'
import { bool, id, intId, list, longText, named, object, oneOf, unsafe } from '../types.ts'
import { type AlertCondition, alarmStates, alertKinds, type StopReason, systemChecks } from './alert-condition.ts'

const unlimited = Type.Number({ minimum: 0, maximum: 1e9 })
export const stopReasonSchema = unsafe<StopReason>({
  anyOf: [intId, named('StopWithoutReason', oneOf(['setup', 'uncategorized']))],
})

const stopFields = { reasons: list(stopReasonSchema, { maxItems: 1_000 }) }
export const alarmStateSchema = named('AlertAlarmState', oneOf(alarmStates))
const alarmFields = {
  nativeCodes: list(longText, { maxItems: 1_000 }),
  states: list(alarmStateSchema, { maxItems: 2 }),
  text: Type.String({ maxLength: 200 }),
}
const stops = named('AlertStops', object(stopFields))
const alarms = named('AlertAlarms', object(alarmFields))
export const statusSchema = named('AlertStatus', oneOf(statuses))
const disconnected = named('AlertConnectorState', oneOf(['disconnected']))
export const systemCheckSchema = named('AlertSystemCheck', oneOf(systemChecks))

const forms = {
  stop: named('StopCondition', object({ stop: stops })),
  status: named('StatusCondition', object({ status: list(statusSchema, { minItems: 1, maxItems: 4 }) })),
  silent: named('SilentCondition', object({ silent: unsafe<true>({ ...bool, const: true }) })),
  alarm: named('AlarmCondition', object({ alarm: alarms })),
  call: named('CallCondition', object({ call: list(id, { maxItems: 100 }) })),
  connector: named('ConnectorCondition', object({ connector: disconnected })),
  system: named('SystemCondition', object({ system: systemCheckSchema, above: unlimited }, ['above'])),
}

export const alertKind = named('AlertKind', oneOf(alertKinds))

/** Schema of a condition: exactly one form. */
export const alertCondition = named('AlertCondition', unsafe<AlertCondition>({ oneOf: Object.values(forms) }))
