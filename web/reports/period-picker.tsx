import { useMemo } from 'preact/hooks'
import { useViewer, type Viewer } from '../data/viewer.ts'
import { useQuery } from '../router/router.tsx'
import { useLocale } from '../texts/locale.ts'
import {
  type ComparedRange,
  type PeriodChoice,
  periods,
  type PeriodRule,
  rangeOf,
  unknownPeriodIn,
  weekBeganToday,
} from '../time/period.ts'
import { shopDate } from '../time/shop-date.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'

/** How the viewer's company divides time. */
export function ruleOf({ company, startOfDay, firstDayOfWeek, schedules }: Viewer): PeriodRule {
  return { timeZone: company.timeZone, startOfDay, firstDayOfWeek, schedules }
}

/** Reads a choice from an address; `usual` where it has none. */
export function periodOf(query: URLSearchParams, usual: PeriodChoice['period']): PeriodChoice {
  const period = periods.find(each => each === query.get('period')) ?? usual
  return { period, from: timeIn(query, 'from'), to: timeIn(query, 'to') }
}

/** Reads the range to compare with from an address; null: the previous period. */
export function comparisonOf(query: URLSearchParams): PeriodChoice | null {
  const [from, to] = [timeIn(query, 'againstFrom'), timeIn(query, 'againstTo')]
  return from === '' || to === '' ? null : { period: 'custom', from, to }
}

function timeIn(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? ''
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(text) && Number.isFinite(Date.parse(text.slice(0, 10))) ? text : ''
}

/** The range that the address chooses. It is another one when the choice changes or `turn` does. */
export function useRange(choice: PeriodChoice, turn: number): ComparedRange {
  const viewer = useViewer()
  const { period, from, to } = choice
  return useMemo(
    () => rangeOf({ period, from, to }, ruleOf(viewer), viewer.client.now()),
    [viewer, period, from, to, turn],
  )
}

/** Selects a period; the address contains it. */
export function PeriodPicker({ choice }: { readonly choice: PeriodChoice }) {
  const { t } = useLocale()
  const viewer = useViewer()
  const [query, change] = useQuery()
  const unknown = unknownPeriodIn(query)
  const words = t.reports
  const today = () => shopDate(viewer.client.now(), ruleOf(viewer))
  return (
    <div class="period">
      <Select
        label={words.period}
        value={choice.period}
        options={periods.map(value => ({ value, title: words.periods[value] }))}
        onValue={period => {
          if (period !== 'custom') change({ period, from: null, to: null })
          else change({ period, from: choice.from || today(), to: choice.to || today() })
        }}
      />
      {unknown !== null && (
        <p class="notice" role="alert">
          {words.unknownPeriod(unknown, words.periods[choice.period])}
        </p>
      )}
      {choice.period === 'week' && weekBeganToday(ruleOf(viewer), viewer.client.now()) && (
        <Button
          look="quiet"
          text={words.showDays7}
          title={words.weekBegan}
          onClick={() => change({ period: 'days7', from: null, to: null })}
        />
      )}
      {choice.period === 'custom' && (
        <>
          <TimeField name="from" date={words.from} time={words.fromTime} value={choice.from} />
          <TimeField name="to" date={words.to} time={words.toTime} value={choice.to} />
        </>
      )}
    </div>
  )
}

interface TimeFieldProps {
  /** Its name in the address. */
  readonly name: string
  readonly date: string
  readonly time: string
  readonly value: string
}

/** A date and, optionally, a time of the address. */
export function TimeField({ name, date: dateLabel, time: timeLabel, value }: TimeFieldProps) {
  const { t } = useLocale()
  const [, change] = useQuery()
  const [date = '', time = ''] = value.split('T')
  const set = (newDate: string, newTime: string) => {
    if (newDate !== '') change({ [name]: newTime === '' ? newDate : `${newDate}T${newTime}` })
  }
  return (
    <div class="period-time" title={t.reports.timeHint}>
      <Field label={dateLabel} type="date" value={date} onValue={chosen => set(chosen, time)} />
      <Field label={timeLabel} type="time" value={time} onValue={chosen => set(date, chosen)} />
    </div>
  )
}
