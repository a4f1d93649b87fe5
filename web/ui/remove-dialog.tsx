import type { ComponentChildren } from 'preact'
import { useLocale } from '../texts/locale.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './notice.tsx'
import { useAction } from './use-action.ts'

interface RemoveDialogProps {
  readonly title: string
  readonly text: string
  /** Text of the button that removes. */
  readonly submit: string
  readonly onClose: () => void
  readonly onRemove: () => Promise<void>
  /** Stands under the text. */
  readonly children?: ComponentChildren
}

/** Asks once more before something goes. */
export function RemoveDialog({ title, text, submit, onClose, onRemove, children }: RemoveDialogProps) {
  const { t } = useLocale()
  const action = useAction()
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {children}
      {action.error !== null && <Failure error={action.error} />}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          {t.keys.cancel}
        </button>
        <button type="button" class="button danger" disabled={action.isBusy} onClick={() => action.run(onRemove)}>
          {submit}
        </button>
      </div>
    </Dialog>
  )
}
