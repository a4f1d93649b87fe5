import { useViewer } from '../../../data/viewer-context.ts'
import { Field } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import type { EditedShift } from './use-versions.ts'

interface ShiftsProps {
  readonly shifts: readonly EditedShift[]
  readonly onChange: (shifts: readonly EditedShift[]) => void
  readonly faultOf: (field: string) => string | undefined
}

/** Shifts of a version, each with its times and days. */
export function Shifts({ shifts, onChange, faultOf }: ShiftsProps) {
  const own = useSettingsTexts().schedules
  const add = () => {
    const last = shifts.at(-1)
    const shift = { name: '', start: last?.end ?? '06:00', end: '14:00', days: last?.days ?? [1, 2, 3, 4, 5] }
    onChange([...shifts, { ...shift, optional: false }])
  }
  return (
    <section class="shifts" aria-label={own.shifts}>
      {shifts.map((shift, index) => (
        <ShiftForm
          key={shift.id ?? index}
          shift={shift}
          number={String(index + 1)}
          onChange={changes => onChange(shifts.map((each, at) => (at === index ? { ...each, ...changes } : each)))}
          onDrop={() => onChange(shifts.filter((_, at) => at !== index))}
          faultOf={field => faultOf(`shifts[${index}].${field}`)}
        />
      ))}
      <button type="button" class="button" onClick={add}>
        <Icon name="plus" size={16} />
        {own.addShift}
      </button>
    </section>
  )
}

interface ShiftFormProps {
  readonly shift: EditedShift
  /** Its place among the shifts, from 1. */
  readonly number: string
  readonly onChange: (changes: Partial<EditedShift>) => void
  readonly onDrop: () => void
  readonly faultOf: (field: string) => string | undefined
}

function ShiftForm({ shift, number, onChange, onDrop, faultOf }: ShiftFormProps) {
  const own = useSettingsTexts().schedules
  const { firstDayOfWeek } = useViewer()
  const days = Array.from({ length: 7 }, (_, index) => ((firstDayOfWeek - 1 + index) % 7) + 1)
  return (
    <fieldset class="shift">
      <legend>{own.shift(number)}</legend>
      <Field
        label={own.shiftName}
        required
        value={shift.name}
        fault={faultOf('name')}
        onValue={name => onChange({ name })}
      />
      <Field
        label={own.start}
        type="time"
        required
        value={shift.start}
        fault={faultOf('start')}
        onValue={start => onChange({ start })}
      />
      <Field
        label={own.end}
        type="time"
        required
        value={shift.end}
        fault={faultOf('end')}
        onValue={end => onChange({ end })}
      />
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
      <button
        type="button"
        class="button quiet danger"
        aria-label={own.dropShiftOf(shift.name || number)}
        onClick={onDrop}
      >
        {own.dropShift}
      </button>
    </fieldset>
  )
}
