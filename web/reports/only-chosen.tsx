import { useQuery } from '../router/router.tsx'
import { useLocale } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'

/** Shows the active filter with a button that clears it. */
export function OnlyChosen({ text, param }: { readonly text: string; readonly param: string }) {
  const { t } = useLocale()
  const [, change] = useQuery()
  return (
    <p class="hint">
      {text} <Button look="quiet" text={t.reports.clear} onClick={() => change({ [param]: null })} />
    </p>
  )
}
