import type { Status } from '../../schema/document.ts'
import { inLetters } from './letter-scale.ts'

/** The status of a machine, or a warning, as a distinct shape, so that it is visible without color. */
export function StatusMark({ status, size = 16 }: { readonly status: Status | 'WARNING'; readonly size?: number }) {
  return (
    <svg
      class="mark"
      data-status={status}
      width={inLetters(size)}
      height={inLetters(size)}
      viewBox="0 0 20 20"
      aria-hidden="true"
    >
      {shapes[status]}
    </svg>
  )
}

const shapes = {
  ACTIVE: (
    <>
      <circle class="body" cx="10" cy="10" r="9" />
      <path class="sign" d="M7.700 5.800v8.400l6.800-4.200z" />
    </>
  ),
  INACTIVE: (
    <>
      <rect class="body" x="1.500" y="1.500" width="17" height="17" rx="3" />
      <path class="sign" d="M6 5.500h2.800v9H6zM11.200 5.500H14v9h-2.800z" />
    </>
  ),
  FAULT: (
    <>
      <path class="body" d="M10 .8 19.600 18.500H.4z" />
      <path class="sign" d="M9 6.500h2l-.3 6H9.300zM9 13.800h2v2H9z" />
    </>
  ),
  WARNING: (
    <>
      <path class="body" d="M10 .6 19.400 10 10 19.400.6 10z" />
      <path class="sign" d="M9 5.200h2l-.3 6H9.300zM9 12.500h2v2H9z" />
    </>
  ),
  UNAVAILABLE: (
    <>
      <circle class="ring" cx="10" cy="10" r="8" />
      <path class="stroke" d="M6.500 10h7" />
    </>
  ),
} as const
