import type { ComponentChildren } from 'preact'
import { addressOf, type AddressQuery } from './address.ts'
import { navigate } from './router.ts'

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
