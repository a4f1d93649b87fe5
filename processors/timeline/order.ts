import type { Sample } from '../../schema/sample.ts'
import { nameOf } from '../../schema/canonical-name.ts'
import { compareTexts, compareValues } from './values.ts'

/**
 * Total order of samples, independent of arrival: by machine; then time to the microsecond; instance and sequence, those without
 * first; conditions that clear before those that raise, WARNING before FAULT; value. What is left only makes the order total.
 */
export function compareSamples(a: Sample, b: Sample): number {
  return a.machineRef - b.machineRef || a.atUs - b.atUs || compareAtOnce(a, b)
}

function compareAtOnce(a: Sample, b: Sample): number {
  return (
    // NaN where both have none: as good as 0.
    (a.instanceId ?? -Infinity) - (b.instanceId ?? -Infinity) ||
    (a.sequence ?? -Infinity) - (b.sequence ?? -Infinity) ||
    levelRank(a) - levelRank(b) ||
    compareValues(a.value, b.value) ||
    compareTexts(a.message, b.message) ||
    compareTexts(a.key, b.key) ||
    compareTexts(a.type, b.type) ||
    compareTexts(a.subtype, b.subtype) ||
    compareTexts(a.nativeCode, b.nativeCode) ||
    compareTexts(a.value, b.value) ||
    compareTexts(a.category, b.category) ||
    compareTexts(a.nativeSeverity, b.nativeSeverity) ||
    compareTexts(a.qualifier, b.qualifier)
  )
}

function levelRank({ category, value }: Sample): number {
  if (category !== 'CONDITION') return 0
  return value === 'FAULT' ? 2 : value === 'WARNING' ? 1 : 0
}

/** The samples in their order, each once: of copies the first in the order stands. A new array; fast where little is to do. */
export function arrange(samples: readonly Sample[]): Sample[] {
  const ordered = [...samples]
  if (!isInOrder(ordered)) ordered.sort(compareSamples)
  return areDistinct(ordered) ? ordered : withoutCopies(ordered)
}

function isInOrder(samples: readonly Sample[]): boolean {
  let previous: Sample | undefined
  for (const sample of samples) {
    if (previous && compareSamples(previous, sample) > 0) return false
    previous = sample
  }
  return true
}

function withoutCopies(ordered: readonly Sample[]): Sample[] {
  const known = new Set<string>()
  return ordered.filter(sample => {
    const identity = identityOf(sample)
    if (known.has(identity)) return false
    known.add(identity)
    return true
  })
}

/** Whether it is plain without building identities that there are no copies: no two at one microsecond, running numbers rising. */
function areDistinct(ordered: readonly Sample[]): boolean {
  let machineRef = NaN
  let atUs = NaN
  let instanceId = -Infinity
  let sequence = -Infinity
  for (const sample of ordered) {
    if (sample.machineRef !== machineRef) instanceId = sequence = -Infinity
    if (sample.instanceId !== null && sample.sequence !== null) {
      if (sample.instanceId < instanceId || (sample.instanceId === instanceId && sample.sequence <= sequence))
        return false
      instanceId = sample.instanceId
      sequence = sample.sequence
    } else if (sample.machineRef === machineRef && sample.atUs === atUs) return false
    machineRef = sample.machineRef
    atUs = sample.atUs
  }
  return true
}

/**
 * Identity of a sample: equal strings are one sample. Built from the sender's sequence number and the key if there is a
 * number, otherwise from the observation.
 */
function identityOf({ machineRef, atUs, key, type, subtype, value, nativeCode, instanceId, sequence }: Sample): string {
  if (instanceId !== null && sequence !== null) return `${machineRef}/${instanceId}/${sequence}/${nameOf(key)}`
  return JSON.stringify([machineRef, atUs, nameOf(key), nameOf(type), subtype, value, nativeCode])
}
