import { reasonCode } from '../../schema/document.ts'
import type { DowntimeElement, Fact, Segment } from '../../schema/document.ts'
import { isCutting, isInCycle, isSpindleRotating, statusOf, type Bits } from './bits.ts'
import type { DimensionSpan } from './dimensions.ts'
import type { StateChange } from './replay.ts'
import type { RunningDowntime } from './state.ts'
import type { AnnotationSpan } from './types.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type OpenFact = Mutable<Fact>

/**
 * The hour divided by state and dimensions. `factOfSpan[i]` is the fact to which `spans[i]` adds; several spans may
 * share a fact.
 */
export interface Slices {
  readonly segments: readonly Segment[]
  readonly downtimes: readonly DowntimeElement[]
  readonly facts: readonly OpenFact[]
  readonly factOfSpan: readonly OpenFact[]
  /** The latest downtime record. It continues into the next hour if it ends with the last span. */
  readonly running: (RunningDowntime & { readonly endMs: number }) | null
}

interface SliceInputs {
  readonly slotMs: number
  readonly spans: readonly DimensionSpan[]
  readonly changes: readonly StateChange[]
  readonly annotations: readonly AnnotationSpan[]
  /** The downtime record at the start of the hour; null if there is none. */
  readonly downtime: RunningDowntime | null
}

/** Divides the hour into segments in which everything is constant, and sums them into facts. */
export function slice(inputs: SliceInputs): Slices {
  const slicer = new Slicer(inputs)
  for (const span of inputs.spans) slicer.divide(span)
  return slicer
}

class Slicer implements Slices {
  readonly segments: Mutable<Segment>[] = []
  readonly downtimes: Mutable<DowntimeElement>[] = []
  readonly facts: OpenFact[] = []
  readonly factOfSpan: OpenFact[] = []
  readonly #factsByTuple = new Map<string, OpenFact>()
  readonly #inputs: SliceInputs
  #changeIndex = 0
  #annotationIndex = 0
  #running: Slices['running']

  constructor(inputs: SliceInputs) {
    this.#inputs = inputs
    this.#running = inputs.downtime && { ...inputs.downtime, endMs: inputs.slotMs }
  }

  get running(): Slices['running'] {
    return this.#running
  }

