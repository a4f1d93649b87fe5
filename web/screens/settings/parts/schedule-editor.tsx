import { useId, useState } from 'preact/hooks'
import type { ScheduleAnswer } from '../../../../schema/records/schedule.ts'
import { useViewer } from '../../../data/viewer-context.ts'
import { shopDate } from '../../../time/shop-date.ts'
import { addDays } from '../../../time/wall-time.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogFoot } from '../../../ui/dialog-foot.tsx'
import { Field, Select } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { RemoveDialog } from '../../../ui/remove-dialog.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { Faults } from '../record-form.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import { Week } from './week.tsx'

type Version = ScheduleAnswer['versions'][number]
type Shift = Version['shifts'][number]
/** A shift whose id the service is to make has none. */
type EditedShift = Omit<Shift, 'id'> & { readonly id?: string }
type EditedVersion = Omit<Version, 'shifts'> & { readonly shifts: readonly EditedShift[] }

interface ScheduleEditorProps {
  readonly schedule: ScheduleAnswer
  readonly onClose: () => void
  readonly onSaved: () => void
}

/**
 * Changes a schedule. A version holds from its date on until the next one: a change makes a new version, so that the past stays as it
 * was.
 */
export function ScheduleEditor({ schedule, onClose, onSaved }: ScheduleEditorProps) {
  const { t, format } = useLocale()
  const words = useSettingsTexts()
  const own = words.schedules
  const { client, company, startOfDay, firstDayOfWeek } = useViewer()
  const action = useAction()
  const [name, setName] = useState(schedule.name)
  const [versions, setVersions] = useState<readonly EditedVersion[]>(schedule.versions)
  const [exceptions, setExceptions] = useState(schedule.exceptions)
  const [index, setIndex] = useState(versions.length - 1)
  const [isDropping, setDropping] = useState(false)
  const today = shopDate(client.now(), { timeZone: company.timeZone, startOfDay })
  const version = versions[index]
  const isNew = schedule.name === ''
  const change = (changes: Partial<EditedVersion>) =>
    setVersions(versions.map((each, at) => (at === index ? { ...each, ...changes } : each)))
  const titleOf = (each: EditedVersion | undefined) =>
    each === undefined || each.effectiveFrom === null ? own.always : own.since(format.date(each.effectiveFrom))
  const addVersion = () => {
    const dates = versions.map(({ effectiveFrom }) => effectiveFrom ?? '')
    const latest = dates.reduce((a, b) => (a > b ? a : b), today)
    setVersions([...versions, { effectiveFrom: addDays(latest, 1), shifts: version?.shifts ?? [] }])
    setIndex(versions.length)
  }
  const drop = () => {
    setVersions(versions.filter((_, at) => at !== index))
    setIndex(Math.max(0, index - 1))
    setDropping(false)
  }
  const save = async () => {
    await client.call('PUT /schedules/:id', {
      params: { id: schedule.id },
      body: { name, versions: [...versions], exceptions: [...exceptions] },
    })
    onSaved()
  }
  const path = `versions[${index}]`
  const isPast = !isNew && version !== undefined && (version.effectiveFrom ?? '') <= today
  return (
    <Dialog title={isNew ? own.add : words.editOf(schedule.name)} onClose={onClose}>
      <form
        class="schedule-form"
        onSubmit={event => {
          event.preventDefault()
          action.run(save)
        }}
      >
        <Field label={words.name} required value={name} fault={action.faultOf('name')} onValue={setName} />
        <div class="version-head">
          <Select
            label={own.version}
            value={String(index)}
            options={versions.map((each, at) => ({ value: String(at), title: titleOf(each) }))}
            onValue={chosen => setIndex(Number(chosen))}
          />
          <button type="button" class="button" onClick={addVersion}>
            {own.newVersion}
          </button>
          {versions.length > 1 && (
            <button type="button" class="button" onClick={() => setDropping(true)}>
              {own.dropVersion}
            </button>
          )}
        </div>
        {isPast && <p class="notice">{own.pastNotice}</p>}
        {version && (
          <>
            {version.effectiveFrom !== null && (
              <Field
                label={own.effectiveFrom}
                type="date"
                required
                value={version.effectiveFrom}
                fault={action.faultOf(`${path}.effectiveFrom`)}
                onValue={effectiveFrom => change({ effectiveFrom })}
              />
            )}
            <Week shifts={version.shifts} firstDay={firstDayOfWeek} label={own.weekOf(name)} />
            <Shifts
              shifts={version.shifts}
              onChange={shifts => change({ shifts })}
              faultOf={field => action.faultOf(`${path}.${field}`)}
            />
          </>
        )}
        <Holidays
          exceptions={exceptions}
          today={today}
          onChange={setExceptions}
          faultOf={at => action.faultOf(`exceptions[${at}].date`)}
        />
        <Faults error={action.error} shown={['name']} />
        <DialogFoot submit={t.keys.save} isBusy={action.isBusy} onClose={onClose} />
      </form>
      {isDropping && (
        <RemoveDialog
          title={`${own.dropVersion}: ${titleOf(version)}?`}
          text={own.dropVersionText}
          submit={own.dropVersion}
          onClose={() => setDropping(false)}
          onRemove={() => Promise.resolve(drop())}
        />
      )}
    </Dialog>
  )
}

