import { maxClockSkewMs } from '../../../schema/connector-health.ts'
import { useLocale } from '../../texts/locale.ts'
import { skewText } from './skew-text.ts'

/** The skew of the clock of a machine, and what corrects it; nothing if the clock is right. */
export function MachineClock({ skewMs }: { readonly skewMs: number | null }) {
  const locale = useLocale()
  const words = locale.t.source.clock
  const text = skewText(skewMs, locale)
  if (skewMs === null || text === null) return null
  if (Math.abs(skewMs) <= maxClockSkewMs) return <p class="hint">{words.ofMachine(text)}</p>
  return (
    <p class="notice">
      {words.ofMachine(text)}. {words.correctMachine(String(-skewMs))}
    </p>
  )
}
