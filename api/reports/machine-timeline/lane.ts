import type { TimelinePiece } from '../../../schema/requests/machine-timeline.ts'
import { isoText } from '../../../shared/time/iso-text.ts'

interface Piece {
  readonly id: string
  readonly startMs: number
  endMs: number
  ms: number
}

/**
 * One lane of a timeline: time by value. Parts come by start; those of one step share its start and end. Neighbours of one value that
 * fill their time are joined.
 */
export class Lane {
  readonly #pieces: Piece[] = []
  /** Pieces of the step, or of the segment, that came last. */
  #latest = new Map<string, Piece>()
  #first: Piece | undefined

  /** Adds time of a value; null: there is none. */
  add(startMs: number, endMs: number, ms: number, id: string | null): void {
    if (this.#first && this.#first.startMs !== startMs && this.#first.endMs <= startMs) this.#close()
    if (id === null) return
    const known = this.#latest.get(id)
    if (known) known.ms += ms
    else {
      const piece = { id, startMs, endMs, ms }
      this.#first ??= piece
      this.#latest.set(id, piece)
    }
  }

  /** The pieces, by start. */
  pieces(): readonly TimelinePiece[] {
    this.#close()
    return this.#pieces.map(({ id, startMs, endMs, ms }) => ({
      id,
      startAt: isoText(startMs),
      endAt: isoText(endMs),
      durationMs: ms,
    }))
  }

  #close(): void {
    for (const piece of this.#latest.values()) {
      const last = this.#pieces.at(-1)
      const joins =
        last?.id === piece.id &&
        last.endMs === piece.startMs &&
        isFull(last) &&
        isFull(piece) &&
        this.#latest.size === 1
      if (joins) {
        last.endMs = piece.endMs
        last.ms += piece.ms
      } else this.#pieces.push(piece)
    }
    this.#latest.clear()
    this.#first = undefined
  }
}

function isFull({ startMs, endMs, ms }: Piece): boolean {
  return ms === endMs - startMs
}
