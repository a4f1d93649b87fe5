/** A text of a source that is stored with samples in the buffer on disk; numbers increase. */
export interface Note {
  readonly number: number
  readonly text: string
}

/** A note in a buffer. */
export interface KeptNote extends Note {
  /** Time of receipt of its samples, UTC ms. */
  readonly atMs: number
}
