/** Values of a query; those that are '' or null are left out. */
export type QueryValues = Readonly<Record<string, string | readonly string[] | null>>

/** Query of the next page in a header `Link`; null: there is no next page. */
export function nextQuery(link: string | null): QueryValues | null {
  const [, address] = /<([^>]+)>\s*;\s*rel="next"/.exec(link ?? '') ?? []
  if (address === undefined) return null
  const { searchParams } = new URL(address, 'http://localhost')
  return Object.fromEntries([...new Set(searchParams.keys())].map(name => [name, searchParams.getAll(name)]))
}
