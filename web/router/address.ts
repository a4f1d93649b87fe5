/** Address of the service: built files are in a folder beside it, and it may itself be under a path of a proxy. */
export const serviceUrl = new URL('..', import.meta.url)

/** Where in the application a reader is. `path`: without the service's own; the floor is ''. */
export interface AppLocation {
  readonly path: string
  readonly query: URLSearchParams
}

/** Values of a query; those that are '' or null are left out. */
export type AddressQuery = Readonly<Record<string, string | null>>

/** A query that is longer goes behind `#~`: no browser sends that part, and a service refuses long addresses (431). */
const maxSearchLength = 4_000
const behind = '#~'

/** Reads a place from an address. */
export function parseLocation(address: {
  readonly pathname: string
  readonly search: string
  readonly hash?: string
}): AppLocation {
  const path = decodeURI(address.pathname.slice(serviceUrl.pathname.length)).replace(/\/$/, '')
  const { search, hash = '' } = address
  const query = new URLSearchParams(hash.startsWith(behind) ? hash.slice(behind.length) : search)
  return { path: path === 'app' ? '' : path, query }
}

/** The address of a place, for links. */
export function addressOf(path: string, query: AddressQuery = {}): string {
  const url = new URL(path, serviceUrl)
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== '') url.searchParams.set(name, value)
  const { pathname, search } = url
  return search.length > maxSearchLength ? `${pathname}${behind}${search.slice(1)}` : pathname + search
}
