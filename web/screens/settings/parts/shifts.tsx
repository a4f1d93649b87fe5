import { useViewer } from '../../../data/viewer.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import type { EditedShift } from './use-versions.ts'

interface ShiftsProps {
  readonly shifts: readonly EditedShift[]
  readonly onChange: (shifts: readonly EditedShift[]) => void
  readonly errorOf: (field: string) => string | undefined
}

/** Shifts of a version, each with its times and days. */
export function Shifts({ shifts, onChange, errorOf }: ShiftsProps) {
  const { t } = useLocale()
  const own = t.settings.schedules
  const add = () => {
    const last = shifts.at(-1)
    const shift = { name: '', start: last?.end ?? '06:00', end: '14:00', days: last?.days ?? [1, 2, 3, 4, 5] }
    onChange([...shifts, { ...shift, optional: false }])
  }
  return (
    <section class="shifts" aria-label={t.reports.filters.shift}>
      {shifts.map((shift, index) => (
        <ShiftForm
          key={shift.id ?? index}
          shift={shift}
          number={String(index + 1)}
          onChange={changes => onChange(shifts.map((each, at) => (at === index ? { ...each, ...changes } : each)))}
          onDrop={() => onChange(shifts.filter((_, at) => at !== index))}
          errorOf={field => errorOf(`shifts[${index}].${field}`)}
        />
      ))}
      <Button icon="plus" text={own.addShift} onClick={add} />
    </section>
  )
}

interface ShiftFormProps {
  readonly shift: EditedShift
  readonly number: string
  readonly onChange: (changes: Partial<EditedShift>) => void
  readonly onDrop: () => void
  readonly errorOf: (field: string) => string | undefined
}

function ShiftForm({ shift, number, onChange, onDrop, errorOf }: ShiftFormProps) {
  const { t } = useLocale()
  const own = t.settings.schedules
  const { firstDayOfWeek } = useViewer()
  const days = Array.from({ length: 7 }, (_, index) => ((firstDayOfWeek - 1 + index) % 7) + 1)
  const field = (name: 'name' | 'start' | 'end') => ({
    required: true,
    value: shift[name],
    error: errorOf(name),
    onValue: (value: string) => onChange({ [name]: value }),
  })
  return (
    <fieldset class="shift">
      <legend>{own.shift(number)}</legend>
      <Field label={own.shiftName} {...field('name')} />
      <Field label={t.reports.from} type="time" {...field('start')} />
      <Field label={t.reports.to} type="time" {...field('end')} />
      <div class="shift-days" role="group" aria-label={own.days}>
        {days.map(day => (
          <button
            key={day}
            type="button"
            class="filter"
            aria-pressed={shift.days.includes(day)}
            onClick={() =>
              onChange({
                days: [1, 2, 3, 4, 5, 6, 7].filter(each => (each === day) !== shift.days.includes(each)),
              })
            }
          >
            {own.shortWeekdays[day - 1]}
          </button>
        ))}
      </div>
      <Button
        look="quiet"
        text={t.records.remove}
        aria-label={own.dropShiftOf(shift.name || number)}
        onClick={onDrop}
      />
    </fieldset>
  )
}
