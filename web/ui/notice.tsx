import type { ComponentChildren } from 'preact'
import { RequestFailed } from '../data/client.ts'
import { useLocale } from '../texts/locale.ts'

/** Shows what went wrong and what to do; with `onRetry` there is a retry button. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { t } = useLocale()
  const text = useFailureText()(error)
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>{t.error.title}.</strong> {text}
      </p>
      {onRetry && (
        <button type="button" class="button quiet" onClick={onRetry}>
          {t.error.again}
        </button>
      )}
    </div>
  )
}

/** Turns a failure into a text to show. */
function useFailureText(): (error: unknown) => string {
  const { t } = useLocale()
  return error => {
    if (!(error instanceof RequestFailed)) return String(error)
    if (error.status === 0) return t.error.unreachable
    return error.message === '' ? t.error.forbidden : error.message
  }
}

/** Stands where a list has nothing to show, and says what to do. */
export function Empty({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  )
}

/** Stands where something is still on its way. */
export function Loading() {
  const { t } = useLocale()
  return (
    <p class="loading" role="status">
      {t.app.loading}
    </p>
  )
}
