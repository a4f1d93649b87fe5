import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { addressOf, type AppLocation, parseLocation, type AddressQuery } from './address.ts'

const changed = new EventTarget()

/** Opens a page. `replace`: the page replaces the previous one in the history. */
export function navigate(path: string, query: AddressQuery = {}, { replace = false } = {}): void {
  const address = addressOf(path, query)
  const isElsewhere = parseLocation(location).path !== path
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  if (isElsewhere) window.scrollTo(0, 0)
  changed.dispatchEvent(new Event('change'))
}

/** Returns the location of the current page; updates when it changes. */
export function useAppLocation(): AppLocation {
  const [current, setCurrent] = useState(() => parseLocation(location))
  useEffect(() => {
    const read = () => setCurrent(parseLocation(location))
    changed.addEventListener('change', read)
    window.addEventListener('popstate', read)
    return () => {
      changed.removeEventListener('change', read)
      window.removeEventListener('popstate', read)
    }
  }, [])
  return current
}

/** Sets values of the query of this page. `isStep`: adds a step to the history. */
type ChangeQuery = (changes: AddressQuery, options?: { readonly isStep?: boolean }) => void

/** Reads and sets values of the query of this page; setting them adds nothing to the history unless it is a step. */
export function useQuery(): [URLSearchParams, ChangeQuery] {
  const { path, query } = useAppLocation()
  const change: ChangeQuery = (changes, { isStep = false } = {}) => {
    const now = parseLocation(location)
    navigate(path, { ...Object.fromEntries(now.query), ...changes }, { replace: !isStep })
  }
  return [query, change]
}

interface LinkProps {
  readonly to: string
  readonly query?: AddressQuery
  readonly class?: string
  readonly 'aria-current'?: 'page' | undefined
  readonly 'aria-label'?: string | undefined
  readonly children?: ComponentChildren
}

/** A link to a page of the application. With a modifier key, the browser opens it like any link. */
export function Link({ to, query = {}, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={addressOf(to, query)}
      onClick={event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return
        event.preventDefault()
        navigate(to, query)
      }}
    >
      {children}
    </a>
  )
}
