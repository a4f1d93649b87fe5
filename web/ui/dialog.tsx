import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Keeps it open on Escape: what it shows would be lost. */
  readonly isStubborn?: boolean
  readonly children?: ComponentChildren
}

/** A modal dialog. The browser keeps the focus within it, and gives it back to where it was. */
export function Dialog({ title, onClose, isStubborn = false, children }: DialogProps) {
  const { t } = useLocale()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
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
        if (!isStubborn) onClose()
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
      {children}
    </dialog>
  )
}
