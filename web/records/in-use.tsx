import { useLocale } from '../texts/locale.ts'

/** State of a user or key. */
export function InUse({ is }: { readonly is: boolean }) {
  const { keys } = useLocale().t
  return (
    <span class="state" data-on={is}>
      {is ? keys.inUse : keys.disabled}
    </span>
  )
}
