import { useQuery } from '../router/router.tsx'
import { useLocale } from '../texts/locale.ts'
import { type Bar, Bars } from './bars.tsx'
import { Button } from '../ui/button.tsx'

interface ChoiceBarsProps {
  readonly label: string
  readonly bars: readonly Bar[]
  /** Name in the address of what is chosen. */
  readonly param: string
  /** Key of the chosen bar; null: none. */
  readonly chosen: string | null
}

/** A Pareto whose bars can be chosen: the rest of the screen then shows what is chosen alone. */
export function ChoiceBars({ label, bars, param, chosen }: ChoiceBarsProps) {
  const [, change] = useQuery()
  return (
    <Bars
      label={label}
      bars={bars}
      isPareto
      nameOf={bar => (
        <Button
          look="link"
          text={bar.name}
          aria-pressed={bar.key === chosen}
          onClick={() => change({ [param]: bar.key === chosen ? null : bar.key })}
        />
      )}
    />
  )
}

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
