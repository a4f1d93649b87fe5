import type { Records } from '../../processors/records/records.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { KeyRules } from './key-rules.ts'

/** Rules of posted samples by the id of their machine. */
export type PostedMappings = ReadonlyMap<string, KeyRules>

/**
 * Follows the connectors of kind `http`, and returns a function that returns the rules of enabled ones; null: there are
 * none. Rules are compiled once for each version of a record.
 */
export function followPostedMappings(records: Records): () => PostedMappings | null {
  const compiled = new WeakMap<ConnectorRecord, KeyRules>()
  let current: PostedMappings | null = null
  let isCurrent = false
  records.onChange(({ kind }) => {
    if (kind === 'connector' || kind === 'company') isCurrent = false
  })
  const rulesOf = (connector: ConnectorRecord): KeyRules => {
    let rules = compiled.get(connector)
    if (rules === undefined) compiled.set(connector, (rules = new KeyRules(connector.rules)))
    return rules
  }
  const read = (): PostedMappings | null => {
    const byMachine = new Map<string, KeyRules>()
    for (const { id } of records.companies())
      for (const connector of records.list('connector', id))
        if (connector.kind === 'http' && connector.enabled && connector.rules.length > 0)
          for (const { machineId } of connector.machines)
            if (typeof machineId === 'string') byMachine.set(machineId, rulesOf(connector))
    return byMachine.size === 0 ? null : byMachine
  }
  return () => {
    if (!isCurrent) current = read()
    isCurrent = true
    return current
  }
}
