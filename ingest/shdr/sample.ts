import type { WireSample } from '../../schema/topics.ts'
import { isLevel, type Items, type ShdrObservation } from './line.ts'

export type ReplaySample = Omit<WireSample, 'machineId'>

/**
 * Converts an observation to a sample. For a key that the device does not have, the name becomes the type, and the
 * shape of the value determines the category.
 */
export function toSample(observation: ShdrObservation, items: Items): ReplaySample {
  const { timestamp, key, value, ...details } = observation
  const item = items.get(key)
  const type = item?.type ?? key.toUpperCase()
  const category = item?.category ?? categoryByShape(observation)
  const subtype = item?.subtype ? { subtype: item.subtype } : {}
  const texts = Object.fromEntries(Object.entries(details).filter(([, text]) => text !== ''))
  return { timestamp, key, type, ...subtype, value, category, ...texts }
}

function categoryByShape({ value, nativeCode }: ShdrObservation): 'CONDITION' | 'SAMPLE' | 'EVENT' {
  if (nativeCode !== undefined && isLevel(value)) return 'CONDITION'
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? 'SAMPLE' : 'EVENT'
}
