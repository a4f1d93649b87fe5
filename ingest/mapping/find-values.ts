import { everyElement, type PathStep, type ValuePath } from '../../schema/value-path.ts'

/** Returns the value at a path; undefined: the path has no match. `root`: the payload, or the element for `@`. */
export function findValue(root: unknown, { steps }: Pick<ValuePath, 'steps'>): unknown {
  let found = root
  for (const step of steps) {
    found = childOf(found, step)
    if (found === undefined) return undefined
  }
  return found
}

/** Yields the elements at a path with `[*]`, in order; undefined instead of those where the path has no match. */
export function* findElements(root: unknown, steps: readonly PathStep[]): Generator {
  const every = steps.indexOf(everyElement)
  const found = findValue(root, { steps: every < 0 ? steps : steps.slice(0, every) })
  if (every < 0) yield found
  else if (!Array.isArray(found)) yield undefined
  else for (const element of found) yield* findElements(element, steps.slice(every + 1))
}

/** Members are own properties, so that no name reaches those of a prototype. */
function childOf(parent: unknown, step: PathStep): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined
  if (Array.isArray(parent)) return typeof step === 'number' ? parent[step] : undefined
  return typeof step === 'string' && hasOwn(parent, step) ? parent[step] : undefined
}

function hasOwn<K extends string>(parent: object, name: K): parent is Readonly<Record<K, unknown>> {
  return Object.hasOwn(parent, name)
}
