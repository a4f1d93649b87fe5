import { inLetters } from './letter-scale.ts'

/** The mark of Takt. */
export function Logo({ size = 30 }: { readonly size?: number }) {
  return (
    <svg class="logo" width={inLetters(size)} height={inLetters(size)} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M6 22h4V10h5v12h4V6h5v16h2" />
    </svg>
  )
}
