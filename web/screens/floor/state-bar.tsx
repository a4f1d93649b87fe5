import { useLocale } from '../../texts/locale.ts'
import { barRangeText } from './bar-range.ts'
import { barSteps, type StateBar as Steps } from './use-state-bars.ts'

/** The states of a range as a bar. Screen readers skip it: the timeline of the machine has them as a table. */
export function StateBar({ bar }: { readonly bar: Steps | null }) {
  const locale = useLocale()
  let at = 0
  return (
    <svg class="state-bar" viewBox={`0 0 ${barSteps} 1`} preserveAspectRatio="none" aria-hidden="true">
      {bar && <title>{barRangeText(bar.range, locale)}</title>}
      {bar?.states.map(({ status, scheduled, steps }) => {
        const x = at
        at += steps
        if (status === null) return null
        const isOff = !scheduled && status !== 'ACTIVE'
        return <rect key={x} x={x} width={steps} height="1" data-status={status} data-off={isOff} />
      })}
    </svg>
  )
}
