import type { Sample } from '../../schema/sample.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { compareValues } from './values.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/**
 * Compares samples for a total order that is independent of arrival: by machine; time in µs; instance id and sequence
 * number, samples without them first; conditions that clear before conditions that raise, WARNING before FAULT; value;
 * then the other fields, so that only equal samples compare as equal.
 */
export function compareSamples(a: Sample, b: Sample): number {
  return a.machineRef - b.machineRef || a.atUs - b.atUs || compareAtSameTime(a, b)
}

function compareAtSameTime(a: Sample, b: Sample): number {
  return (
    // -Infinity minus -Infinity is NaN, which `||` treats like 0.
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

/**
 * Returns the samples in their order without copies: of samples with equal identity, the first is kept. Returns a new
 * array; fast if samples are already in order and distinct.
 */
export function sortAndDeduplicate(samples: readonly Sample[]): Sample[] {
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

/**
 * Returns true if samples are distinct by a fast check: times differ, or sequence numbers increase. May return false
 * for distinct samples.
 */
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
 * Returns the identity of a sample: samples with equal strings are copies. Built from sequence number and key if the
 * sample has a sequence number, otherwise from the observation.
 */
function identityOf({ machineRef, atUs, key, type, subtype, value, nativeCode, instanceId, sequence }: Sample): string {
  if (instanceId !== null && sequence !== null)
    return `${machineRef}/${instanceId}/${sequence}/${cachedCanonicalName(key)}`
  return JSON.stringify([
    machineRef,
    atUs,
    cachedCanonicalName(key),
    cachedCanonicalName(type),
    subtype,
    value,
    nativeCode,
  ])
}
