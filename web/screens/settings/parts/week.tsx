import { useSettingsTexts } from '../settings-texts.ts'

interface DrawnShift {
  readonly name: string
  readonly start: string
  readonly end: string
  readonly days: readonly number[]
  readonly optional?: boolean
}

interface WeekProps {
  readonly shifts: readonly DrawnShift[]
  /** 1 = Monday … 7 = Sunday. */
  readonly firstDay: number
  readonly label: string
}

const dayMinutes = 1440
const weekMinutes = 7 * dayMinutes

/** A piece of a shift on one day, minutes of the day. */
interface Piece {
  readonly shift: number
  readonly day: number
  readonly from: number
  readonly to: number
}

/** Cuts shifts at midnight into pieces of days; the week is a circle. */
function piecesOf(shifts: readonly DrawnShift[]): readonly Piece[] {
  return shifts.flatMap(({ start, end, days }, shift) => {
    const [from, until] = [minutesOf(start), minutesOf(end)]
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

function minutesOf(time: string): number | null {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(time) ?? []
  return hours === undefined || minutes === undefined ? null : Number(hours) * 60 + Number(minutes)
}

const hours = [0, 6, 12, 18, 24]
const colors = 6

/** A week with its shifts as bars, a row a day. The same stands in words for those who do not see it. */
export function Week({ shifts, firstDay, label }: WeekProps) {
  const own = useSettingsTexts().schedules
  const pieces = piecesOf(shifts)
  const days = Array.from({ length: 7 }, (_, index) => ((firstDay - 1 + index) % 7) + 1)
  const told = shifts.map(({ name, start, end, days: on }) =>
    own.shiftInWords(name, on.map(day => own.weekdays[day - 1] ?? '').join(', '), start, end),
  )
  return (
    <figure class="week" tabIndex={0}>
      <figcaption class="visually-hidden">
        {label}: {told.length === 0 ? own.noShifts : told.join('; ')}
      </figcaption>
      <svg viewBox="0 0 1000 266" role="presentation" aria-hidden="true">
        {hours.map(hour => (
          <g key={hour} class="week-hour">
            <line x1={xOf(hour * 60)} x2={xOf(hour * 60)} y1={18} y2={262} />
            <text x={xOf(hour * 60)} y={12} text-anchor={hour === 0 ? 'start' : hour === 24 ? 'end' : 'middle'}>
              {String(hour).padStart(2, '0')}:00
            </text>
          </g>
        ))}
        {days.map((day, row) => (
          <g key={day} transform={`translate(0 ${22 + row * 34})`}>
            <text class="week-day" x={0} y={20}>
              {own.shortWeekdays[day - 1]}
            </text>
            <rect class="week-row" x={xOf(0)} y={0} width={xOf(dayMinutes) - xOf(0)} height={30} rx={4} />
            {pieces
              .filter(piece => piece.day === day)
              .map(({ shift, from, to }) => (
                <g key={`${shift} ${from}`} class="week-shift" data-color={shift % colors}>
                  <rect x={xOf(from) + 1} y={1} width={Math.max(2, xOf(to) - xOf(from) - 2)} height={28} rx={4} />
                  {to - from >= 150 && (
                    <text x={xOf(from) + 9} y={20}>
                      {shifts[shift]?.name.slice(0, Math.floor((to - from) / 22))}
                    </text>
                  )}
                </g>
              ))}
          </g>
        ))}
      </svg>
    </figure>
  )
}

function xOf(minute: number): number {
  return 48 + (minute / dayMinutes) * 950
}
