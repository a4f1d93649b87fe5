import type { MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import { sortAndDeduplicate } from '../timeline/order.ts'

/** The part of a sample that samples of one metric mostly share. */
type Common = Omit<Sample, 'machineRef' | 'atUs' | 'value' | 'sequence'>

/** Samples of one machine and hour, perhaps repeated and in any order. Many of them take 35 bytes each, as objects 155. */
export class PackedSamples {
  #atUs: number[] = []
  #values: string[] = []
  #commons: Common[] = []
  /** null: no sample has a running number. */
  #sequences: (number | null)[] | null = null

  get length(): number {
    return this.#atUs.length
  }

  push(sample: Sample): void {
    this.#atUs.push(sample.atUs)
    this.#values.push(sample.value)
    this.#commons.push(sharedCommon(sample))
    if (sample.sequence !== null) this.#sequences ??= Array.from({ length: this.length - 1 }, () => null)
    this.#sequences?.push(sample.sequence)
  }

  /** Returns the samples in their order, each once (`sortAndDeduplicate`), and keeps them so. */
  arranged(machineRef: MachineRef): readonly Sample[] {
    const samples = this.#unpacked(machineRef)
    const arranged = sortAndDeduplicate(samples)
    if (arranged.length !== samples.length || arranged.some((sample, at) => sample !== samples[at])) {
      this.#atUs = []
      this.#values = []
      this.#commons = []
      this.#sequences = null
      for (const sample of arranged) this.push(sample)
    }
    return arranged
  }

  #unpacked(machineRef: MachineRef): readonly Sample[] {
    return this.#atUs.map((atUs, at) => {
      const common = this.#commons[at]
      const value = this.#values[at]
      if (common === undefined || value === undefined) throw new Error('invariant: the arrays have one length')
      // Every property by name: a spread takes several times as long.
      return {
        machineRef,
        atUs,
        key: common.key,
        type: common.type,
        subtype: common.subtype,
        category: common.category,
        value,
        nativeCode: common.nativeCode,
        nativeSeverity: common.nativeSeverity,
        qualifier: common.qualifier,
        message: common.message,
        instanceId: common.instanceId,
        sequence: this.#sequences?.[at] ?? null,
      }
    })
  }
}

/** By their JSON. The limit bounds the memory for messages that all differ. */
const commons = new Map<string, Common>()
const maxCommons = 10_000

function sharedCommon(sample: Sample): Common {
  const { key, type, subtype, category, nativeCode, nativeSeverity, qualifier, message, instanceId } = sample
  const values = [key, type, subtype, category, nativeCode, nativeSeverity, qualifier, message, instanceId]
  const text = JSON.stringify(values)
  const known = commons.get(text)
  if (known) return known
  if (commons.size >= maxCommons) commons.clear()
  const common = { key, type, subtype, category, nativeCode, nativeSeverity, qualifier, message, instanceId }
  commons.set(text, common)
  return common
}
