/** An activity of this process, with a lazily computed name. */
interface Work {
  readonly name: () => string
}

const current = new Set<Work>()
const ended = new Set<Work>()

/**
 * Records that work is in progress until the returned function is called. There is one list per process, as there is
 * one event loop.
 */
export function beginWork(name: () => string): () => void {
  const work = { name }
  current.add(work)
  return () => {
    if (current.delete(work)) ended.add(work)
  }
}

/** Returns the distinct names of work that is in progress, or was since the previous call. */
export function collectWorkNames(): readonly string[] {
  const names = [...current, ...ended].map(({ name }) => name())
  ended.clear()
  return [...new Set(names)]
}

/** Removes ended work, like `collectWorkNames`, without computing names. */
export function clearEndedWork(): void {
  ended.clear()
}
