/** A pattern of MQTT topics; `+` is any level, `{name}` captures a level, and `#` at the end is any number of levels. */
export interface TopicPattern {
  /** Texts of levels; null: any level. */
  readonly levels: readonly (string | null)[]
  /** Names of captured levels with their indexes. */
  readonly captures: ReadonlyMap<string, number>
  /** Whether further levels may follow. */
  readonly isOpen: boolean
}

/** Parses a pattern; null: a wildcard is not a whole level, `#` is not the last one, or a name occurs twice. */
export function parseTopicPattern(text: string): TopicPattern | null {
  const parts = text.split('/')
  const isOpen = parts.at(-1) === '#'
  if (isOpen) parts.pop()
  const captures = new Map<string, number>()
  const levels: (string | null)[] = []
  for (const [index, part] of parts.entries()) {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name !== undefined) {
      if (captures.has(name)) return null
      captures.set(name, index)
    } else if (part !== '+' && /[+#{}]/.test(part)) return null
    levels.push(name !== undefined || part === '+' ? null : part)
  }
  return { levels, captures, isOpen }
}

/**
 * Returns whether a pattern matches the levels of a topic, or with `isPrefix` the first of them. As in MQTT, a wildcard
 * does not match a first level that begins with `$`.
 */
export function matchesTopic(
  { levels, isOpen }: TopicPattern,
  topic: readonly string[],
  { isPrefix = false }: { readonly isPrefix?: boolean } = {},
): boolean {
  if (topic.length < levels.length || (topic.length > levels.length && !isOpen && !isPrefix)) return false
  if (topic[0]?.startsWith('$') === true && levels[0] !== topic[0]) return false
  return levels.every((level, index) => level === null || level === topic[index])
}
