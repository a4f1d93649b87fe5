import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { addressOf, type Place, placeOf, type AddressQuery } from './address.ts'

const changed = new EventTarget()

/** Goes to a place. `replace`: the one before it is not gone back to. */
export function navigate(path: string, query: AddressQuery = {}, { replace = false } = {}): void {
  const address = addressOf(path, query)
  const isElsewhere = placeOf(location).path !== path
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  if (isElsewhere) window.scrollTo(0, 0)
  changed.dispatchEvent(new Event('change'))
}

/** The place where the reader is, now and whenever it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location))
  useEffect(() => {
    const read = () => setPlace(placeOf(location))
    changed.addEventListener('change', read)
    window.addEventListener('popstate', read)
    return () => {
      changed.removeEventListener('change', read)
      window.removeEventListener('popstate', read)
    }
  }, [])
  return place
}

/** Sets values of the query of this place. `isStep`: the reader can go back to the place before it. */
type ChangeQuery = (changes: AddressQuery, options?: { readonly isStep?: boolean }) => void

/** Reads and sets values of the query of this place; setting them adds nothing to the history unless it is a step. */
export function useQuery(): [URLSearchParams, ChangeQuery] {
  const { path, query } = usePlace()
  const change: ChangeQuery = (changes, { isStep = false } = {}) => {
    const now = placeOf(location)
    navigate(path, { ...Object.fromEntries(now.query), ...changes }, { replace: !isStep })
  }
  return [query, change]
}

interface LinkProps {
  /** Path of a screen. */
  readonly to: string
  readonly query?: AddressQuery
  readonly class?: string
  readonly 'aria-current'?: 'page' | undefined
  readonly children?: ComponentChildren
}

/** A link to a place in the application. With a modifier key it opens as any link does. */
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
