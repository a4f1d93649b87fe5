import { wireSample } from '../../ingest/decode/dead-letters.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import type { ConnectorRecord, MappingRule } from '../../schema/records/connector.ts'
import type { Sample } from '../../schema/sample.ts'
import type { Found } from './discover.ts'
import { FoundValues } from './found-values.ts'

/**
 * Returns the keys of stored samples of a machine, by time, and their recording, without those that a rule of its connector has
 * mapped: the values that were sent are unknown.
 */
export function findPosted(
  machineId: string,
  samples: readonly Sample[],
  connectors: readonly Pick<ConnectorRecord, 'kind' | 'machines' | 'rules'>[],
): Found {
  const rules = connectors
    .filter(({ kind, machines }) => kind === 'http' && machines.some(each => each.machineId === machineId))
    .flatMap(each => each.rules)
  const sent = samples.filter(sample => !rules.some(rule => hasMapped(rule, sample)))
  const found = new FoundValues()
  for (const { key, value } of sent) found.add(key, value)
  // A recording is limited, and the newest samples matter most.
  for (const sample of sent.toReversed()) found.record(JSON.stringify(wireSample(machineId, sample)))
  const { values, recording } = found.take()
  return { devices: [], values, recording: recording.toReversed() }
}

/** Whether a sample may be the result of a rule. */
function hasMapped({ from, key = from, type }: MappingRule, sample: Sample): boolean {
  return isSame(key, sample.key) && (type === undefined || isSame(type, sample.type))
}

function isSame(a: string, b: string): boolean {
  return cachedCanonicalName(a) === cachedCanonicalName(b)
}