  /** Divides one span by state changes and annotations; call it for the spans in order. */
  divide(span: DimensionSpan): void {
    const fact = this.#factOf(span)
    this.factOfSpan.push(fact)
    const { changes } = this.#inputs
    let open: Mutable<Segment> | null = null
    let element: Mutable<DowntimeElement> | null = null
    for (let atMs = span.startMs; atMs < span.endMs;) {
      while ((changes[this.#changeIndex + 1]?.atMs ?? Infinity) <= atMs) this.#changeIndex++
      const bits = changes[this.#changeIndex]?.bits ?? 0
      const annotation = this.#annotationAt(atMs)
      const endMs = Math.min(
        span.endMs,
        changes[this.#changeIndex + 1]?.atMs ?? Infinity,
        annotation === null ? Infinity : annotation.startMs > atMs ? annotation.startMs : annotation.endMs,
      )
      const reason = reasonAt(atMs, span, bits, annotation)
      open = this.#addSegment(span, open, atMs, endMs, bits, reason)
      element = reason === null ? null : this.#addDowntime(span, element, atMs, endMs, reason)
      addToFact(fact, endMs - atMs, bits)
      atMs = endMs
    }
    fact.last = span.endMs - this.#inputs.slotMs
  }

  /** Returns the annotation that covers `atMs`, otherwise the next one. */
  #annotationAt(atMs: number): AnnotationSpan | null {
    const { annotations } = this.#inputs
    while ((annotations[this.#annotationIndex]?.endMs ?? Infinity) <= atMs) this.#annotationIndex++
    return annotations[this.#annotationIndex] ?? null
  }

  #addSegment(
    { cell, dimensions }: DimensionSpan,
    open: Mutable<Segment> | null,
    atMs: number,
    endMs: number,
    bits: Bits,
    reason: number | null,
  ): Mutable<Segment> {
    const start = atMs - this.#inputs.slotMs
    const end = endMs - this.#inputs.slotMs
    const status = statusOf(bits)
    const inCycle = isInCycle(bits)
    const spindle = isSpindleRotating(bits)
    const cut = isCutting(bits)
    const isSame =
      open?.status === status &&
      open.inCycle === inCycle &&
      open.spindle === spindle &&
      open.cut === cut &&
      open.reason === reason
    if (open && isSame) {
      open.end = end
      return open
    }
    const { shift, run, operators, mode, scheduled, nonOptional } = dimensions
    // Lists all properties: a spread of the dimensions would make computing the hour several times slower.
    const segment = {
      shift,
      run,
      operators,
      mode,
      scheduled,
      nonOptional,
      cell,
      start,
      end,
      status,
      inCycle,
      spindle,
      cut,
      reason,
    }
    this.segments.push(segment)
    return segment
  }

  #addDowntime(
    { cell, dimensions }: DimensionSpan,
    element: Mutable<DowntimeElement> | null,
    atMs: number,
    endMs: number,
    reason: number,
  ): Mutable<DowntimeElement> {
    const end = endMs - this.#inputs.slotMs
    const recordStartMs = this.#continueDowntime(atMs, endMs, reason)
    if (element?.reason === reason) {
      element.end = end
      return element
    }
    const start = atMs - this.#inputs.slotMs
    const { shift, run, operators, mode, scheduled, nonOptional } = dimensions
    const fresh = {
      shift,
      run,
      operators,
      mode,
      scheduled,
      nonOptional,
      cell,
      start,
      end,
      reason,
      recordStartMs,
    }
    this.downtimes.push(fresh)
    return fresh
  }

  /** Extends the running downtime record, or starts a new one; returns its start, UTC ms. */
  #continueDowntime(atMs: number, endMs: number, reason: number): number {
    const running = this.#running
    const continues = running !== null && running.endMs === atMs && running.reason === reason
    const startMs = continues ? running.startMs : atMs
    this.#running = { reason, startMs, endMs }
    return startMs
  }

  #factOf({ cell, dimensions, startMs }: DimensionSpan): OpenFact {
    const { shift, run, operators, mode, scheduled, nonOptional } = dimensions
    const tuple = `${cell},${shift},${run},${mode},${scheduled},${nonOptional},${operators.join('+')}`
    const known = this.#factsByTuple.get(tuple)
    if (known) return known
    const first = startMs - this.#inputs.slotMs
    const fact = {
      shift,
      run,
      operators,
      mode,
      scheduled,
      nonOptional,
      cell,
      first,
      last: first,
      durationMs: 0,
      inCycleMs: 0,
      spindleMs: 0,
      cutMs: 0,
      parts: 0,
      adjusted: 0,
      scrap: 0,
      nonconform: 0,
    }
    this.#factsByTuple.set(tuple, fact)
    this.facts.push(fact)
    return fact
  }
}

/** Returns the reason of the downtime; null if the time is not downtime. */
function reasonAt(
  atMs: number,
  { dimensions }: DimensionSpan,
  bits: Bits,
  annotation: AnnotationSpan | null,
): number | null {
  if (!dimensions.scheduled || isInCycle(bits)) return null
  if (annotation !== null && annotation.startMs <= atMs) return annotation.reason
  return dimensions.mode === 'setup' ? reasonCode.setup : reasonCode.uncategorized
}

function addToFact(fact: OpenFact, durationMs: number, bits: Bits): void {
  fact.durationMs += durationMs
  if (isInCycle(bits)) fact.inCycleMs += durationMs
  if (isSpindleRotating(bits)) fact.spindleMs += durationMs
  if (isCutting(bits)) fact.cutMs += durationMs
}
