import { useLocale } from '../texts/locale.ts'

interface DialogFootProps {
  /** Text of the button that sends the form. */
  readonly submit: string
  readonly isBusy: boolean
  readonly onClose: () => void
}

/** Buttons of a form in a dialog: one leaves it, one sends it. */
export function DialogFoot({ submit, isBusy, onClose }: DialogFootProps) {
  const { t } = useLocale()
  return (
    <div class="dialog-foot">
      <button type="button" class="button" onClick={onClose}>
        {t.keys.cancel}
      </button>
      <button type="submit" class="button primary" disabled={isBusy}>
        {submit}
      </button>
    </div>
  )
}
