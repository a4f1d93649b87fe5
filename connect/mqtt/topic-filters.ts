import type { TopicPattern } from '../../schema/topic-pattern.ts'

type Filter = Pick<TopicPattern, 'levels' | 'isOpen'>

/**
 * Returns filters of which at most one matches a topic, and which match every topic that a pattern matches. A broker may
 * send a message once for each subscription that matches it.
 */
export function disjointFilters(patterns: readonly Filter[]): readonly string[] {
  const filters: Filter[] = []
  for (const pattern of patterns) {
    let joined = pattern
    for (;;) {
      const index = filters.findIndex(other => overlaps(joined, other))
      const [other] = index < 0 ? [] : filters.splice(index, 1)
      if (other === undefined) break
      joined = join(joined, other)
    }
    filters.push(joined)
  }
  return filters.map(filterText)
}

/** Whether a topic exists that both filters match. */
function overlaps(a: Filter, b: Filter): boolean {
  const [short, long] = a.levels.length <= b.levels.length ? [a, b] : [b, a]
  if (short.levels.length < long.levels.length && !short.isOpen) return false
  return short.levels.every((level, index) => {
    const other = long.levels[index] ?? null
    return level === null || other === null || level === other
  })
}

/** Returns a filter that matches every topic of both. */
function join(a: Filter, b: Filter): Filter {
  const length = Math.min(a.levels.length, b.levels.length)
  const levels = a.levels.slice(0, length).map((level, index) => (level === b.levels[index] ? level : null))
  return { levels, isOpen: a.isOpen || b.isOpen || a.levels.length !== b.levels.length }
}

function filterText({ levels, isOpen }: Filter): string {
  return [...levels.map(level => level ?? '+'), ...(isOpen ? ['#'] : [])].join('/')
}
