/** An activity of this process, with a lazily computed name. */
interface Work {
  readonly name: () => string
}

const current = new Set<Work>()
const ended = new Set<Work>()

/** Notes that something is under way, until the answer is called. There is one list, as the process has one event loop. */
export function beginWork(name: () => string): () => void {
  const work = { name }
  current.add(work)
  return () => {
    if (current.delete(work)) ended.add(work)
  }
}

/** The names, each once, of what is under way, or was so at some time since the call before. */
export function takeWorkNames(): readonly string[] {
  const names = [...current, ...ended].map(({ name }) => name())
  ended.clear()
  return [...new Set(names)]
}

/** Drops ended activities: as `takeWorkNames`, without computing names. */
export function forgetEndedWork(): void {
  ended.clear()
}
