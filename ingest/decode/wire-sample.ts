import type { Sample } from '../../schema/sample.ts'
import type { WireSample } from '../../schema/topics.ts'

/** Returns a sample as a sender would write it. */
export function wireSample(machineId: string, sample: Sample): WireSample {
  const { key, type, value, category, instanceId, sequence } = sample
  const texts = { subtype: sample.subtype, nativeCode: sample.nativeCode, nativeSeverity: sample.nativeSeverity }
  const details = { ...texts, qualifier: sample.qualifier, message: sample.message }
  const filled = Object.fromEntries(Object.entries(details).filter(([, text]) => text !== ''))
  const identity = instanceId === null || sequence === null ? {} : { instanceId, sequence }
  return { machineId, timestamp: isoMicroseconds(sample.atUs), key, type, value, category, ...filled, ...identity }
}

/** Returns `YYYY-MM-DDTHH:mm:ss.SSSSSSZ`. */
function isoMicroseconds(atUs: number): string {
  const atMs = Math.floor(atUs / 1000)
  const micros = String(atUs - atMs * 1000).padStart(3, '0')
  return `${new Date(atMs).toISOString().slice(0, -1)}${micros}Z`
}
