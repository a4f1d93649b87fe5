import { Type } from 'typebox'
import { statuses } from '../document.ts'
import * as t from '../types.ts'
import { type AlertCondition, alarmStates, alertKinds, type StopReason, systemChecks } from './alert-condition.ts'

const unlimited = Type.Number({ minimum: 0, maximum: 1e9 })
export const stopReasonSchema = t.unsafe<StopReason>({
  anyOf: [t.intId, t.named('StopWithoutReason', t.oneOf(['setup', 'uncategorized']))],
})

const stopFields = { reasons: t.list(stopReasonSchema, { maxItems: 1_000 }) }
export const alarmStateSchema = t.named('AlertAlarmState', t.oneOf(alarmStates))
const alarmFields = {
  nativeCodes: t.list(t.longText, { maxItems: 1_000 }),
  states: t.list(alarmStateSchema, { maxItems: 2 }),
  text: Type.String({ maxLength: 200 }),
}
const stops = t.named('AlertStops', t.object(stopFields))
const alarms = t.named('AlertAlarms', t.object(alarmFields))
export const statusSchema = t.named('AlertStatus', t.oneOf(statuses))
const disconnected = t.named('AlertConnectorState', t.oneOf(['disconnected']))
export const systemCheckSchema = t.named('AlertSystemCheck', t.oneOf(systemChecks))

const forms = {
  stop: t.named('StopCondition', t.object({ stop: stops })),
  status: t.named('StatusCondition', t.object({ status: t.list(statusSchema, { minItems: 1, maxItems: 4 }) })),
  silent: t.named('SilentCondition', t.object({ silent: t.unsafe<true>({ ...t.bool, const: true }) })),
  alarm: t.named('AlarmCondition', t.object({ alarm: alarms })),
  call: t.named('CallCondition', t.object({ call: t.list(t.id, { maxItems: 100 }) })),
  connector: t.named('ConnectorCondition', t.object({ connector: disconnected })),
  system: t.named('SystemCondition', t.object({ system: systemCheckSchema, above: unlimited }, ['above'])),
}

export const alertKind = t.named('AlertKind', t.oneOf(alertKinds))

/** Schema of a condition: exactly one form. */
export const alertCondition = t.named('AlertCondition', t.unsafe<AlertCondition>({ oneOf: Object.values(forms) }))
