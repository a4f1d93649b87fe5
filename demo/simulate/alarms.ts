/** An alarm of the simulated controls. */
export interface Alarm {
  readonly key: string
  readonly type: string
  readonly nativeCode: string
  readonly message: string
}

/** Condition keys of every machine, for which it reports NORMAL without alarms. */
export const conditionKeys = [
  { key: 'system_cond', type: 'SYSTEM' },
  { key: 'logic_cond', type: 'LOGIC_PROGRAM' },
  { key: 'motion_cond', type: 'MOTION_PROGRAM' },
  { key: 'servo_cond', type: 'ACTUATOR' },
  { key: 'coolant_cond', type: 'LEVEL' },
] as const

/** Alarms that stop the machine. */
export const faults: readonly [Alarm, ...Alarm[]] = [
  { key: 'system_cond', type: 'SYSTEM', nativeCode: '2041', message: 'SPINDLE OVERLOAD' },
  { key: 'system_cond', type: 'SYSTEM', nativeCode: '2107', message: 'HYDRAULIC PRESSURE LOW' },
  { key: 'logic_cond', type: 'LOGIC_PROGRAM', nativeCode: '381', message: 'TOOL LIFE EXPIRED' },
  { key: 'motion_cond', type: 'MOTION_PROGRAM', nativeCode: '626', message: 'TOOL NOT IN MAGAZINE' },
  { key: 'servo_cond', type: 'ACTUATOR', nativeCode: 'SV0411', message: 'EXCESS ERROR X AXIS' },
]

/** Alarms that do not stop the machine. */
export const warnings: readonly [Alarm, ...Alarm[]] = [
  { key: 'coolant_cond', type: 'LEVEL', nativeCode: 'C12', message: 'COOLANT LEVEL LOW' },
  { key: 'logic_cond', type: 'LOGIC_PROGRAM', nativeCode: '359', message: 'CHIP CONVEYOR FULL' },
  { key: 'system_cond', type: 'SYSTEM', nativeCode: '1468', message: 'MAINTENANCE DUE' },
]
