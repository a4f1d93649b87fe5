import { useEffect, useState } from 'preact/hooks'

const names = [
  'page',
  'card',
  'sunken',
  'line',
  'edge',
  'text',
  'soft',
  'accent',
  'active',
  'inactive',
  'fault',
  'unavailable',
] as const

/** Colours of the theme that is shown, under the names of `style/tokens.css`: a canvas cannot read them itself. */
export type Colors = Readonly<Record<(typeof names)[number], string>>

/** The colours of the theme, and new ones whenever it changes. */
export function useColors(): Colors {
  const [colors, setColors] = useState(readColors)
  useEffect(() => {
    const read = () => setColors(readColors())
    const device = matchMedia('(prefers-color-scheme: dark)')
    const chosen = new MutationObserver(read)
    device.addEventListener('change', read)
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      device.removeEventListener('change', read)
      chosen.disconnect()
    }
  }, [])
  return colors
}

function readColors(): Colors {
  const style = getComputedStyle(document.documentElement)
  const entries = names.map(name => [name, style.getPropertyValue(`--${name}`).trim()] as const)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for every name
  return Object.fromEntries(entries) as Colors
}
