import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** Attribute of the element that gets the focus instead of one that is gone. */
export const focusTarget = { 'data-focus-target': true } as const

/**
 * Keeps the focus in an element: if what had it leaves the page, the element with `focusTarget` gets it, or the whole
 * element, which must be focusable.
 */
export function useKeptFocus(): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  useEffect(() => {
    const note = ({ target }: Event) => {
      hadFocus.current = target instanceof Node && root.current?.contains(target) === true
    }
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', note)
    return () => {
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', note)
    }
  }, [])
  useLayoutEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return
    const target = root.current?.querySelector<HTMLElement>('[data-focus-target="true"]') ?? root.current
    target?.focus({ preventScroll: true })
  })
  return root
}
