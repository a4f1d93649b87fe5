import { useLocale } from '../texts/locale.ts'

/** Names with their values; a dash for an empty value. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, string | null | undefined])[] }) {
  const { t } = useLocale()
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value || t.none}</dd>
        </div>
      ))}
    </dl>
  )
}
