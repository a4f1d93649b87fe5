import type { SampleColumns, SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import { isStateSample } from '../../processors/timeline/state-samples.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { shortenName } from '../../schema/error-text.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { MachineInfo } from '../decode/validate.ts'
import type { SampleIssueReporter } from './ports.ts'
import type { Run } from './accepted-samples.ts'

/**
 * Number of numbered samples, of all machines, that are compared with later ones: a power of two; with 12 bytes each,
 * 768 KiB.
 */
const cacheEntries = 65_536

/** Hashes of names: two of the key, and one of the content fields. */
interface NameHashes {
  readonly key: number
  readonly check: number
  readonly content: number
}

/** Columns of samples, some of which are numbered. */
interface NumberedColumns extends Pick<
  SampleColumns,
  'instanceId' | 'atUs' | 'named' | 'names' | 'values' | 'valueEnd' | 'messages'
> {
  readonly sequence: Float64Array
}

/**
 * Detects a numbered sample with the number and key of an earlier one but different content, among recent samples. The
 * processor compares the times of state samples with all stored ones.
 */
export class ReusedSequences {
  readonly #issues: SampleIssueReporter
  readonly #hashes = new WeakMap<SampleNames, NameHashes>()
  /** Two hashes of each identity, and one of its content, by the low bits of the first. */
  readonly #identities = new Uint32Array(cacheEntries)
  readonly #checks = new Uint32Array(cacheEntries)
  readonly #contents = new Uint32Array(cacheEntries)

  constructor(sampleIssues: SampleIssueReporter) {
    this.#issues = sampleIssues
  }

  check(runs: readonly Run[], rows: SampleColumns): void {
    if (rows.sequence === null) return
    // Each of these columns is a new view of its array.
    const { sequence, instanceId, atUs, named, names, values, valueEnd, messages } = rows
    const columns = { sequence, instanceId, atUs, named, names, values, valueEnd, messages }
    for (const { machine, first, end, names: places } of runs) {
      const deciding = new Set(places.filter(place => decides(names[place], machine)))
      for (let index = first; index < end; index++)
        if (!Number.isNaN(sequence[index])) this.#checkSample(machine.ref, index, columns, deciding)
    }
  }

  #checkSample(machineRef: MachineRef, index: number, columns: NumberedColumns, deciding: ReadonlySet<number>): void {
    const place = columns.named[index] ?? 0
    const names = columns.names[place]
    if (names === undefined) return
    const { key, check, content } = this.#hashesOf(names)
    const sequence = columns.sequence[index] ?? 0
    const atUs = columns.atUs[index] ?? 0
    const isDeciding = deciding.has(place)
    const numbers = mixNumber(mixNumber(machineRef, columns.instanceId?.[index] ?? 0), sequence)
    const number = isDeciding ? mixNumber(numbers, atUs) : numbers
    const identity = mix(number, key)
    const other = mix(check, number)
    const contents = mixContent(isDeciding ? content : mixNumber(content, atUs), index, columns)
    const slot = identity & (cacheEntries - 1)
    if (this.#identities[slot] !== identity || this.#checks[slot] !== other) {
      this.#identities[slot] = identity
      this.#checks[slot] = other
      this.#contents[slot] = contents
    } else if (this.#contents[slot] !== contents)
      this.#issues.report(machineRef, 'sequence_reused', sequenceReused(names.key, sequence), 1, names.key)
  }

  #hashesOf(names: SampleNames): NameHashes {
    const known = this.#hashes.get(names)
    if (known !== undefined) return known
    const { key, ...content } = names
    const name = cachedCanonicalName(key)
    const hashes = {
      key: mixText(1, name),
      check: mixText(2, name),
      content: mixText(3, JSON.stringify(Object.values(content))),
    }
    this.#hashes.set(names, hashes)
    return hashes
  }
}

/** Message of the sample issue `sequence_reused`. */
export function sequenceReused(key: string, sequence: number): string {
  return `Samples of ${shortenName(key)} with different content have the sequence ${sequence}: the first by time counts. Count each sample of a key up, and send a new instanceId when the count starts again`
}

function decides(names: SampleNames | undefined, { namedKeys }: MachineInfo): boolean {
  return names !== undefined && isStateSample(names, namedKeys)
}

function mixContent(hash: number, index: number, { values, valueEnd, messages }: NumberedColumns): number {
  const end = valueEnd[index] ?? 0
  let mixed = hash
  for (let at = valueEnd[index - 1] ?? 0; at < end; at++) mixed = Math.imul(mixed ^ (values[at] ?? 0), 0x01000193)
  return mixText(mixed, messages.get(index) ?? '')
}

function mixText(hash: number, text: string): number {
  let mixed = hash
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 0x01000193)
  return mix(mixed, text.length)
}

/** Mixes an integer of up to 53 bits into a hash. */
function mixNumber(hash: number, number: number): number {
  return mix(mix(hash, number >>> 0), (number / 0x1_0000_0000) >>> 0)
}

/** Mixes 32 bits into a hash, as MurmurHash3 does: https://en.wikipedia.org/wiki/MurmurHash */
function mix(hash: number, bits: number): number {
  const k = Math.imul(bits, 0xcc9e2d51)
  const mixed = hash ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) >>> 0
}
