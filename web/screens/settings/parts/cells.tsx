import { useLocale } from '../../../texts/locale.ts'

/** A colour, with its code for those who cannot tell it. */
export function Swatch({ color }: { readonly color: string }) {
  return (
    <span class="swatch">
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <rect width="16" height="16" rx="4" fill={color} />
      </svg>
      <code>{color}</code>
    </span>
  )
}

/** Text of a flag: yes or no. */
export function YesNo({ is }: { readonly is: boolean }) {
  const words = useLocale().t.settings
  return <>{is ? words.yes : words.no}</>
}
