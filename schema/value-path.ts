/** Selects every element of an array; in paths `[*]`. */
export const everyElement = Symbol('[*]')

/** Selects a member by its name, an element by its index, or every element. */
export type PathStep = string | number | typeof everyElement

/** A path to values within JSON, such as `$.status["code"]`. */
export interface ValuePath {
  /** `$`: the whole payload; `@`: the current element of `each`. */
  readonly root: '$' | '@'
  readonly steps: readonly PathStep[]
}

const step = /\.([A-Za-z_][\w-]*)|\["([^"\\]*)"\]|\[(\d{1,6})\]|\[\*\]/y

/** Parses a path of `$` or `@`, `.name`, `["name"]`, `[n]` and `[*]`; null: it has another form. */
export function parsePath(text: string): ValuePath | null {
  const [root] = text
  if (root !== '$' && root !== '@') return null
  const steps: PathStep[] = []
  for (let at = 1; at < text.length; at = step.lastIndex) {
    step.lastIndex = at
    const found = step.exec(text)
    if (found === null) return null
    const [, member, quoted, index] = found
    steps.push(member ?? quoted ?? (index === undefined ? everyElement : Number(index)))
  }
  return { root, steps }
}

/** Returns whether a text is a path to one value. */
export function isValuePath(text: string): boolean {
  return parsePath(text)?.steps.includes(everyElement) === false
}

/** Returns whether a text is a path from `$` to elements: it has `[*]`. */
export function isElementPath(text: string): boolean {
  const path = parsePath(text)
  return path?.root === '$' && path.steps.includes(everyElement)
}
