import { ruleOf, TimeField } from '../../reports/period-picker.tsx'
import { useViewer } from '../../data/viewer.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import type { ReportRange } from '../../time/period.ts'
import { shopDate } from '../../time/shop-date.ts'
import { Select } from '../../ui/field.tsx'
import type { View } from './view.ts'

interface ComparePickerProps {
  readonly against: View['against']
  /** The range that is compared with now: another one begins with its dates. */
  readonly before: ReportRange
}

/** Selects the range to compare with: the previous period, or any other. */
export function ComparePicker({ against, before }: ComparePickerProps) {
  const { t } = useLocale()
  const viewer = useViewer()
  const [, change] = useQuery()
  const words = t.performance.comparison
  const dayOf = (instant: string) => shopDate(Date.parse(instant), ruleOf(viewer))
  const [from, to] = 'startDay' in before ? [before.startDay, before.endDay] : [dayOf(before.start), dayOf(before.end)]
  return (
    <div class="period">
      <Select
        label={words.label}
        value={against === null ? 'previous' : 'range'}
        options={(['previous', 'range'] as const).map(value => ({ value, title: words.options[value] }))}
        onValue={value =>
          change(value === 'range' ? { againstFrom: from, againstTo: to } : { againstFrom: null, againstTo: null })
        }
      />
      {against !== null && (
        <>
          <TimeField name="againstFrom" date={words.from} time={words.fromTime} value={against.from} />
          <TimeField name="againstTo" date={words.to} time={words.toTime} value={against.to} />
        </>
      )}
    </div>
  )
}
