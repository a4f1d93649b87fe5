import { useLocale } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'

/** A button that shows further items of a list; nothing if none is left. */
export function More({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  const { t, format } = useLocale()
  return left > 0 ? <Button look="quiet" text={t.reports.more(format.count(left))} onClick={onMore} /> : null
}
