import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Keeps it open on Escape: what it shows would be lost. */
  readonly isStubborn?: boolean
  readonly children?: ComponentChildren
}

/**
 * A modal dialog. The browser keeps the focus within it, and gives it back to where it was. Escape closes it; where something was typed, it
 * first asks for a second one.
 */
export function Dialog({ title, onClose, isStubborn = false, children }: DialogProps) {
  const { t } = useLocale()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const hasTyped = useRef(false)
  const [isAsking, setAsking] = useState(false)
  const opener = useRef<Element | null>(null)
  useEffect(() => {
    opener.current = document.activeElement
    dialog.current?.showModal()
  }, [])
  // The end of an effect would come after the next frame, until which nothing would have the focus.
  useLayoutEffect(() => () => queueMicrotask(() => focus(opener.current)), [])
  useEffect(() => {
    if (!isStubborn) return undefined
    // A browser lets only the first Escape be refused at its cancel event. The focus may be outside of the dialog.
    const refuse = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
    document.addEventListener('keydown', refuse, { capture: true })
    return () => document.removeEventListener('keydown', refuse, { capture: true })
  }, [isStubborn])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        if (isStubborn) return
        if (hasTyped.current && !isAsking) setAsking(true)
        else onClose()
      }}
      onInput={({ target }) => {
        hasTyped.current ||= isText(target)
        setAsking(false)
      }}
      onClose={onClose}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!isStubborn && (
          <button type="button" class="button icon-only" aria-label={t.app.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {isAsking && (
        <p class="notice" role="alert">
          {t.app.unsaved}
        </p>
      )}
      {children}
    </dialog>
  )
}

/** Nothing outside of a modal dialog takes the focus until it is out of the page. */
function focus(opener: Element | null): void {
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
}

/** Whether a field contains text that the user typed, except search fields. */
function isText(field: EventTarget | null): boolean {
  if (field instanceof HTMLTextAreaElement) return true
  return field instanceof HTMLInputElement && ['text', 'email', 'url', 'number', 'password'].includes(field.type)
}
