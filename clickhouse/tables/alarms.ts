import { table } from './table.ts'

const identified = {
  company: 'UInt32',
  machine: 'UInt32',
  key: 'LowCardinality(String)',
  code: 'LowCardinality(String)',
  level: 'UInt8',
  start_ms: 'Int64',
  id: 'Int32',
  version: 'UInt64',
} as const

export const alarmIds = table('alarm_ids', identified)
export const alarmIdsById = table('alarm_ids_by_id', identified)

export const nativeCodes = table('native_codes', {
  company: 'UInt32',
  code: 'String',
  message: 'String',
  level: 'UInt8',
  id: 'Int32',
  version: 'UInt64',
})

export const alarmProgress = table('alarm_progress', { partition: 'UInt32', version: 'UInt64' })
