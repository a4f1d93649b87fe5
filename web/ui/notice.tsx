import type { ComponentChildren } from 'preact'
import { RequestFailed } from '../data/client.ts'
import type { Texts } from '../texts/en.ts'
import { useLocale } from '../texts/locale.ts'
import { Button } from './button.tsx'

interface FailureProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

/** Shows what went wrong and what to do. */
export function Failure({ error, onRetry }: FailureProps) {
  const { t } = useLocale()
  if (error === null) return null
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>{t.error.title}.</strong> {failureText(error, t)}
      </p>
      {onRetry && <Button look="quiet" text={t.error.again} onClick={onRetry} />}
    </div>
  )
}

function failureText(error: unknown, { error: words }: Texts): string {
  if (!(error instanceof RequestFailed)) return String(error)
  if (error.status === 0) return words.unreachable
  return error.message === '' ? words.forbidden : error.message
}

interface AwaitProps<T> {
  readonly loaded: { readonly value: T | null; readonly error: unknown; readonly reload?: () => void }
  readonly children: (value: T) => ComponentChildren
}

/** Shows a loaded value; before it, that it is loading; and a failure. */
export function Await<T>({ loaded: { value, error, reload }, children }: AwaitProps<T>) {
  return (
    <>
      <Failure error={error} onRetry={reload} />
      {value === null ? error === null && <Loading /> : children(value)}
    </>
  )
}

/** Shows that a list is empty, and what to do. */
export function Empty({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  )
}

/** Shows that something is loading. */
export function Loading() {
  const { t } = useLocale()
  return (
    <p class="loading" role="status">
      {t.app.loading}
    </p>
  )
}