interface ShiftsProps {
  readonly shifts: readonly EditedShift[]
  readonly onChange: (shifts: readonly EditedShift[]) => void
  readonly faultOf: (field: string) => string | undefined
}

function Shifts({ shifts, onChange, faultOf }: ShiftsProps) {
  const own = useSettingsTexts().schedules
  const { firstDayOfWeek } = useViewer()
  const days = Array.from({ length: 7 }, (_, index) => ((firstDayOfWeek - 1 + index) % 7) + 1)
  const change = (index: number, changes: Partial<EditedShift>) =>
    onChange(shifts.map((shift, at) => (at === index ? { ...shift, ...changes } : shift)))
  const add = () => {
    const last = shifts.at(-1)
    const shift = { name: '', start: last?.end ?? '06:00', end: '14:00', days: last?.days ?? [1, 2, 3, 4, 5] }
    onChange([...shifts, { ...shift, optional: false }])
  }
  return (
    <section class="shifts" aria-label={own.shifts}>
      {shifts.map((shift, index) => (
        <fieldset key={shift.id ?? index} class="shift">
          <legend>{own.shift(String(index + 1))}</legend>
          <Field
            label={own.shiftName}
            required
            value={shift.name}
            fault={faultOf(`shifts[${index}].name`)}
            onValue={name => change(index, { name })}
          />
          <Field
            label={own.start}
            type="time"
            required
            value={shift.start}
            fault={faultOf(`shifts[${index}].start`)}
            onValue={start => change(index, { start })}
          />
          <Field
            label={own.end}
            type="time"
            required
            value={shift.end}
            fault={faultOf(`shifts[${index}].end`)}
            onValue={end => change(index, { end })}
          />
          <div class="shift-days" role="group" aria-label={own.days}>
            {days.map(day => (
              <button
                key={day}
                type="button"
                class="filter"
                aria-pressed={shift.days.includes(day)}
                onClick={() =>
                  change(index, {
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
            aria-label={own.dropShiftOf(shift.name || String(index + 1))}
            onClick={() => onChange(shifts.filter((_, at) => at !== index))}
          >
            {own.dropShift}
          </button>
        </fieldset>
      ))}
      <button type="button" class="button" onClick={add}>
        <Icon name="plus" size={16} />
        {own.addShift}
      </button>
    </section>
  )
}

interface HolidaysProps {
  readonly exceptions: ScheduleAnswer['exceptions']
  readonly today: string
  readonly onChange: (exceptions: ScheduleAnswer['exceptions']) => void
  readonly faultOf: (index: number) => string | undefined
}

/** Days on which other shifts hold, mostly none. */
function Holidays({ exceptions, today, onChange, faultOf }: HolidaysProps) {
  const { format } = useLocale()
  const own = useSettingsTexts().schedules
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
            {faultOf(index) !== undefined && <span class="fault"> {faultOf(index)}</span>}
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
        <button type="button" class="button" onClick={add}>
          {own.addHoliday}
        </button>
      </div>
    </section>
  )
}
