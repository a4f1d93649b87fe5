import type { WireSample } from '../../schema/topics.ts'
import type { Observation } from './parsed-line.ts'

export type ReplaySample = Omit<WireSample, 'machineId'>

/** Converts an observation to a sample. For a key that the device does not have, the key becomes the type. */
export function toSample(observation: Observation): ReplaySample {
  const { timestamp, key, item, value, category } = observation
  const sample: { -readonly [Field in keyof ReplaySample]: ReplaySample[Field] } = {
    timestamp,
    key,
    type: item?.type ?? key.toUpperCase(),
    value,
    category,
  }
  if (item && item.subtype !== '') sample.subtype = item.subtype
  if (observation.nativeCode) sample.nativeCode = observation.nativeCode
  if (observation.nativeSeverity) sample.nativeSeverity = observation.nativeSeverity
  if (observation.qualifier) sample.qualifier = observation.qualifier
  if (observation.message) sample.message = observation.message
  return sample
}
