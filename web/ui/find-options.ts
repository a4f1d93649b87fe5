/** Words of a search, in lower case. */
export function wordsIn(search: string): readonly string[] {
  return search
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
}

/** Whether a text contains all words, in any order; `words` in lower case. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every(word => lower.includes(word))
}

/** Options whose title contains all words of a search, in their order; those that begin with the search are first. */
export function findOptions<O extends { readonly title: string }>(options: readonly O[], search: string): readonly O[] {
  const words = wordsIn(search)
  const found = options.filter(({ title }) => hasWords(title, words))
  const start = search.trim().toLowerCase()
  if (start === '') return found
  const isFirst = ({ title }: O) => title.toLowerCase().startsWith(start)
  return [...found.filter(isFirst), ...found.filter(option => !isFirst(option))]
}
