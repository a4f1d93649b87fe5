import type { AdjustmentInstant, Dimensions, PartInstant, SetupStart } from '../../schema/document.ts'
import type { DimensionSpan } from './dimensions.ts'
import type { Addition } from './machine.ts'
import type { OpenFact, Slices } from './slicer.ts'
import type { Adjustment } from './types.ts'

interface CellContext {
  readonly dimensions: Dimensions
  readonly cell: number
  readonly fact: OpenFact
}

/** Assigns events to the spans that contain their instants; events outside of all spans are ignored. */
export class Instants {
  readonly #slotMs: number
  readonly #spans: readonly DimensionSpan[]
  readonly #slices: Slices

  constructor(slotMs: number, spans: readonly DimensionSpan[], slices: Slices) {
    this.#slotMs = slotMs
    this.#spans = spans
    this.#slices = slices
  }

  /** Adds parts to the facts. Returns the instants at which their number is not 0. */
  parts(additions: readonly Addition[]): PartInstant[] {
    const instants: PartInstant[] = []
    for (const { item, context } of this.#locate(additions)) {
      context.fact.parts += item.parts
      if (item.parts !== 0) instants.push(partInstant(item.parts, item.atMs - this.#slotMs, context))
    }
    return instants
  }

  /** Adds part adjustments to the facts. Returns them with their dimensions. */
  adjustments(adjustments: readonly Adjustment[]): AdjustmentInstant[] {
    return this.#locate(adjustments).map(({ item, context }) => {
      context.fact.adjusted += item.count
      context.fact.scrap += item.scrap
      context.fact.nonconform += item.nonconform
      return adjustmentInstant(item, item.atMs - this.#slotMs, context)
    })
  }

  /** Returns the starts of runs in setup with their dimensions. */
  setups(starts: readonly { readonly atMs: number }[]): SetupStart[] {
    return this.#locate(starts).map(({ item, context }) => setupStart(item.atMs - this.#slotMs, context))
  }

  #locate<T extends { readonly atMs: number }>(
    ascending: readonly T[],
  ): { readonly item: T; readonly context: CellContext }[] {
    const located: { readonly item: T; readonly context: CellContext }[] = []
    let index = 0
    for (const item of ascending) {
      while ((this.#spans[index]?.endMs ?? Infinity) <= item.atMs) index++
      const span = this.#spans[index]
      const fact = this.#slices.factOfSpan[index]
      if (span && fact && span.startMs <= item.atMs) {
        located.push({ item, context: { dimensions: span.dimensions, cell: span.cell, fact } })
      }
    }
    return located
  }
}

function partInstant(parts: number, at: number, { dimensions, cell }: CellContext): PartInstant {
  const { shift, run, operators, mode, scheduled, nonOptional } = dimensions
  return { shift, run, operators, mode, scheduled, nonOptional, cell, at, parts }
}

function adjustmentInstant(adjustment: Adjustment, at: number, { dimensions, cell }: CellContext): AdjustmentInstant {
  const { count, scrap, nonconform, type } = adjustment
  return { ...dimensions, cell, at, count, scrap, nonconform, type }
}

function setupStart(at: number, { dimensions }: CellContext): SetupStart {
  return { ...dimensions, at }
}
