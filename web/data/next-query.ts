/** Values of a query; those that are '' or null are left out. */
export type QueryValues = Readonly<Record<string, string | readonly string[] | null>>

/** Query of the next page in a header `Link`; null: there is no next page. */
export function nextQuery(link: string | null): QueryValues | null {
  const end = link?.indexOf('>; rel="next"') ?? -1
  if (!link?.startsWith('<') || end === -1) return null
  const { searchParams } = new URL(link.slice(1, end), 'http://localhost')
  return Object.fromEntries([...new Set(searchParams.keys())].map(name => [name, searchParams.getAll(name)]))
}
