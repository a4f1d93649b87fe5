import type { ConnectorMachine, ConnectorRecord } from './connector.ts'

/** Returns the name of the captured level that is the id of a machine, such as `machine` of `{machine}`; undefined: none is. */
export function templateName(machineId: ConnectorMachine['machineId']): string | undefined {
  return typeof machineId === 'string' ? /^\{(\w+)\}$/.exec(machineId)?.[1] : undefined
}

/** The machines that a connector names, with the field of each. */
export function* assignedMachines({
  machines,
}: Pick<ConnectorRecord, 'machines'>): Generator<readonly [field: string, machineId: string]> {
  for (const [index, { machineId, paths }] of machines.entries()) {
    const field = `machines[${index}].machineId`
    if (typeof machineId === 'object')
      for (const [key, each] of Object.entries(machineId)) yield [`${field}.${key}`, each]
    else if (templateName(machineId) === undefined) yield [field, machineId]
    for (const [key, each] of Object.entries(paths)) yield [`machines[${index}].paths.${key}`, each]
  }
}
