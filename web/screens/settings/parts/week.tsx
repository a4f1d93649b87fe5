import { useLocale } from '../../../texts/locale.ts'
import type { EditedShift } from './use-versions.ts'

interface WeekProps {
  readonly shifts: readonly EditedShift[]
  /** 1 = Monday … 7 = Sunday. */
  readonly firstDay: number
  readonly label: string
}

const dayMinutes = 1440
const weekMinutes = 7 * dayMinutes

/** A part of a shift on one day, minutes of the day. */
interface ShiftPart {
  readonly shift: number
  readonly day: number
  readonly from: number
  readonly to: number
}

/** Cuts shifts at midnight into parts of days; the week is a circle. */
function partsOf(shifts: readonly EditedShift[]): readonly ShiftPart[] {
  return shifts.flatMap(({ start, end, days }, shift) => {
    const [from, until] = [parseMinutes(start), parseMinutes(end)]
    if (from === null || until === null) return []
    const to = until > from ? until : until + dayMinutes
    return days.flatMap(day => {
      const begin = (day - 1) * dayMinutes + from
      const finish = (day - 1) * dayMinutes + to
      const midnight = day * dayMinutes
      const first = { shift, day, from, to: Math.min(to, dayMinutes) }
      if (finish <= midnight) return [first]
      const nextDay = (midnight % weekMinutes) / dayMinutes + 1
      return begin === finish ? [] : [first, { shift, day: nextDay, from: 0, to: finish - midnight }]
    })
  })
}

function parseMinutes(time: string): number | null {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(time) ?? []
  return hours === undefined || minutes === undefined ? null : Number(hours) * 60 + Number(minutes)
}

const hours = [0, 6, 12, 18, 24]
const colors = 6

/** A week with its shifts as bars, a row a day. The same stands in words for those who do not see it. */
export function Week({ shifts, firstDay, label }: WeekProps) {
  const { t } = useLocale()
  const own = t.settings.schedules
  const parts = partsOf(shifts)
  const days = Array.from({ length: 7 }, (_, index) => ((firstDay - 1 + index) % 7) + 1)
  const texts = shifts.map(({ name, start, end, days: on }) =>
    own.shiftInWords(name, on.map(day => t.terms.weekdays[day - 1] ?? '').join(', '), start, end),
  )
  return (
    <figure class="week">
      <figcaption class="visually-hidden">
        {label}: {texts.length === 0 ? own.noShifts : texts.join('; ')}
      </figcaption>
      <div class="week-grid" aria-hidden="true">
        <div class="week-hours">
          {hours.map(hour => (
            <span key={hour} class="week-hour" style={{ left: share(hour * 60) }}>
              {String(hour).padStart(2, '0')}:00
            </span>
          ))}
        </div>
        {days.map(day => (
          <div key={day} class="week-day">
            <span class="week-name">{own.shortWeekdays[day - 1]}</span>
            <div class="week-row">
              {parts
                .filter(part => part.day === day)
                .map(({ shift, from, to }) => (
                  <span
                    key={`${shift} ${from}`}
                    class="week-shift"
                    data-color={shift % colors}
                    style={{ left: share(from), width: share(to - from) }}
                  >
                    <span>{shifts[shift]?.name}</span>
                  </span>
                ))}
            </div>
          </div>
        ))}
      </div>
    </figure>
  )
}

function share(minutes: number): string {
  return `${(100 * minutes) / dayMinutes}%`
}
