import { asMachineRef } from '../../schema/refs.ts'
import { CompactReader } from './compact-reader.ts'
import {
  categories,
  flags,
  hasRefs,
  isOfSeveral,
  type MachineName,
  mostOfCompact,
  otherMachine,
  type Unplaced,
} from './compact-samples.ts'
import type { KeptNames } from './sample.ts'

/** In bytes: more than a full record and its last sample can have. */
const mostBytes = 524_288
/** In UTF-16 units: no machine has a longer id. */
const mostId = 200
/** The names of a sample are never longer: many samples may have the same, and each dead letter would repeat them. */
export const mostNamesBytes = 8_192

const mostKind = 2 + flags.message + flags.numbers

/** A sample of a compact record, with the place of its machine. Samples with the same names have the same object. */
export type VisitCompact = (sample: Unplaced, machine: number, names: CompactNames) => void

/** Samples of a compact record. */
export interface CompactRecord {
  readonly machines: readonly MachineName[]
  /** Calls back with each sample. */
  readonly each: (visit: VisitCompact) => void
}

/** Machines of a compact record, and where its samples begin. */
export interface CompactMachines {
  readonly names: readonly MachineName[]
  readonly at: number
}

/** Reads the machines of a compact record; null: it ends within them, or was not written so. */
export function machinesOfCompact(value: Buffer): CompactMachines | null {
  try {
    return readMachines(value)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function readMachines(value: Buffer): CompactMachines {
  if (value.length > mostBytes) throw new RangeError(`It has more than ${mostBytes} bytes`)
  const reader = new CompactReader(value, 1)
  const names: MachineName[] = []
  const count = isOfSeveral(value) ? reader.number() : 1
  const haveRefs = hasRefs(value)
  if (count > mostOfCompact) throw new RangeError(`It has more than ${mostOfCompact} machines`)
  while (names.length < count) names.push(haveRefs ? asMachineRef(reader.number()) : readId(reader))
  return { names, at: reader.at }
}

function readId(reader: CompactReader): string {
  const id = reader.text()
  if (id.length > mostId) throw new RangeError('The id of a machine is too long')
  return id
}

/**
 * Reads what `CompactSamples` has written. Throws a `RangeError` where the bytes end too soon, or it has not written them: of names and texts
 * the caller judges.
 */
export function readCompact(value: Buffer): CompactRecord {
  const { names: machines, at } = readMachines(value)
  const reader = new CompactReader(value, at)
  const isSeveral = isOfSeveral(value)
  return {
    machines,
    each: visit => {
      const names: CompactNames[] = []
      let atUs = 0
      let machine = 0
      while (!reader.isAtEnd) {
        const head = reader.number()
        const index = Math.floor(head / (isSeveral ? 4 : 2))
        if (isSeveral && (head & otherMachine) !== 0) machine = reader.number()
        if (machine >= machines.length) throw new RangeError('A sample is of no machine of its record')
        const own = names[index] ?? readCompactNames(reader)
        if (index === names.length) names.push(own)
        else if (index > names.length) throw new RangeError('The names of a sample are not there')
        const sinceUs = reader.number()
        atUs += head % 2 === 1 ? -sinceUs : sinceUs
        if (!Number.isSafeInteger(atUs)) throw new RangeError('The time of a sample is too far away')
        const value = reader.text()
        const hasNumbers = (own.kind & flags.numbers) !== 0
        const sample = {
          atUs,
          key: own.key,
          type: own.type,
          subtype: own.subtype,
          category: own.category,
          value,
          nativeCode: own.nativeCode,
          nativeSeverity: own.nativeSeverity,
          qualifier: own.qualifier,
          message: (own.kind & flags.message) === 0 ? '' : reader.text(),
          instanceId: hasNumbers ? reader.number() : null,
          sequence: hasNumbers ? reader.number() : null,
        }
        visit(sample, machine, own)
      }
    },
  }
}

/** Names of samples, and what these have beside. */
export interface CompactNames extends KeptNames {
  readonly kind: number
}

/** Reads names. Throws a `RangeError` where they end too late, are longer than any that are written, or say of no category. */
export function readCompactNames(reader: CompactReader): CompactNames {
  const start = reader.at
  const kind = reader.number()
  const category = categories[kind & 3]
  if (category === undefined || kind > mostKind) throw new RangeError('The kind of a sample is not known')
  const names = {
    kind,
    category,
    key: reader.text(),
    type: reader.text(),
    subtype: reader.text(),
    nativeCode: reader.text(),
    nativeSeverity: reader.text(),
    qualifier: reader.text(),
  }
  if (reader.at - start > mostNamesBytes) throw new RangeError('The names of a sample are too long')
  return names
}
