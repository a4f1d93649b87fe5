import { useLocale } from '../texts/locale.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Failure } from './notice.tsx'
import { useAction } from './use-action.ts'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Keeps it open on Escape: what it shows would be lost. */
  readonly isStubborn?: boolean
  readonly children?: ComponentChildren
}

/** A modal dialog. Escape closes it; while a field contains typed text, the second Escape. Its opener gets the focus back. */
export function Dialog({ title, onClose, isStubborn = false, children }: DialogProps) {
  const { t } = useLocale()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const typed = useRef(new Set<TextField>())
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
    const preventClose = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
    document.addEventListener('keydown', preventClose, { capture: true })
    return () => document.removeEventListener('keydown', preventClose, { capture: true })
  }, [isStubborn])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        if (isStubborn) return
        if ([...typed.current].some(isEntry) && !isAsking) setAsking(true)
        else onClose()
      }}
      onInput={({ target }) => {
        if (isText(target)) typed.current.add(target)
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

type TextField = HTMLTextAreaElement | HTMLInputElement

/** Whether a field that the user typed into still has a text, or is no longer on the page, as in an earlier step. */
function isEntry({ value, isConnected }: TextField): boolean {
  return value !== '' || !isConnected
}

/** Whether the user types texts that would be lost into a field: not into search fields. */
function isText(field: EventTarget | null): field is TextField {
  if (field instanceof HTMLTextAreaElement) return true
  return field instanceof HTMLInputElement && ['text', 'email', 'url', 'number', 'password'].includes(field.type)
}

interface DialogFootProps {
  readonly submit: string
  readonly icon?: IconName
  readonly disabled?: boolean
  readonly onClose?: (() => void) | undefined
  /** Further buttons. */
  readonly children?: ComponentChildren
}

/** Buttons of a form: one closes it, one submits it. */
export function DialogFoot({ onClose, submit, children, ...button }: DialogFootProps) {
  const { t } = useLocale()
  return (
    <div class="dialog-foot">
      {children}
      {onClose && <Button text={t.keys.cancel} onClick={onClose} />}
      <Button look="primary" text={submit} {...button} />
    </div>
  )
}

interface RemoveDialogProps {
  readonly title: string
  readonly text: string
  readonly submit: string
  readonly onClose: () => void
  readonly onRemove: () => Promise<void>
  readonly children?: ComponentChildren
}

/** A confirmation of a deletion. */
export function RemoveDialog({ title, text, submit, onClose, onRemove, children }: RemoveDialogProps) {
  const { t } = useLocale()
  const action = useAction()
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {children}
      <Failure error={action.error} />
      <div class="dialog-foot">
        <Button text={t.keys.cancel} onClick={onClose} />
        <Button look="danger" text={submit} disabled={action.isBusy} onClick={() => action.run(onRemove)} />
      </div>
    </Dialog>
  )
}
