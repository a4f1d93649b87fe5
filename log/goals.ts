/** Callers that wait until a reader has reached an offset. */
export class Goals {
  #goals: { readonly offset: number; readonly reached: () => void }[] = []

  /** Resolves at the first `reach` of this offset or a higher one. */
  wait(offset: number): Promise<void> {
    return new Promise(resolve => this.#goals.push({ offset, reached: resolve }))
  }

  /** Notes that everything before `position` is handled. */
  reach(position: number): void {
    const reached = this.#goals.filter(({ offset }) => offset <= position)
    if (reached.length === 0) return
    this.#goals = this.#goals.filter(({ offset }) => offset > position)
    for (const goal of reached) goal.reached()
  }
}
