import { useId, useState } from 'preact/hooks'
import type { ScheduleResponse } from '../../../../schema/records/schedule.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'

interface HolidaysProps {
  readonly exceptions: ScheduleResponse['exceptions']
  readonly today: string
  readonly onChange: (exceptions: ScheduleResponse['exceptions']) => void
  readonly errorOf: (index: number) => string | undefined
}

/** Days on which other shifts hold, mostly none. */
export function Holidays({ exceptions, today, onChange, errorOf }: HolidaysProps) {
  const { t, format } = useLocale()
  const own = t.settings.schedules
  const id = useId()
  const [date, setDate] = useState('')
  const add = () => {
    if (date === '' || exceptions.some(each => each.date === date)) return
    onChange([...exceptions, { date, shifts: [] }].toSorted((a, b) => (a.date < b.date ? -1 : 1)))
    setDate('')
  }
  return (
    <section class="holidays" aria-labelledby={id}>
      <h3 id={id}>{own.holidays}</h3>
      <p class="hint">{own.holidaysHint}</p>
      <ul class="chips">
        {exceptions.map((exception, index) => (
          <li key={exception.date} class="chip holiday" data-past={exception.date < today}>
            {format.date(exception.date)}
            {exception.shifts.length > 0 && `: ${exception.shifts.map(({ name }) => name).join(', ')}`}
            {errorOf(index) !== undefined && <span class="fault"> {errorOf(index)}</span>}
            <button
              type="button"
              class="chip-remove"
              aria-label={own.dropHoliday(format.date(exception.date))}
              onClick={() => onChange(exceptions.filter((_, at) => at !== index))}
            >
              <Icon name="close" size={14} />
            </button>
          </li>
        ))}
      </ul>
      <div class="version-head">
        <Field label={own.holiday} type="date" value={date} onValue={setDate} />
        <Button text={own.addHoliday} onClick={add} />
      </div>
    </section>
  )
}
